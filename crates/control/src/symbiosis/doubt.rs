//! What makes a flow ask whose the queue is, and what it keeps until it knows.

use crate::{Instant, Span};

/// A loss is past after so long, if a probe has told since whose the queue is: it is no reason to ask any longer. What it took from θ comes back in this time.
pub const PASSES: Span = Span::from_millis(10_000);

/// Reasons to doubt that all flows of the link are of the kind.
#[derive(Clone, Debug, Default)]
pub struct Doubt {
    /// A longer queue than flows of the kind leave stands since then.
    long: Option<Instant>,
    /// A packet was lost last.
    lost: Option<Instant>,
    /// A probe has told whose the long queue is.
    judged: bool,
    /// When the last probe that told anything began.
    asked: Instant,
    /// What the flow had without a queue when doubts began, `xτ` \[packets\]: the law leaves it that until they are over.
    pub claim: f64,
}

impl Doubt {
    /// A packet was lost.
    pub fn lost(&mut self, now: Instant) {
        self.lost = Some(now);
    }

    /// Whether a packet was lost of late, or since a probe told anything.
    pub fn overflowed(&self, now: Instant) -> bool {
        self.lost.is_some_and(|lost| now - lost < PASSES || lost >= self.asked)
    }

    /// Whether there is reason to ask.
    pub fn stands(&self, now: Instant) -> bool {
        self.long.is_some() || self.overflowed(now)
    }

    /// The queue is `long`, or not; the flow has `claim` at present. How long it has been if no probe has told yet whose it is.
    pub fn sees(&mut self, now: Instant, long: bool, claim: f64) -> Option<Span> {
        if !long {
            (self.long, self.judged) = (None, false);
            return None;
        }
        if self.long.is_none() {
            self.claim = claim;
        }
        let since = *self.long.get_or_insert(now);
        (!self.judged).then(|| now - since)
    }

    /// A probe that began at `asked` has told whose the queue is; the flow has `claim` at present, and less than it had before where a long queue stands.
    pub fn judged(&mut self, asked: Instant, claim: f64) {
        (self.judged, self.asked) = (true, asked);
        if self.long.is_none() {
            self.claim = claim;
        }
    }
}
