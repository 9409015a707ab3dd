//! `symbiosis testbed`: runs a scenario with the kernel's own TCP over an emulated path.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::value_parser;
use miette::miette;
use symbiosis_linux::testbed::TestbedError;
use symbiosis_linux::{KernelTcp, RunError};
use symbiosis_papers::World;
use symbiosis_run::Plan;
use symbiosis_scenario::Scenario;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Extras, OutFolder};
use crate::print::{json, print};
use crate::results;
use crate::runs::{Run, alone};
use crate::simulate::seeds;

/// A void run is repeated so often that there are three of it at the most.
pub const ATTEMPTS: u32 = 3;

/// What to run and what to print.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario, a TOML file
    file: PathBuf,
    /// Change a value of the scenario, e.g. flow.0.cc=linux-cubic
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// The seed instead of the scenario's: of losses, jitter and the traffic of others
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Run N seeds from the first on, one after another, and print means with 95 % confidence intervals
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=10_000))]
    seeds: Option<u64>,
    /// Print JSON and nothing else: an object, or an array of them with --seeds
    #[arg(long)]
    json: bool,
    /// Write traces and a report into a new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write traces as CSV too
    #[arg(long, requires = "out")]
    csv: bool,
}

/// Runs the command.
///
/// # Errors
/// The scenario or the output folder is at fault, this machine or user cannot do it, or writing fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let enough = interrupt::watch()?;
    let mut scenario = Scenario::load_for(World::Kernel.target(), &args.file, &args.sets)?;
    if let Some(seed) = args.seed {
        scenario.plan.seed = seed;
    }
    let seeds = seeds(scenario.plan.seed, args.seeds)?;
    let out = args.out.as_deref().map(OutFolder::check).transpose()?;
    if out.is_none() {
        scenario.plan.sample_every = None;
    }
    let mut runs = Vec::new();
    for seed in seeds {
        runs.push(one(&Plan { seed, ..scenario.plan.clone() }, enough)?);
    }
    if let Some(out) = out {
        let extras =
            Extras { command: "testbed", world: "kernel", title: "Linux' TCP", csv: args.csv, pcap: false, array: args.seeds.is_some() };
        out.write(&scenario, &runs, extras)?;
    }
    match args.json {
        true => print(&json(&runs, args.seeds.is_some())),
        false => print(&results::text(&scenario.plan, &runs)),
    }
}

fn one(plan: &Plan, enough: &AtomicBool) -> Result<Run, Failure> {
    let bar = alone(plan);
    let start = Instant::now();
    let ran = KernelTcp { attempts: ATTEMPTS, enough }.run_with_machine(plan).map_err(failed)?;
    bar.finish_and_clear();
    if let Some(void) = &ran.machine.void {
        eprintln!("seed {}: void after {} attempts: {void}", plan.seed, ran.machine.attempts);
    }
    Ok(Run { outcome: ran.outcome, wall: start.elapsed(), machine: Some(ran.machine) })
}

/// What is missing is the user's to give; what breaks is not.
pub fn failed(error: RunError) -> Failure {
    match error.help() {
        Some(help) => Failure::input(error, help),
        None if matches!(error, RunError::Testbed(TestbedError::Interrupted)) => Failure::Interrupted,
        None => Failure::Other(miette!("{error}")),
    }
}
