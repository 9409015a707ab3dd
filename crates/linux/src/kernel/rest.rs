//! When a flow cannot be measured: records of its ACKs are of no use then, and cost more than the congestion control.

use symbiosis_base::{Instant, Span};
use symbiosis_control::{Basis, Unknown};

/// What makes measuring vain must do so for so long without a break.
const LISTENS: Span = Span::from_millis(1000);
/// The first rest, and the longest: each that follows another is twice as long. Network cards and paths change seldom.
const FIRST: Span = Span::from_millis(4_000);
const LONGEST: Span = Span::from_millis(64_000);

/// A flow's rests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    /// Measuring is vain since then.
    vain: Option<Instant>,
    /// The latest rest: when it ends, how long it is, and why it began.
    until: Instant,
    length: Span,
    why: Option<Unknown>,
}

impl Rest {
    /// Whether the flow rests at a time.
    pub(crate) fn holds(&self, at: Instant) -> bool {
        at < self.until
    }

    /// When the rest ends.
    pub(crate) fn until(&self) -> Instant {
        self.until
    }

    /// Why it rests, if it does.
    pub(crate) fn why(&self, now: Instant) -> Option<Unknown> {
        self.why.filter(|_| self.holds(now))
    }

    /// For the flow that begins when this rest is over.
    pub(crate) fn over(&self) -> Rest {
        Rest { vain: None, ..*self }
    }

    /// Whether it rests, now that its controller goes by `basis`.
    pub(crate) fn begins(&mut self, now: Instant, basis: Basis) -> bool {
        if self.holds(now) {
            return true;
        }
        match basis {
            Basis::Reno(why @ (Unknown::Merged | Unknown::Timer | Unknown::Disordered)) => {
                let since = *self.vain.get_or_insert(now);
                if now - since >= LISTENS {
                    self.length = (self.length * 2).clamp(FIRST, LONGEST);
                    (self.vain, self.until, self.why) = (None, now + self.length, Some(why));
                }
            }
            Basis::Reno(_) => self.vain = None,
            _ => *self = Rest::default(),
        }
        self.holds(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_while_measuring_is_vain_and_not_otherwise() {
        let mut rest = Rest::default();
        let at = |ms| Instant::from_millis(ms);
        let merged = Basis::Reno(Unknown::Merged);
        assert!(!rest.begins(at(100), merged) && !rest.begins(at(1099), merged));
        assert!(!rest.begins(at(1100), Basis::Reno(Unknown::Trains)), "there is hope");
        assert!(!rest.begins(at(1200), merged) && rest.begins(at(2200), merged), "vain for a second");
        assert_eq!((rest.until(), rest.why(at(2300))), (at(6200), Some(Unknown::Merged)));
        assert!(rest.begins(at(6199), Basis::Law) && rest.why(at(6200)).is_none());
        rest = rest.over();
        assert!(!rest.begins(at(6200), merged) && rest.begins(at(7200), merged));
        assert_eq!(rest.until(), at(15_200), "twice as long");
        rest = rest.over();
        assert!(!rest.begins(at(15_200), Basis::Law));
        assert!(!rest.begins(at(16_000), merged) && rest.begins(at(17_000), merged));
        assert_eq!(rest.until(), at(21_000), "what was measured meanwhile begins it anew");
    }
}
