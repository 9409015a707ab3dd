//! Where experiments run: scenarios in, outcomes out, all cores busy.

use rayon::prelude::*;
use symbiosis_sim::{Outcome, Plan};

use crate::scenario::Scenario;

/// The scale of a reproduction, and who hears of its progress.
pub struct Lab<'a> {
    /// Shorter runs and fewer points.
    pub quick: bool,
    /// How many seeds where randomness enters.
    pub seeds: u64,
    /// Called after each simulation, from any thread.
    pub ran: &'a (dyn Fn() + Sync),
}

impl Lab<'_> {
    /// The scenario of a text that an experiment made.
    ///
    /// # Panics
    /// When the text is not sound: the experiment's fault, found by its test.
    pub(super) fn scenario(&self, text: &str) -> Scenario {
        Scenario::parse(text, "experiment.toml", None, &[]).unwrap_or_else(|error| panic!("{}\n{text}", error.what))
    }

    /// One run.
    pub(super) fn run(&self, scenario: &Scenario) -> Outcome {
        self.run_plan(&scenario.plan)
    }

    /// Runs of several scenarios, in their order.
    pub(super) fn run_all(&self, scenarios: &[Scenario]) -> Vec<Outcome> {
        scenarios.par_iter().map(|scenario| self.run(scenario)).collect()
    }

    /// A run with each seed, in their order.
    pub(super) fn over_seeds(&self, scenario: &Scenario) -> Vec<Outcome> {
        let seeds: Vec<u64> = (1..=self.seeds).collect();
        seeds.par_iter().map(|seed| self.run_plan(&Plan { seed: *seed, ..scenario.plan.clone() })).collect()
    }

    fn run_plan(&self, plan: &Plan) -> Outcome {
        let outcome = symbiosis_sim::run(plan);
        (self.ran)();
        outcome
    }
}
