//! Many runs of many flows as few curves.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, StudentsT};
use symbiosis_base::Instant;

use crate::figure::{Mark, Series};

/// More flows than this are not told apart in a plot: the palette has ten colours, and two more are known by their place.
pub(super) const MOST_FLOWS: usize = 12;
/// More seeds than this say more together, as a mean and a band: four curves still are told apart.
pub(super) const MOST_SEEDS: usize = 4;

/// One quantity of one flow or link in one run.
pub(super) struct Trace {
    pub(super) name: String,
    pub(super) seed: u64,
    pub(super) points: Vec<(Instant, f64)>,
}

/// Values at each instant, in order of time.
type Columns = BTreeMap<Instant, Vec<f64>>;

/// Traces of the same name and seed become their mean; if seeds are many, those of the same name a mean with a band. Without points, no series.
pub(super) fn merged(traces: Vec<Trace>, seeds: usize) -> Vec<Series> {
    let mut of_seed: Vec<(String, u64, Columns)> = Vec::new();
    for trace in traces.into_iter().filter(|trace| !trace.points.is_empty()) {
        let place = of_seed.iter().position(|(name, seed, _)| *name == trace.name && *seed == trace.seed);
        let place = place.unwrap_or_else(|| {
            of_seed.push((trace.name, trace.seed, Columns::new()));
            of_seed.len() - 1
        });
        for (at, value) in trace.points {
            of_seed[place].2.entry(at).or_default().push(value);
        }
    }
    let line = |name: &str, columns: &Columns| {
        Series::new(name, Mark::Line, columns.iter().map(|(at, values)| (at.secs(), mean(values))).collect())
    };
    if seeds <= 1 {
        return of_seed.iter().map(|(name, _, columns)| line(name, columns)).collect();
    }
    if seeds <= MOST_SEEDS {
        return of_seed.iter().map(|(name, seed, columns)| line(&format!("{name} seed {seed}"), columns)).collect();
    }

    let mut of_all: Vec<(String, Columns)> = Vec::new();
    for (name, _, columns) in of_seed {
        let place = of_all.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            of_all.push((name, Columns::new()));
            of_all.len() - 1
        });
        for (at, values) in columns {
            of_all[place].1.entry(at).or_default().push(mean(&values));
        }
    }
    let banded = |(name, columns): &(String, Columns)| {
        let band = columns.values().map(|values| {
            let (mean, half) = (mean(values), half_interval(values));
            (mean - half, mean + half)
        });
        Series { band: Some(band.collect()), ..line(name, columns) }
    };
    of_all.iter().map(banded).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half the 95 % confidence interval of the mean, by Student's t; zero for a single value.
fn half_interval(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let quantile = StudentsT::new(0.0, 1.0, n - 1.0).expect("n - 1 is positive").inverse_cdf(0.975);
    quantile * (variance / n).sqrt()
}
