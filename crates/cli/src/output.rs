//! The folder of `--out`.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Component, Path, PathBuf};

use miette::miette;
use symbiosis_report::files::{write_atomically, write_atomically_with};
use symbiosis_report::pcap::Capture;
use symbiosis_report::traces::write_traces;
use symbiosis_report::{self as report, Entry, Report};
use symbiosis_run::Plan;
use symbiosis_scenario::Scenario;

use crate::failure::Failure;
use crate::print::json;
use crate::results;
use crate::runs::Run;

/// A folder in which results can be written, as far as one can know before.
#[derive(Debug)]
pub struct OutFolder(PathBuf);

impl OutFolder {
    /// Checks that the folder is new or empty, and that one may write there. Leaves nothing behind.
    ///
    /// # Errors
    /// Something is there already, or writing is not possible.
    pub fn check(folder: &Path) -> Result<OutFolder, Failure> {
        let refuse = |why: String| {
            Failure::input(format!("--out {}: {why}", folder.display()), "give a folder that does not exist yet, where you may write")
        };
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(refuse("the folder is not empty".into()));
        }
        writable(folder).map_err(refuse)?;
        Ok(OutFolder(folder.into()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes everything about the runs.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write(&self, scenario: &Scenario, runs: &[Run], extras: Extras<'_>) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::Other(miette!("cannot write into {}: {error}", self.0.display()));
        everything(&self.0, scenario, runs, extras).map_err(failed)
    }
}

/// Whether a folder is there or can be made, and one may write in it; why not, in words. Leaves nothing behind.
pub fn writable(folder: &Path) -> Result<(), String> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
        _ => {}
    }
    // A file that has no name is gone when it is closed, whatever happens in between.
    let there = folder.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(Path::new("."));
    match tempfile::tempfile_in(there) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("nothing can be written in {}: {error}", there.display())),
    }
}

/// What is written, and how, only on request.
#[derive(Clone, Copy, Debug)]
pub struct Extras<'a> {
    /// The command that runs a scenario so.
    pub command: &'a str,
    /// Where it runs.
    pub world: &'a str,
    /// What a run of it is called.
    pub title: &'a str,
    /// Traces as CSV beside Parquet.
    pub csv: bool,
    /// A capture of the senders' packets.
    pub pcap: bool,
    /// Results as an array, also those of a single run.
    pub array: bool,
}

/// Runs once more, which gives the same, and writes what passes the senders: so only one capture is open at a time, and a sweep's
/// runs are not slowed by it.
fn capture(path: &Path, scenario: &Scenario, seed: u64) -> io::Result<()> {
    write_atomically_with(path, |file| {
        let plan = Plan { seed, ..scenario.plan.clone() };
        let mut capture = Capture::new(BufWriter::new(file), &plan)?;
        symbiosis_sim::run_tapped(&plan, &mut capture);
        capture.finish().map(drop)
    })
}

/// Whether a name joined to a folder is in the folder. A file that is elsewhere can be found again without being copied.
fn stays_inside(name: &Path) -> bool {
    name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// All that `--out` writes: the scenario as it was run, the results, traces (of each seed in a folder of its own where there are several),
/// and a report.
fn everything(folder: &Path, scenario: &Scenario, runs: &[Run], extras: Extras<'_>) -> io::Result<()> {
    write_atomically(folder.join("scenario.toml"), scenario.text.as_bytes())?;
    for (name, place) in scenario.files.iter().filter(|(name, _)| stays_inside(Path::new(name))) {
        // Beside both copies of the scenario: this one, and the one that the report links.
        let bytes = fs::read(place)?;
        write_atomically(folder.join(name), &bytes)?;
        write_atomically(folder.join("scenarios").join(name), &bytes)?;
    }
    for run in runs {
        let traces = if runs.len() > 1 { folder.join(format!("seed-{}", run.outcome.summary.seed)) } else { folder.to_path_buf() };
        write_traces(&traces, &run.outcome, extras.csv)?;
        if extras.pcap {
            capture(&traces.join("senders.pcap"), scenario, run.outcome.summary.seed)?;
        }
    }
    let outcomes: Vec<_> = runs.iter().map(|run| (run.outcome.summary.seed, &run.outcome)).collect();
    let mut outcome = report::simulation(&outcomes, &scenario.name, &scenario.text);
    outcome.notes.extend(runs.iter().filter_map(results::machine));
    let (first, seeds) = (runs[0].outcome.summary.seed, runs.len());
    let command = format!("symbiosis {} scenario.toml --seed {first} --seeds {seeds}", extras.command);
    let entry = Entry { id: &scenario.name, title: extras.title, source: "", world: extras.world, command, outcome: &outcome };
    report::write(folder, &Report { title: &scenario.name, intro: "", chapters: &[], entries: &[entry] })?;
    // The report's own results are its claims, of which a simulation has none.
    write_atomically(folder.join("results.json"), json(runs, extras.array).as_bytes())
}
