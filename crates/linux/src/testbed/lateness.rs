//! How late the emulator was, by which a run is judged: it is the path that was late then, and not the controller that was slow.

use hdrhistogram::Histogram;
use serde::Serialize;
use symbiosis_base::Instant;
use symbiosis_run::LATE;

/// With more than this part of the packets late a run is void: ten times what a quiet machine has, 0.2 %.
pub const MOST_LATE: f64 = 0.02;

/// Every packet's lateness.
#[derive(Debug)]
pub struct Lateness(Histogram<u32>);

/// What a report says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LatenessSummary {
    /// Packets that left the path.
    pub packets: u64,
    /// Median \[µs\].
    pub p50_us: f64,
    /// 99th percentile \[µs\].
    pub p99_us: f64,
    /// Greatest \[µs\].
    pub max_us: f64,
    /// Part of the packets above 200 µs.
    pub late: f64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness(Histogram::new(3).expect("three digits are allowed"))
    }
}

impl Lateness {
    /// A packet whose time was `wanted` left at `now`.
    pub fn left(&mut self, wanted: Instant, now: Instant) {
        self.0.record((now - wanted).0).expect("the histogram grows");
    }

    /// All in all.
    pub fn summary(&self) -> LatenessSummary {
        let packets = self.0.len();
        if packets == 0 {
            return LatenessSummary::default();
        }
        let us = |nanos: u64| nanos as f64 / 1e3;
        let in_time = self.0.count_between(0, LATE.0);
        LatenessSummary {
            packets,
            p50_us: us(self.0.value_at_quantile(0.5)),
            p99_us: us(self.0.value_at_quantile(0.99)),
            max_us: us(self.0.max()),
            late: 1.0 - in_time as f64 / packets as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_the_part_that_was_late() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.summary(), LatenessSummary::default());
        for n in 0..100 {
            lateness.left(Instant(1_000_000), Instant(1_000_000 + n * 4_000));
        }
        let summary = lateness.summary();
        assert_eq!(summary.packets, 100);
        assert!((summary.p50_us - 196.0).abs() < 1.0 && (summary.p99_us - 392.0).abs() < 1.0, "{summary:?}");
        // 204, 208 … 396 µs are above 200.
        assert!((summary.late - 0.49).abs() < 1e-9, "{summary:?}");
    }
}
