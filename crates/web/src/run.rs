//! A run that a page steps through.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use symbiosis_base::{Instant, Span};
use symbiosis_run::Plan;
use symbiosis_scenario::{Files, SIMULATOR, Scenario, ScenarioError};
use symbiosis_sim::Simulation;

use crate::columns::{Flows, Links};
use crate::description;

/// A run under way. Times are in seconds since its start.
pub struct Run {
    plan: Plan,
    simulation: Simulation<'static>,
    flows: Vec<Flows>,
    links: Vec<Links>,
}

/// Why a text is no scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    /// One line that names the key and its value.
    pub what: String,
    /// What would be right.
    pub help: Option<String>,
    /// Where in the text, as bytes.
    pub at: Option<Range<usize>>,
    /// The line there, counted from 1.
    pub line: Option<usize>,
}

impl From<ScenarioError> for Problem {
    fn from(error: ScenarioError) -> Problem {
        let line = error.at.as_ref().and_then(|at| error.text.get(..at.start)).map(|before| before.matches('\n').count() + 1);
        Problem { what: error.what, help: error.help, at: error.at, line }
    }
}

impl Run {
    /// A run of that scenario before its first event. `files` are the texts of files that it names; `samples` is how many samples its
    /// traces have, instead of the scenario's own spacing.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn new(text: &str, files: &BTreeMap<String, String>, samples: Option<u32>) -> Result<Run, Problem> {
        let mut plan = Scenario::parse_for(&SIMULATOR, text, "scenario.toml", Files::Given(files), &[])?.plan;
        if let Some(samples) = samples {
            plan.sample_every = Some(Span((plan.duration.0 / u64::from(samples.max(1))).max(1)));
        }
        let flows = vec![Flows::default(); plan.flows.len()];
        let links = vec![Links::default(); plan.links.len()];
        let mut simulation = Simulation::new(plan.clone());
        simulation.watch(plan.links.iter().position(|link| link.listed).unwrap_or(0));
        Ok(Run { simulation, plan, flows, links })
    }

    /// What is run, as JSON: `duration_s`, `seed`, `every_s`, `flows`, `links`, `cross`.
    pub fn description(&self) -> String {
        description::of(&self.plan)
    }

    /// Simulates up to that time.
    pub fn advance(&mut self, until_s: f64) {
        self.simulation.advance(Instant::from_secs(until_s.max(0.0)));
    }

    /// Samples of the flow of that index since this was last called, as rows of [`Run::flow_columns`] numbers; what is unknown is NaN.
    ///
    /// # Panics
    /// There is no such flow.
    pub fn flow(&mut self, index: usize) -> Vec<f64> {
        self.flows[index].rows(|seen| self.simulation.flow_samples(index, seen))
    }

    /// Names of a flow's columns: those that all have, and then its controller's gauges as far as they have been seen. Rows handed over
    /// before a gauge appeared are shorter.
    ///
    /// # Panics
    /// There is no such flow.
    pub fn flow_columns(&self, index: usize) -> Vec<&'static str> {
        self.flows[index].names()
    }

    /// Samples of the link of that index since this was last called, as rows of `time_s`, `queue_packets`, `drops`, `bytes_begun`.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link(&mut self, index: usize) -> Vec<f64> {
        self.links[index].rows(|seen| self.simulation.link_samples(index, seen))
    }

    /// Whose packets are before the first listed link, or on their way onto it, at the time up to which the run has advanced, the oldest first: indices of
    /// flows, and behind these of cross traffic.
    pub fn waiting(&self) -> Vec<u32> {
        self.simulation.waiting().into_iter().map(|owner| owner as u32).collect()
    }

    /// Simulates what is left. The result as `symbiosis simulate --json` prints it, but for the wall time.
    pub fn finish(self) -> String {
        let outcome = self.simulation.finish();
        serde_json::to_string_pretty(&outcome.summary).expect("numbers, texts and lists are JSON")
    }
}
