//! What a probe tells.

use crate::{Instant, Span};

/// What a probe found while flows of the kind had no queue.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// When the probe began.
    pub asked: Instant,
    /// When the last of those who joined in is released.
    pub released: Instant,
    /// The queue that stood before.
    pub before: Span,
    /// The queue that was left.
    pub left: Span,
    /// The queue had not been empty of late.
    pub stood: bool,
    /// Nor for longer than the time between probes, in which flows of the kind would have emptied it.
    pub long: bool,
    /// It came back when all were released.
    pub back: bool,
    /// It came back before that, while the flight was held: others of the kind were out of step.
    pub early: bool,
    /// Others of the kind can have seen the probe: what the flow gave up was a dip.
    pub seen: bool,
    /// Others probed too: the queue fell by a dip, and by more than what the flow gave up.
    pub company: bool,
}
