//! The page: a matrix of controllers and families, Pareto plots, and for every cell a page of its own with scenario, traces and command.

mod pareto;

use std::collections::BTreeMap;

use minijinja::{AutoEscape, Environment, Value, context};
use symbiosis_report::figure::Figure;
use symbiosis_report::files::file_stem;
use symbiosis_report::parts::{self, ASSETS, POLICY};
use symbiosis_report::{figure_file, svg};

use crate::board::Scoreboard;
use crate::families::FAMILIES;
use crate::trial::{Found, Measured, Tried};

const ARENA_STYLE: &str = include_str!("../../assets/arena.css");

/// A file of the page's folder: its name and what is in it.
pub type File = (String, String);

/// How cells can be run again: by this command, and by that of a scenario.
#[derive(Clone, Debug)]
pub struct Commands {
    /// `symbiosis arena` with what was asked for, but for controllers and cells.
    pub arena: String,
    /// `symbiosis simulate`, or the testbed's.
    pub scenario: String,
}

/// Everything but the numbers as data: `index.html`, the plots as SVG, and a page and a scenario for each cell and controller.
///
/// # Errors
/// A template is broken.
pub fn files(tried: &[Tried], contestants: &[String], words: &str, commands: &Commands) -> Result<Vec<File>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("index", include_str!("../../assets/index.html"))?;
    environment.add_template("cell", include_str!("../../assets/cell.html"))?;

    let found: Vec<&Found> = tried.iter().map(|tried| &tried.found).collect();
    let plots = pareto::plots(&found, contestants);
    let assets = ASSETS.iter().map(|(name, text)| (name.to_string(), text.to_string()));
    let mut files: Vec<File> = assets.chain(plots.iter().map(|plot| (figure_file(&plot.id), svg::svg(plot)))).collect();
    for tried in tried {
        let scenario = format!("{}.toml", place(&tried.found));
        let page = environment.get_template("cell")?.render(cell(tried, commands))?;
        files.push((scenario, tried.found.scenario.clone()));
        files.push((format!("{}.html", place(&tried.found)), page));
    }
    let board = Scoreboard::of(&found, contestants);
    let page = environment.get_template("index")?.render(context! {
        style => Value::from_safe_string(ARENA_STYLE.into()),
        policy => POLICY,
        words,
        contestants,
        families => families(&found, contestants),
        totals => board.rows.iter().map(|row| context! { met => row.met, goals => row.goals }).collect::<Vec<_>>(),
        plots => plots.iter().map(|plot| Value::from_safe_string(parts::figure(plot, ""))).collect::<Vec<_>>(),
    })?;
    files.push(("index.html".into(), page));
    Ok(files)
}

/// Where a cell's files are, without ending: of letters, digits, `-`, `_`, `.` and `/`, which mean themselves in HTML.
fn place(found: &Found) -> String {
    format!("cells/{}/{}/{}", file_stem(&found.cc), file_stem(&found.family), file_stem(&found.cell))
}

/// Rows of the matrix, and below each its cells.
fn families(found: &[&Found], contestants: &[String]) -> Vec<Value> {
    let mut rows = Vec::new();
    for family in FAMILIES {
        let mut cells: BTreeMap<usize, (&str, Vec<&Found>)> = BTreeMap::new();
        let mut names: Vec<&str> = Vec::new();
        for found in found.iter().filter(|found| found.family == family.id) {
            let at = names.iter().position(|name| *name == found.cell).unwrap_or_else(|| {
                names.push(&found.cell);
                names.len() - 1
            });
            cells.entry(at).or_insert((&found.cell, vec![])).1.push(found);
        }
        if cells.is_empty() {
            continue;
        }
        let counts = contestants.iter().map(|cc| {
            let goals = || found.iter().filter(|found| found.family == family.id && found.cc == *cc).flat_map(|found| &found.goals);
            let (met, all) = (goals().filter(|goal| goal.met).count(), goals().count());
            context! { met, goals => all, part => tenth(met, all) }
        });
        let lines = cells.into_values().flat_map(|(name, of)| (0..of[0].goals.len()).map(move |goal| line(name, goal, &of, contestants)));
        rows.push(context! {
            id => family.id, title => family.title, asked => family.asked, goal => family.goal,
            counts => counts.collect::<Vec<_>>(), lines => lines.collect::<Vec<_>>(),
        });
    }
    rows
}

/// The shade of a count, in tenths.
fn tenth(met: usize, all: usize) -> usize {
    (10 * met).checked_div(all).unwrap_or(0)
}

/// A goal of a cell, for every controller.
fn line(name: &str, goal: usize, of: &[&Found], contestants: &[String]) -> Value {
    let first = &of[0].goals[goal];
    let results = contestants.iter().map(|cc| {
        of.iter().find(|found| found.cc == *cc).map_or(context! { none => true }, |found| {
            let goal = &found.goals[goal];
            context! { met => goal.met, worst => number(goal.worst), median => number(goal.median), page => Value::from_safe_string(format!("{}.html", place(found))) }
        })
    });
    let cell = if goal == 0 { name } else { "" };
    context! { cell, what => first.what, unit => first.unit, goal => first.goal, results => results.collect::<Vec<_>>() }
}

/// A cell's own page.
fn cell(tried: &Tried, commands: &Commands) -> Value {
    let found = &tried.found;
    let goal = |goal: &Measured| {
        context! {
            what => goal.what, unit => goal.unit, goal => goal.goal, worst => number(goal.worst), median => number(goal.median),
            seed => goal.seed, met => goal.met,
        }
    };
    let stem = file_stem(&found.cell);
    let drawn = |figure: &Figure| Value::from_safe_string(svg::svg(figure));
    let id = format!("{}/{}", found.family, found.cell);
    context! {
        style => Value::from_safe_string(ARENA_STYLE.into()),
        policy => POLICY,
        cc => found.cc, family => found.family, name => found.cell, seeds => found.seeds, seed => found.seed,
        goals => found.goals.iter().map(goal).collect::<Vec<_>>(),
        figures => tried.figures.iter().filter(|figure| !figure.series.is_empty()).map(drawn).collect::<Vec<_>>(),
        scenario => found.scenario, file => format!("{stem}.toml"),
        again => format!("{} --cc '{}' --only '{id}' --seeds {}", commands.arena, found.cc, found.seeds),
        look => format!("{} '{stem}.toml' --out traces", commands.scenario),
    }
}

/// Three digits that count.
fn number(value: Option<f64>) -> String {
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
