//! Where experiments run: scenarios in, outcomes out, all cores busy.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use rayon::prelude::*;
use symbiosis_base::Span;
use symbiosis_run::{Outcome, Plan, Runner};
use symbiosis_sim::Simulator;

use crate::world::World;
use symbiosis_scenario::{Files, Scenario};

/// By how much starts differ from seed to seed: no multiple of a round trip or of a packet's time on a link.
const STAGGER: Span = Span::from_micros(13_700);

/// The papers' hosts repair losses by selective ACKs (RFC 6675): RACK is younger than all of them.
const RECOVERY: &str = "recovery = \"sack\"";

/// The text with [`RECOVERY`] in each `[[flow]]` that neither says how it repairs losses nor has a controller whose name does.
fn with_recovery(text: &str) -> String {
    let mut tables = text.split_inclusive('\n').fold(Vec::<String>::new(), |mut tables, line| {
        match tables.last_mut() {
            Some(table) if !line.trim_start().starts_with("[[") => table.push_str(line),
            _ => tables.push(line.into()),
        }
        tables
    });
    for table in &mut tables {
        let says = |what: &str| table.lines().any(|line| line.trim_start().starts_with(what));
        if let Some(rest) = table.strip_prefix("[[flow]]\n")
            && !says("recovery = ")
            && !says("cc = \"newreno\"")
        {
            *table = format!("[[flow]]\n{RECOVERY}\n{rest}");
        }
    }
    tables.concat()
}

/// The scale of a reproduction, and who hears of its progress.
pub struct Lab<'a> {
    /// Where experiments are carried out.
    pub world: World,
    /// Shorter runs and fewer points.
    pub quick: bool,
    /// How many seeds where randomness enters.
    pub seeds: u64,
    /// The first of them: 1 but in a test, to which a number without an interval must be the same with others.
    pub first_seed: u64,
    /// Called after each simulation with the CPU time that it took, from any thread.
    pub ran: &'a (dyn Fn(Duration) + Sync),
    /// Whether somebody asks for the end: runs in real time then end before theirs.
    pub enough: &'a AtomicBool,
}

impl Lab<'_> {
    /// The same with so many seeds: where little is random, or where runs are short.
    pub(crate) fn of_seeds(&self, seeds: u64) -> Lab<'_> {
        Lab { seeds, ..*self }
    }

    /// The scenario of a text that an experiment made.
    ///
    /// # Panics
    /// When the text is not sound: the experiment's fault, found by its test.
    pub(crate) fn scenario(&self, text: &str) -> Scenario {
        let text = with_recovery(text);
        Scenario::parse_for(self.world.target(), &text, "experiment.toml", Files::Folder(None), &[])
            .unwrap_or_else(|error| panic!("{}\n{text}", error.what))
    }

    /// One run.
    pub(crate) fn run(&self, scenario: &Scenario) -> Outcome {
        self.seeded(scenario, scenario.plan.seed + self.first_seed - 1)
    }

    /// All seeds.
    pub(crate) fn seeds(&self) -> std::ops::Range<u64> {
        self.first_seed..self.first_seed + self.seeds
    }

    /// Runs of several scenarios, in their order.
    pub(crate) fn run_all(&self, scenarios: &[Scenario]) -> Vec<Outcome> {
        scenarios.par_iter().map(|scenario| self.run(scenario)).collect()
    }

    /// A run with each seed, in their order.
    pub(crate) fn over_seeds(&self, scenario: &Scenario) -> Vec<Outcome> {
        let Ok(outcomes) = self.over_seeds_on(&Simulator, &scenario.plan);
        outcomes
    }

    /// A run with each seed, in their order, by whatever can carry out several at a time.
    ///
    /// # Errors
    /// As the runner's.
    pub(crate) fn over_seeds_on<R: Runner<Error: Send> + Sync>(&self, runner: &R, plan: &Plan) -> Result<Vec<Outcome>, R::Error> {
        let one = |seed: u64| self.timed(|| runner.run(&Plan { seed, ..plan.clone() }));
        let from = self.first_seed;
        let (first, second) = rayon::join(|| one(from), || one(from + 1));
        let (first, second) = (first?, second?);
        // Two seeds that give the same to the last digit say that nothing random enters: all others give it, too.
        let others = from + 2..from + self.seeds;
        let rest: Vec<Outcome> = match as_of(&second, from) == first {
            true => others.map(|seed| as_of(&first, seed)).collect(),
            false => others.into_par_iter().map(one).collect::<Result<_, _>>()?,
        };
        Ok([first, second].into_iter().chain(rest).collect())
    }

    /// A run with each seed, in their order. What nothing random enters is not one case for that: from seed to seed flows after the first
    /// start later, [`STAGGER`] more from one to the next.
    pub(crate) fn over_starts(&self, scenario: &Scenario) -> Vec<Outcome> {
        let seeds: Vec<u64> = self.seeds().collect();
        let shifted = |seed: u64| {
            let mut plan = Plan { seed, ..scenario.plan.clone() };
            for (flow, late) in plan.flows.iter_mut().zip(0..) {
                flow.start += STAGGER * ((seed - 1) * late);
            }
            plan
        };
        seeds.par_iter().map(|seed| self.run_plan(&shifted(*seed))).collect()
    }

    /// A run with each seed, in their order, in which every flow starts [`STAGGER`] later from one to the next: against traffic that is even,
    /// nothing else differs.
    pub(crate) fn over_own_starts(&self, scenario: &Scenario) -> Vec<Outcome> {
        let seeds: Vec<u64> = self.seeds().collect();
        let shifted = |seed: u64| {
            let mut plan = Plan { seed, ..scenario.plan.clone() };
            plan.flows.iter_mut().for_each(|flow| flow.start += STAGGER * (seed - 1));
            plan
        };
        seeds.par_iter().map(|seed| self.run_plan(&shifted(*seed))).collect()
    }

    /// A run with that seed.
    pub(crate) fn seeded(&self, scenario: &Scenario, seed: u64) -> Outcome {
        self.run_plan(&Plan { seed, ..scenario.plan.clone() })
    }

    fn run_plan(&self, plan: &Plan) -> Outcome {
        self.timed(|| symbiosis_sim::run(plan))
    }

    /// A simulation runs on one thread, whose clock tells what it took.
    fn timed<T>(&self, run: impl FnOnce() -> T) -> T {
        let clock = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from);
        let begun = clock();
        let found = run();
        (self.ran)(clock().saturating_sub(begun));
        found
    }
}

/// The outcome of a run in which nothing is random, as another seed gives it.
fn as_of(outcome: &Outcome, seed: u64) -> Outcome {
    let mut other = outcome.clone();
    other.summary.seed = seed;
    other
}
