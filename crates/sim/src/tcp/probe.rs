//! The tail loss probe (RFC 8985 §7): when nothing comes back for two round-trip times, one packet leaves, so that what was lost at the tail is
//! found by its ACK and not by the retransmission timer.
//!
//! Time stamps tell which copy an ACK answers, so a probe that repaired a loss is known by the ACK that covers it, and not by the absence of a
//! report of a duplicate (§7.4.2).

use symbiosis_base::{Instant, Span};

/// How long a receiver may delay an ACK at the most (RFC 8985 §7.2, WCDelAckT).
const DELAYED_ACK: Span = Span::from_millis(200);
/// The timeout of the probe before the first measurement (RFC 8985 §7.2).
const FIRST: Span = Span::from_millis(1_000);

/// The probe's timer, and the probe that is out.
#[derive(Debug)]
pub(crate) struct Probe {
    at: Instant,
    /// It is to leave now.
    pending: bool,
    out: Option<Out>,
}

#[derive(Clone, Copy, Debug)]
struct Out {
    /// One above the highest packet sent when it left (TLP.end_seq).
    end: u32,
    /// When it left, if it repeats a packet.
    copy: Option<Instant>,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe { at: Instant::NEVER, pending: false, out: None }
    }
}

impl Probe {
    /// When it leaves.
    pub(crate) fn at(&self) -> Instant {
        self.at
    }

    /// Whether it is to leave now.
    #[inline]
    pub(crate) fn pending(&self) -> bool {
        self.pending
    }

    /// Sets the timer (§7.2): not beyond the retransmission timer's, and not while a probe is out.
    #[inline]
    pub(crate) fn arm(&mut self, now: Instant, srtt: Span, alone: bool, rto_at: Instant) {
        if self.out.is_none() {
            let wait = if srtt == Span::ZERO { FIRST } else { srtt * 2 };
            let wait = if alone { wait + DELAYED_ACK } else { wait };
            self.at = (now + wait).min(rto_at);
        }
    }

    /// Nothing is to be probed.
    #[inline]
    pub(crate) fn disarm(&mut self) {
        (self.at, self.pending) = (Instant::NEVER, false);
    }

    /// The timer has run out.
    pub(crate) fn expired(&mut self) {
        (self.at, self.pending) = (Instant::NEVER, true);
    }

    /// It left, with all below `end` sent; a copy or new data.
    pub(crate) fn sent(&mut self, now: Instant, end: u32, is_copy: bool) {
        self.pending = false;
        self.out = Some(Out { end, copy: is_copy.then_some(now) });
    }

    /// All below `next` are acknowledged by an ACK that echoes `echo`. Whether the probe repaired a loss (§7.4.2).
    #[inline]
    pub(crate) fn repaired(&mut self, next: u32, echo: Instant) -> bool {
        match self.out {
            Some(out) if next >= out.end => {
                self.out = None;
                out.copy.is_some_and(|left| echo >= left)
            }
            _ => false,
        }
    }

    /// Recovery sees to everything.
    pub(crate) fn forget(&mut self) {
        *self = Probe::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_two_round_trips_and_for_a_delayed_ack_but_not_for_the_timeout() {
        let (now, ms) = (Instant::from_millis(1000), Span::from_millis);
        let mut probe = Probe::default();
        probe.arm(now, ms(50), false, Instant::NEVER);
        assert_eq!(probe.at(), now + ms(100));
        probe.arm(now, ms(50), true, Instant::NEVER);
        assert_eq!(probe.at(), now + ms(300));
        probe.arm(now, ms(50), true, now + ms(250));
        assert_eq!(probe.at(), now + ms(250));
        probe.arm(now, Span::ZERO, false, Instant::NEVER);
        assert_eq!(probe.at(), now + ms(1000));
    }

    #[test]
    fn the_time_stamp_tells_whether_the_probe_was_needed() {
        let at = Instant::from_millis;
        for (echo, needed) in [(10, false), (100, true)] {
            let mut probe = Probe::default();
            probe.expired();
            probe.sent(at(100), 7, true);
            assert!(!probe.pending() && !probe.repaired(6, at(100)), "it is not covered yet");
            probe.arm(at(120), Span::from_millis(50), false, Instant::NEVER);
            assert_eq!(probe.at(), Instant::NEVER, "one is out");
            assert_eq!(probe.repaired(7, at(echo)), needed);
            assert!(!probe.repaired(8, at(200)), "judged once");
        }
        let mut probe = Probe::default();
        probe.sent(at(100), 8, false);
        assert!(!probe.repaired(8, at(100)), "new data repairs nothing");
    }
}
