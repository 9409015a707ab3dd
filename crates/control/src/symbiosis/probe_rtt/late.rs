//! What dips are held against.

use crate::{Instant, Span};

/// The least round-trip time of late, but for those of the present round: a queue that somebody's probe shortens takes a round trip to fall, and what falls from one
/// ACK to the next would be held against itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Late {
    least: Option<Span>,
    /// When the present round began, and the least in it.
    round: Option<(Instant, Span)>,
}

impl Late {
    /// The least before a round-trip time that was measured just now; what is older than `memory` fades.
    pub fn sees(&mut self, now: Instant, rtt: Span, smoothed: Span, memory: Span) -> Span {
        let (begun, least) = self.round.get_or_insert((now, rtt));
        *least = rtt.min(*least);
        let (lasts, least) = (now - *begun, *least);
        let late = self.least.unwrap_or(least);
        if lasts >= smoothed {
            let forgets = (lasts.secs() / memory.secs()).min(1.0);
            self.least = Some(if least < late { least } else { late.saturating_add((least - late).scale(forgets)) });
            self.round = None;
        }
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Held against what the last ACK brought, a queue that falls by a packet from ACK to ACK would never be shorter than of late.
    #[test]
    fn what_falls_within_a_round_is_held_against_the_round_before() {
        let mut late = Late::default();
        let mut at = |ms: u64, rtt: Span| late.sees(Instant::from_millis(ms), rtt, Span::from_millis(30), Span::from_millis(480));
        for ms in 0..100 {
            at(ms, Span::from_millis(30));
        }
        for ms in 0..20 {
            let rtt = Span::from_micros(30_000 - 500 * ms);
            assert_eq!(at(100 + ms, rtt), Span::from_millis(30));
        }
    }

    /// What was short once is forgotten at a rate of 1/16 per round trip.
    #[test]
    fn a_short_queue_is_forgotten() {
        let mut late = Late::default();
        let mut at =
            |ms: u64, rtt: u64| late.sees(Instant::from_millis(ms), Span::from_millis(rtt), Span::from_millis(30), Span::from_millis(480));
        at(0, 20);
        at(30, 20);
        let low = (31..31 + 16 * 31).map(|ms| at(ms, 30)).last().unwrap();
        assert!((low.millis() - (30.0 - 10.0 * f64::powi(1.0 - 1.0 / 16.0, 15))).abs() < 0.1, "{low:?}");
    }
}
