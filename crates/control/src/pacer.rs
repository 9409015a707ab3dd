//! Pacing: packets leave at a multiple of the window's own rate, `w / srtt`.
//!
//! Unpaced windows travel in clusters, and flows that travel in clusters see each other only when they collide. The multiple leaves the
//! window in charge: a pacer at exactly `w / srtt` would hold back what the window allows after every pause.

use crate::{Bytes, Departure, Instant, Span};

/// Spaces packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    next: Instant,
    /// Lateness that is made up for: the host's timer's.
    tick: Span,
}

impl Pacer {
    /// On a host whose timer has steps of `tick`. A departure that lies between two of them happens at the later; a pacer that counted
    /// from there would send one packet a tick, however short its gaps are. So what a tick is late by is made up for at once: a token
    /// bucket that holds one tick.
    pub fn new(tick: Span) -> Pacer {
        Pacer { tick, ..Pacer::default() }
    }

    /// A packet of `bytes` left at `now`; the next may follow when it has been paid for at `gain · window / smoothed`.
    pub fn sent(&mut self, now: Instant, bytes: Bytes, gain: f64, window: Bytes, smoothed: Span) {
        let gap = smoothed.0 as f64 * bytes.as_f64() / (gain * window.as_f64().max(1.0));
        // A pause longer than a tick is not made up for: the schedule starts from the later of plan and fact.
        self.next = self.next.max(now - self.tick).saturating_add(Span(gap as u64));
    }

    /// The next packet may leave at `latest` whatever was planned.
    pub fn no_later(&mut self, latest: Instant) {
        self.next = self.next.min(latest);
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

    #[test]
    fn a_plan_has_a_bound() {
        let (ms, at_ms) = (Span::from_millis, Instant::from_millis);
        let mut pacer = Pacer::default();
        // Two packets in 2 s, by a round-trip time that an outage made.
        pacer.sent(at_ms(0), Bytes(1500), 1.0, Bytes(3000), ms(2000));
        pacer.no_later(at_ms(40));
        assert_eq!(pacer.departure(at_ms(39)), Departure::At(at_ms(40)));
        pacer.no_later(at_ms(90));
        assert_eq!(pacer.departure(at_ms(39)), Departure::At(at_ms(40)), "nothing becomes later by it");
    }

    #[test]
    fn what_a_timer_is_late_by_is_made_up_for_and_no_more() {
        let (ms, at_ms) = (Span::from_millis, Instant::from_millis);
        let mut pacer = Pacer::new(ms(10));
        let mut burst = |now: Instant| {
            let mut packets = 0;
            while pacer.departure(now) == Departure::Now {
                pacer.sent(now, Bytes(1500), 1.0, Bytes(75_000), ms(100));
                packets += 1;
            }
            packets
        };
        // Fifty packets in 100 ms, one every 2 ms, by a timer of 10 ms: five a tick.
        assert_eq!([at_ms(100), at_ms(110), at_ms(120)].map(&mut burst), [6, 5, 5]);
        assert_eq!(burst(at_ms(500)), 6, "a pause of 380 ms is worth a tick");
    }
}
