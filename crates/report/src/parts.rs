//! What pages are made of: styles, scripts and figures. A page that has them opens from a folder, without a network.

use askama::Template;

use crate::entry::figure_file;
use crate::figure::Figure;
use crate::html::{anchor, json_in_script, prose};
use crate::{numbers, vega};

/// What all pages of a folder share, built from `web/` by `web/build.sh`: names from the folder, and texts. A page has `assets/report.css` and
/// `assets/report.js`, and says in its body's `data-base` how to get from it to the folder.
pub const ASSETS: [(&str, &str); 4] = [
    ("assets/report.css", include_str!("../assets/report.css")),
    ("assets/report.js", include_str!("../assets/report.js")),
    ("assets/vega.js", include_str!("../assets/vega.js")),
    ("assets/LICENSES.txt", include_str!("../assets/LICENSES.txt")),
];

/// The browser itself forbids every request outside the folder. Vega compiles its expressions, which counts as eval.
pub(crate) const POLICY: &str =
    "default-src 'none'; script-src 'self' file: 'unsafe-eval'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data: blob:";

/// A figure as its template shows it.
pub(crate) struct FigureShown {
    pub(crate) anchor: String,
    pub(crate) title: String,
    pub(crate) file: String,
    pub(crate) spec: String,
    pub(crate) caption: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl FigureShown {
    pub(crate) fn of(figure: &Figure) -> FigureShown {
        let (columns, rows) = numbers::of(figure).unwrap_or_default();
        FigureShown {
            anchor: format!("figure-{}", anchor(&figure.id)),
            title: figure.title.clone(),
            file: figure_file(&figure.id),
            spec: json_in_script(&vega::vega(figure)),
            caption: prose(&figure.caption),
            columns,
            rows,
        }
    }
}

#[derive(Template)]
#[template(path = "figure.html")]
struct Alone<'a> {
    figure: FigureShown,
    base: &'a str,
}

/// A figure with its data, on a page from which `base` leads to the folder. Until it is drawn, and without scripts, its SVG stands there, which is
/// in the folder as [`figure_file`] says.
pub fn figure(figure: &Figure, base: &str) -> String {
    Alone { figure: FigureShown::of(figure), base }.render().expect("templates write into memory")
}
