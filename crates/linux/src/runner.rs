//! Plans under the kernel's TCP: the testbed, and beside it an agent where a plan has controllers of this project.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use symbiosis_base::Span;
use symbiosis_control::params::Values;
use symbiosis_run::{FlowPlan, Outcome, Plan, Runner};

use crate::kernel::control::{self, Report};
use crate::kernel::{Kernel, KernelError, LiveSocket, Options, OptionsError};
use crate::testbed::{self, Ran, TestbedError};

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The hosts or the path between them.
    #[error(transparent)]
    Testbed(#[from] TestbedError),
    /// The agent.
    #[error(transparent)]
    Agent(#[from] KernelError),
    /// What the agent is to run.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The machine was too slow in every attempt.
    #[error("void after {attempts} attempts: {why}")]
    Void {
        /// How often it was tried.
        attempts: u32,
        /// What happened in the last of them.
        why: String,
    },
}

impl RunError {
    /// What would help, where that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            RunError::Testbed(error) => error.help(),
            RunError::Agent(error) => error.help().map(String::from),
            RunError::Options(_) | RunError::Void { .. } => None,
        }
    }
}

/// Carries plans out with the kernel's TCP, over an emulated path between two hosts on this machine.
///
/// An agent is there for one run alone, so that no run knows of another; unless one of the same controller is running already, which then
/// stays in charge.
#[derive(Clone, Copy, Debug)]
pub struct KernelTcp<'a> {
    /// A void run is repeated until there have been this many.
    pub attempts: u32,
    /// Whoever sets it ends the run.
    pub enough: &'a AtomicBool,
}

impl KernelTcp<'_> {
    /// Carries a plan out, and says how the machine did. The last attempt may be void: [`testbed::Machine::void`].
    ///
    /// # Errors
    /// The machine or the user cannot do it, or the plan asks for what the kernel does not do.
    pub fn run_with_machine(&self, plan: &Plan) -> Result<Ran, RunError> {
        testbed::until_valid(self.attempts, || match options(plan)? {
            None => Ok(testbed::run(plan, self.enough)?),
            // Before the agent: what is missing for the path is said first, and nothing was registered for it.
            Some(options) => testbed::available().map_err(RunError::from).and_then(|()| with_agent(plan, self.enough, options)),
        })
    }
}

impl Runner for KernelTcp<'_> {
    type Error = RunError;

    fn run(&self, plan: &Plan) -> Result<Outcome, RunError> {
        let ran = self.run_with_machine(plan)?;
        match ran.machine.void {
            None => Ok(ran.outcome),
            Some(why) => Err(RunError::Void { attempts: ran.machine.attempts, why }),
        }
    }
}

/// The controller of ours that a plan wants, if it wants one. All flows that do want the same: the scenario's check sees to it.
fn options(plan: &Plan) -> Result<Option<Options>, OptionsError> {
    let ours = plan.flows.iter().find(|flow| !testbed::is_native(flow.cc));
    let given = |flow: &FlowPlan| flow.params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect::<Vec<_>>();
    ours.map(|flow| Options::new(flow.cc.name, &given(flow), plan.seed)).transpose()
}

/// What an agent said of its sockets at an instant: the flow and its gauges.
type Heard = Vec<(std::time::Instant, usize, Vec<(&'static str, f64)>)>;

/// Who runs a controller of ours.
enum Agent {
    /// One for this run.
    Own(Kernel),
    /// One that was there before.
    Other,
}

impl Agent {
    /// # Errors
    /// Another agent is there that runs something else, or one cannot be had.
    fn find(plan: &Plan, options: Options) -> Result<Agent, KernelError> {
        let same = |report: &Report| {
            let wants = |flow: &&FlowPlan| !testbed::is_native(flow.cc);
            let usual = |flow: &FlowPlan| Values::resolve(flow.cc.params, &[]).is_ok_and(|usual| usual.iter().eq(flow.params.iter()));
            plan.flows.iter().filter(wants).all(|flow| flow.cc.name == report.controller && usual(flow))
        };
        match control::status()? {
            Some(report) if same(&report) => Ok(Agent::Other),
            Some(report) => Err(KernelError::Running(report.pid)),
            None => Kernel::start(options).map(Agent::Own),
        }
    }

    /// What it sees, and how many records it has lost.
    fn look(&self) -> Result<(Vec<LiveSocket>, u64), KernelError> {
        match self {
            Agent::Own(kernel) => kernel.status().map(|status| (status.sockets, status.dropped)),
            Agent::Other => control::status().map(|report| report.map_or((Vec::new(), 0), |report| (report.sockets, report.dropped))),
        }
    }
}

fn with_agent(plan: &Plan, enough: &AtomicBool, options: Options) -> Result<Ran, RunError> {
    let agent = Agent::find(plan, options)?;
    let (_, before) = agent.look()?;
    let over = AtomicBool::new(false);
    let (ran, heard) = thread::scope(|scope| {
        let (agent, told) = (&agent, &over);
        let listener = plan.sample_every.map(|every| scope.spawn(move || listen(agent, every, told)));
        let ran = testbed::run(plan, enough);
        over.store(true, Ordering::Relaxed);
        (ran, listener.map(|listener| listener.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
    });
    // One that was there before may have gone; its flows went on as Reno's, and that is a result, too.
    let lost = agent.look().map_or(0, |(_, lost)| lost.saturating_sub(before));
    if let Agent::Own(kernel) = agent {
        kernel.stop()?;
    }
    let mut ran = ran?;
    if lost > 0 && ran.machine.void.is_none() {
        ran.machine.void = Some(format!("the agent was too slow for {lost} records"));
    }
    write_down(&mut ran, &heard.unwrap_or_default());
    Ok(ran)
}

/// Asks the agent so often until it is over.
fn listen(agent: &Agent, every: Span, over: &AtomicBool) -> Heard {
    let mut heard = Heard::new();
    while !over.load(Ordering::Relaxed) {
        let now = std::time::Instant::now();
        let (sockets, _) = agent.look().unwrap_or_default();
        for socket in sockets {
            if let Some(flow) = socket.remote.and_then(testbed::flow_of) {
                heard.push((now, flow, socket.gauges.iter().map(|(name, value)| (known(name), *value)).collect()));
            }
        }
        thread::sleep(Duration::from_nanos(every.0).saturating_sub(now.elapsed()));
    }
    heard
}

/// A gauge's name for ever: there are as many as controllers declare.
fn known(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match names.get(name) {
        Some(known) => known,
        None => {
            let known: &'static str = String::from(name).leak();
            names.insert(known);
            known
        }
    }
}

/// Puts into each sample of a trace what was heard last before it.
fn write_down(ran: &mut Ran, heard: &Heard) {
    for (flow, trace) in ran.outcome.flow_traces.iter_mut().enumerate() {
        let mut next = heard.iter().filter(|(_, of, _)| *of == flow).peekable();
        let mut last: &[(&'static str, f64)] = &[];
        for sample in trace {
            while let Some((_, _, gauges)) = next.next_if(|(when, ..)| *when <= ran.began + Duration::from_nanos(sample.at.0)) {
                last = gauges;
            }
            sample.gauges = last.to_vec();
        }
    }
}
