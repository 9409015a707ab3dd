//! The base round-trip time τ, and the min-RTT probes that keep it true.
//!
//! τ is the least round-trip time seen (S §II-B). A flow that joins a standing queue never sees the path without it, over-reads τ, and
//! takes more than its share (T §4.1, Fig 11). A min-RTT probe repairs that (ProbeRTT of BBR): now and then a flow halves what it has in flight for one
//! round-trip time, which lets the queue run down for everyone.

use symbiosis_base::Random;

use crate::{Instant, Span};

/// Part of the window that a min-RTT probe leaves.
pub const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// Probes are spread by this part of their interval to either side, so that flows do not probe in step.
const PROBE_RTT_SPREAD: f64 = 0.25;

/// When to probe for the least round-trip time.
#[derive(Clone, Debug)]
pub struct ProbeRtt {
    interval: Span,
    random: Random,
    next: Option<Instant>,
    begun: Option<Instant>,
}

impl ProbeRtt {
    /// A probe every `interval`, more or less.
    pub fn new(interval: Span, seed: u64) -> ProbeRtt {
        ProbeRtt { interval, random: Random::new(seed, 1), next: None, begun: None }
    }

    /// Time passes.
    pub fn advance(&mut self, now: Instant) {
        if self.next.is_none_or(|next| now >= next) {
            // The first call only sets the clock.
            self.begun = self.next.map(|_| now);
            let spread = 1.0 + PROBE_RTT_SPREAD * (2.0 * self.random.uniform() - 1.0);
            self.next = Some(now.saturating_add(self.interval.scale(spread)));
        }
    }

    /// Whether a probe is under way: it lasts one smoothed round-trip time, and never most of the interval.
    pub fn under_way(&self, now: Instant, smoothed: Span) -> bool {
        self.begun.is_some_and(|begun| now - begun < smoothed.min(self.interval.scale(0.25)))
    }
}
