//! The command `symbiosis`: simulates scenarios, reproduces the papers, lists controllers.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 the input is at fault.

mod controllers;
mod failure;
mod output;
mod print;
mod reproduce;
mod results;
mod runs;
mod simulate;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Congestion control by Lotka-Volterra: simulate it, compare it.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scenario
    Simulate(simulate::Args),
    /// Run the papers' experiments, and write a report with their figures and claims
    Reproduce(reproduce::Args),
    /// List the congestion controllers with their parameters
    Controllers(controllers::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Simulate(args) => simulate::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Controllers(args) => controllers::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
