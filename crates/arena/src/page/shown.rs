//! What both kinds of pages show: places and numbers.

use symbiosis_report::files::file_stem;

use crate::trial::Found;

/// Where a family is in the overview.
pub(super) fn place_of_family(id: &str) -> String {
    format!("index.html#{id}")
}

/// Where a cell's files are, without ending: of letters, digits, `-`, `_`, `.` and `/`, which mean themselves in HTML.
pub(super) fn place(found: &Found) -> String {
    format!("cells/{}/{}/{}", file_stem(&found.cc), file_stem(&found.family), file_stem(&found.cell))
}

/// Three digits that count.
pub(super) fn number(value: &Option<f64>) -> String {
    let Some(value) = value else { return "—".into() };
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 || size == 0.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
