//! `symbiosis sweep`: runs a scenario over axes and seeds, and puts shards of such a sweep together.

use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::value_parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::miette;
use symbiosis_papers::World;
use symbiosis_sweep::{Changes, Done, MergeError, Shard, Store, StoreError, Sweep, chunks, merge, run_local};

use crate::failure::Failure;
use crate::interrupt;
use crate::output::writable;
use crate::print::print;

/// Where nobody sees a bar a line tells how far it is, not more often than this.
const LINES: Duration = Duration::from_secs(30);

/// What to sweep.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The sweep, a TOML file
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// Change a value of the scenario in every run, e.g. duration_s=20; an axis goes before it
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Run N seeds, from the scenario's on, instead of the file's
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
    seeds: Option<u64>,
    /// Write the dataset into this folder, or go on with what was begun there; without: the file's name without ending
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write each run's traces too
    #[arg(long)]
    traces: bool,
    /// Run the i-th of n shares only; `symbiosis sweep merge` puts them together
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Run so many at a time; as many as there are cores without
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Say how many runs there are, and run none
    #[arg(long)]
    count: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Put shards together: the dataset that the sweep would have written alone, byte for byte
    Merge(MergeArgs),
}

/// What to put together.
#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// The folders of the shards
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// Write the dataset into this folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// The sweep or a folder is at fault, writing fails, or runs were not possible.
pub fn run(args: &Args) -> Result<(), Failure> {
    match (&args.command, &args.file) {
        (Some(Command::Merge(args)), _) => together(args),
        (None, Some(file)) => sweep(args, file),
        (None, None) => Err(Failure::input("no sweep is given", "symbiosis sweep SWEEP.toml")),
    }
}

fn together(args: &MergeArgs) -> Result<(), Failure> {
    writable(&args.out).map_err(|why| unfit(&args.out, &why))?;
    let done = merge(World::Simulator.target(), &args.shards, &args.out).map_err(|error| match error {
        MergeError::Sweep(error) => error.into(),
        MergeError::Store(error) => failure(&args.out, error),
    })?;
    told(&done, &args.out)
}

fn sweep(args: &Args, file: &Path) -> Result<(), Failure> {
    // Threads that begin later leave signals to this one.
    let stop = interrupt::watch()?;
    let changes = Changes { sets: args.sets.clone(), seeds: args.seeds, ..Changes::default() };
    let sweep = Sweep::load(World::Simulator.target(), file, &changes)?;
    sweep.check()?;
    if args.count {
        return print(&format!("{}\n", sweep.runs()));
    }
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(file.file_stem().unwrap_or_default()));
    if let Some(done) = Store::done(&out, &sweep) {
        return told(&done, &out);
    }
    writable(&out).map_err(|why| unfit(&out, &why))?;
    let store = Store::open(&out, sweep.clone().into()).map_err(|error| failure(&out, error))?;
    let all = args.shard.unwrap_or(Shard::WHOLE).chunks(chunks(&sweep));
    let missing = store.missing(all.clone());
    let progress = Progress::new(sweep.runs(), (all.end - all.start) as usize, missing.len(), chunks(&sweep));
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get), usize::from);
    let traces = args.traces.then(|| out.join("traces"));
    run_local(&sweep, &missing, threads, traces.as_deref(), stop, |chunk, records| {
        store.keep(chunk, &records)?;
        progress.ended(records.iter().filter_map(|record| Some((record.run, record.found.as_ref().err()?.as_str()))));
        Ok(())
    })?;
    progress.finish();
    match store.finish()? {
        Some(done) => told(&done, &out),
        None if stop.load(Ordering::Relaxed) => {
            eprintln!("{} holds what has ended; the same command goes on from there", out.display());
            Err(Failure::Interrupted)
        }
        None => print(&format!("{}: share {} is done; merge the shares\n", out.display(), args.shard.unwrap_or(Shard::WHOLE))),
    }
}

/// What the sweep came to. Runs that were not possible are a failure, and the others are there.
fn told(done: &Done, out: &Path) -> Result<(), Failure> {
    let tables = if done.failed == 0 { "flows, links" } else { "flows, links, failures" };
    print(&format!("{}: {} runs, {} of them not possible; tables {tables}\n", out.display(), done.runs, done.failed))?;
    match done.failed {
        0 => Ok(()),
        failed => Err(Failure::Other(miette!(
            help = "the dataset holds the others; failures has each of these with its axes and why",
            "{failed} of {} runs were not possible",
            done.runs
        ))),
    }
}

fn unfit(out: &Path, why: &str) -> Failure {
    Failure::input(format!("--out {}: {why}", out.display()), "give a folder that does not exist yet, where you may write")
}

fn failure(out: &Path, error: StoreError) -> Failure {
    match error {
        StoreError::Unfit(why) => unfit(out, &why),
        StoreError::Io(error) => error.into(),
    }
}

/// How far a sweep is: a bar on a terminal, elsewhere a line now and then.
struct Progress {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    since: Instant,
    line: Instant,
    /// Chunks that ended now, and that there are to run now.
    ended: usize,
    missing: usize,
    /// Runs of the share, about: what a filter leaves out is thought to be spread evenly.
    runs: f64,
    /// Chunks of the share that had ended before.
    before: usize,
    failed: u64,
}

/// Failing runs that are told while others run; of all the table tells.
const TOLD: u64 = 5;

impl Progress {
    fn new(runs: u64, share: usize, missing: usize, chunks: u64) -> Progress {
        let (now, runs) = (Instant::now(), runs as f64 * share as f64 / chunks.max(1) as f64);
        let state = State { since: now, line: now, ended: 0, missing, runs, before: share - missing, failed: 0 };
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:40} {msg}").expect("a valid template");
            let bar = ProgressBar::with_draw_target(Some(share as u64), ProgressDrawTarget::stderr()).with_style(style);
            bar.set_position((share - missing) as u64);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Progress { bar, state: Mutex::new(state) }
    }

    fn ended<'a>(&self, failures: impl Iterator<Item = (u64, &'a str)>) {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        state.ended += 1;
        for (run, why) in failures {
            state.failed += 1;
            if state.failed <= TOLD {
                let line = format!("run {run} is not possible: {why}");
                self.bar.as_ref().map_or_else(|| eprintln!("{line}"), |bar| bar.println(&line));
            }
        }
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.set_message(state.words());
            }
            None if state.line.elapsed() >= LINES => {
                state.line = Instant::now();
                eprintln!("{}", state.words());
            }
            None => {}
        }
    }

    fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl State {
    fn words(&self) -> String {
        let part = (self.before + self.ended) as f64 / (self.before + self.missing) as f64;
        let left = self.since.elapsed().as_secs_f64() * (self.missing - self.ended) as f64 / self.ended as f64;
        let left = if left < 90.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) };
        let failed = if self.failed > 0 { format!(", {} not possible", self.failed) } else { String::new() };
        format!("{:.0} of {:.0} runs{failed}, about {left} left", part * self.runs, self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_at_the_pace_of_this_run() {
        let since = Instant::now() - Duration::from_secs(60);
        let state = |ended, failed| State { since, line: since, ended, missing: 40, runs: 1000.0, before: 60, failed };
        assert_eq!(state(20, 0).words(), "800 of 1000 runs, about 60 s left");
        assert_eq!(state(10, 2).words(), "700 of 1000 runs, 2 not possible, about 3 min left");
    }
}
