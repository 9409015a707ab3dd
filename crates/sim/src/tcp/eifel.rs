//! Whether a retransmission was needed. By time stamps (the Eifel detection, RFC 3522): if the first ACK that moves the left edge after it echoes
//! a time stamp from before it, then the original had arrived. By reports of duplicates (RFC 3708): if every retransmission of an episode arrived
//! as a duplicate, then no original was lost.
//!
//! With a time stamp in every ACK Eifel's answer comes with the first ACK after a timeout, one before that of F-RTO (RFC 5682 §2.1 step 3).

use symbiosis_base::Instant;

/// An episode of loss, as long as it is doubted.
#[derive(Debug, Default)]
pub(crate) struct Eifel {
    waits: Waits,
    /// Packets retransmitted in it that were not reported as duplicates; none when it is not doubted.
    copies: Option<Vec<u32>>,
}

/// What the detection by time stamps waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Waits {
    /// Nothing is doubted.
    #[default]
    Idle,
    /// For the first retransmission of an episode of loss.
    Begun,
    /// For an ACK that moves the left edge; the first retransmission left then.
    Resent(Instant),
}

impl Eifel {
    /// An episode of loss begins.
    pub(crate) fn begins(&mut self) {
        self.waits = Waits::Begun;
        self.copies.get_or_insert_default().clear();
    }

    /// A packet was retransmitted.
    pub(crate) fn resent(&mut self, now: Instant, number: u32) {
        if self.waits == Waits::Begun {
            self.waits = Waits::Resent(now);
        }
        if let Some(copies) = &mut self.copies {
            copies.push(number);
        }
    }

    /// An ACK that echoes the departure `echo` moved the left edge, where a packet was that last left at `left`. Whether the episode was none.
    /// A packet that was retransmitted in an episode before this one tells nothing of it.
    #[inline]
    pub(crate) fn acceptable(&mut self, echo: Instant, left: Instant) -> bool {
        match self.waits {
            Waits::Idle => false,
            doubt => {
                self.waits = Waits::Idle;
                matches!(doubt, Waits::Resent(at) if echo < at && left >= at)
            }
        }
    }

    /// A packet was reported to have arrived twice. Whether the episode was none.
    pub(crate) fn duplicate(&mut self, number: u32) -> bool {
        let Some(copies) = &mut self.copies else { return false };
        let Some(at) = copies.iter().position(|copy| *copy == number) else { return false };
        copies.swap_remove(at);
        copies.is_empty()
    }

    /// The episode is over: undone, or beyond doubt.
    pub(crate) fn ends(&mut self) {
        (self.waits, self.copies) = (Waits::Idle, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_acceptable_ack_tells_by_its_time_stamp() {
        let at_ms = Instant::from_millis;
        let mut eifel = Eifel::default();
        assert!(!eifel.acceptable(at_ms(1), at_ms(1)), "nothing was retransmitted");
        eifel.begins();
        eifel.resent(at_ms(100), 1);
        eifel.resent(at_ms(110), 2);
        assert!(eifel.acceptable(at_ms(40), at_ms(100)), "the original of 40 ms arrived");
        eifel.resent(at_ms(120), 3);
        assert!(!eifel.acceptable(at_ms(50), at_ms(120)), "later retransmissions of the episode begin no other");
        eifel.begins();
        eifel.resent(at_ms(200), 4);
        assert!(!eifel.acceptable(at_ms(200), at_ms(200)), "the retransmission arrived");
        assert!(!eifel.acceptable(at_ms(10), at_ms(200)), "judged once");
        eifel.begins();
        eifel.resent(at_ms(300), 5);
        assert!(!eifel.acceptable(at_ms(250), at_ms(250)), "a copy of the episode before");
    }

    #[test]
    fn if_every_copy_is_a_duplicate_nothing_was_lost() {
        let mut eifel = Eifel::default();
        assert!(!eifel.duplicate(1), "nothing was retransmitted");
        eifel.begins();
        eifel.resent(Instant(1), 1);
        eifel.resent(Instant(2), 5);
        assert!(!eifel.duplicate(3), "the path's own duplicate");
        assert!(!eifel.duplicate(1) && !eifel.duplicate(1));
        assert!(eifel.duplicate(5));
        eifel.begins();
        eifel.resent(Instant(3), 7);
        eifel.ends();
        assert!(!eifel.duplicate(7));
    }
}
