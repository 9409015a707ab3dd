//! Pacing: packets leave at a multiple of the window's own rate, `w / srtt`.
//!
//! Unpaced windows travel in clusters, and flows that travel in clusters see each other only when they collide. The multiple leaves the
//! window in charge: a pacer at exactly `w / srtt` would hold back what the window allows after every pause.

use crate::{Bytes, Departure, Instant, Span};

/// Spaces packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    next: Instant,
}

impl Pacer {
    /// A packet of `bytes` left at `now`; the next may follow when it has been paid for at `gain · window / smoothed`.
    pub fn sent(&mut self, now: Instant, bytes: Bytes, gain: f64, window: Bytes, smoothed: Span) {
        let gap = smoothed.0 as f64 * bytes.as_f64() / (gain * window.as_f64().max(1.0));
        // A pause is not made up for: the schedule starts from the later of plan and fact.
        self.next = self.next.max(now).saturating_add(Span(gap as u64));
    }

    /// When the next packet may leave.
    pub fn departure(&self, now: Instant) -> Departure {
        if self.next > now { Departure::At(self.next) } else { Departure::Now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_spread_over_the_round_trip() {
        let mut pacer = Pacer::default();
        let (ms, at_ms) = (Span::from_millis, Instant::from_millis);
        // Ten packets in 100 ms at gain 1.25: one every 8 ms.
        pacer.sent(at_ms(0), Bytes(1500), 1.25, Bytes(15_000), ms(100));
        assert_eq!(pacer.departure(at_ms(0)), Departure::At(at_ms(8)));
        assert_eq!(pacer.departure(at_ms(8)), Departure::Now);
        pacer.sent(at_ms(50), Bytes(1500), 1.25, Bytes(15_000), ms(100));
        assert_eq!(pacer.departure(at_ms(50)), Departure::At(at_ms(58)), "the pause from 8 to 50 is not made up for");
    }
}
