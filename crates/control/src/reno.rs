//! Reno (RFC 5681) and NewReno: one packet a round trip, half at a loss.
//!
//! NewReno (RFC 6582) is the same law; what differs is how a sender retransmits, which is the world's part (`recovery` in a scenario).

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::window::{HYSTART, Law, LossBased};
use crate::{Acked, Instant};

/// TCP Reno.
pub const RENO: Entry = Entry {
    name: "reno",
    about: "TCP Reno: one packet a round trip, half at a loss (RFC 5681)",
    params: &[HYSTART, OSCILLATION],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| oscillating(setup, values, LossBased::new(setup, Reno).with_hystart(values.flag("hystart"))),
};

/// TCP NewReno: Reno's law under the name that asks for NewReno's recovery.
pub const NEWRENO: Entry = Entry {
    name: "newreno",
    about: "TCP NewReno: Reno's window; in the simulator with NewReno recovery unless told otherwise (RFC 6582)",
    params: &[OSCILLATION],
    recovery: Recovery::NewReno,
    feedback: Feedback::Acks,
    build: |setup, values| oscillating(setup, values, LossBased::new(setup, Reno)),
};

/// Reno's law.
#[derive(Clone)]
pub struct Reno;

impl Law for Reno {
    fn growth(&mut self, cwnd: f64, acked: f64, _ack: &Acked) -> f64 {
        acked / cwnd // RFC 5681 Eq 3
    }

    fn after_loss(&mut self, cwnd: f64, _now: Instant) -> f64 {
        cwnd / 2.0 // RFC 5681 Eq 4, of the window instead of the flight, as ns-2 and Linux do
    }
}
