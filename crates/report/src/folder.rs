//! The report as a folder.

use std::io;
use std::path::Path;

use crate::entry::{figure_file, scenario_files};
use crate::files::write_atomically;
use crate::parts::ASSETS;
use crate::shared_axes::shared_axes;
use crate::site::{Report, pages};
use crate::{results, svg};

/// Writes the report into a folder: `index.html`, `experiments/ID.html`, `figures/ID.svg`, `results.json`, `scenarios/NAME.toml` and `assets/`. Files
/// already there that this report has not are left alone.
pub fn write(dir: &Path, report: &Report) -> io::Result<()> {
    for entry in report.entries {
        for figure in shared_axes(&entry.outcome.figures) {
            write_atomically(dir.join(figure_file(&figure.id)), svg::svg(&figure))?;
        }
    }
    for (file, toml) in scenario_files(report.entries).into_iter().flatten() {
        write_atomically(dir.join(file), toml)?;
    }
    for (name, text) in ASSETS {
        write_atomically(dir.join(name), text)?;
    }
    write_atomically(dir.join("results.json"), results::json(report.entries))?;
    pages(report).into_iter().try_for_each(|page| write_atomically(dir.join(page.file), page.html))
}
