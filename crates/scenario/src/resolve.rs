//! From the format to a plan: defaults that hang on other values, and checks that look at more than one key.

use std::path::PathBuf;

use symbiosis_base::{Instant, Span};
use symbiosis_run::Plan;

use super::error::Fault;
use super::file::File;
use super::files::Files;
use super::target::Target;
use super::{cross, flows, links, topology};

/// Most samples of one trace: at 80 bytes each 0.8 GB, gauges apart.
const MOST_SAMPLES: u64 = 10_000_000;

/// A plan, and for every listed link the words for how its queue's limit came to be.
pub(super) struct Resolved {
    pub plan: Plan,
    pub queue_rules: Vec<String>,
    /// Files that the scenario names: as it names them, and where they are.
    pub files: Vec<(String, PathBuf)>,
}

/// Resolves a file whose single values are right.
///
/// # Errors
/// The first contradiction.
pub(super) fn resolve(target: &Target, file: File, fallback_name: &str, named: Files<'_>) -> Result<Resolved, Fault> {
    let duration = Span::from_secs(file.duration_s);
    let end = Instant::after(duration);
    let (measure_from, measure_to) = window(&file, end)?;
    let sample_every = match file.trace.every_ms {
        None => Span((duration.0 / 1000).max(1)),
        Some(ms) => Span::from_secs(ms / 1e3),
    };
    if sample_every.0 == 0 || duration.0 / sample_every.0 > MOST_SAMPLES {
        return Err(Fault::at("trace.every_ms", "`trace.every_ms` is too small for this run")
            .help(format!("a trace has at most {MOST_SAMPLES} samples: at least {} ms", duration.millis() / MOST_SAMPLES as f64)));
    }
    if file.flow.is_empty() && file.cross.is_empty() {
        return Err(Fault::at("", "the scenario has neither a `[[flow]]` nor a `[[cross]]`").help("add a `[[flow]]` with its `cc`"));
    }
    let traces = file.bottleneck.iter().flat_map(|link| &link.trace).chain(file.link.iter().flat_map(|link| &link.trace));
    let files = traces.map(|name| (name.clone(), named.path(name))).collect();
    let shape = topology::shape(file.bottleneck, file.link)?;
    let routed = flows::route(&file.flow, &shape)?;
    let (mut links, queue_rules) = links::links(&shape, &routed, named)?;
    let cross = cross::plan(&file.cross, &shape)?;
    let flows = flows::plan(target, routed, &mut links, end)?;
    let plan = Plan {
        name: file.name.unwrap_or_else(|| fallback_name.into()),
        duration,
        seed: file.seed.unwrap_or(1),
        measure_from,
        measure_to,
        sample_every: Some(sample_every),
        links,
        flows,
        cross,
    };
    Ok(Resolved { plan, queue_rules, files })
}

fn window(file: &File, end: Instant) -> Result<(Instant, Instant), Fault> {
    let from = Instant::from_secs(file.measure.from_s.unwrap_or(0.0));
    let to = file.measure.to_s.map_or(end, Instant::from_secs);
    if to > end {
        let what = format!("`measure.to_s` is {}, after the end of the run", to.secs());
        return Err(Fault::at("measure.to_s", what).help(format!("the run ends at {} s (`duration_s`)", end.secs())));
    }
    if from >= to {
        let key = if file.measure.from_s.is_some() { "measure.from_s" } else { "measure.to_s" };
        let what = format!("the window of measurement is empty: from {} s to {} s", from.secs(), to.secs());
        return Err(Fault::at(key, what).help("`from_s` must lie before `to_s`, which is `duration_s` where it is not given"));
    }
    Ok((from, to))
}
