//! The oracle: K and A as the simulator knows them, with noise if asked for. It tells what the control law is worth by itself.

use alloc::boxed::Box;

use symbiosis_base::Random;

use super::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::{Acked, Departure, Instant, PacketLost, Rate, Report, Sent, Span, Unknown};

/// By how much the oracle errs; not at all by default. Biases and noises are relative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// K is read as `(1 + bias)K`, whatever A is.
    pub capacity_bias: f64,
    /// Standard deviation of the relative error of each reading of K.
    pub capacity_noise: f64,
    /// A is read as `(1 + bias)A`.
    pub available_bias: f64,
    /// Standard deviation of the relative error of `K − A`: `K − A' = (1 + n)(K − A)`, n ~ N(0, noise²) (T §3).
    pub noise: f64,
    /// That noise doubles whenever this has passed since the first report; zero: never (T §3.1).
    pub doubles: Span,
}

/// Takes the simulator's word, once for each [`Report::Path`].
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Takes all of K as available, whatever others use: what S §III-D assumes of Symbiosis beside Reno.
    whole: bool,
    errors: Errors,
    began: Option<Instant>,
    /// Of the noise of `K − A`, and of K.
    random: Random,
    capacity_random: Random,
}

impl Oracle {
    /// An oracle that errs so.
    pub fn new(errors: Errors, seed: u64) -> Oracle {
        Oracle { whole: false, errors, began: None, random: Random::new(seed, 0), capacity_random: Random::new(seed, 4) }
    }

    /// An oracle that knows K, but for its errors, and takes all of it as available.
    pub fn of_capacity(errors: Errors, seed: u64) -> Oracle {
        Oracle { whole: true, ..Oracle::new(errors, seed) }
    }

    /// K as it is read.
    fn read_capacity(&mut self, capacity: Rate) -> Rate {
        let Errors { capacity_bias, capacity_noise, .. } = self.errors;
        let noise = if capacity_noise > 0.0 { capacity_noise * self.capacity_random.normal() } else { 0.0 };
        capacity * (1.0 + capacity_bias + noise).clamp(LEAST_READ, MOST_READ)
    }

    /// The noise now. Whole doublings; so many that nothing but noise is left are as good as any more.
    fn noise_at(&mut self, now: Instant) -> f64 {
        let began = *self.began.get_or_insert(now);
        let doublings = (now - began).0.checked_div(self.errors.doubles.0).unwrap_or(0);
        self.errors.noise * (1_u64 << doublings.min(MOST_DOUBLINGS)) as f64
    }
}

/// Doublings after which more change nothing: a million times the noise that it began with, of which A is always read as 0 or K.
const MOST_DOUBLINGS: u64 = 20;
/// Whatever bias and noise, no less of K is read than this part: a capacity below zero is none, and a hundredth is as wrong as any.
const LEAST_READ: f64 = 0.01;
/// Nor more than this multiple: 1 + the greatest bias that can be set (`k_bias`).
pub const MOST_READ: f64 = 4.0;

impl Measurement for Oracle {
    fn sent(&mut self, _packet: &Sent) {}

    fn packet_lost(&mut self, _packet: &PacketLost) {}

    fn acked(&mut self, _ack: &Acked) -> Option<Reading> {
        None
    }

    fn report(&mut self, report: &Report) -> Option<Reading> {
        let Report::Path { now, capacity, available } = *report else { return None };
        if !(capacity > Rate::ZERO && capacity.bytes_per_s().is_finite() && available.bytes_per_s().is_finite()) {
            return None;
        }
        let read = self.read_capacity(capacity);
        if self.whole {
            return Some(Reading::certain(Bandwidth { capacity: read, available: read }));
        }
        let noise = self.noise_at(now);
        let error = if noise > 0.0 { noise * self.random.normal() } else { 0.0 };
        let others = (capacity - available.clamp(Rate::ZERO, capacity)).bytes_per_s() * (1.0 + error);
        let available = Rate::from_bytes_per_s(capacity.bytes_per_s() - others) * (1.0 + self.errors.available_bias);
        Some(Reading::certain(Bandwidth { capacity: read, available: available.clamp(Rate::ZERO, read) }))
    }

    fn departure(&self) -> Departure {
        Departure::Now
    }

    fn holds(&self) -> bool {
        true
    }

    fn unknown(&self) -> Unknown {
        Unknown::Trains
    }

    fn wants_arrivals(&self) -> bool {
        false
    }

    fn is_held_back(&self) -> bool {
        false
    }

