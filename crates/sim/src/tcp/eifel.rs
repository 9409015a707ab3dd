//! Whether a retransmission was needed: the Eifel detection (RFC 3522). If the first ACK that moves the left edge after it echoes a time
//! stamp from before it, then the original had arrived.

use symbiosis_base::Instant;

/// What the detection waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Eifel {
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
        *self = Eifel::Begun;
    }

    /// A packet was retransmitted.
    pub(crate) fn resent(&mut self, now: Instant) {
        if *self == Eifel::Begun {
            *self = Eifel::Resent(now);
        }
    }

    /// An ACK that echoes the departure `echo` moved the left edge. Whether the episode was none.
    #[inline]
    pub(crate) fn acceptable(&mut self, echo: Instant) -> bool {
        match *self {
            Eifel::Idle => false,
            doubt => {
                *self = Eifel::Idle;
                matches!(doubt, Eifel::Resent(at) if echo < at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_acceptable_ack_tells_by_its_time_stamp() {
        let at_ms = Instant::from_millis;
        let mut eifel = Eifel::default();
        assert!(!eifel.acceptable(at_ms(1)), "nothing was retransmitted");
        eifel.begins();
        eifel.resent(at_ms(100));
        eifel.resent(at_ms(110));
        assert!(eifel.acceptable(at_ms(40)), "the original of 40 ms arrived");
        eifel.resent(at_ms(120));
        assert!(!eifel.acceptable(at_ms(50)), "later retransmissions of the episode begin no other");
        eifel.begins();
        eifel.resent(at_ms(200));
        assert!(!eifel.acceptable(at_ms(200)), "the retransmission arrived");
        assert!(!eifel.acceptable(at_ms(10)), "judged once");
    }
}
