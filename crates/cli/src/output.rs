//! The folder of `--out`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use miette::miette;
use symbiosis_lab::scenario::Scenario;

use crate::failure::Failure;
use crate::runs::Run;
use crate::simulate::json;

/// A folder in which results can be written, as far as one can know before.
#[derive(Debug)]
pub struct OutFolder(PathBuf);

impl OutFolder {
    /// Checks that the folder is new or empty, and that one may write there. Leaves nothing behind.
    ///
    /// # Errors
    /// Something is there already, or writing is not possible.
    pub fn check(folder: &Path) -> Result<OutFolder, Failure> {
        let shown = folder.display();
        let refuse =
            |why: String| Failure::input(format!("--out {shown}: {why}"), "give a folder that does not exist yet, where you may write");
        match fs::read_dir(folder) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(refuse("the folder is not empty".into()));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(refuse(error.to_string())),
        }
        // A file that has no name is gone when it is closed, whatever happens in between.
        let there = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
        tempfile::tempfile_in(there).map_err(|error| refuse(format!("nothing can be written in {}: {error}", there.display())))?;
        Ok(OutFolder(folder.into()))
    }

    /// Writes everything about the runs.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write(&self, scenario: &Scenario, runs: &[Run], csv: bool) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::Other(miette!("cannot write into {}: {error}", self.0.display()));
        everything(&self.0, scenario, runs, csv).map_err(failed)
    }
}

/// All that `--out` writes: the scenario as it was run, and the results.
fn everything(folder: &Path, scenario: &Scenario, runs: &[Run], _csv: bool) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("scenario.toml"), &scenario.text)?;
    fs::write(folder.join("results.json"), json(runs, runs.len() > 1))
}
