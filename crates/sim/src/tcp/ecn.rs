//! How a sender answers congestion marks.

use symbiosis_control::EcnCounts;
use symbiosis_path::Ecn;
use symbiosis_run::EcnMode;

use super::packets::{Ack, Seen};

/// What a sender knows of marks.
#[derive(Debug)]
pub(crate) struct Marks {
    mode: EcnMode,
    seen: Seen,
    /// No other event until this packet is acknowledged, which tells of the answer: one in a round trip.
    point: u32,
    /// The next new packet says that the sender has answered (RFC 3168).
    cwr: bool,
}

impl Marks {
    pub(crate) fn new(mode: EcnMode) -> Marks {
        Marks { mode, seen: Seen::default(), point: 0, cwr: false }
    }

    /// What packets say of themselves: not those that are retransmitted (RFC 3168 §6.1.5), unless the receiver counts.
    #[inline]
    pub(crate) fn codepoint(&self, again: bool) -> Ecn {
        match self.mode {
            EcnMode::Off => Ecn::NotCapable,
            EcnMode::Classic if again => Ecn::NotCapable,
            EcnMode::Classic | EcnMode::Accurate => Ecn::Classic,
            EcnMode::L4s => Ecn::L4s,
        }
    }

    /// Whether the packet that leaves says that the sender has answered a mark.
    #[inline]
    pub(crate) fn answers(&mut self, again: bool) -> bool {
        !again && std::mem::take(&mut self.cwr)
    }

    /// What an ACK newly reports, where the receiver counts.
    #[inline]
    pub(crate) fn counts(&mut self, ack: &Ack) -> Option<EcnCounts> {
        if !matches!(self.mode, EcnMode::Accurate | EcnMode::L4s) {
            return None;
        }
        // ACKs do not overtake one another unless the path lets them: then an old one reports nothing.
        let new = |now: u32, then: u32| u64::from(now.wrapping_sub(then).cast_signed().max(0).cast_unsigned());
        let (now, then) = (ack.seen, self.seen);
        let counts = EcnCounts::new(new(now.classic, then.classic), new(now.l4s, then.l4s), new(now.marked, then.marked));
        if counts != EcnCounts::default() {
            self.seen = now;
        }
        Some(counts)
    }

    /// Whether an ACK is a congestion event: the first mark of a round trip. `end` is the first number never sent; in recovery there was an answer
    /// already.
    #[inline]
    pub(crate) fn event(&mut self, ack: &Ack, marked: bool, end: u32, recovering: bool) -> bool {
        let marked = match self.mode {
            EcnMode::Off | EcnMode::L4s => false,
            EcnMode::Classic => ack.ece,
            EcnMode::Accurate => marked,
        };
        // Only an ACK of something above tells that the answer has arrived.
        if !marked || ack.next <= self.point || recovering {
            return false;
        }
        (self.point, self.cwr) = (end, true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symbiosis_base::Instant;

    fn ack(next: u32, ece: bool, marked: u32) -> Ack {
        let seen = Seen { classic: next - marked, l4s: 0, marked };
        let at = Instant::START;
        Ack { next, bytes: 40, echo: at, received_at: at.into(), duplicate: None, ece, seen, sacks: [(0, 0); 3] }
    }

    #[test]
    fn a_mark_is_answered_once_in_a_round_trip() {
        let mut marks = Marks::new(EcnMode::Classic);
        assert_eq!((marks.codepoint(false), marks.codepoint(true)), (Ecn::Classic, Ecn::NotCapable));
        assert!(marks.event(&ack(3, true, 1), false, 13, false) && marks.answers(false) && !marks.answers(false));
        assert!(!marks.event(&ack(4, true, 1), false, 14, false), "of the same round trip");
        assert!(!marks.event(&ack(13, true, 1), false, 23, false), "it left before the answer");
        assert!(!marks.event(&ack(14, true, 2), false, 24, true), "recovery has answered");
        assert!(marks.event(&ack(15, true, 2), false, 25, false));
        assert_eq!(marks.counts(&ack(15, true, 2)), None);
    }

    #[test]
    fn counts_are_what_is_new() {
        let mut marks = Marks::new(EcnMode::Accurate);
        assert_eq!(marks.counts(&ack(10, false, 3)), Some(EcnCounts::new(7, 0, 3)));
        assert_eq!(marks.counts(&ack(8, false, 3)), Some(EcnCounts::default()), "an ACK that was overtaken");
        assert_eq!(marks.counts(&ack(12, false, 4)), Some(EcnCounts::new(1, 0, 1)));
        assert!(marks.event(&ack(12, false, 4), true, 20, false));
        let mut scalable = Marks::new(EcnMode::L4s);
        assert_eq!(scalable.codepoint(true), Ecn::L4s);
        assert!(!scalable.event(&ack(12, false, 4), true, 20, false), "its controller goes by counts");
    }
}
