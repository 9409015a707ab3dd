//! A testbed on one machine: real kernel TCP over an emulated path.
//!
//! Two network namespaces, one for all senders and one for all receivers, each with a TUN device; between the devices the links of a
//! [`Plan`], the same that the simulator has, with the traffic of others in them. Ends of flows are sockets of the kernel's TCP. Results
//! are the simulator's [`Outcome`]: what passed is counted on the path itself, packet by packet; windows, timeouts and recoveries are what
//! the kernel tells of its sockets.
//!
//! The path runs in a thread of its own, on a processor of its own, at a fixed priority. How late it was is part of the result: a run in
//! which it was too late too often says something of the machine, and nothing of TCP. It is void.
//!
//! Nothing that is made here has a name outside: it is all gone with the process, whatever ends that.

mod account;
pub mod between;
mod clock;
mod controllers;
mod emulator;
mod ends;
mod error;
mod hosts;
mod lateness;
pub(crate) mod namespace;
mod realtime;
mod segment;
pub(crate) mod socket;
#[cfg(test)]
mod tests;
mod tun;
pub mod veth;

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use symbiosis_base::Bytes;
use symbiosis_run::{FlowPlan, FlowSample, FlowSummary, LATE, Outcome, Plan, USUAL_SAMPLES};

use account::Account;
use clock::RunClock;
use controllers::kernel_name;
pub use controllers::{NATIVE, is_native};
use emulator::{Emulated, Emulator};
use ends::Told;
pub use error::TestbedError;
use hosts::Hosts;
pub use hosts::MOST_FLOWS;
pub use lateness::{LatenessSummary, MOST_LATE};
use namespace::Namespace;
use tun::Tun;

/// Everything is in its place so long before a run begins: its threads have started within milliseconds, and a run takes
/// seconds.
const SETTLES: Duration = Duration::from_millis(100);
/// Priorities (`SCHED_FIFO`, 1 to 99) of the path and of the ends. Only their order counts: the path first, because its lateness voids a run;
/// the kernel's own threads that must come before both have 99.
const PATH_FIRST: i32 = 50;
const ENDS_FIRST: i32 = 10;

/// A run and the machine that it ran on.
#[derive(Debug)]
pub struct Ran {
    /// What it found.
    pub outcome: Outcome,
    /// How the machine did.
    pub machine: Machine,
    /// The zero of its time.
    pub began: std::time::Instant,
}

/// How the machine did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// How late packets left the path.
    pub lateness: LatenessSummary,
    /// Whether the path's thread had its priority and its processor.
    pub realtime: bool,
    /// Packets that a host did not take, or gave up before the path.
    pub refused: u64,
    /// Runs that it took, void ones included.
    pub attempts: u32,
    /// Why the run is void, if it is.
    pub void: Option<String>,
}

/// Runs until a run is not void, so many times at the most; the last one's void is said in [`Machine::void`].
///
/// # Errors
/// As `run`.
pub fn until_valid<E>(most: u32, mut run: impl FnMut() -> Result<Ran, E>) -> Result<Ran, E> {
    let mut attempts = 1;
    loop {
        let mut ran = run()?;
        ran.machine.attempts = attempts;
        if ran.machine.void.is_none() || attempts >= most {
            return Ok(ran);
        }
        attempts += 1;
    }
}

/// The flow that has an address, at either end.
pub fn flow_of(address: IpAddr) -> Option<usize> {
    match address {
        IpAddr::V4(address) => hosts::flow(address),
        IpAddr::V6(_) => None,
    }
}

/// Whether plans can be carried out here.
///
/// # Errors
/// This process may not, or something that is needed is missing.
pub fn available() -> Result<(), TestbedError> {
    Namespace::new()?.within(|| {
        let _tun = Tun::new("symt-test")?;
        namespace::ip("link set lo up\n")
    })
}

/// Whether this process may make network namespaces.
pub(crate) fn has_namespaces() -> bool {
    Namespace::new().is_ok()
}

