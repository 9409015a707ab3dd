//! When the queue was last as good as empty, and whether flows of the kind had emptied it.
//!
//! Their probes do so at least once in every interval, and have the queue back within a few round-trip times. Beside an opponent a queue runs empty too, where a loss of it
//! leaves no more than the path holds; but then it stays shorter for as long as a window takes to grow again. So a queue was emptied by flows of the kind if it is back in time.

use crate::{Instant, Span};

/// When the queue was last as good as empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Emptied {
    last: Instant,
    by_own_kind: Instant,
    /// Since then the queue is shorter than that: it did not come back when a probe had ended.
    missing: Option<(Instant, Span)>,
}

impl Emptied {
    /// As if it had been just now: of what was before nothing is known.
    pub fn since(now: Instant) -> Emptied {
        Emptied { last: now, by_own_kind: now, missing: None }
    }

    /// When that was, whoever had emptied it.
    pub fn last(&self) -> Instant {
        self.last
    }

    /// When flows of the kind did, as far as is known.
    pub fn by_own_kind(&self) -> Instant {
        self.by_own_kind
    }

    /// A round-trip time was measured, of a queue that is as good as empty or not. After a probe it comes back in `time`, unless an opponent's loss had emptied it.
    pub fn sees(&mut self, now: Instant, rtt: Span, empty: bool, time: Span) {
        if empty {
            self.last = now;
            if self.missing.is_none() {
                self.by_own_kind = now;
            }
        }
        if let Some((since, _)) = self.missing.filter(|(_, level)| rtt >= *level) {
            if now - since < time {
                self.by_own_kind = since;
            }
            self.missing = None;
        }
    }

    /// A probe has ended, and the queue is back at that `level` or not; `before` the probe it was so.
    pub fn ended(&mut self, before: &Emptied, back: bool, level: Span) {
        if !back {
            (self.missing, self.by_own_kind) = (Some((self.last, level)), before.by_own_kind);
        } else if self.last > before.last {
            (self.missing, self.by_own_kind) = (None, self.last);
        }
    }
}
