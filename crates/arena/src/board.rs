//! The scoreboard: counts of goals met, for each controller in each family. Nothing is blended.

use std::fmt::Write;

use serde::Serialize;

use crate::families::FAMILIES;
use crate::trial::Found;

/// Counts for every controller.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scoreboard {
    /// Each controller, in the order in which they were asked for.
    pub rows: Vec<Row>,
}

/// A controller's counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who.
    pub cc: String,
    /// In each family that was run.
    pub families: Vec<FamilyCount>,
    /// Goals met in all.
    pub met: usize,
    /// Goals in all.
    pub goals: usize,
}

/// Goals of a family.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FamilyCount {
    /// The family's name.
    pub family: String,
    /// Goals met with the worst of the seeds.
    pub met: usize,
    /// Goals there are.
    pub goals: usize,
}

impl Scoreboard {
    /// Of what was found, for these controllers.
    pub fn of(found: &[&Found], contestants: &[String]) -> Scoreboard {
        let row = |cc: &String| {
            let mine: Vec<&Found> = found.iter().copied().filter(|found| found.cc == *cc).collect();
            let families: Vec<FamilyCount> = FAMILIES
                .iter()
                .filter(|family| found.iter().any(|found| found.family == family.id))
                .map(|family| {
                    let goals = || mine.iter().filter(|found| found.family == family.id).flat_map(|found| &found.goals);
                    FamilyCount { family: family.id.into(), met: goals().filter(|goal| goal.met).count(), goals: goals().count() }
                })
                .collect();
            let (met, goals) = families.iter().fold((0, 0), |(met, goals), count| (met + count.met, goals + count.goals));
            Row { cc: cc.clone(), families, met, goals }
        };
        Scoreboard { rows: contestants.iter().map(row).collect() }
    }

    /// As a table of text: families down, controllers across.
    pub fn text(&self) -> String {
        let Some(first) = self.rows.first() else { return String::new() };
        let widest = FAMILIES.iter().map(|family| family.id.len()).max().unwrap_or(0);
        let widths: Vec<usize> = self.rows.iter().map(|row| row.cc.chars().count().max(9)).collect();
        let mut text = format!("{:widest$}", "goals met");
        for (row, width) in self.rows.iter().zip(&widths) {
            write!(text, "  {:>width$}", row.cc).expect("a String takes everything");
        }
        text.push('\n');
        let mut line = |name: &str, counts: Vec<(usize, usize)>| {
            write!(text, "{name:widest$}").expect("a String takes everything");
            for ((met, goals), width) in counts.iter().zip(&widths) {
                let cell = if *goals == 0 { "—".into() } else { format!("{met} of {goals}") };
                write!(text, "  {cell:>width$}").expect("a String takes everything");
            }
            text.push('\n');
        };
        for (at, family) in first.families.iter().enumerate() {
            line(&family.family, self.rows.iter().map(|row| (row.families[at].met, row.families[at].goals)).collect());
        }
        line("all", self.rows.iter().map(|row| (row.met, row.goals)).collect());
        text
    }
}
