//! What the arena leaves behind.

use std::io;
use std::path::Path;

use serde::Serialize;
use symbiosis_arena::{Found, Scoreboard};
use symbiosis_report::files::write_atomically;

use crate::print::pretty;

/// What `--json` prints and `results.json` has.
#[derive(Serialize)]
struct Results<'a> {
    scoreboard: &'a Scoreboard,
    cells: &'a [Found],
}

/// Everything as JSON.
pub fn json(board: &Scoreboard, found: &[Found]) -> String {
    pretty(&Results { scoreboard: board, cells: found })
}

/// Writes everything into a folder.
///
/// # Errors
/// Writing fails.
pub fn write(out: &Path, board: &Scoreboard, found: &[Found]) -> io::Result<()> {
    write_atomically(out.join("scoreboard.txt"), board.text())?;
    write_atomically(out.join("results.json"), json(board, found))
}
