//! `--out` of a transfer: traces and a report, as of a simulation.

use std::io;
use std::path::{Path, PathBuf};

use miette::miette;
use symbiosis_report::files::write_atomically;
use symbiosis_report::traces::write_traces;
use symbiosis_report::{self as report, Entry, Report};
use symbiosis_run::Outcome;

use super::record::figures;
use crate::failure::Failure;
use crate::output::OutFolder;
use crate::print::pretty;

/// A folder for traces and a report.
#[derive(Debug, clap::Args)]
pub struct Out {
    /// Write traces (Parquet) and a report into a new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write traces as CSV too
    #[arg(long, requires = "out")]
    csv: bool,
}

impl Out {
    /// Before the transfer: nobody wants to hear after it that there is no place for its result.
    ///
    /// # Errors
    /// Something is there already, or writing is not possible.
    pub fn check(&self) -> Result<Option<Place>, Failure> {
        let folder = self.out.as_deref().map(OutFolder::check).transpose()?;
        Ok(folder.map(|folder| Place { folder, csv: self.csv }))
    }
}

/// Where results will be.
#[derive(Debug)]
pub struct Place {
    folder: OutFolder,
    csv: bool,
}

impl Place {
    /// Writes everything about transfers.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write(&self, title: &str, command: &str, outcome: &Outcome, notes: Vec<String>) -> Result<(), Failure> {
        let folder = self.folder.path();
        everything(folder, title, command, outcome, notes, self.csv)
            .map_err(|error| Failure::Other(miette!("cannot write into {}: {error}", folder.display())))
    }
}

fn everything(folder: &Path, title: &str, command: &str, outcome: &Outcome, notes: Vec<String>, csv: bool) -> io::Result<()> {
    write_traces(folder, outcome, csv)?;
    let found = figures(outcome, notes);
    let entry = Entry { id: &outcome.summary.scenario, title, source: "", world: "QUIC", command: command.into(), outcome: &found };
    report::write(folder, &Report { title, intro: "", chapters: &[], entries: &[entry] })?;
    // The report's own results are its claims, of which a transfer has none.
    write_atomically(folder.join("results.json"), pretty(&outcome.summary).as_bytes())
}
