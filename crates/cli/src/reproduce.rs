//! `symbiosis reproduce`: the papers' figures and tables, run, drawn and checked.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::value_parser;
use console::Term;
use miette::miette;
use rayon::prelude::*;
use symbiosis_linux::testbed;
use symbiosis_papers::World;
use symbiosis_papers::{CHAPTERS, Experiment, Lab, find, of_world};
use symbiosis_report::outcome::Outcome;
use symbiosis_report::{self as report, Entry, Report};

use crate::failure::Failure;
use crate::interrupt;
use crate::output::writable;
use crate::print::print;
use crate::progress::{Progress, cpu_time};
use crate::table::table;
use crate::testbed::failed;
use crate::unfinished::Unfinished;

/// Seeds where randomness enters.
const SEEDS: u64 = 10;
/// The same for `--quick`.
const QUICK_SEEDS: u64 = 3;
/// Runs in the kernel, which take their time.
const KERNEL_SEEDS: u64 = 5;
/// The same for `--quick`.
const QUICK_KERNEL_SEEDS: u64 = 2;
/// Pages are written while it runs when so many times as long has passed as it took to write them.
const WRITING: u32 = 30;
/// Columns of the summary when stdout is no terminal.
const WIDTH: usize = 140;

const TITLE: &str = "The papers, reproduced";
const INTRO: &str = "Every figure and table that can be run, in the papers' form, with their claims checked. `symbiosis-paper` is what the papers \
                     describe, with the published ImTCP; what they leave open is listed in docs/measurement.md. `symbiosis` is our best, with our own \
                     measurement. Beside both stand the same with the oracle: the simulator hands them the true capacity and available bandwidth.";

/// What held before the papers were read again: the first that a reader of the counts compares with.
const BEFORE: &str = "Published claims at 23a61af, before verdicts heeded intervals: 98 of 147 held (67 %)";

const KERNEL_TITLE: &str = "The papers' laboratory, in the kernel";
const KERNEL_INTRO: &str = "What the papers did on Linux hosts, with Linux' own TCP over an emulated path on this machine: `symbiosis` beside the \
                            kernel's Reno, CUBIC and BBR. Runs follow one another; one in which the path was late too often is left out.";

/// What to reproduce.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// List all experiments with their source, and run nothing
    #[arg(long, conflicts_with_all = ["only", "quick", "seeds", "out", "json", "threads"])]
    list: bool,
    /// Where to run them: in the simulator, or with Linux' own TCP over an emulated path (needs root)
    #[arg(long, value_enum, default_value = "simulator")]
    world: Where,
    /// Run these experiments only, e.g. S7,T3
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Shorter runs, fewer points and seeds
    #[arg(long)]
    quick: bool,
    /// Seeds where randomness enters: 10, or 3 with --quick; in the kernel 5, or 2; unless given
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(2..=100_000))]
    seeds: Option<u64>,
    /// The folder of the report; `report` without, or `report-ID-…` with --only
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the claims as JSON and nothing else
    #[arg(long)]
    json: bool,
    /// Run so many simulations at a time; as many as there are cores without
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Where to run experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    /// In the simulator, all cores busy
    Simulator,
    /// In the kernel, one run after another
    Linux,
}

impl Where {
    fn world(self) -> World {
        match self {
            Where::Simulator => World::Simulator,
            Where::Linux => World::Kernel,
        }
    }

    fn seeds(self, quick: bool) -> u64 {
        match (self, quick) {
            (Where::Simulator, false) => SEEDS,
            (Where::Simulator, true) => QUICK_SEEDS,
            (Where::Linux, false) => KERNEL_SEEDS,
            (Where::Linux, true) => QUICK_KERNEL_SEEDS,
        }
    }

