//! What goes to stdout, and results as JSON.

use std::io::{self, Write};

use serde::Serialize;
use symbiosis_linux::testbed::Machine;
use symbiosis_run::Summary;

use crate::failure::Failure;
use crate::runs::Run;

/// What `--json` prints of a run.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    wall_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a Machine>,
}

/// The object of the only run, or an array of all.
pub fn json(runs: &[Run], array: bool) -> String {
    let printed: Vec<Printed<'_>> = runs
        .iter()
        .map(|run| Printed { summary: &run.outcome.summary, wall_s: run.wall.as_secs_f64(), machine: run.machine.as_ref() })
        .collect();
    match printed.as_slice() {
        [only] if !array => pretty(only),
        all => pretty(&all),
    }
}

/// JSON with a newline at its end.
pub fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("numbers, texts and lists are JSON") + "\n"
}

/// Writes to stdout.
///
/// # Errors
/// [`Failure::Unread`] when it is closed.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}
