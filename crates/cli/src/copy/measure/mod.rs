//! `symbiosis measure host`: what a path carries, and what it costs in delay.

mod args;
pub mod load;
mod show;
mod sums;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use miette::miette;
use symbiosis_copy::Options;
use symbiosis_quic::exchange::{Calling, call};
use symbiosis_quic::identity::{Fingerprint, Identity};
use symbiosis_quic::socket::CallError;

use super::handshake::{Measured, Task};
use super::limit::Timetable;
use super::ssh::{Remote, Ssh};
use super::{broken, unanswered};
use crate::failure::Failure;
pub use args::Args;
use load::{Load, Plan};
use sums::{Sample, Stream};

/// What a stream tells while it runs, and at its end.
enum Word {
    Sample(Sample),
    Done(Box<Result<Option<Measured>, Failure>>),
}

/// Runs `symbiosis measure`.
///
/// # Errors
/// The other end cannot be reached, or goes.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (plan, host) = (args.plan()?, args.host()?);
    args.reach.control.choice()?;
    let streams = usize::try_from(args.parallel).unwrap_or(1);
    let (tell, hear) = channel();
    let mut seen: Vec<Stream> = (0..streams).map(|_| Stream::default()).collect();
    let mut show = show::Show::new(plan, args.interval, args.json);
    let results = thread::scope(|scope| {
        for number in 0..streams {
            let (tell, host) = (tell.clone(), host.clone());
            scope.spawn(move || {
                let done = stream(args, &plan, &host, number, &tell);
                // Whoever hears is there until all are done.
                let _ = tell.send((number, Word::Done(Box::new(done))));
            });
        }
        drop(tell);
        let mut results = Vec::new();
        for (number, word) in hear {
            match word {
                Word::Sample(sample) => {
                    seen[number].samples.push(sample);
                    show.looks(&seen)?;
                }
                Word::Done(done) => {
                    seen[number].over = true;
                    results.push((number, *done));
                }
            }
        }
        Ok::<_, Failure>(results)
    })?;
    for (number, result) in results {
        seen[number].other = result?;
    }
    show.report(&seen, &host, args)
}

/// One stream, with an other end of its own.
fn stream(args: &Args, plan: &Plan, host: &str, number: usize, tell: &Sender<(usize, Word)>) -> Result<Option<Measured>, Failure> {
    let reach = &args.reach;
    let ssh = Ssh::new(&reach.ssh, host, &reach.remote_program)?;
    let (identity, _) = Identity::generate().map_err(|error| Failure::Other(miette!("{error}")))?;
    let known = super::known(reach, &ssh);
    // A rate is shared by the streams.
    let limit = args.rate.map(|rate| Timetable::steady(rate / args.parallel as f64));
    let seed = reach.seed + number as u64;
    let hello = super::hello(reach, &identity, (limit.as_ref(), seed), Task::Measure(*plan), Options::default());
    let remote = ssh.start(&hello)?;
    let peer = Fingerprint::parse(&remote.ready.fingerprint).ok_or_else(|| Failure::Other(miette!("{host}: it shows no fingerprint")))?;
    let shows = Arc::new(identity);
    let mut failed = Failure::input(format!("{host}: its address is not known"), "say where the other machine is with --address");
    for address in super::in_turn(known, remote.ready.address, reach.address.is_some()) {
        let calling = Calling {
            to: SocketAddr::from((address, remote.ready.port)),
            peer,
            shows: shows.clone(),
            choice: reach.control.choice()?,
            seed,
            limit: super::own_limit(limit.as_ref()),
        };
        let mut last = None;
        let called = call(&calling, Box::new(Load::new(plan, true)), |now, moved, view| {
            let Some(began) = moved.began else { return true };
            let age = (now - began).secs();
            if last.is_some_and(|last| age - last < sums::EVERY_S) {
                return true;
            }
            last = Some(age);
            tell.send((number, Word::Sample(Sample::new(age, moved, &view())))).is_ok()
        });
        match called {
            Ok(_) => return Ok(measured(remote)),
            Err(error @ (CallError::NoAnswer(_) | CallError::Refused(_))) => failed = unanswered(&error, &remote),
            Err(error) => return Err(broken(&error)),
        }
    }
    Err(failed)
}

/// What the other end says of what it sent.
fn measured(mut remote: Remote) -> Option<Measured> {
    remote.hears()
}
