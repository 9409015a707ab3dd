//! A controller of the registry for every socket of the machine.
//!
//! A congestion control in BPF, registered under the name `symbiosis`, and an agent that runs a controller of `symbiosis-control` for each of
//! its sockets. The BPF program (`bpf/symbiosis.bpf.c`) reports what left and what was acknowledged; the agent's controller measures and
//! decides as in every world. A copy of it rehearses what comes next, and the decision goes back to the kernel: samples of the window,
//! between which the program interpolates (`bpf/window.h`), and when the next packets leave. An expired decision holds no more, and the
//! kernel's Reno moves the window.

mod agent;
mod cells;
pub mod control;
mod error;
mod flow;
mod foresight;
mod layout;
mod libbpf;
mod live;
mod lock;
mod orphans;
mod program;
mod rehearsal;
mod rest;
pub mod service;
mod table;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use symbiosis_control::params::{ParamError, Value, Values};
use symbiosis_control::registry::{self, Entry, Feedback};

pub use error::KernelError;
pub use live::{LiveSocket, Phase};
pub use orphans::Orphans;
pub use program::NAME;

use flow::Start;
use libbpf::Libbpf;
use lock::Lock;
use program::Program;
use table::Table;

/// Which controller the sockets get.
#[derive(Clone, Debug)]
pub struct Options {
    entry: &'static Entry,
    params: Values,
    /// Seed of what is drawn at random; each socket has its own from it.
    pub seed: u64,
    log: fn(&str),
}

impl Options {
    /// A controller of the registry by name, with parameters.
    ///
    /// # Errors
    /// There is none of the name, it goes by reports, its parameters are not its own, or it would ask a simulator.
    pub fn new(name: &str, given: &[(String, Value)], seed: u64) -> Result<Options, OptionsError> {
        let entry = registry::find(name).ok_or_else(|| OptionsError::Unknown(name.into()))?;
        if !matches!(entry.feedback, Feedback::Acks) {
            return Err(OptionsError::Reports(name.into()));
        }
        let params = Values::resolve(entry.params, given)?.outside_a_simulator()?;
        Ok(Options { entry, params, seed, log: |_| () })
    }

    /// Whom the agent tells, in a line each, why sockets are Reno.
    pub fn with_log(self, log: fn(&str)) -> Options {
        Options { log, ..self }
    }

    /// The names of controllers that may be chosen.
    pub fn names() -> impl Iterator<Item = &'static str> {
        registry::ALL.iter().filter(|entry| matches!(entry.feedback, Feedback::Acks)).map(|entry| entry.name)
    }
}

/// Why there is no such controller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OptionsError {
    /// No controller has that name.
    #[error("there is no controller `{0}`")]
    Unknown(String),
    /// No receiver of TCP reports what this one goes by.
    #[error("`{0}` goes by reports of a receiver that measures, which TCP does not carry")]
    Reports(String),
    /// A parameter is at fault.
    #[error(transparent)]
    Param(#[from] ParamError),
}

/// The congestion control `symbiosis` with its agent. When this is dropped, both are gone; sockets that are open go on as Reno.
pub struct Kernel {
    libbpf: Arc<Libbpf>,
    program: Arc<Program>,
    agent: Option<JoinHandle<Result<(), KernelError>>>,
    enough: Arc<AtomicBool>,
    ask: Sender<Sender<agent::Seen>>,
    controller: &'static str,
    took_over: bool,
    _lock: Lock,
}

/// What a look shows.
#[derive(Clone, Debug)]
pub struct Status {
    /// The sockets that something was heard of.
    pub sockets: Vec<LiveSocket>,
    /// How many sockets use the congestion control.
    pub registered: usize,
    /// Records that were lost because the agent was too slow.
    pub dropped: u64,
    /// What agents that have stopped left behind.
    pub orphans: Orphans,
}

impl Kernel {
    /// Registers the congestion control and starts its agent. If an earlier agent was killed, its sockets are taken over.
    ///
    /// # Errors
    /// Something is missing (root, BTF, libbpf), another agent is running, or the kernel refuses the program.
    pub fn start(options: Options) -> Result<Kernel, KernelError> {
        if !nix::unistd::geteuid().is_root() {
            return Err(KernelError::NotRoot);
        }
        if !Path::new("/sys/kernel/btf/vmlinux").exists() {
            return Err(KernelError::NoBtf);
        }
        let libbpf = Arc::new(Libbpf::open()?);
        let lock = Lock::take()?;
        let found = Program::find(&libbpf);
        let took_over = found.is_some();
        let program = Arc::new(match found {
            Some(program) => program,
            None => Program::register(&libbpf)?,
        });
        // From the first socket on.
        program.heartbeat(&libbpf, agent::now().0)?;
        let enough = Arc::new(AtomicBool::new(false));
        let (ask, asked) = mpsc::channel();
        let controller = options.entry.name;
        let table = Table::new(Start { entry: options.entry, params: options.params, seed: options.seed });
        let agent = thread::Builder::new().name("agent".into()).spawn({
            let (libbpf, program, enough) = (libbpf.clone(), program.clone(), enough.clone());
            move || agent::run(&libbpf, &program, table, &enough, &asked, options.log)
        })?;
        Ok(Kernel { libbpf, program, agent: Some(agent), enough, ask, controller, took_over, _lock: lock })
    }

    /// The controller that sockets get.
    pub fn controller(&self) -> &'static str {
        self.controller
    }

    /// Whether sockets of an agent that was killed were taken over.
    pub fn took_over(&self) -> bool {
        self.took_over
    }

    /// Whether the agent is at work; it ends by itself only if it fails, which [`Kernel::stop`] then tells.
    pub fn is_running(&self) -> bool {
        self.agent.as_ref().is_some_and(|agent| !agent.is_finished())
    }

    /// What the agent sees.
    ///
    /// # Errors
    /// The agent has failed.
    pub fn status(&self) -> Result<Status, KernelError> {
        let (answer, answered) = mpsc::channel();
        let seen = self.ask.send(answer).ok().and_then(|()| answered.recv().ok());
        let seen = seen.ok_or_else(|| KernelError::Io(io::Error::other("the agent has failed")))?;
        Ok(Status { sockets: seen.sockets, registered: seen.registered, dropped: seen.dropped, orphans: seen.orphans })
    }

    /// Ends it.
    ///
    /// # Errors
    /// The agent had failed, or the kernel does not let go of the congestion control.
    pub fn stop(mut self) -> Result<(), KernelError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), KernelError> {
        let Some(agent) = self.agent.take() else { return Ok(()) };
        self.enough.store(true, Ordering::Relaxed);
        let ended = agent.join().unwrap_or_else(|_| Err(KernelError::Io(io::Error::other("the agent panicked"))));
        self.program.unregister(&self.libbpf)?;
        ended
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // What fails here was told before, or nobody can be told.
        let _ = self.end();
    }
}

/// Whether libbpf is installed.
pub(crate) fn has_libbpf() -> bool {
    Libbpf::open().is_ok()
}

/// Ends what an agent that was killed left behind; whether there was anything.
///
/// # Errors
/// An agent is running, or something is missing.
pub fn clean_up() -> Result<bool, KernelError> {
    if !nix::unistd::geteuid().is_root() {
        return Err(KernelError::NotRoot);
    }
    let _lock = Lock::take()?;
    Ok(program::unregister(&Libbpf::open()?))
}

#[cfg(test)]
mod default_devices;
#[cfg(test)]
mod on_this_machine;
#[cfg(test)]
mod tests;