/// Carries a plan out, once, unless somebody says that it is `enough` before its end.
///
/// # Errors
/// This process may not, something that is needed is missing, the plan asks for what kernel TCP does not do, or it was enough too soon.
pub fn run(plan: &Plan, enough: &AtomicBool) -> Result<Ran, TestbedError> {
    check(plan)?;
    let hosts = Hosts::new(plan)?;
    let (failed, began) = (AtomicBool::new(false), std::time::Instant::now() + SETTLES);
    let clock = RunClock { began, end: plan.end(), failed: &failed, enough };
    let every = plan.sample_every.unwrap_or(USUAL_SAMPLES);
    let (path_on, ends_on) = realtime::processors();
    let (path, told, received) = thread::scope(|scope| {
        let tuns = [&hosts.sender.tun, &hosts.receiver.tun];
        let path = scope.spawn(move || {
            let realtime = realtime::pin(path_on) & realtime::first(PATH_FIRST);
            let emulated = clock.or_fail(|| Emulator::new(plan).run(tuns, clock))?;
            Ok::<_, TestbedError>((emulated, realtime))
        });
        let (namespace, listener) = (&hosts.sender.namespace, &hosts.listener);
        let sender = scope.spawn(move || {
            clock.or_fail(|| {
                namespace.enter()?;
                prepare(ends_on);
                clock.await_start();
                ends::send(plan, every, clock)
            })
        });
        let receiver = scope.spawn(move || {
            prepare(ends_on);
            clock.or_fail(|| ends::receive(plan, listener, clock))
        });
        (joined(path), joined(sender), joined(receiver))
    });
    if enough.load(Ordering::Relaxed) {
        return Err(TestbedError::Interrupted);
    }
    // What fails first makes the others end early, without an error of their own.
    let (told, ()) = (told?, received?);
    let (mut emulated, realtime) = path?;
    emulated.refused += hosts.given_up()?;
    Ok(found(plan, emulated, &told, realtime, began))
}

/// Ends come before whatever else runs here; where they may not, lateness will show it.
fn prepare(processor: usize) {
    realtime::pin(processor);
    realtime::first(ENDS_FIRST);
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Whether the kernel can do it, before anything is made.
fn check(plan: &Plan) -> Result<(), TestbedError> {
    if plan.flows.is_empty() || plan.flows.len() > MOST_FLOWS {
        return Err(TestbedError::Plan(format!("kernel TCP carries 1 to {MOST_FLOWS} flows here, not {}", plan.flows.len())));
    }
    let known = || {
        let names = plan.flows.iter().map(|flow| kernel_name(flow.cc));
        let unknown = names.map(|name| Ok((name, socket::known(name)?))).find(|known| !matches!(known, Ok((_, true))));
        match unknown {
            None => Ok(()),
            Some(Ok((name, _))) => Err(TestbedError::NoController(name.into())),
            Some(Err(error)) => Err(TestbedError::system::<std::io::Error>("no socket can be had")(error)),
        }
    };
    // Whoever may make namespaces may choose any controller there.
    Namespace::new()?.within(known)
}

/// The result, from what passed and what the kernel told.
fn found(plan: &Plan, emulated: Emulated, told: &[Told], realtime: bool, began: std::time::Instant) -> Ran {
    let lateness = emulated.lateness.summary();
    let void = if lateness.late > MOST_LATE {
        let (late, us) = (100.0 * lateness.late, LATE.0 / 1000);
        Some(format!("{late:.1} % of the packets left the path more than {us} µs late"))
    } else if emulated.refused > 0 {
        Some(format!("{} packets were lost beside the path", emulated.refused))
    } else {
        None
    };
    let mut ledger = symbiosis_run::Ledger::default();
    let mut flows = Vec::new();
    for ((flow, account), told) in plan.flows.iter().zip(emulated.accounts).zip(told) {
        ledger.sent += account.ledger.sent;
        ledger.delivered += account.ledger.delivered;
        ledger.dropped += account.ledger.dropped;
        ledger.in_flight += account.ledger.in_flight;
        flows.push(result(flow, account, told));
    }
    let outcome = Outcome::of(plan, emulated.packets, flows, emulated.links, ledger);
    Ran { outcome, machine: Machine { lateness, realtime, refused: emulated.refused, attempts: 1, void }, began }
}

/// One flow's summary and trace.
fn result(flow: &FlowPlan, mut account: Account, told: &Told) -> (FlowSummary, Vec<FlowSample>) {
    let (mut timeouts, mut recovered) = (0, false);
    let mut trace = Vec::new();
    for (sample, (at, info)) in told.iter().enumerate() {
        let known = info.unwrap_or_default();
        if info.is_some() {
            account.tally.window(*at, Bytes(u64::from(known.cwnd) * flow.packet.0));
            (timeouts..known.timeouts).for_each(|_| account.tally.timeout(*at));
            timeouts = timeouts.max(known.timeouts);
            if known.recovers && !recovered {
                account.tally.loss_event(*at);
            }
            recovered = known.recovers;
        }
        if let Some(passed) = account.samples.get(sample) {
            trace.push(FlowSample {
                at: *at,
                cwnd_packets: f64::from(known.cwnd),
                in_flight_packets: f64::from(known.in_flight),
                srtt_ms: f64::from(known.srtt_us) / 1e3,
                delivered_bytes: passed.delivered,
                retransmissions: passed.resent,
                timeouts: u64::from(timeouts),
                gauges: Vec::new(),
            });
        }
    }
    (account.tally.summary(flow, &account.arrivals), trace)
}
