//! Filters for what a measurement reads (B §5), around any [`Measurement`]: K and A each by itself, result by result.
//!
//! - the mean of the last N results lags behind a jump by (N − 1)/2 of them;
//! - the median of the last N results passes no outlier, and follows a jump after N/2 of them;
//! - a Kalman filter of a level that is constant between jumps, whose results have the variance R that was measured of them: after n results its gain is
//!   1/n, down to 1/N. R is half the mean square of the difference between neighbours, into which a constant level does not enter. A result
//!   farther off than three deviations is a new level.
//!
//! What is not sure ([`Reading::is_sure`]) is passed on as it is and counts for nothing. The intervals stay those of the single result.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::{Acked, Departure, PacketLost, Rate, Report, Sent, Unknown};

/// A result so many deviations off is no noise: of normal noise 0.27 % is. From 2 to 5 nothing depends on it
/// (`simulate scenarios/symbiosis-udp-steps.toml --set 'flow.0.params.filter="kalman"'`, 5 seeds).
const JUMP: f64 = 3.0;
/// The variance is taken over so many times the results that a filter remembers: of few it is often so small that noise looks like a jump.
/// Of n results it is wrong by √(2/n) of itself: by 50 % of the usual 8, by 25 % of four times as many, which is 12 % of the deviation.
const VARIANCE_MEMORY: f64 = 4.0;

/// What smooths results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    /// The mean of the last so many.
    Mean,
    /// Their median.
    Median,
    /// A Kalman filter of a level that jumps.
    Kalman,
}

/// `inner` with its results smoothed over `window` of them.
pub fn filtered(smoothing: Smoothing, window: usize, inner: Box<dyn Measurement>) -> Box<dyn Measurement> {
    let filter = match smoothing {
        Smoothing::Mean => Filter::Mean(Recent::new(window)),
        Smoothing::Median => Filter::Median(Recent::new(window)),
        Smoothing::Kalman => Filter::Kalman(Kalman::new(window)),
    };
    Box::new(Filtered { inner, capacity: filter.clone(), available: filter, raw: None })
}

/// A measurement whose results are filtered.
#[derive(Clone)]
struct Filtered {
    inner: Box<dyn Measurement>,
    capacity: Filter,
    available: Filter,
    /// The last A before the filter, for the plot.
    raw: Option<Rate>,
}

impl Filtered {
    fn clear(&mut self) {
        self.capacity.forget();
        self.available.forget();
    }

    fn pass(&mut self, reading: Reading) -> Reading {
        let Bandwidth { capacity, available } = reading.bandwidth;
        self.raw = Some(available);
        if !reading.is_sure() {
            return reading;
        }
        let capacity = Rate::from_bytes_per_s(self.capacity.next(capacity.bytes_per_s()));
        let available = Rate::from_bytes_per_s(self.available.next(available.bytes_per_s())).clamp(Rate::ZERO, capacity);
        Reading { bandwidth: Bandwidth { capacity, available }, ..reading }
    }
}

impl Measurement for Filtered {
    fn sent(&mut self, packet: &Sent) {
        self.inner.sent(packet);
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.inner.packet_lost(packet);
    }

    fn acked(&mut self, ack: &Acked) -> Option<Reading> {
        let result = self.inner.acked(ack);
        if !self.inner.holds() {
            // What no longer holds has no part in what comes after it.
            self.clear();
        }
        result.map(|reading| self.pass(reading))
    }

    fn report(&mut self, report: &Report) -> Option<Reading> {
        self.inner.report(report).map(|reading| self.pass(reading))
    }

    fn departure(&self) -> Departure {
        self.inner.departure()
    }

    fn unknown(&self) -> Unknown {
        self.inner.unknown()
    }

    fn holds(&self) -> bool {
        self.inner.holds()
    }

    fn wants_arrivals(&self) -> bool {
        self.inner.wants_arrivals()
    }

    fn is_held_back(&self) -> bool {
        self.inner.is_held_back()
    }

    fn forget(&mut self) {
        self.inner.forget();
        self.clear();
    }

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some(raw) = self.raw {
            plot("raw_A_mbps", raw.mbps());
        }
        self.inner.gauges(plot);
    }
}

/// A filter of one quantity.
#[derive(Clone, Debug)]
enum Filter {
    Mean(Recent),
    Median(Recent),
    Kalman(Kalman),
}

impl Filter {
    /// A result comes; what the filter makes of it.
    fn next(&mut self, result: f64) -> f64 {
        match self {
            Filter::Mean(recent) => {
                recent.push(result);
                recent.results.iter().sum::<f64>() / recent.results.len() as f64
            }
            Filter::Median(recent) => {
                recent.push(result);
                recent.median()
            }
            Filter::Kalman(kalman) => kalman.next(result),
        }
    }

    fn forget(&mut self) {
        match self {
            Filter::Mean(recent) | Filter::Median(recent) => recent.results.clear(),
            Filter::Kalman(kalman) => *kalman = Kalman::new(kalman.window),
        }
    }
}

/// The last so many results.
#[derive(Clone, Debug)]
struct Recent {
    window: usize,
    results: VecDeque<f64>,
    sorted: Vec<f64>,
}

impl Recent {
    fn new(window: usize) -> Recent {
        Recent { window: window.max(1), results: VecDeque::new(), sorted: Vec::new() }
    }

    fn push(&mut self, result: f64) {
        if self.results.len() == self.window {
            self.results.pop_front();
        }
        self.results.push_back(result);
    }

    fn median(&mut self) -> f64 {
        self.sorted.clear();
        self.sorted.extend(&self.results);
        self.sorted.sort_by(f64::total_cmp);
        let middle = self.sorted.len() / 2;
        if self.sorted.len() % 2 == 1 { self.sorted[middle] } else { (self.sorted[middle - 1] + self.sorted[middle]) / 2.0 }
    }
}

/// The level and what is known of it.
#[derive(Clone, Debug)]
struct Kalman {
    window: usize,
    /// Level, and the variance of its error.
    state: Option<(f64, f64)>,
    last: f64,
    /// Variance of a result, R, once two are known.
    noise: Option<f64>,
}

impl Kalman {
    fn new(window: usize) -> Kalman {
        Kalman { window, state: None, last: 0.0, noise: None }
    }

    fn next(&mut self, result: f64) -> f64 {
        let difference = result - self.last;
        self.last = result;
        let Some((level, variance)) = self.state else {
            self.state = Some((result, 0.0));
            return result;
        };
        let off = result - level;
        let Some(noise) = self.noise else {
            // The second result: both know as much of the level.
            let noise = difference * difference / 2.0;
            self.noise = Some(noise);
            self.state = Some((level + off / 2.0, noise / 2.0));
            return level + off / 2.0;
        };
        if off * off > JUMP * JUMP * (variance + noise) {
            self.state = Some((result, noise));
            return result;
        }
        let noise = noise + (difference * difference / 2.0 - noise) / (VARIANCE_MEMORY * self.window as f64);
        self.noise = Some(noise);
        let total = variance + noise;
        let gain = if total > 0.0 { variance / total } else { 0.0 }.max(1.0 / self.window as f64);
        let level = level + gain * off;
        self.state = Some((level, gain * noise));
        level
    }
}

#[cfg(test)]
mod tests;
