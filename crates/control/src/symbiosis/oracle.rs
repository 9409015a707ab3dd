//! The oracle: K and A as the simulator knows them, with noise if asked for. It tells what the control law is worth by itself.

use alloc::boxed::Box;

use symbiosis_base::Random;

use super::measurement::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::{Nanos, Rate, Report};

/// Takes the simulator's word, once for each [`Report::Path`].
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Takes all of K as available, whatever others use: what S §III-D assumes of Symbiosis beside Reno.
    whole: bool,
    /// Standard deviation of the relative error of `K − A`: `K − A' = (1 + n)(K − A)`, n ~ N(0, noise²) (T §3).
    noise: f64,
    /// The noise doubles whenever this has passed since the first report; zero: never (T §3.1).
    doubles: Nanos,
    began: Option<Nanos>,
    random: Random,
}

impl Oracle {
    /// An oracle whose `K − A` is off by `noise` (a relative standard deviation), twice as much whenever `doubles` has passed (zero: never).
    pub fn new(noise: f64, doubles: Nanos, seed: u64) -> Oracle {
        Oracle { whole: false, noise, doubles, began: None, random: Random::new(seed, 0) }
    }

    /// An oracle that knows K and takes all of it as available.
    pub fn of_capacity() -> Oracle {
        Oracle { whole: true, ..Oracle::new(0.0, Nanos::ZERO, 0) }
    }

    /// The noise now. Whole doublings; so many that nothing but noise is left are as good as any more.
    fn noise_at(&mut self, now: Nanos) -> f64 {
        let began = *self.began.get_or_insert(now);
        let doublings = (now - began).0.checked_div(self.doubles.0).unwrap_or(0);
        self.noise * (1_u64 << doublings.min(MOST_DOUBLINGS)) as f64
    }
}

/// A million times the noise that it began with.
const MOST_DOUBLINGS: u64 = 20;

impl Measurement for Oracle {
    fn report(&mut self, report: &Report) -> Option<Reading> {
        let Report::Path { now, capacity, available } = *report else { return None };
        if !(capacity > Rate::ZERO && capacity.bytes_per_s().is_finite() && available.bytes_per_s().is_finite()) {
            return None;
        }
        if self.whole {
            return Some(Reading::certain(Bandwidth { capacity, available: capacity }));
        }
        let noise = self.noise_at(now);
        let error = if noise > 0.0 { noise * self.random.normal() } else { 0.0 };
        let others = (capacity - available.clamp(Rate::ZERO, capacity)).bytes_per_s() * (1.0 + error);
        let available = Rate::from_bytes_per_s(capacity.bytes_per_s() - others).clamp(Rate::ZERO, capacity);
        Some(Reading::certain(Bandwidth { capacity, available }))
    }

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(k: f64, a: f64) -> Report {
        Report::Path { now: Nanos::ZERO, capacity: Rate::from_mbps(k), available: Rate::from_mbps(a) }
    }

    #[test]
    fn the_oracle_passes_on_the_truth() {
        let got = Oracle::new(0.0, Nanos::ZERO, 1).report(&report(100.0, 30.0)).unwrap().bandwidth;
        assert!((got.available.mbps() - 30.0).abs() < 1e-9 && got.capacity.mbps() == 100.0);
        let got = Oracle::new(0.0, Nanos::ZERO, 1).report(&report(100.0, 130.0)).unwrap().bandwidth;
        assert_eq!(got.available, got.capacity);
        let got = Oracle::of_capacity().report(&report(100.0, 30.0)).unwrap().bandwidth;
        assert_eq!(got.available, got.capacity);
        assert!(Oracle::new(0.0, Nanos::ZERO, 1).report(&report(0.0, 0.0)).is_none());
        assert!(Oracle::new(0.0, Nanos::ZERO, 1).report(&report(f64::NAN, 0.0)).is_none());
    }

    #[test]
    fn noise_has_the_spread_that_was_asked_for() {
        let mut oracle = Oracle::new(0.1, Nanos::ZERO, 7);
        let errors: alloc::vec::Vec<f64> =
            (0..20_000).map(|_| (100.0 - oracle.report(&report(100.0, 50.0)).unwrap().bandwidth.available.mbps()) / 50.0 - 1.0).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let spread = libm::sqrt(errors.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / errors.len() as f64);
        assert!(mean.abs() < 0.004 && (spread - 0.1).abs() < 0.003, "mean {mean}, spread {spread}");
    }

    #[test]
    fn noise_doubles_from_the_first_report_on() {
        let mut oracle = Oracle::new(0.05, Nanos::from_secs(100.0), 7);
        let seconds = [500, 599, 600, 799, 800].map(|s| oracle.noise_at(Nanos::from_millis(1000 * s)));
        assert_eq!(seconds, [0.05, 0.05, 0.1, 0.2, 0.4]);
        assert_eq!(Oracle::new(0.05, Nanos::ZERO, 7).noise_at(Nanos::MAX), 0.05);
        let mut for_ever = Oracle::new(0.05, Nanos(1), 7);
        for_ever.noise_at(Nanos::ZERO);
        assert!(for_ever.noise_at(Nanos::MAX).is_finite());
    }
}
