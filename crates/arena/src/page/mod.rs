//! The page: a matrix of controllers and families, Pareto plots, and for every cell a page of its own with scenario, traces and command.

mod cell;
mod matrix;
mod pareto;
mod shown;

use symbiosis_report::frame::{Frame, Link, Links, framed};
use symbiosis_report::parts::ASSETS;
use symbiosis_report::{figure_file, svg};

use crate::families::FAMILIES;
use crate::trial::{Found, Tried};

pub use cell::Commands;
use shown::{place, place_of_family};

/// A file of the page's folder: its name and what is in it.
pub type File = (String, String);

/// Everything but the numbers as data: `index.html`, the plots as SVG, and a page and a scenario for each cell and controller.
pub fn files(tried: &[Tried], contestants: &[String], words: &str, commands: &Commands) -> Vec<File> {
    let found: Vec<&Found> = tried.iter().map(|tried| &tried.found).collect();
    let plots = pareto::plots(&found, contestants);
    let assets = ASSETS.iter().map(|(name, text)| (name.to_string(), text.to_string()));
    let mut files: Vec<File> = assets.chain(plots.iter().map(|plot| (figure_file(&plot.id), svg::svg(plot)))).collect();
    let links = FAMILIES.iter().filter(|family| found.iter().any(|found| found.family == family.id));
    let links = links.map(|family| Link { href: place_of_family(family.id), id: "", title: family.title });
    let nav = [Links { title: "Families", links: links.collect() }];
    let page =
        |title: &str, base: &str, current: &str, main: &str| framed(&Frame { title, base, listed: "The arena", nav: &nav, current }, main);
    for tried in tried {
        let (found, at) = (&tried.found, place(&tried.found));
        let title = format!("{}: {}", found.cc, found.cell);
        files.push((format!("{at}.toml"), found.scenario.clone()));
        files.push((format!("{at}.html"), page(&title, "../../../", &place_of_family(&found.family), &cell::main(tried, commands))));
    }
    files.push(("index.html".into(), page("The arena", "", "", &matrix::main(&found, contestants, words, &plots))));
    files
}