    /// Title and introduction of a report from there, and what it is called in results.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Where::Simulator => (TITLE, INTRO, "simulator"),
            Where::Linux => (KERNEL_TITLE, KERNEL_INTRO, "kernel"),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// An experiment is unknown, or the report cannot be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.list {
        return print(&list(args.world));
    }
    let chosen = chosen(args.world, &args.only)?;
    let out = args.out.clone().unwrap_or_else(|| own_folder(args, &chosen));
    writable(&out).map_err(|why| {
        Failure::input(format!("--out {}: {why}", out.display()), "give a folder where you may write; it is made if it is not there")
    })?;
    if args.world == Where::Linux {
        testbed::available().map_err(|error| failed(error.into()))?;
    }
    let begun = cpu_time();
    let outcomes = run_all(args, &chosen, &out)?;
    // Not with the results, which are the same at every time.
    eprintln!("{:.0} s of CPU time, all threads together", cpu_time().saturating_sub(begun).as_secs_f64());
    let entries = entries(args, &outcomes);
    if args.json {
        return print(&report::results_json(&entries));
    }
    let before = before(args).map_or(String::new(), |before| format!("{before}\n"));
    let (width, colour) = (console_width(), io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    let page = out.join("index.html");
    print(&format!("{}{before}The report is {}\n", report::table(&entries, width, colour), page.display()))
}

/// What is expected: CPU time. In the kernel time passes by itself, and all experiments count alike.
fn progress(args: &Args, chosen: &[&'static Experiment], threads: usize) -> Progress {
    let expected = chosen.iter().map(|experiment| (experiment.id.to_owned(), experiment.cpu_s[usize::from(!args.quick)]));
    Progress::new("experiments", expected, (args.world == Where::Simulator).then_some(threads))
}

/// The share of before, beside that of all experiments; those of a few say nothing of it.
fn before(args: &Args) -> Option<&'static str> {
    (args.only.is_empty() && args.world == Where::Simulator).then_some(BEFORE)
}

/// A report of a few experiments does not take the place of the report of all.
fn own_folder(args: &Args, chosen: &[&'static Experiment]) -> PathBuf {
    let report = if args.world == Where::Linux { "report-linux" } else { "report" };
    match args.only.is_empty() {
        true => report.into(),
        false => format!("{report}-{}", chosen.iter().map(|experiment| experiment.id).collect::<Vec<_>>().join("-")).into(),
    }
}

type Found = Vec<(&'static Experiment, Outcome)>;

/// Runs the chosen experiments on all cores, and writes the report anew now and then: an interrupted run leaves what it has, and the
/// next one goes on from there.
fn run_all(args: &Args, chosen: &[&'static Experiment], out: &Path) -> Result<Found, Failure> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let enough = if args.world == Where::Linux { interrupt::watch()? } else { &NEVER };
    // In the kernel one run follows another, and nothing is to run beside it.
    let threads = if args.world == Where::Linux { 1 } else { args.threads.unwrap_or(0).into() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Other(miette!("no threads to run in: {error}")))?;
    let (title, intro, _) = args.world.words();
    let intro = before(args).map_or(intro.to_owned(), |before| format!("{intro}\n\n{before}."));
    let write = |entries: &[Entry]| report::write(out, &Report { title, intro: &intro, chapters: CHAPTERS, entries });
    let cannot_write = |error: io::Error| Failure::Other(miette!("cannot write into {}: {error}", out.display()));
    let progress = progress(args, chosen, pool.current_num_threads());
    let seeds = args.seeds.unwrap_or(args.world.seeds(args.quick));

    let ids: Vec<_> = chosen.iter().map(|experiment| experiment.id).collect();
    let settings = format!("{:?} {} quick={} seeds={seeds}", args.world, ids.join(","), args.quick);
    let unfinished = Unfinished::open(out, &settings).map_err(cannot_write)?;
    let done: Found = chosen.iter().filter_map(|experiment| Some((*experiment, unfinished.outcome(experiment.id)?))).collect();
    let left: Vec<_> = chosen.iter().filter(|experiment| done.iter().all(|(other, _)| other.id != experiment.id)).collect();
    if !done.is_empty() {
        eprintln!("{} of {} experiments were done before the interruption", done.len(), chosen.len());
        done.iter().for_each(|(experiment, _)| progress.skip(experiment.id));
    }
    let found = Mutex::new(done);
    // All pages each time: now and then, and with what is there at the end.
    let pages = Mutex::new((Instant::now(), Duration::ZERO));
    let due = |found: &Found| {
        let mut pages = pages.lock().expect("nobody panics while writing");
        let (at, took) = *pages;
        if at.elapsed() < WRITING * took {
            return Ok(());
        }
        let begun = Instant::now();
        write(&entries(args, found))?;
        *pages = (Instant::now(), begun.elapsed());
        Ok(())
    };
    let one = |experiment: &&&'static Experiment| {
        progress.begin(experiment.id);
        let ran = |cpu| progress.ran(experiment.id, cpu);
        let outcome = (experiment.run)(&Lab { world: args.world.world(), quick: args.quick, seeds, first_seed: 1, ran: &ran, enough });
        if enough.load(Ordering::Relaxed) {
            // Half of an experiment is none.
            return Err(io::ErrorKind::Interrupted.into());
        }
        unfinished.keep(experiment.id, &outcome)?;
        let mut found = found.lock().expect("nobody panics while writing");
        found.push((**experiment, outcome));
        found.sort_by_key(|(experiment, _)| chosen.iter().position(|other| other.id == experiment.id));
        progress.end(experiment.id);
        due(&found)
    };
    let written: io::Result<()> = pool.install(|| left.par_iter().map(one).collect());
    progress.finish();
    if enough.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted);
    }
    let found = found.into_inner().expect("nobody panics while writing");
    // Also where nothing was left to run: the interruption may have come between an outcome and the report.
    written.and_then(|()| write(&entries(args, &found))).and_then(|()| unfinished.remove()).map_err(cannot_write)?;
    Ok(found)
}

