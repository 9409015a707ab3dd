//! Scenarios and their runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use symbiosis_control::registry::Entry;
use symbiosis_papers::World;
use symbiosis_run::Plan;
use symbiosis_scenario::{Files, Target};
use symbiosis_sweep::{Ended, run};

use crate::controller;
use crate::error::{failed, refused};
use crate::result::RunResult;
use crate::supervised::supervised;

/// A scenario that was read and understood. `symbiosis.Scenario` makes it.
#[pyclass(frozen, module = "symbiosis")]
pub(crate) struct Scenario(symbiosis_scenario::Scenario);

/// The simulator, with the controllers of the command and these classes.
pub(crate) fn target(classes: Option<&Bound<'_, PyDict>>) -> PyResult<Target> {
    let known = *World::Simulator.target();
    let Some(classes) = classes.filter(|classes| !classes.is_empty()) else { return Ok(known) };
    let mut more: Vec<Entry> = known.more.iter().map(|entry| Entry { ..*entry }).collect();
    more.extend(controller::entries(classes)?);
    // A target is for good; there is one for each set of classes that a program names.
    Ok(Target { more: more.leak(), ..known })
}

#[pymethods]
impl Scenario {
    #[new]
    #[pyo3(signature = (text, file, base = None, sets = Vec::new(), controllers = None))]
    fn new(
        py: Python<'_>,
        text: &str,
        file: &str,
        base: Option<PathBuf>,
        sets: Vec<String>,
        controllers: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Scenario> {
        let target = target(controllers)?;
        let read = symbiosis_scenario::Scenario::parse_for(&target, text, file, Files::Folder(base.as_deref()), &sets);
        read.map(Scenario).map_err(|error| refused(py, &error))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Its text as TOML, with every change applied.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The seed that it says.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.plan.seed
    }

    /// Every effective value, as `symbiosis simulate --explain` prints them.
    fn explain(&self) -> String {
        self.0.explain().to_string()
    }

    /// Runs it.
    #[pyo3(signature = (seed = None, traces = true))]
    fn run(&self, py: Python<'_>, seed: Option<u64>, traces: bool) -> PyResult<RunResult> {
        let plan = &self.0.plan;
        let every = plan.sample_every.filter(|_| traces);
        let plan = Plan { seed: seed.unwrap_or(plan.seed), sample_every: every, ..plan.clone() };
        result(supervised(py, None, |work| run(&plan, &work.stop))?)
    }
}

fn result(ended: Ended) -> PyResult<RunResult> {
    match ended {
        Ended::Found(outcome) => Ok(RunResult(*outcome)),
        Ended::Stopped => Err(failed("stopped")),
        Ended::Panicked(why) => Err(failed(why)),
        Ended::Thrown(why) => Err(controller::raised().unwrap_or_else(|| failed(why))),
    }
}

/// Runs scenarios, each with a seed, on so many threads; results in their order. The first that fails ends all.
#[pyfunction]
pub(crate) fn run_many(py: Python<'_>, runs: Vec<(PyRef<'_, Scenario>, u64)>, traces: bool, threads: usize) -> PyResult<Vec<RunResult>> {
    let plan = |(scenario, seed): &(PyRef<'_, Scenario>, u64)| {
        let plan = &scenario.0.plan;
        Plan { seed: *seed, sample_every: plan.sample_every.filter(|_| traces), ..plan.clone() }
    };
    let plans: Vec<Plan> = runs.iter().map(plan).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    supervised(py, None, |work| {
        thread::scope(|scope| {
            let one = || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(plan) = plans.get(at) else { break };
                    let ended = run(plan, &work.stop);
                    if !matches!(ended, Ended::Found(_)) {
                        work.stop.store(true, Ordering::Relaxed);
                    }
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((at, ended));
                }
            };
            match threads {
                0 | 1 => one(),
                threads => (0..threads).for_each(|_| drop(scope.spawn(one))),
            }
        });
    })?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // A run that was stopped was so because of another one, which says why.
    found.sort_by_key(|(at, ended)| (matches!(ended, Ended::Stopped), *at));
    found.into_iter().map(|(_, ended)| result(ended)).collect()
}

/// The names of the controllers that the simulator has, with what each is.
#[pyfunction]
pub(crate) fn controllers() -> Vec<(&'static str, &'static str)> {
    World::Simulator.controllers().iter().map(|entry| (entry.name, entry.about)).collect()
}
