//! `symbiosis measure host`: what a path carries, and what it costs in delay.

pub mod load;
mod show;
mod sums;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use miette::miette;
use symbiosis_base::Rate;
use symbiosis_copy::Options;
use symbiosis_quic::exchange::{Calling, call};
use symbiosis_quic::identity::{Fingerprint, Identity};
use symbiosis_quic::socket::CallError;

use super::handshake::{Measured, Task};
use super::place::Place;
use super::ssh::{Remote, Ssh};
use super::{Reach, broken, rate, unanswered};
use crate::failure::Failure;
use load::{Load, Plan};
use sums::{Sample, Stream};

/// ssh's server lets ten begin at once (`MaxStartups`), and each stream is started by one.
const MOST_STREAMS: u64 = 8;

/// What to measure.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine at the other end, as ssh knows it
    #[arg(value_name = "HOST")]
    host: OsString,
    /// The other machine sends
    #[arg(short = 'R', long, conflicts_with = "both")]
    reverse: bool,
    /// Both send at once
    #[arg(long)]
    both: bool,
    /// Send at this rate, evenly, and not as fast as the path allows
    #[arg(long, value_name = "MBIT/S", value_parser = rate)]
    rate: Option<f64>,
    /// Streams at once, each a connection of its own
    #[arg(short = 'P', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_STREAMS))]
    parallel: u64,
    /// How long to send
    #[arg(short = 't', long, value_name = "S", default_value_t = 10.0)]
    seconds: f64,
    /// Tell how it goes each so often; 0: only at the end
    #[arg(short = 'i', long, value_name = "S", default_value_t = 1.0)]
    interval: f64,
    #[command(flatten)]
    reach: Reach,
    /// Print one JSON object, with iperf3's fields and irtt's
    #[arg(long)]
    json: bool,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        if !(self.seconds.is_finite() && (0.1..=86_400.0).contains(&self.seconds)) {
            return Err(Failure::input(format!("--seconds {}: it is no time to measure", self.seconds), "give 0.1 to 86400"));
        }
        if !(self.interval == 0.0 || (0.1..=self.seconds).contains(&self.interval)) {
            let what = format!("--interval {}: it does not fit into {} s", self.interval, self.seconds);
            return Err(Failure::input(what, "give 0.1 to --seconds, or 0 for none"));
        }
        Ok(Plan { forth: !self.reverse, back: self.reverse || self.both, seconds: self.seconds })
    }

    fn host(&self) -> Result<String, Failure> {
        let shown = super::shown(&self.host);
        match Place::parse(&self.host) {
            Place::There { host, path } if path.is_empty() => Ok(host),
            Place::Here(host) if !shown.is_empty() && !shown.contains('/') && !shown.starts_with('-') => {
                host.into_string().map_err(|_| Failure::input(format!("{shown}: this is no host"), "give a name that ssh knows"))
            }
            Place::There { host, .. } => Err(Failure::input(format!("{shown}: a path is measured, and no file"), format!("write {host}"))),
            Place::Here(_) => Err(Failure::input(format!("{shown}: this is no host"), "give a name that ssh knows, e.g. me@host")),
        }
    }
}

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
    let known = reach.address.or_else(|| ssh.address());
    // A rate is shared by the streams.
    let limit = args.rate.map(|rate| rate / args.parallel as f64);
    let seed = reach.seed + number as u64;
    let hello = super::hello(reach, &identity, (known, limit, seed), Task::Measure(*plan), Options::default());
    let remote = ssh.start(&hello)?;
    let peer = Fingerprint::parse(&remote.ready.fingerprint).ok_or_else(|| Failure::Other(miette!("{host}: it shows no fingerprint")))?;
    let shows = Arc::new(identity);
    let mut failed = Failure::input(format!("{host}: its address is not known"), "say where the other machine is with --address");
    for address in super::addresses(reach, known, &remote) {
        let calling = Calling {
            to: SocketAddr::from((address, remote.ready.port)),
            peer,
            shows: shows.clone(),
            choice: reach.control.choice()?,
            seed,
            limit: limit.map(Rate::from_mbps),
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
