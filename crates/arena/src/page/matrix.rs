//! The overview: who meets how many goals of which family, and below it each goal.

use askama::Template;
use symbiosis_report::figure::Figure;
use symbiosis_report::parts;

use super::shown::{number, place};
use crate::board::Scoreboard;
use crate::cell::Family;
use crate::families::FAMILIES;
use crate::trial::Found;

#[derive(Template)]
#[template(path = "matrix.html")]
struct Main<'a> {
    words: &'a str,
    contestants: &'a [String],
    families: Vec<FamilyShown<'a>>,
    totals: Vec<Count>,
    plots: Vec<String>,
}

/// A row of the matrix, and its cells below.
struct FamilyShown<'a> {
    about: &'static Family,
    counts: Vec<Count>,
    lines: Vec<Line<'a>>,
}

/// How many goals are met.
struct Count {
    met: usize,
    goals: usize,
}

impl Count {
    /// The shade of a count.
    fn tenths(&self) -> usize {
        (10 * self.met).checked_div(self.goals).unwrap_or(0)
    }
}

/// A goal of a cell, for every controller.
struct Line<'a> {
    cell: &'a str,
    what: &'a str,
    unit: &'a str,
    goal: &'a str,
    results: Vec<Option<Shown>>,
}

struct Shown {
    met: bool,
    worst: String,
    median: String,
    page: String,
}

/// The overview as HTML.
pub(super) fn main(found: &[&Found], contestants: &[String], words: &str, plots: &[Figure]) -> String {
    let board = Scoreboard::of(found, contestants);
    let main = Main {
        words,
        contestants,
        families: FAMILIES.iter().filter_map(|about| family(about, found, contestants)).collect(),
        totals: board.rows.iter().map(|row| Count { met: row.met, goals: row.goals }).collect(),
        plots: plots.iter().map(|plot| parts::figure(plot, "")).collect(),
    };
    main.render().expect("templates write into memory")
}

/// None if nothing of the family was run.
fn family<'a>(about: &'static Family, found: &[&'a Found], contestants: &[String]) -> Option<FamilyShown<'a>> {
    let found: Vec<&Found> = found.iter().copied().filter(|found| found.family == about.id).collect();
    let mut cells: Vec<(&str, Vec<&Found>)> = Vec::new();
    for found in &found {
        match cells.iter_mut().find(|(name, _)| *name == found.cell) {
            Some((_, of)) => of.push(found),
            None => cells.push((&found.cell, vec![found])),
        }
    }
    let counts = contestants.iter().map(|cc| {
        let goals = || found.iter().filter(|found| found.cc == *cc).flat_map(|found| &found.goals);
        Count { met: goals().filter(|goal| goal.met).count(), goals: goals().count() }
    });
    let lines = cells.iter().flat_map(|(name, of)| (0..of[0].goals.len()).map(move |goal| line(name, goal, of, contestants)));
    (!found.is_empty()).then(|| FamilyShown { about, counts: counts.collect(), lines: lines.collect() })
}

fn line<'a>(name: &'a str, goal: usize, of: &[&'a Found], contestants: &[String]) -> Line<'a> {
    let first = &of[0].goals[goal];
    let results = contestants.iter().map(|cc| {
        let found = of.iter().find(|found| found.cc == *cc)?;
        let goal = &found.goals[goal];
        let (worst, median) = (number(&goal.worst), number(&goal.median));
        Some(Shown { met: goal.met, worst, median, page: format!("{}.html", place(found)) })
    });
    let cell = if goal == 0 { name } else { "" };
    Line { cell, what: &first.what, unit: &first.unit, goal: &first.goal, results: results.collect() }
}
