//! An experiment's page.

use askama::Template;

use super::parts::{Shown, shown};
use super::place::{Around, LISTED, Place, Report, page_file};
use crate::entry::Entry;
use crate::frame::Frame;
use crate::html::paragraphs;
use crate::outcome::{Basis, Table};
use crate::parts::FigureShown;
use crate::shared_axes::shared_axes;

#[derive(Template)]
#[template(path = "experiment.html")]
struct ExperimentPage<'a> {
    frame: Frame<'a>,
    base: &'a str,
    around: &'a [Around],
    id: &'a str,
    heading: &'a str,
    source: &'a str,
    intro: String,
    figures: Vec<FigureShown>,
    tables: &'a [Table],
    claims: Vec<Group>,
    notes: String,
    command: &'a str,
    scenarios: Vec<ScenarioShown<'a>>,
}

/// Claims that rest on the same.
struct Group {
    name: &'static str,
    claims: Vec<Shown>,
}

struct ScenarioShown<'a> {
    name: String,
    file: &'a str,
    text: &'a str,
}

/// Figures first, claims beside them, and how to run it again.
pub(super) fn experiment(report: &Report, entry: &Entry, scenarios: &[(String, &str)], at: &Place) -> String {
    let alone = at.nav.is_empty();
    let group = |(basis, name): (Basis, &'static str)| {
        let claims: Vec<Shown> = entry.outcome.claims.iter().filter(|claim| claim.reference.basis == basis).map(shown).collect();
        (!claims.is_empty()).then_some(Group { name, claims })
    };
    let title = if alone { report.title.into() } else { format!("{} {} · {}", entry.id, entry.title, report.title) };
    let file = page_file(entry.id);
    let page = ExperimentPage {
        frame: Frame { title: &title, base: at.base, listed: LISTED, nav: at.nav, current: &file },
        base: at.base,
        around: &at.around,
        id: entry.id,
        heading: if alone { report.title } else { entry.title },
        source: entry.source,
        intro: if alone { paragraphs(report.intro) } else { String::new() },
        figures: shared_axes(&entry.outcome.figures).iter().map(FigureShown::of).collect(),
        tables: &entry.outcome.tables,
        claims: [(Basis::Published, "The papers say"), (Basis::Theory, "Theory says"), (Basis::Ours, "Our own bars")]
            .into_iter()
            .filter_map(group)
            .collect(),
        notes: entry.outcome.notes.iter().map(|note| paragraphs(note)).collect(),
        command: &entry.command,
        scenarios: scenarios
            .iter()
            .map(|(file, text)| ScenarioShown { name: file.trim_start_matches("scenarios/").into(), file, text: text.trim_end() })
            .collect(),
    };
    page.render().expect("templates write into memory")
}
