//! The base round-trip time τ, and the drains that keep it true.
//!
//! τ is the least round-trip time seen (S §II-B). A flow that joins a standing queue never sees the path without it, over-reads τ, and
//! takes more than its share (T §4.1, Fig 11). A drain repairs that: now and then a flow halves what it has in flight for one
//! round-trip time, which lets the queue run down for everyone.

use symbiosis_base::Random;

use crate::{Instant, Span};

/// Part of the window that a drain leaves.
pub const DRAIN_TO: f64 = 0.5;
/// Drains are spread by so much of their period to either side, so that flows do not drain in step.
const DRAIN_SPREAD: f64 = 0.25;

/// When to drain.
#[derive(Clone, Debug)]
pub struct Drains {
    period: Span,
    random: Random,
    next: Option<Instant>,
    begun: Option<Instant>,
}

impl Drains {
    /// A drain every `period`, more or less.
    pub fn new(period: Span, seed: u64) -> Drains {
        Drains { period, random: Random::new(seed, 1), next: None, begun: None }
    }

    /// Time passes.
    pub fn advance(&mut self, now: Instant) {
        if self.next.is_none_or(|next| now >= next) {
            // The first call only sets the clock.
            self.begun = self.next.map(|_| now);
            let spread = 1.0 + DRAIN_SPREAD * (2.0 * self.random.uniform() - 1.0);
            self.next = Some(now.saturating_add(self.period.scale(spread)));
        }
    }

    /// Whether a drain is under way: it lasts one smoothed round-trip time, and never most of the period.
    pub fn draining(&self, now: Instant, smoothed: Span) -> bool {
        self.begun.is_some_and(|begun| now - begun < smoothed.min(self.period.scale(0.25)))
    }
}
