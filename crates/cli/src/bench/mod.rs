//! `symbiosis bench`: controllers on the same way, one after another: to a server, over this machine's loopback, or over an emulated path.

mod args;
mod numbers;
mod remote;
mod rows;
mod scene;
mod sockets;
mod tables;
mod virtually;

use symbiosis_base::{Rate, Span};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::identity::Identity;

use crate::failure::Failure;
use crate::net::choice;
use crate::net::here::{MOST_LATE, fault};
use crate::print::{pretty, print};
pub use args::Args;
use numbers::Numbers;
use rows::{Row, Table};
use scene::{Emulated, Scene};

/// A void run is repeated so many times: a machine that is late three times is not the place for it.
const RETRIES: usize = 2;

/// Runs the command.
///
/// # Errors
/// A controller is unknown; the server is not there or not the one that was meant; others want more than the link has.
pub fn run(args: &Args) -> Result<(), Failure> {
    // All names first: nobody wants to hear of the last one's mistake after a minute.
    let choices = args.cc.iter().map(|cc| choice(cc, &[])).collect::<Result<Vec<_>, _>>()?;
    if let Some(server) = &args.server {
        return remote::run(args, server, choices);
    }
    if args.out.check()?.is_some() {
        return Err(Failure::input("--out: several runs make no one trace", "name a server, or take --json, which has every run"));
    }
    if args.others >= args.mbps && !args.relay.is_empty() {
        let what = format!("--others {}: that leaves nothing of {} Mbit/s", args.others, args.mbps);
        return Err(Failure::input(what, "give less than --mbps"));
    }
    let rates = (Rate::from_mbps(args.mbps as f64), Rate::from_mbps(args.others as f64));
    let emulated = |rtt: &u64| Some(Emulated { rtt: Span::from_millis(*rtt), capacity: rates.0, others: rates.1 });
    let paths = if args.relay.is_empty() { vec![None] } else { args.relay.iter().map(emulated).collect() };
    let (identity, _) = Identity::generate().map_err(fault)?;
    let tables = paths.into_iter().map(|path| measure(args, &choices, path, &identity)).collect::<Result<Vec<_>, _>>()?;
    print(&if args.json { pretty(&tables) } else { tables::text(&tables) })
}

fn measure(args: &Args, choices: &[Choice], emulated: Option<Emulated>, identity: &Identity) -> Result<Table, Failure> {
    let mut runs: Vec<(usize, Vec<Numbers>)> = vec![(0, Vec::new()); choices.len()];
    // In turns, so that what the machine does meanwhile is nobody's share alone.
    for turn in 0..args.runs {
        let scene = Scene::new(emulated, args.seconds, args.connection.seed + turn);
        for (choice, (void, runs)) in choices.iter().zip(&mut runs) {
            let mut last = sockets::run(&scene, choice, identity)?;
            for _ in 0..RETRIES {
                if !is_void(&last) {
                    break;
                }
                *void += 1;
                last = sockets::run(&scene, choice, identity)?;
            }
            *void += usize::from(is_void(&last));
            runs.push(last);
        }
    }
    let row = |(choice, (void, runs)): (&Choice, (usize, Vec<Numbers>))| {
        let scene = Scene::new(emulated, args.seconds, args.connection.seed);
        let virtually = emulated.map(|emulated| virtually::run(&scene, &emulated, choice, identity)).transpose()?;
        Ok(Row { cc: choice.name(), void, median: Numbers::median(&runs), runs, virtually })
    };
    let rows = choices.iter().zip(runs).map(row).collect::<Result<Vec<_>, Failure>>()?;
    Ok(Table {
        rtt_ms: emulated.map(|emulated| emulated.rtt.millis()),
        mbps: emulated.map(|emulated| emulated.capacity.mbps()),
        others_mbps: emulated.map(|emulated| emulated.others.mbps()),
        rows,
    })
}

/// Whether the machine was measured, and not the controller. Without a relay nothing has a time to keep.
fn is_void(numbers: &Numbers) -> bool {
    numbers.of_free_percent.is_some() && numbers.cost.is_some_and(|cost| cost.late > MOST_LATE)
}
