//! The report's pages: an overview that tells what was found, and a page for each experiment. A report of one thing is one page.

mod experiment;
mod overview;
mod parts;
mod place;

use crate::entry::scenario_files;
use experiment::experiment;
use overview::overview;
use place::{Around, Place, nav, page_file};
pub use place::{Chapter, Report};

/// A page: its name in the folder, and its HTML. No dates: the same entries give the same pages.
pub struct Page {
    /// From the report's folder.
    pub file: String,
    /// The document.
    pub html: String,
}

/// All pages; `index.html` is the last, so that whoever sees it also finds what it links to.
pub fn pages(report: &Report) -> Vec<Page> {
    let scenarios = scenario_files(report.entries);
    if let [entry] = report.entries {
        let html = experiment(report, entry, &scenarios[0], &Place { base: "", nav: &[], around: vec![] });
        return vec![Page { file: "index.html".into(), html }];
    }
    let nav = nav(report);
    let mut pages: Vec<Page> = report
        .entries
        .iter()
        .zip(&scenarios)
        .enumerate()
        .map(|(at, (entry, scenarios))| {
            let beside = |at: Option<usize>, rel: &'static str, before: &str, after: &str| {
                let other = report.entries.get(at?)?;
                Some(Around { href: page_file(other.id), rel, text: format!("{before}{} {}{after}", other.id, other.title) })
            };
            let around =
                [beside(at.checked_sub(1), "prev", "← ", ""), beside(Some(at + 1), "next", "", " →")].into_iter().flatten().collect();
            Page { file: page_file(entry.id), html: experiment(report, entry, scenarios, &Place { base: "../", nav: &nav, around }) }
        })
        .collect();
    pages.push(Page { file: "index.html".into(), html: overview(report, &nav) });
    pages
}
