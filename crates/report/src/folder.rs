//! The report as a folder.

use std::io;
use std::path::Path;

use crate::entry::{Entry, figure_file, scenario_files};
use crate::files::write_atomically;
use crate::page::page;
use crate::{results, svg};

/// Writes the report into a folder: `index.html`, `figures/ID.svg`, `results.json` and `scenarios/NAME.toml`. Files already there that
/// this report has not are left alone.
pub fn write(dir: &Path, title: &str, intro: &str, entries: &[Entry]) -> io::Result<()> {
    for figure in entries.iter().flat_map(|entry| &entry.outcome.figures) {
        write_atomically(dir.join(figure_file(&figure.id)), svg::svg(figure))?;
    }
    for (file, toml) in scenario_files(entries).into_iter().flatten() {
        write_atomically(dir.join(file), toml)?;
    }
    write_atomically(dir.join("results.json"), results::json(entries))?;
    // Last: whoever sees the page also finds what it links to.
    write_atomically(dir.join("index.html"), page(title, intro, entries))
}
