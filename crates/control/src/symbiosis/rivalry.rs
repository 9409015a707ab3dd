//! Beside flows that fill the buffer: whether there are any, and the window that competes with them.
//!
//! ```text
//!                                 filled, twice in a row
//!   low queue ────────────────────────────────────────────────────────────▶ competing
//!             ◀────────────────────────────────────────────────────────────
//!                                  empty, twice in a row
//! ```
//!
//! A min-RTT probe ends with a flight held at `xτ`, by all flows of the kind at a time ([`Verdict`]). The queue is *empty* then if no more of it is left than harms nobody, and no
//! more than an eighth of what stood. It is *filled* if more is left, a queue had stood for eight round-trip times, and one of three holds: the buffer has
//! overflowed of late; more is left than many flows of the kind leave; or the queue has not been empty for twice the time between probes. A crowd of the kind that
//! has just come does not let a queue stand: its probes empty it now and then. An empty queue that does not come back when all are released is no
//! verdict: an opponent has backed off. Until it is known whose queue it is, and between the two verdicts of a change, the law leaves the window what it had
//! without a queue.

use crate::cubic::{BETA, C, Cubic};
use crate::window::Law as _;
use crate::{Acked, Instant, Span};

use super::probe_rtt::Verdict;

/// So many verdicts in a row change the state: one probe may have been out of step with the others'.
const VERDICTS: u32 = 2;
/// Of a queue that stood this part may be left by flows of the kind that are a little out of step.
const LEFT: f64 = 0.125;

/// Which law rules the window, and why.
#[derive(Clone)]
pub struct Rivalry {
    competing: bool,
    /// Verdicts of late that say otherwise.
    contrary: u32,
    /// Verdicts that agreed since the last one that did not.
    agreed: u32,
    cubic: Cubic,
}

/// What a verdict is held against.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A queue that harms nobody.
    pub harmless: Span,
    /// The longest queue that flows of the kind leave.
    pub most: Span,
    /// The buffer has overflowed of late.
    pub lost: bool,
}

/// What a verdict changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// The state of competition begins.
    Begins,
    /// It ends.
    Ends,
}

impl Default for Rivalry {
    fn default() -> Self {
        Rivalry { competing: false, contrary: 0, agreed: 0, cubic: fresh() }
    }
}

fn fresh() -> Cubic {
    Cubic::new(C, BETA, true)
}

impl Rivalry {
    /// Whether the window is CUBIC's.
    pub fn competes(&self) -> bool {
        self.competing
    }

    /// Whether the last verdict was against the state.
    pub fn doubts(&self) -> bool {
        self.contrary > 0
    }

    /// Whether verdicts have agreed with the state since it began.
    pub fn is_sure(&self) -> bool {
        self.agreed >= VERDICTS
    }

    /// A probe found so much of the queue left.
    pub fn judged(&mut self, verdict: &Verdict, bounds: &Bounds) -> Change {
        let long = verdict.left > bounds.most;
        let left = verdict.left > bounds.harmless.max(verdict.before.scale(LEFT));
        let filled = left && (self.competing || (verdict.stood && (bounds.lost || long || verdict.long)));
        if !self.competing && !left && !verdict.back {
            return Change::None;
        }
        if filled == self.competing {
            self.contrary = 0;
            self.agreed += 1;
            return Change::None;
        }
        self.contrary += 1;
        self.agreed = 0;
        if self.contrary < VERDICTS {
            return Change::None;
        }
        *self = Rivalry { competing: filled, ..Rivalry::default() };
        if filled { Change::Begins } else { Change::Ends }
    }

    /// Growth in competition \[packets\]: CUBIC's (RFC 9438), so that beside CUBIC the share is as CUBIC's own.
    pub fn growth(&mut self, cwnd: f64, acked: f64, ack: &Acked) -> f64 {
        self.cubic.growth(cwnd, acked, ack)
    }

    /// An ACK came for which the window may not grow.
    pub fn paused(&mut self) {
        self.cubic.paused();
    }

    /// The window after a loss at `cwnd`.
    pub fn after_loss(&mut self, cwnd: f64, now: Instant, timeout: bool) -> f64 {
        let kept = self.cubic.after_loss(cwnd, now);
        if timeout {
            self.cubic.timeout();
        }
        kept
    }
}

#[cfg(test)]
mod tests;
