//! `symbiosis arena`: controllers on what RFC 9743 asks for, and a scoreboard.

mod chosen;
mod written;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::value_parser;
use miette::miette;
use rayon::prelude::*;
use symbiosis_arena::page::Commands;
use symbiosis_arena::{Contestant, Failed, Found, Scoreboard, Trial, Tried, try_out};
use symbiosis_linux::{KernelTcp, testbed};
use symbiosis_papers::World;
use symbiosis_run::Runner;
use symbiosis_sim::Simulator;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::writable;
use crate::print::print;
use crate::progress::{Progress, cpu_time};
use crate::testbed::{ATTEMPTS, failed};
use crate::unfinished::Unfinished;
use chosen::{Asked, Chosen};

/// Seeds of a cell; fewer where it is slow.
const SEEDS: u64 = 30;
/// The same for `--quick`.
const QUICK_SEEDS: u64 = 2;
/// Runs in the kernel take their time.
const KERNEL_SEEDS: u64 = 3;

/// Whom to try on what.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The controller to try, with parameters if wanted: 'symbiosis{theta_ms=5}'; may be given again
    #[arg(long, value_name = "NAME", default_value = "symbiosis")]
    cc: Vec<String>,
    /// The opponent in the families beside others; may be given again; the usual ones without
    #[arg(long, value_name = "NAME")]
    against: Vec<String>,
    /// Only this family, or this cell of it: random-loss, 'random-loss/1 %, 50 ms'; may be given again
    #[arg(long, value_name = "FAMILY")]
    only: Vec<String>,
    /// Seeds of each cell, 10 at most where it is slow: 30, or 2 with --quick, or 3 in the testbed, unless given
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=10_000))]
    seeds: Option<u64>,
    /// A few cells of each family: a minute of processor time for a controller
    #[arg(long)]
    quick: bool,
    /// Where to run: in the simulator, or what of it makes sense with Linux' TCP over an emulated path (needs root)
    #[arg(long, value_enum, default_value = "simulator")]
    world: Where,
    /// List the families with their goals and cells, and run nothing
    #[arg(long, conflicts_with_all = ["seeds", "out", "json", "threads"])]
    list: bool,
    /// The folder of the scoreboard
    #[arg(long, value_name = "DIR", default_value = "arena")]
    out: PathBuf,
    /// Print what was found as JSON and nothing else
    #[arg(long)]
    json: bool,
    /// Run so many cells at a time; as many as there are cores without
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Where to run cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    /// In the simulator, all cores busy
    Simulator,
    /// In the kernel, one run after another
    Testbed,
}

