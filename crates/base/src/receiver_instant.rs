use core::ops::Sub;

use crate::{Instant, SignedSpan, Span};

/// A point on the receiver's clock: nanoseconds since a start that only the receiver knows.
///
/// The two ends' clocks were never set to each other, so that only differences mean anything: of two arrivals, how far apart they were; of
/// an arrival and a departure, a delay with an unknown constant in it, the same for every packet but for the clocks' drift. The types keep
/// the two clocks apart.
///
/// ```
/// use symbiosis_base::{Instant, ReceiverInstant, Span};
///
/// let (first, second) = (ReceiverInstant(7_000), ReceiverInstant(7_120));
/// assert_eq!(second - first, Span(120));
/// let delays = [first.delay_since(Instant(9_000)), second.delay_since(Instant(9_100))];
/// assert_eq!((delays[1] - delays[0]).max_zero(), Span(20));
/// ```
///
/// ```compile_fail
/// # use symbiosis_base::{Instant, ReceiverInstant};
/// let _ = ReceiverInstant(1) > Instant(0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiverInstant(pub u64);

impl ReceiverInstant {
    /// Two clocks drift apart by no more than this part of the time: crystals are good for 50 millionths each.
    pub const DRIFT: f64 = 1e-4;

    /// From the departure, by the sender's clock, to this arrival: with the unknown distance of the two clocks in it.
    pub fn delay_since(self, sent_at: Instant) -> SignedSpan {
        SignedSpan::between(sent_at.0, self.0)
    }

    /// `span` later, or the last point of the clock where that would overflow.
    pub const fn saturating_add(self, span: Span) -> ReceiverInstant {
        ReceiverInstant(self.0.saturating_add(span.0))
    }
}

/// What a receiver whose clock is the world's own reads.
impl From<Instant> for ReceiverInstant {
    fn from(now: Instant) -> ReceiverInstant {
        ReceiverInstant(now.0)
    }
}

impl Sub for ReceiverInstant {
    type Output = Span;
    fn sub(self, earlier: ReceiverInstant) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}
