//! A cell run for a controller over many seeds, and its verdicts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use symbiosis_report::figure::Figure;
use symbiosis_run::{Outcome, Plan, Runner};
use symbiosis_scenario::{Files, Scenario, ScenarioError, Target};
use thiserror::Error;

use crate::cell::Cell;
use crate::contestant::Contestant;
use crate::goal::Range;
use crate::scene::{Beside, Scene};
use crate::traces::traces;
use crate::view::View;

/// Why a cell has no result.
#[derive(Debug, Error)]
pub enum Failed<E> {
    /// The target does not do what the scenario asks for.
    #[error("{0}")]
    Scenario(Box<ScenarioError>),
    /// It was not run.
    #[error("{0}")]
    Run(E),
}

/// A cell for a controller.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// What is run.
    pub cell: &'a Cell,
    /// Who is tried.
    pub contestant: &'a Contestant,
    /// Which controllers there are, and what the hosts can do.
    pub target: &'a Target,
    /// Seeds from 1 on.
    pub seeds: u64,
}

/// What a cell found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The family's name.
    pub family: String,
    /// The cell's name.
    pub cell: String,
    /// Who was tried.
    pub cc: String,
    /// Where the cell lies in its family.
    pub at: BTreeMap<String, f64>,
    /// How many seeds.
    pub seeds: u64,
    /// Each goal.
    pub goals: Vec<Measured>,
    /// The seed that decides most goals that are missed, or any where none is: the one to look at.
    pub seed: u64,
    /// The scenario of that seed.
    pub scenario: String,
}

/// What a cell found, and what is seen of the seed to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The verdicts.
    pub found: Found,
    /// Throughput and queue over time, of [`Found::seed`].
    pub figures: Vec<Figure>,
}

/// A goal with what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What was measured.
    pub what: String,
    /// Its unit.
    pub unit: String,
    /// The goal in words: `"≥ 95"`.
    pub goal: String,
    /// The measurement that decides: of the worst seed, or on random paths of the 10th percentile.
    pub worst: Option<f64>,
    /// The median over the seeds.
    pub median: Option<f64>,
    /// The seed that decides.
    pub seed: u64,
    /// Whether the goal is met.
    pub met: bool,
}

impl Trial<'_> {
    /// The scenario of a seed, for the one under test.
    ///
    /// # Errors
    /// The target does not do what the cell asks for.
    pub fn scenario(&self, seed: u64) -> Result<Scenario, ScenarioError> {
        self.read(&self.cell.scene(seed), seed, self.contestant)
    }

    fn read(&self, scene: &Scene, seed: u64, contestant: &Contestant) -> Result<Scenario, ScenarioError> {
        let id = self.cell.id();
        let text = scene.toml(&format!("{id} seed {seed}"), seed, contestant);
        Scenario::parse_for(self.target, &text, &id, Files::Folder(None), &[])
    }

    /// The scenarios of all seeds and of what they are held against, as texts: what they find is decided by these.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        (1..=self.cell.seeds(self.seeds)).flat_map(|seed| {
            let scene = self.cell.scene(seed);
            let beside = scene.beside.as_ref().map(|beside| match beside {
                Beside::Controller(cc) => scene.toml("", seed, &Contestant::named(cc)),
                Beside::Scene(other) => other.toml("", seed, self.contestant),
            });
            [Some(scene.toml(&self.cell.id(), seed, self.contestant)), beside].into_iter().flatten()
        })
    }

    /// The plan that a seed's measurements are held against, if there is one.
    fn beside(&self, seed: u64) -> Result<Option<Plan>, ScenarioError> {
        let scene = self.cell.scene(seed);
        let beside = match &scene.beside {
            None => return Ok(None),
            Some(Beside::Controller(cc)) => self.read(&scene, seed, &Contestant::named(cc))?,
            Some(Beside::Scene(other)) => self.read(other, seed, self.contestant)?,
        };
        Ok(Some(beside.plan))
    }
}

/// Runs a cell with all its seeds; `ran` hears of each that has ended.
///
/// # Errors
/// The target does not do what the cell asks for, or the runner fails.
pub fn try_out<R: Runner>(trial: &Trial<'_>, runner: &R, ran: impl Fn()) -> Result<Tried, Failed<R::Error>> {
    let (cell, seeds) = (trial.cell, trial.cell.seeds(trial.seeds));
    let refused = |error| Failed::Scenario(Box::new(error));
    let mut values = vec![Vec::new(); cell.goals.len()];
    let mut figures = Vec::new();
    for seed in 1..=seeds {
        let plan = trial.scenario(seed).map_err(refused)?.plan;
        let beside = trial.beside(seed).map_err(refused)?;
        let outcome = runner.run(&plan).map_err(Failed::Run)?;
        let beside: Option<(Plan, Outcome)> = match beside {
            None => None,
            Some(plan) => runner.run(&plan).map(|outcome| Some((plan, outcome))).map_err(Failed::Run)?,
        };
        ran();
        let view = View { plan: &plan, outcome: &outcome, beside: beside.as_ref().map(|(plan, outcome)| (plan, outcome)) };
        cell.goals.iter().zip(&mut values).for_each(|(goal, values)| values.push(goal.measure(&view)));
        figures.push(traces(&view));
    }
    let goals: Vec<Measured> =
        cell.goals.iter().zip(&values).map(|(goal, values)| measured(cell, goal.what, goal.unit, goal.range, values)).collect();
    let seed = goals.iter().find(|goal| !goal.met).or(goals.first()).map_or(1, |goal| goal.seed);
    let scenario = trial.scenario(seed).map_err(refused)?.text;
    let at = cell.at.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    let found = Found {
        family: cell.family.id.into(),
        cell: cell.name.clone(),
        cc: trial.contestant.name.clone(),
        at,
        seeds,
        goals,
        seed,
        scenario,
    };
    Ok(Tried { found, figures: figures.swap_remove(seed as usize - 1) })
}

fn measured(cell: &Cell, what: &str, unit: &str, range: Range, values: &[f64]) -> Measured {
    let decides = range.deciding(values, cell.random).unwrap_or(0);
    let worst = values.get(decides).copied().unwrap_or(f64::NAN);
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) };
    let finite = |value: f64| value.is_finite().then_some(digits(value));
    Measured {
        what: what.into(),
        unit: unit.into(),
        goal: range.to_string(),
        worst: finite(worst),
        median: finite(median),
        seed: decides as u64 + 1,
        met: range.holds(worst),
    }
}

/// Six digits: more than a reader needs.
fn digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number as just written")
}