impl Where {
    fn world(self) -> World {
        match self {
            Where::Simulator => World::Simulator,
            Where::Testbed => World::Kernel,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A controller or a family is unknown, or the scoreboard cannot be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let kernel = args.world == Where::Testbed;
    let usual = match (kernel, args.quick) {
        (true, _) => KERNEL_SEEDS,
        (false, true) => QUICK_SEEDS,
        (false, false) => SEEDS,
    };
    let chosen = Chosen::of(Asked {
        target: args.world.world().target(),
        kernel,
        contestants: contestants(&args.cc)?,
        against: &args.against,
        only: &args.only,
        quick: args.quick,
        seeds: args.seeds.unwrap_or(usual),
    })?;
    if args.list {
        return print(&chosen.list());
    }
    writable(&args.out).map_err(|why| {
        Failure::input(format!("--out {}: {why}", args.out.display()), "give a folder where you may write; it is made if it is not there")
    })?;
    let begun = cpu_time();
    let tried = match args.world {
        Where::Simulator => {
            static NEVER: AtomicBool = AtomicBool::new(false);
            all(args, &chosen, &Simulator, &NEVER, |never| match never {})?
        }
        Where::Testbed => {
            testbed::available().map_err(|error| failed(error.into()))?;
            let enough = interrupt::watch()?;
            all(args, &chosen, &KernelTcp { attempts: ATTEMPTS, enough }, enough, failed)?
        }
    };
    eprintln!("{:.0} s of CPU time", cpu_time().saturating_sub(begun).as_secs_f64());
    let found: Vec<&Found> = tried.iter().map(|tried| &tried.found).collect();
    let board = Scoreboard::of(&found, &args.cc);
    match args.json {
        true => print(&written::json(&board, &found)),
        false => print(&format!("{}\n{}\nThe scoreboard is {}\n", board.text(), chosen.words(), args.out.join("index.html").display())),
    }
}

/// Runs what was chosen, and writes the scoreboard. An interrupted run leaves what it has, and the next one goes on from there.
fn all<R: Runner + Sync>(
    args: &Args,
    chosen: &Chosen,
    runner: &R,
    enough: &AtomicBool,
    broken: impl Fn(R::Error) -> Failure + Sync,
) -> Result<Vec<Tried>, Failure> {
    // In the kernel one run follows another, and nothing is to run beside it.
    let threads = if args.world == Where::Testbed { 1 } else { args.threads.unwrap_or(0).into() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Other(miette!("no threads to run in: {error}")))?;
    let cannot_write = |error: io::Error| cannot_write(&args.out, &error);
    let unfinished = Unfinished::open(&args.out, "arena").map_err(cannot_write)?;
    let trials: Vec<(usize, Trial<'_>, String)> = chosen.trials().enumerate().map(|(at, trial)| (at, trial, fingerprint(&trial))).collect();
    let name = |trial: &Trial<'_>| format!("{} {}", trial.contestant.name, trial.cell.id());
    // All cells count alike.
    let progress = Progress::new("cells", trials.iter().map(|(_, trial, _)| (name(trial), 1.0)), None);
    let found: Vec<(usize, Tried)> = trials.iter().filter_map(|(at, _, id)| Some((*at, unfinished.outcome(id)?))).collect();
    if !found.is_empty() {
        eprintln!("{} of {} cells were done before the interruption", found.len(), trials.len());
        found.iter().for_each(|(at, _)| progress.skip(&name(&trials[*at].1)));
    }
    let left: Vec<_> = trials.iter().filter(|(at, ..)| found.iter().all(|(done, _)| done != at)).collect();
    let found = Mutex::new(found);
    let one = |(at, trial, id): &&(usize, Trial<'_>, String)| {
        let name = name(trial);
        progress.begin(&name);
        let one = try_out(trial, runner, || progress.ran(&name, Duration::ZERO)).map_err(|error| match error {
            Failed::Scenario(error) => Failure::from(*error),
            Failed::Run(error) => broken(error),
        })?;
        if enough.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        unfinished.keep(id, &one).map_err(cannot_write)?;
        found.lock().expect("nobody panics while writing").push((*at, one));
        progress.end(&name);
        Ok(())
    };
    // A thread that is done takes the next cell in order, so that what is left is told well.
    let done: Result<(), Failure> = pool.install(|| left.par_iter().with_max_len(1).map(one).collect());
    progress.finish();
    done?;
    let mut found = found.into_inner().expect("nobody panics while writing");
    found.sort_by_key(|(at, _)| *at);
    let tried: Vec<Tried> = found.into_iter().map(|(_, tried)| tried).collect();
    let commands = match args.world {
        Where::Simulator => Commands { arena: "symbiosis arena".into(), scenario: "symbiosis simulate".into() },
        Where::Testbed => Commands { arena: "symbiosis arena --world testbed".into(), scenario: "symbiosis testbed".into() },
    };
    written::write(&args.out, &args.cc, &tried, &chosen.words(), &commands).and_then(|()| unfinished.remove()).map_err(cannot_write)?;
    Ok(tried)
}

fn cannot_write(out: &Path, error: &io::Error) -> Failure {
    Failure::Other(miette!("cannot write into {}: {error}", out.display()))
}

/// What decides a cell's outcome: its scenarios, all of them.
fn fingerprint(trial: &Trial<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(trial.contestant.name.as_bytes());
    for text in trial.texts() {
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Whom to try.
fn contestants(names: &[String]) -> Result<Vec<Contestant>, Failure> {
    let parse = |name: &String| {
        Contestant::parse(name).map_err(|why| Failure::input(format!("--cc {name}: {why}"), "as in 'symbiosis{theta_ms=5}'"))
    };
    names.iter().map(parse).collect()
}