    fn forget(&mut self) {}

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(k: f64, a: f64) -> Report {
        Report::Path { now: Instant::START, capacity: Rate::from_mbps(k), available: Rate::from_mbps(a) }
    }

    #[test]
    fn the_oracle_passes_on_the_truth() {
        let got = Oracle::new(Errors::default(), 1).report(&report(100.0, 30.0)).unwrap().bandwidth;
        assert!((got.available.mbps() - 30.0).abs() < 1e-9 && got.capacity.mbps() == 100.0);
        let got = Oracle::new(Errors::default(), 1).report(&report(100.0, 130.0)).unwrap().bandwidth;
        assert_eq!(got.available, got.capacity);
        let got = Oracle::of_capacity(Errors::default(), 1).report(&report(100.0, 30.0)).unwrap().bandwidth;
        assert_eq!(got.available, got.capacity);
        assert!(Oracle::new(Errors::default(), 1).report(&report(0.0, 0.0)).is_none());
        assert!(Oracle::new(Errors::default(), 1).report(&report(f64::NAN, 0.0)).is_none());
    }

    #[test]
    fn noise_has_the_spread_that_was_asked_for() {
        let mut oracle = Oracle::new(Errors { noise: 0.1, ..Errors::default() }, 7);
        let errors: alloc::vec::Vec<f64> =
            (0..20_000).map(|_| (100.0 - oracle.report(&report(100.0, 50.0)).unwrap().bandwidth.available.mbps()) / 50.0 - 1.0).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let spread = libm::sqrt(errors.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / errors.len() as f64);
        assert!(mean.abs() < 0.004 && (spread - 0.1).abs() < 0.003, "mean {mean}, spread {spread}");
    }

    #[test]
    fn noise_doubles_from_the_first_report_on() {
        let mut oracle = Oracle::new(Errors { noise: 0.05, doubles: Span::from_secs(100.0), ..Errors::default() }, 7);
        let seconds = [500, 599, 600, 799, 800].map(|s| oracle.noise_at(Instant::from_millis(1000 * s)));
        assert_eq!(seconds, [0.05, 0.05, 0.1, 0.2, 0.4]);
        assert_eq!(Oracle::new(Errors { noise: 0.05, ..Errors::default() }, 7).noise_at(Instant::NEVER), 0.05);
        let mut for_ever = Oracle::new(Errors { noise: 0.05, doubles: Span(1), ..Errors::default() }, 7);
        for_ever.noise_at(Instant::START);
        assert!(for_ever.noise_at(Instant::NEVER).is_finite());
    }

    #[test]
    fn biases_are_relative_and_apart() {
        let read = |errors: Errors| Oracle::new(errors, 1).report(&report(100.0, 40.0)).unwrap().bandwidth;
        let close = |read: Bandwidth, k: f64, a: f64| (read.capacity.mbps() - k).abs() < 1e-6 && (read.available.mbps() - a).abs() < 1e-6;
        assert!(close(read(Errors { capacity_bias: 0.2, ..Errors::default() }), 120.0, 40.0));
        assert!(close(read(Errors { available_bias: -0.25, ..Errors::default() }), 100.0, 30.0));
        // What is read as free is no more than what is read as there.
        assert!(close(read(Errors { capacity_bias: -0.7, available_bias: 0.5, ..Errors::default() }), 30.0, 30.0));
        let whole = Oracle::of_capacity(Errors { capacity_bias: 0.2, ..Errors::default() }, 1).report(&report(100.0, 40.0)).unwrap();
        assert!(close(whole.bandwidth, 120.0, 120.0));
    }

    #[test]
    fn noise_of_the_capacity_has_its_spread_and_leaves_something() {
        let spread = |noise: f64| {
            let mut oracle = Oracle::new(Errors { capacity_noise: noise, ..Errors::default() }, 3);
            let read: alloc::vec::Vec<f64> =
                (0..20_000).map(|_| oracle.report(&report(100.0, 50.0)).unwrap().bandwidth.capacity.mbps() / 100.0).collect();
            let mean = read.iter().sum::<f64>() / read.len() as f64;
            let variance = read.iter().map(|k| (k - mean) * (k - mean)).sum::<f64>() / read.len() as f64;
            (mean, libm::sqrt(variance), read.into_iter().fold(f64::INFINITY, f64::min))
        };
        let (mean, deviation, _) = spread(0.1);
        assert!((mean - 1.0).abs() < 0.003 && (deviation - 0.1).abs() < 0.003, "{mean} {deviation}");
        assert!((spread(2.0).2 - LEAST_READ).abs() < 1e-9);
    }
}
