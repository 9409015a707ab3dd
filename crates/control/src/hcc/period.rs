//! The period between packets, and what changes it (H §7).

use alloc::collections::VecDeque;

use crate::{Instant, Span};

/// A path that takes a packet in less is not measured: 100 Gbit/s of 1250 bytes, the greatest rate that scenarios have. It keeps the
/// period above zero.
const LEAST: Span = Span(100);
/// A flow that sends less than a packet a second learns nothing in time any more: TCP's least timeout is a second, too (RFC 6298 §2.4).
/// Measured with 50 flows on 2 Mbit/s: 0.5 s drops 1.4 times as many packets, 4 s has them time out a sixth less and share no better.
const MOST: Span = Span::from_millis(1000);

/// The period, and those that packets still under way were sent with.
#[derive(Clone, Debug, Default)]
pub struct Period {
    /// From when on, and which; the last holds.
    known: VecDeque<(Instant, Span)>,
}

impl Period {
    /// The period, once there is one.
    pub fn get(&self) -> Option<Span> {
        self.known.back().map(|(_, period)| *period)
    }

    /// Pairs arrived `gap` apart: `P ← (1 − weight)P + weight·gap`; the first sets `P = 2·gap` (H §7).
    pub fn measured(&mut self, now: Instant, gap: Span, weight: f64) {
        let period = match self.get() {
            None => gap.scale(2.0),
            Some(period) => Span(((1.0 - weight) * period.0 as f64 + weight * gap.0 as f64) as u64),
        };
        self.set(now, period);
    }

    /// Packets that left at `sent_at` arrived `jitter` too late: `P ← P + jitter`, with the P of those packets.
    ///
    /// For a round trip everything that arrives was sent with the old period and says the same once more. Added to the period of now it
    /// would be counted as often as it is said; so the period is raised to what those packets should have had, and never lowered.
    pub fn exceeded(&mut self, now: Instant, sent_at: Instant, jitter: Span) {
        let then = self.known.iter().rev().find(|(from, _)| *from <= sent_at).or(self.known.front());
        if let (Some(period), Some((_, then))) = (self.get(), then) {
            self.set(now, period.max(then.saturating_add(jitter)));
        }
    }

    /// A loss: `P ← 2P`.
    pub fn double(&mut self, now: Instant) {
        if let Some(period) = self.get() {
            self.set(now, period.scale(2.0));
        }
    }

    /// Nothing that left before `then` is under way any more.
    pub fn forget(&mut self, then: Instant) {
        while self.known.get(1).is_some_and(|(from, _)| *from <= then) {
            self.known.pop_front();
        }
    }

    fn set(&mut self, now: Instant, period: Span) {
        self.known.push_back((now, period.clamp(LEAST, MOST)));
    }
}
