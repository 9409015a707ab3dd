//! Runs of one plan for several seeds, as many at a time as there are cores.

use std::io::{self, IsTerminal};
use std::ops::RangeInclusive;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::miette;
use rayon::prelude::*;
use symbiosis_base::Instant;
use symbiosis_linux::testbed::Machine;
use symbiosis_run::{Outcome, Plan};

use crate::failure::Failure;

/// A run that has ended.
#[derive(Debug)]
pub struct Run {
    /// What it found.
    pub outcome: Outcome,
    /// How long it took.
    pub wall: Duration,
    /// How the machine did, where that matters: in the kernel, not in the simulator.
    pub machine: Option<Machine>,
}

/// Packets of 1500 bytes that make a single run long enough to show that it is alive.
const LONG: f64 = 5e6;

/// Runs the plan with every seed; results in the order of seeds.
///
/// # Errors
/// No threads can be had.
pub fn run_all(plan: &Plan, seeds: RangeInclusive<u64>, threads: Option<u16>) -> Result<Vec<Run>, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0).into()).build();
    let pool = pool.map_err(|error| Failure::Other(miette!("no threads to run in: {error}")))?;
    let seeds: Vec<u64> = seeds.collect();
    let bar = progress(plan, seeds.len() as u64);
    let one = |seed: &u64| {
        let plan = Plan { seed: *seed, ..plan.clone() };
        let start = std::time::Instant::now();
        let outcome = symbiosis_sim::run(&plan);
        bar.inc(1);
        Run { outcome, wall: start.elapsed(), machine: None }
    };
    let runs = pool.install(|| seeds.par_iter().map(one).collect());
    bar.finish_and_clear();
    Ok(runs)
}

/// What shows that a run in real time is alive.
pub fn alone(plan: &Plan) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let bar = bar.with_style(ProgressStyle::with_template("{spinner} {elapsed} of {msg}").expect("a valid template"));
    bar.set_message(format!("{} s", plan.duration.secs()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// A bar on a terminal, when there is something to wait for.
fn progress(plan: &Plan, runs: u64) -> ProgressBar {
    let packets = plan.links.iter().filter(|link| link.listed).map(|link| link.spec.rate.volume(Instant::START, plan.end()) / 1500.0);
    let long = packets.fold(0.0, f64::max) > LONG;
    if !io::stderr().is_terminal() || (runs == 1 && !long) {
        return ProgressBar::hidden();
    }
    let template = if runs == 1 { "{spinner} {elapsed}" } else { "{bar:40} {pos}/{len} runs, {eta} left" };
    let style = ProgressStyle::with_template(template).expect("a valid template");
    let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr()).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
