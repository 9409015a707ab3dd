//! `symbiosis simulate`: runs a scenario, once or for several seeds.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::value_parser;
use symbiosis_papers::World;
use symbiosis_scenario::Scenario;

use crate::failure::Failure;
use crate::output::{Extras, OutFolder};
use crate::print::{json, pretty, print};
use crate::results;
use crate::runs::run_all;

/// What to run and what to print.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario, a TOML file
    file: PathBuf,
    /// Change a value of the scenario, e.g. flow.0.cc=cubic
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// The seed instead of the scenario's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Run N seeds from the first on, and print means with 95 % confidence intervals
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
    seeds: Option<u64>,
    /// Print JSON and nothing else: an object, or an array of them with --seeds
    #[arg(long)]
    json: bool,
    /// Print every effective parameter instead of running
    #[arg(long, conflicts_with_all = ["out", "seeds"])]
    explain: bool,
    /// Write traces and a report into a new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write traces as CSV too
    #[arg(long, requires = "out")]
    csv: bool,
    /// Write a capture of the senders' packets too (pcap)
    #[arg(long, requires = "out")]
    pcap: bool,
    /// Run so many seeds at a time; as many as there are cores without
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Runs the command.
///
/// # Errors
/// The scenario or the output folder is at fault, or writing fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut scenario = Scenario::load_for(World::Simulator.target(), &args.file, &args.sets)?;
    if let Some(seed) = args.seed {
        scenario.plan.seed = seed;
    }
    if args.explain {
        return explain(&scenario, args.json);
    }
    let seeds = seeds(scenario.plan.seed, args.seeds)?;
    // Before the run: nobody wants to hear after an hour that there is no place for the result.
    let out = args.out.as_deref().map(OutFolder::check).transpose()?;
    if out.is_none() {
        scenario.plan.sample_every = None;
    }
    let runs = run_all(&scenario.plan, seeds, args.threads)?;
    if let Some(out) = out {
        let extras = Extras {
            command: "simulate",
            world: "simulator",
            title: "Simulation",
            csv: args.csv,
            pcap: args.pcap,
            array: args.seeds.is_some(),
        };
        out.write(&scenario, &runs, extras)?;
    }
    match args.json {
        true => print(&json(&runs, args.seeds.is_some())),
        false => print(&results::text(&scenario.plan, &runs)),
    }
}

/// So many seeds, from the first on.
///
/// # Errors
/// There are not so many.
pub fn seeds(first: u64, many: Option<u64>) -> Result<RangeInclusive<u64>, Failure> {
    let last = first.checked_add(many.unwrap_or(1) - 1);
    let last = last.ok_or_else(|| Failure::input(format!("there are not so many seeds from {first} on"), "lower --seeds or --seed"))?;
    Ok(first..=last)
}

fn explain(scenario: &Scenario, json: bool) -> Result<(), Failure> {
    let explanation = scenario.explain();
    match json {
        true => print(&pretty(&explanation)),
        false => print(&explanation.to_string()),
    }
}