fn entries<'a>(args: &Args, found: &'a [(&'static Experiment, Outcome)]) -> Vec<Entry<'a>> {
    let quick = if args.quick { " --quick" } else { "" };
    let seeds = args.seeds.map_or(String::new(), |seeds| format!(" --seeds {seeds}"));
    let world = if args.world == Where::Linux { " --world linux" } else { "" };
    let entry = |(experiment, outcome): &'a (&'static Experiment, Outcome)| Entry {
        id: experiment.id,
        title: experiment.title,
        source: experiment.source,
        world: args.world.words().2,
        command: format!("symbiosis reproduce{world} --only {}{quick}{seeds}", experiment.id),
        outcome,
    };
    found.iter().map(entry).collect()
}

/// The experiments that were asked for, or all.
fn chosen(world: Where, only: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    let all = of_world(world.world());
    if only.is_empty() {
        return Ok(all.iter().collect());
    }
    let known = || all.iter().map(|e| e.id).collect::<Vec<_>>().join(", ");
    let unknown = |id: &String| Failure::input(format!("--only {id}: there is no such experiment"), format!("there are {}", known()));
    let found = |id: &String| find(world.world(), id.trim()).ok_or_else(|| unknown(id));
    let mut chosen = only.iter().map(found).collect::<Result<Vec<_>, _>>()?;
    // Two figures may be of one experiment.
    chosen.sort_by_key(|experiment| all.iter().position(|other| other.id == experiment.id));
    chosen.dedup_by_key(|experiment| experiment.id);
    Ok(chosen)
}

fn list(world: Where) -> String {
    let all = of_world(world.world());
    if world == Where::Linux {
        let row = |experiment: &Experiment| vec![experiment.id.into(), experiment.source.into(), experiment.title.into()];
        return table(&["id", "source", "what"], &all.iter().map(row).collect::<Vec<_>>(), 3);
    }
    let row = |experiment: &Experiment| {
        let [quick, whole] = experiment.cpu_s.map(|cpu_s| format!("{cpu_s:.1}"));
        vec![experiment.id.into(), experiment.source.into(), experiment.title.into(), quick, whole]
    };
    let mut rows: Vec<_> = all.iter().map(row).collect();
    let sum = |of: usize| format!("{:.1}", all.iter().map(|experiment| experiment.cpu_s[of]).sum::<f64>());
    rows.push(vec!["all".into(), String::new(), String::new(), sum(0), sum(1)]);
    table(&["id", "source", "what", "CPU s, --quick", "without"], &rows, 3)
}

/// Columns that the summary may take.
fn console_width() -> usize {
    Term::stdout().size_checked().map_or(WIDTH, |(_, columns)| columns.into())
}
