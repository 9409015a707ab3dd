//! Where connections are written down.

use std::fs;
use std::path::PathBuf;

use symbiosis_quic::node::QLOG;

use crate::failure::Failure;
use crate::output::writable;

/// A folder for qlog files.
#[derive(Debug, clap::Args)]
pub struct Qlog {
    /// Write what happens in each connection into this folder, as qlog (in builds with the feature `qlog`)
    #[arg(long, value_name = "DIR")]
    qlog: Option<PathBuf>,
}

impl Qlog {
    /// The folder, made if it was not there.
    pub fn folder(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(folder) = &self.qlog else { return Ok(None) };
        if !QLOG {
            let help = "build it with `--features qlog`";
            return Err(Failure::input(format!("--qlog {}: this build writes no qlog", folder.display()), help));
        }
        let fault = |why: String| Failure::input(format!("--qlog {}: {why}", folder.display()), "give a folder where you may write");
        writable(folder).map_err(fault)?;
        fs::create_dir_all(folder).map_err(|error| fault(error.to_string()))?;
        Ok(Some(folder.clone()))
    }
}
