//! An exchange in which nothing moves any more.
//!
//! A connection lives as long as packets are acknowledged, and keep-alives see to that. So ends that wait for each other, or for what never comes,
//! would wait for ever. Whoever is at work may take its time: it is a disk's, or somebody's at a keyboard. Each end tells the other.

use symbiosis_base::{Instant, Span};

use super::waits::Waits;

/// Both ends only wait for so long, and it is over: three times as long as a silent peer is waited for, and twelve times as long as ends tell each other
/// what they wait for.
pub(super) const STILL: Span = Span::from_millis(60_000);

/// What of an exchange moves. None of it falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Bytes that were written, and that came, but for what both told of themselves.
    pub(super) written: u64,
    pub(super) read: u64,
    /// Bytes that the peer has read, as it last said.
    pub(super) taken: u64,
    /// How long the peer was at work, as it last said \[ns\].
    pub(super) at_work: u64,
}

/// Since when nothing moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Still {
    since: Instant,
    most: Marks,
    /// What the peer had waited for by then.
    peer: Waits,
}

impl Still {
    pub(super) fn new(now: Instant) -> Still {
        Still { since: now, most: Marks::default(), peer: Waits::default() }
    }

    /// Looks again; `works`: this end is at work. Whether nothing has moved for too long, and then what the peer waits for.
    pub(super) fn looks(&mut self, now: Instant, works: bool, marks: Marks, peer: Waits) -> Option<&'static str> {
        let most = Marks {
            written: self.most.written.max(marks.written),
            read: self.most.read.max(marks.read),
            taken: self.most.taken.max(marks.taken),
            at_work: self.most.at_work.max(marks.at_work),
        };
        if works || most != self.most {
            *self = Still { since: now, most, peer };
        }
        (now - self.since > STILL).then(|| peer.most_since(self.peer).unwrap_or("nothing that it tells of"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_when_nothing_moves_is_it_over() {
        let at = |seconds: u64| Instant::from_millis(1000 * seconds);
        let mut still = Still::new(at(0));
        let peer = |seconds: u64| Waits { peer: Span::from_millis(1000 * seconds), ..Waits::default() };
        assert_eq!(still.looks(at(60), false, Marks::default(), peer(60)), None);
        assert_eq!(still.looks(at(61), false, Marks { taken: 1, ..Marks::default() }, peer(61)), None, "the peer has read a byte");
        assert_eq!(still.looks(at(121), true, Marks { taken: 1, ..Marks::default() }, peer(121)), None, "this end is at work");
        let works = Marks { taken: 1, at_work: 1, ..Marks::default() };
        assert_eq!(still.looks(at(180), false, works, peer(180)), None, "the peer was at work");
        assert_eq!(still.looks(at(240), false, works, peer(240)), None);
        assert_eq!(still.looks(at(241), false, works, peer(241)), Some("what this side says"));
        assert_eq!(still.looks(at(242), false, works, peer(180)), Some("nothing that it tells of"));
    }
}
