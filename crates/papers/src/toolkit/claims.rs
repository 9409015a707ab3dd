//! Claims in a few words.

use symbiosis_run::Outcome as Run;

use symbiosis_report::outcome::{Claim, Measured, Verdict};

/// A number that nothing random enters.
pub fn exact(value: f64) -> Measured {
    Measured { mean: value, ci95: 0.0, seeds: 1 }
}

/// A claim that holds if `holds`; `why` is told if it does not.
pub fn claim(text: impl Into<String>, paper: impl Into<String>, measured: Measured, unit: &str, holds: bool, why: &str) -> Claim {
    Claim {
        text: text.into(),
        paper: paper.into(),
        measured,
        unit: unit.into(),
        verdict: if holds { Verdict::Holds } else { Verdict::Differs },
        why: if holds { String::new() } else { why.into() },
    }
}

/// A number of each run, over the runs.
pub fn over(runs: &[Run], value: impl Fn(&Run) -> f64) -> Measured {
    Measured::over(&runs.iter().map(value).collect::<Vec<_>>())
}

/// Whether a measured mean is within a part of the wanted value.
pub fn within(measured: Measured, wanted: f64, part: f64) -> bool {
    (measured.mean - wanted).abs() <= part * wanted.abs()
}
