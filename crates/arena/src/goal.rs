//! What a measurement must be.

use std::fmt;

use crate::view::View;

/// The measurements with which a goal is met: those between two ends, the ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end; −∞ without.
    pub least: f64,
    /// Upper end; ∞ without.
    pub most: f64,
}

impl Range {
    /// So much or more.
    pub fn least(least: f64) -> Range {
        Range { least, most: f64::INFINITY }
    }

    /// So much or less.
    pub fn most(most: f64) -> Range {
        Range { least: f64::NEG_INFINITY, most }
    }

    /// From `least` to `most`.
    pub fn within(least: f64, most: f64) -> Range {
        Range { least, most }
    }

    /// Whether a measurement meets the goal; what is not a number does not.
    pub fn holds(&self, value: f64) -> bool {
        self.least <= value && value <= self.most
    }

    /// How far a measurement is from the middle of what is asked for, or into what is asked for: of two the one with more is worse.
    fn badness(&self, value: f64) -> f64 {
        match (self.least.is_finite(), self.most.is_finite()) {
            _ if value.is_nan() => f64::INFINITY,
            // Ratios: .5 is as far from 1 as 2 is.
            (true, true) if self.least > 0.0 => libm::log(value.max(1e-9) / libm::sqrt(self.least * self.most)).abs(),
            (true, true) => (value - 0.5 * (self.least + self.most)).abs(),
            (true, false) => -value,
            _ => value,
        }
    }

    /// The measurement that decides over several seeds, by its place among them: the worst, or with `tenth` the one that a tenth of them
    /// is worse than.
    pub fn deciding(&self, values: &[f64], tenth: bool) -> Option<usize> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| self.badness(values[*b]).total_cmp(&self.badness(values[*a])));
        order.get(if tenth { values.len() / 10 } else { 0 }).copied()
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least.is_finite(), self.most.is_finite()) {
            (true, true) => write!(f, "{} to {}", self.least, self.most),
            (true, false) => write!(f, "≥ {}", self.least),
            _ => write!(f, "≤ {}", self.most),
        }
    }
}

type Metric = Box<dyn Fn(&View<'_>) -> f64 + Send + Sync>;

/// Something that is measured, and what it must be.
pub struct Goal {
    /// What is measured, in a few words: `"utilisation"`.
    pub what: &'static str,
    /// Unit of the measurement; empty for a pure number.
    pub unit: &'static str,
    /// What it must be.
    pub range: Range,
    metric: Metric,
}

impl Goal {
    /// A goal.
    pub fn new(what: &'static str, unit: &'static str, range: Range, metric: impl Fn(&View<'_>) -> f64 + Send + Sync + 'static) -> Goal {
        Goal { what, unit, range, metric: Box::new(metric) }
    }

    /// What a run measured.
    pub fn measure(&self, view: &View<'_>) -> f64 {
        (self.metric)(view)
    }
}

impl fmt::Debug for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.what, self.range, self.unit)
    }
}
