//! How long a sender has been silent, and whether its controller hears of it (RFC 5681 §4.1).

use symbiosis_base::{Instant, Span};
use symbiosis_run::FlowPlan;

/// A sender's last departure.
pub(super) struct Silence {
    sent_at: Instant,
    /// The window is what it was.
    keeps_window: bool,
}

impl Silence {
    pub(super) fn new(plan: &FlowPlan) -> Silence {
        Silence { sent_at: Instant::START, keeps_window: plan.hosts.keeps_idle_window }
    }

    /// A packet leaves.
    #[inline]
    pub(super) fn sent(&mut self, now: Instant) {
        self.sent_at = now;
    }

    /// For how many retransmission timeouts nothing has left, which a controller is to hear: as in Linux, counted from the last departure.
    pub(super) fn heard(&self, now: Instant, timeout: Span) -> Option<u64> {
        let timeouts = (now - self.sent_at).0.saturating_sub(1) / timeout.0.max(1);
        (timeouts > 0 && !self.keeps_window).then_some(timeouts)
    }
}
