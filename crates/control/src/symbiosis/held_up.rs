//! What hosts hold packets up by, and the queue that bridges it.
//!
//! A window of Kτ fills a link whose packets all leave when they may. While a host is put aside for s the link runs empty for as much of s as no
//! queue bridges, and nothing brings that back: what is made up for afterwards only waits. So a flow whose host is late keeps a queue of B. Out of
//! hold-ups s the link is idle for Σ(s − B)⁺, and B moves by what that is over [`IDLE`] of the time. Rare hold-ups ask for no queue, however long
//! they are; such as come all the time, for as much as they last.

use crate::pacer::LATE;
use crate::{Instant, Span};

/// For so much of the time the link may be idle for its hosts. Measured: with twice as much a copy over 50 ms beside busy cores takes 1 % longer.
const IDLE: f64 = 0.005;
/// The weight of a hold-up: that of a new sample in the smoothed round-trip time (RFC 6298 §2.3).
const WEIGHT: f64 = 1.0 / 8.0;

/// The queue, and what it follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldUp {
    /// \[s\]
    bridge: f64,
    seen: Instant,
    sent: Instant,
    acked: Instant,
    /// What the peer is late by, on average \[s\].
    answers: f64,
    /// By how much the loop is longer because one ACK answers several packets, on average \[s\].
    together: f64,
}

impl HeldUp {
    /// A packet left so much later than it might have. Of packets that were held up together the first tells of the hold-up.
    pub fn sent(&mut self, now: Instant, late: Span) {
        let away = late.min(now - core::mem::replace(&mut self.sent, now));
        self.held_up(now, away);
    }

    /// The peer answered so much later than it might have a packet that is this part of those to be averaged over.
    pub fn answered(&mut self, now: Instant, late: Span, part: impl FnOnce() -> f64) {
        let away = late.min(now - core::mem::replace(&mut self.acked, now));
        average(&mut self.answers, late, part);
        self.held_up(now, away);
    }

    /// One ACK answered packets that are this part of those to be averaged over, and the loop was `longer` for it.
    pub fn together(&mut self, longer: Span, part: impl FnOnce() -> f64) {
        average(&mut self.together, longer, part);
    }

    fn held_up(&mut self, now: Instant, away: Span) {
        let since = now - core::mem::replace(&mut self.seen, now);
        if away == Span::ZERO && self.bridge == 0.0 {
            return;
        }
        let idle = since.secs() * IDLE;
        self.bridge = (self.bridge - WEIGHT * idle).max(0.0);
        self.bridge += WEIGHT * (away.min(LATE).secs() - self.bridge).max(0.0);
    }

    /// The queue that bridges them.
    pub fn bridge(&self) -> Span {
        Span::from_secs(self.bridge)
    }

    /// By how much the loop is longer because the peer answers late, or several packets together.
    pub fn answers(&self) -> Span {
        Span::from_secs(self.answers + self.together)
    }

    /// By how much of that it is because of the latter.
    pub fn answered_together(&self) -> Span {
        Span::from_secs(self.together)
    }
}

fn average(mean: &mut f64, span: Span, part: impl FnOnce() -> f64) {
    if span > Span::ZERO || *mean > 0.0 {
        *mean += part().min(1.0) * (span.secs() - *mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets every 100 µs for 3 s by a host that is put aside for `aside` of each `every`; the bridge then [ms].
    fn bridge(every: Span, aside: Span) -> f64 {
        let mut held_up = HeldUp::default();
        for planned in (0..30_000).map(|i| Span::from_micros(100) * i) {
            let into = Span(planned.0 % every.0);
            let late = if into < aside { aside - into } else { Span::ZERO };
            held_up.sent(Instant::after(planned + late), late);
        }
        held_up.bridge().millis()
    }

    #[test]
    fn hold_ups_that_come_all_the_time_are_bridged_but_for_what_the_link_may_idle() {
        let (every, aside) = (Span::from_millis(28), Span::from_millis(3));
        // 3 ms − IDLE · 28 ms, and what one hold-up moves it by.
        let found = bridge(every, aside);
        assert!((found - (3.0 - 0.14)).abs() < 0.02, "{found} ms");
        assert_eq!(bridge(every, Span::ZERO), 0.0, "a host that is never late keeps no queue");
    }

    #[test]
    fn rare_hold_ups_ask_for_no_queue() {
        // 3 ms of each 1000 are less than IDLE.
        let found = bridge(Span::from_millis(1000), Span::from_millis(3));
        assert!(found < 0.01, "{found} ms before the next");
        let stood_still = bridge(Span::from_millis(500), Span::from_millis(100));
        assert!(stood_still <= LATE.millis(), "{stood_still} ms, of a host that stood still");
    }

    #[test]
    fn what_a_peer_is_always_late_by_is_no_hold_up() {
        let mut held_up = HeldUp::default();
        // ACKs meet a queue of 50 ms on their way, one every 100 µs.
        for i in 0..10_000 {
            held_up.answered(Instant::after(Span::from_micros(100) * i), Span::from_millis(50), || 1.0 / 64.0);
        }
        assert!(held_up.bridge() <= Span::from_micros(100), "{:?}", held_up.bridge());
        assert!((held_up.answers().millis() - 50.0).abs() < 0.1, "but the loop is longer by it");
    }
}
