//! The command `symbiosis`: simulates scenarios, runs them and controllers in the kernel, reproduces the papers, transfers files.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 the input is at fault, 130 interrupted.

mod arena;
mod bench;
mod controllers;
mod copy;
mod demo;
mod failure;
mod generate;
mod interrupt;
mod kernel;
mod net;
mod output;
mod playground;
mod print;
mod progress;
mod reproduce;
mod results;
mod runs;
mod simulate;
mod sweep;
mod table;
mod testbed;
mod unfinished;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Congestion control by Lotka-Volterra: simulate it, compare it.
#[derive(Debug, Parser)]
#[command(name = "symbiosis", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scenario
    Simulate(simulate::Args),
    /// Run a scenario over axes and seeds, and write the results as Parquet
    Sweep(sweep::Args),
    /// Run a scenario with Linux' own TCP over an emulated path on this machine (needs root)
    #[command(alias = "lab")]
    Testbed(testbed::Args),
    /// Run the papers' experiments, and write a report with their figures and claims
    Reproduce(reproduce::Args),
    /// Try controllers on what RFC 9743 asks for, and write a scoreboard of the goals that they meet
    Arena(arena::Args),
    /// Open the simulator as a page: sliders, a time line, and charts that are drawn while it runs
    Playground(playground::Args),
    /// Copy files and folders to or from another machine, as scp and rsync do: started by ssh, moved over QUIC
    Copy(copy::Args),
    /// List files and folders of another machine
    List(copy::List),
    /// Measure the path to another machine: rate, capacity, delay with and without load, loss
    Measure(copy::measure::Args),
    /// The other end of a copy, which starts it
    #[command(hide = true)]
    Remote(copy::remote::Args),
    /// Serve a folder over QUIC: others may fetch its files and send new ones
    Serve(net::serve::Args),
    /// Send files to a server
    Send(net::send::Args),
    /// Fetch a file from a server
    Fetch(net::fetch::Args),
    /// Print the fingerprint by which servers know this side
    Identity(net::own::Args),
    /// Measure controllers, one after another: to a server, over loopback, or over an emulated path
    Bench(bench::Args),
    /// Show controllers at work: one file over an emulated path on this machine, about a minute
    Demo(demo::Args),
    /// Run a controller under the kernel's TCP, for every program of this machine (Linux, as root)
    #[command(subcommand)]
    Kernel(kernel::Command),
    /// List the congestion controllers with their parameters
    Controllers(controllers::Args),
    /// Print a completion script for a shell
    Completions(generate::Completions),
    /// Write the manual pages
    Man(generate::Pages),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Simulate(args) => simulate::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Testbed(args) => testbed::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Playground(args) => playground::run(&args),
        Command::Copy(args) => copy::run(&args),
        Command::List(args) => copy::list(&args),
        Command::Measure(args) => copy::measure::run(&args),
        Command::Remote(args) => copy::remote::run(&args),
        Command::Serve(args) => net::serve::run(&args),
        Command::Send(args) => net::send::run(&args),
        Command::Fetch(args) => net::fetch::run(&args),
        Command::Identity(args) => net::own::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Kernel(command) => kernel::run(&command),
        Command::Controllers(args) => controllers::run(&args),
        Command::Completions(args) => generate::completions(&args, Cli::command()),
        Command::Man(args) => generate::pages(&args, Cli::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
