//! What the arena leaves behind.

use std::io;
use std::path::Path;

use serde::Serialize;
use symbiosis_arena::page::{self, Commands};
use symbiosis_arena::{Found, Scoreboard, Tried};
use symbiosis_report::files::write_atomically;

use crate::print::pretty;

/// What `--json` prints and `results.json` has.
#[derive(Serialize)]
struct Results<'a> {
    scoreboard: &'a Scoreboard,
    cells: &'a [&'a Found],
}

/// Everything as JSON.
pub fn json(board: &Scoreboard, found: &[&Found]) -> String {
    pretty(&Results { scoreboard: board, cells: found })
}

/// Writes everything into a folder; the page last, so that whoever sees it finds what it leads to.
///
/// # Errors
/// Writing fails.
pub fn write(out: &Path, contestants: &[String], tried: &[Tried], words: &str, commands: &Commands) -> io::Result<()> {
    let found: Vec<&Found> = tried.iter().map(|tried| &tried.found).collect();
    let board = Scoreboard::of(&found, contestants);
    write_atomically(out.join("scoreboard.txt"), board.text())?;
    write_atomically(out.join("results.json"), json(&board, &found))?;
    for (name, text) in page::files(tried, contestants, words, commands) {
        write_atomically(out.join(name), text)?;
    }
    Ok(())
}
