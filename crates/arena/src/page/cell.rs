//! A cell's page for a controller.

use askama::Template;
use symbiosis_report::files::file_stem;
use symbiosis_report::svg;

use crate::trial::{Found, Tried};

/// How cells can be run again: by this command, and by that of a scenario.
#[derive(Clone, Debug)]
pub struct Commands {
    /// `symbiosis arena` with what was asked for, but for controllers and cells.
    pub arena: String,
    /// `symbiosis simulate`, or the testbed's.
    pub scenario: String,
}

#[derive(Template)]
#[template(path = "cell.html")]
struct Main<'a> {
    found: &'a Found,
    figures: Vec<String>,
    again: String,
    look: String,
    file: String,
}

/// Goals, traces, the scenario, and how to run it again, as HTML.
pub(super) fn main(tried: &Tried, commands: &Commands) -> String {
    let found = &tried.found;
    let file = format!("{}.toml", file_stem(&found.cell));
    let main = Main {
        found,
        figures: tried.figures.iter().filter(|figure| !figure.series.is_empty()).map(svg::svg).collect(),
        again: format!("{} --cc '{}' --only '{}/{}' --seeds {}", commands.arena, found.cc, found.family, found.cell, found.seeds),
        look: format!("{} '{file}' --out traces", commands.scenario),
        file,
    };
    main.render().expect("templates write into memory")
}
