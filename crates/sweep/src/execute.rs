//! Carries runs out, a chunk of them at a time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use symbiosis_report::traces::write_traces;
use symbiosis_run::{Outcome, Plan};
use symbiosis_sim::{Passing, Tap};

use crate::grid::Point;
use crate::record::Record;
use crate::sweep::Sweep;

/// Most runs of a chunk. What an interruption loses is a chunk for each core; so many make the file of a chunk worth its opening.
const MOST: u64 = 64;
/// Least chunks of a sweep of many runs: then a core that has a slow one makes the others wait for less than a percent.
const LEAST_CHUNKS: u64 = 256;

/// Runs in a chunk of a sweep of that size: a power of two, so that chunks fill parts.
pub fn chunk_length(size: u64) -> u64 {
    let most = (size / LEAST_CHUNKS).clamp(1, MOST);
    1 << most.ilog2()
}

/// How many chunks a sweep has.
pub fn chunks(sweep: &Sweep) -> u64 {
    sweep.size().div_ceil(chunk_length(sweep.size()))
}

/// Runs a chunk; none when `stop` was set before it was done. With `traces`, each run's go into a folder of its own there.
///
/// # Errors
/// Traces cannot be written.
pub fn run_chunk(sweep: &Sweep, chunk: u64, traces: Option<&Path>, stop: &AtomicBool) -> std::io::Result<Option<Vec<Record>>> {
    let length = chunk_length(sweep.size());
    let runs = chunk * length..((chunk + 1) * length).min(sweep.size());
    let mut records = Vec::new();
    // Seeds are the lowest digit: the plan is the same for many.
    let mut last: Option<(Point, Result<Plan, String>)> = None;
    for point in runs.filter_map(|run| sweep.grid().point(run)) {
        let plan = match last {
            Some((before, plan)) if before.values == point.values => plan,
            _ => sweep.plan(&point).map_err(|error| said(&error)),
        };
        let found = match &plan {
            Err(why) => Err(why.clone()),
            Ok(plan) => {
                let every = traces.and(plan.sample_every);
                match run(&Plan { seed: point.seed, sample_every: every, ..plan.clone() }, stop) {
                    Ended::Stopped => return Ok(None),
                    Ended::Panicked(why) | Ended::Thrown(why) => Err(why),
                    Ended::Found(outcome) => {
                        if let Some(folder) = traces {
                            write_traces(&folder.join(format!("run={:09}", point.run)), &outcome, false)?;
                        }
                        Ok(outcome.summary)
                    }
                }
            }
        };
        records.push(Record { run: point.run, found });
        last = Some((point, plan));
    }
    Ok(Some(records))
}

/// What is wrong and what would be right, in a line.
fn said(error: &symbiosis_scenario::ScenarioError) -> String {
    error.help.as_ref().map_or(error.what.clone(), |help| format!("{} ({help})", error.what))
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// As it should.
    Found(Box<Outcome>),
    /// `stop` was set.
    Stopped,
    /// A fault of the program, in its words.
    Panicked(String),
    /// What [`throw`] said.
    Thrown(String),
}

/// Why a controller of one's own ends its run.
struct Thrown(String);

/// Ends the run that calls a controller of one's own, of which nothing else can be told: its program has failed.
pub fn throw(why: String) -> ! {
    resume_unwind(Box::new(Thrown(why)))
}

/// Runs a plan in the simulator until it ends or `stop` is set.
pub fn run(plan: &Plan, stop: &AtomicBool) -> Ended {
    // The payload with which the simulator is left, of a type that nobody else has.
    struct Stop;
    struct Watch<'a>(&'a AtomicBool);
    impl Tap for Watch<'_> {
        fn passes(&mut self, _: &Passing) {
            if self.0.load(Ordering::Relaxed) {
                resume_unwind(Box::new(Stop));
            }
        }
    }
    match catch_unwind(AssertUnwindSafe(|| symbiosis_sim::run_tapped(plan, &mut Watch(stop)))) {
        Ok(outcome) => Ended::Found(Box::new(outcome)),
        Err(payload) if payload.is::<Stop>() => Ended::Stopped,
        Err(payload) => match payload.downcast::<Thrown>() {
            Ok(thrown) => Ended::Thrown(thrown.0),
            Err(payload) => Ended::Panicked(format!("fault of the program: {}", words(&*payload))),
        },
    }
}

/// What a panic says.
fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&'static str>().copied()).unwrap_or("it gives no reason")
}
