//! Scalable TCP (Kelly, PFLDnet 2003): the window grows by a hundredth of a packet for each acknowledged and keeps 7/8 at a loss, so the
//! time between losses is the same number of round trips at any rate: ln(8/7)/ln(1.01) = 13.4.
//!
//! Below `low_window` it is Reno. Kelly's law steps there: at 16 packets Reno's 1/16 becomes 0.01, and only from 100 packets on is that the
//! faster one. Linux smooths the step away (it grows by the larger of 1/w and its constant); this is the published form.

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::Param;
use crate::window::{Law, LossBased};
use crate::{Acked, Instant};

/// Scalable TCP.
pub const ENTRY: Entry = Entry {
    name: "scalable",
    about: "Scalable TCP: +0.01 packets an ACK, 7/8 at a loss (Kelly 2003)",
    params: &[
        Param::number(
            "step",
            0.01,
            1e-4,
            1.0,
            "growth for each acknowledged packet [packets]; Kelly's a, S Eq 15. Linux before 4.0 had 0.02",
        ),
        Param::number("low_window", 16.0, 1.0, 1e6, "Reno below this window [packets]; Kelly's lwnd"),
        OSCILLATION,
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let law = Scalable { step: values.number("step"), low_window: values.number("low_window") };
        oscillating(setup, values, LossBased::new(setup, law))
    },
};

/// What a loss leaves: 1 − b with Kelly's b = 0.125.
const KEPT: f64 = 0.875;

/// Scalable TCP's law.
#[derive(Clone)]
pub struct Scalable {
    /// Growth for each acknowledged packet \[packets\].
    pub step: f64,
    /// Reno below it \[packets\].
    pub low_window: f64,
}

impl Law for Scalable {
    fn growth(&mut self, cwnd: f64, acked: f64, _ack: &Acked) -> f64 {
        if cwnd < self.low_window { acked / cwnd } else { self.step * acked }
    }

    fn after_loss(&mut self, cwnd: f64, _now: Instant) -> f64 {
        if cwnd < self.low_window { cwnd / 2.0 } else { KEPT * cwnd }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_path;

    #[test]
    fn a_loss_is_made_good_in_the_same_number_of_round_trips_at_any_window() {
        for peak in [200.0, 20_000.0] {
            let mut law = Scalable { step: 0.01, low_window: 16.0 };
            let mut w = law.after_loss(peak, Instant::START);
            assert_eq!(w, peak * 7.0 / 8.0);
            let mut rounds = 0;
            while w < peak {
                w += law.growth(w, w, &test_path::ack()); // one round trip: w packets acknowledged, w·1.01 after
                rounds += 1;
            }
            assert_eq!(rounds, 14); // ln(8/7)/ln(1.01) = 13.4
        }
    }

    #[test]
    fn below_the_low_window_it_is_reno() {
        let mut law = Scalable { step: 0.01, low_window: 16.0 };
        assert_eq!(law.growth(15.0, 15.0, &test_path::ack()), 1.0);
        assert_eq!(law.after_loss(15.0, Instant::START), 7.5);
        assert_eq!(law.growth(16.0, 16.0, &test_path::ack()), 0.16);
        assert_eq!(law.after_loss(16.0, Instant::START), 14.0);
    }
}
