//! Whether decisions come true. Where they do, records need not wake the agent: it looks by itself, before what it has decided is over.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::Basis;

use super::layout::POINTS;
use super::rehearsal::Foreseen;

/// It looks again after this part of a round-trip time. What a controller does about an ACK shows in the ACKs of a round trip later.
const PART: f64 = 0.25;
/// A window may be wrong by this part until then: what leaves too much in so short a time is a quarter of it, 1/256 of what is in flight.
const TOLERANCE: f64 = 1.0 / 64.0;
/// It looks no more often, since libbpf waits in whole milliseconds, and no more seldom.
pub(crate) const LOOKS: (Span, Span) = (Span::from_millis(1), Span::from_millis(5));

/// What the latest decision foresaw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Foresight {
    /// Samples of the window and when, counted from the ACK at `from`; none where the controller's law did not move it.
    window: Option<[(Span, Bytes); POINTS]>,
    from: Instant,
}

impl Foresight {
    /// When the agent looks by itself: the decision before this one came true, and this one will last.
    pub(crate) fn looks(&mut self, basis: Basis, foreseen: &Foreseen, last_ack: Instant, srtt: Span) -> Option<Span> {
        let before = *self;
        *self = Foresight { window: (basis == Basis::Law).then_some(foreseen.window), from: last_ack };
        let window = self.window?[0].1;
        let expected = before.at(last_ack)?;
        let wrong = Bytes(window.0.abs_diff(expected.0));
        let looks = srtt.scale(PART).min(foreseen.lasts).min(LOOKS.1);
        (wrong.as_f64() <= window.as_f64() * TOLERANCE && looks >= LOOKS.0).then_some(looks)
    }

    /// The window that was foreseen for a time: that of the latest sample until then.
    fn at(&self, at: Instant) -> Option<Bytes> {
        let since = at - self.from;
        self.window?.iter().rev().find(|(after, _)| *after <= since).map(|(_, window)| *window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Span = Span::from_millis;

    /// What a controller foresees whose window grows by 1500 bytes in each of seven milliseconds, from `start` on.
    fn growing(start: u64) -> Foreseen {
        let window = std::array::from_fn(|i| (MS(i as u64), Bytes(start + 1500 * i as u64)));
        Foreseen { window, lasts: MS(10), ..Foreseen::default() }
    }

    #[test]
    fn a_decision_that_came_true_needs_no_records_to_wake_the_agent() {
        let mut foresight = Foresight::default();
        let mut looks = |at_ms, window, srtt, basis| {
            let now = Instant::from_millis(at_ms);
            foresight.looks(basis, &growing(window), now, MS(srtt))
        };
        assert_eq!(looks(0, 640_000, 12, Basis::Law), None, "nothing was foreseen");
        assert_eq!(looks(2, 643_000, 12, Basis::Law), Some(MS(3)), "the window is what it was to be: a quarter of the round trip");
        assert_eq!(looks(4, 656_000, 100, Basis::Law), Some(MS(5)), "a 64th more, and no longer than the agent waits");
        assert_eq!(looks(6, 670_000, 100, Basis::Law), None, "more than that");
        assert_eq!(looks(8, 673_000, 2, Basis::Law), None, "half a millisecond is less than the agent can wait");
        assert_eq!(looks(10, 676_000, 12, Basis::SlowStart), None, "a start is not foreseen");
        assert_eq!(looks(12, 679_000, 12, Basis::Law), None, "nor what comes behind it");
        assert_eq!(looks(14, 682_000, 12, Basis::Law), Some(MS(3)));
    }

    #[test]
    fn nobody_waits_beyond_what_is_planned() {
        let mut foresight = Foresight::default();
        let mut looks = |lasts| {
            let foreseen = Foreseen { lasts, ..growing(15_000) };
            foresight.looks(Basis::Law, &foreseen, Instant::START, MS(100))
        };
        assert_eq!(looks(MS(2)), None);
        assert_eq!(looks(MS(2)), Some(MS(2)));
        assert_eq!(looks(Span::from_micros(900)), None);
    }
}
