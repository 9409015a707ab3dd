//! HighSpeed TCP (RFC 3649): Reno whose step `a` grows and whose cut `b` falls with the window, so that a loss rate of 1e-7 carries a
//! window of 83000 packets.
//!
//! `a` and `b` follow from the response function by RFC 3649's formulas. Three readings of them exist, and this one is the continuous:
//! - here: `a(w)`, `b(w)` as the formulas give them, with the exact exponent of the response function (`p = 0.0789/w^1.1976`);
//! - RFC 3649 appendix B: the windows at which `a` passes a whole number, from the rounded `p = 1/(12.8·w^1.2)`; our `a` is 1 to 2.4 % above it;
//! - Linux and ns-2's `linux-highspeed`: that table as steps, one row ahead (`a` = 2 from 39 packets on), so `a` is ours rounded up.
//!
//! Above High_Window, where the RFC has no say, `b` stays at High_Decrease and `a` keeps to the response function; the appendix lets `b` fall on.
//! Limited slow start (RFC 3742) is not included.

use libm::{exp, log};

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::window::{Law, LossBased};
use crate::{Acked, Instant};

/// HighSpeed TCP.
pub const ENTRY: Entry = Entry {
    name: "highspeed",
    about: "HighSpeed TCP: Reno with a step and a cut that depend on the window (RFC 3649)",
    params: &[OSCILLATION],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| oscillating(setup, values, LossBased::new(setup, HighSpeed::new())),
};

/// Up to this window it is Reno \[packets\] (RFC 3649 §5, Low_Window).
pub const LOW_WINDOW: f64 = 38.0;
/// The window that `HIGH_P` shall carry \[packets\]: 10 Gbit/s at 100 ms and 1500 bytes (RFC 3649 §5, High_Window).
pub const HIGH_WINDOW: f64 = 83_000.0;
/// Loss rate at which Reno's window is `LOW_WINDOW` (RFC 3649 §5, Low_P).
pub const LOW_P: f64 = 1e-3;
/// Loss rate at `HIGH_WINDOW` (RFC 3649 §5, High_P).
pub const HIGH_P: f64 = 1e-7;
/// The cut at `HIGH_WINDOW` (RFC 3649 §5, High_Decrease).
pub const HIGH_DECREASE: f64 = 0.1;
/// Reno's cut, the one at `LOW_WINDOW`.
const LOW_DECREASE: f64 = 0.5;
/// A window may move this far before `a` is computed anew \[packets\]. It makes `a` wrong by 1.7 % at most: its slope is below 0.017.
const STALE: f64 = 1.0;

/// Where `w` lies between the two windows on a logarithmic scale: 0 at Low_Window, 1 at High_Window.
fn position(w: f64) -> f64 {
    log(w / LOW_WINDOW) / log(HIGH_WINDOW / LOW_WINDOW)
}

/// The response function: the loss rate that carries an average window of `w` packets (RFC 3649 §5, solved for p).
pub fn p(w: f64) -> f64 {
    LOW_P * exp(position(w) * log(HIGH_P / LOW_P))
}

/// The part of the window that a loss takes (RFC 3649 §5, `b(w)`).
pub fn b(w: f64) -> f64 {
    (LOW_DECREASE + (HIGH_DECREASE - LOW_DECREASE) * position(w)).clamp(HIGH_DECREASE, LOW_DECREASE)
}

/// Growth in a round trip \[packets\] (RFC 3649 §5, `a(w)`); S Eq 14's `a_max` is `a` of the largest window reached.
///
/// Never below Reno's 1: between 38 and 40 packets the formula gives 0.96 to 1, for Low_P is 1.5/38² rounded.
pub fn a(w: f64) -> f64 {
    if w <= LOW_WINDOW { 1.0 } else { (w * w * p(w) * 2.0 * b(w) / (2.0 - b(w))).max(1.0) }
}

/// HighSpeed TCP's law.
#[derive(Clone)]
pub struct HighSpeed {
    /// `a` at `at`: no logarithm per ACK.
    a: f64,
    at: f64,
}

impl HighSpeed {
    /// At the window of a new connection.
    pub fn new() -> HighSpeed {
        HighSpeed { a: 1.0, at: LOW_WINDOW }
    }

    fn a(&mut self, cwnd: f64) -> f64 {
        if (cwnd - self.at).abs() > STALE {
            self.at = cwnd;
            self.a = a(cwnd);
        }
        self.a
    }
}

impl Default for HighSpeed {
    fn default() -> HighSpeed {
        HighSpeed::new()
    }
}

impl Law for HighSpeed {
    fn growth(&mut self, cwnd: f64, acked: f64, _ack: &Acked) -> f64 {
        self.a(cwnd) * acked / cwnd
    }

    fn after_loss(&mut self, cwnd: f64, _now: Instant) -> f64 {
        (1.0 - b(cwnd)) * cwnd
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        plot("a_packets", self.a);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_path;

    /// Rows of RFC 3649 appendix B: window, a, b.
    const APPENDIX_B: [(f64, f64, f64); 10] = [
        (38.0, 1.0, 0.50),
        (118.0, 2.0, 0.44),
        (221.0, 3.0, 0.41),
        (347.0, 4.0, 0.38),
        (495.0, 5.0, 0.37),
        (1058.0, 8.0, 0.33),
        (2378.0, 13.0, 0.28),
        (5036.0, 20.0, 0.25),
        (10_661.0, 30.0, 0.21),
        (12_834.0, 33.0, 0.20),
    ];

    #[test]
    fn a_and_b_are_those_of_the_rfc() {
        for (w, table_a, table_b) in APPENDIX_B {
            // The table rounds b to two digits (to 0.005), and takes a from 1/(12.8·w^1.2): 1 to 2.4 % less than the exact p up to 13000 packets.
            assert!((b(w) - table_b).abs() <= 0.005, "b({w}) = {}", b(w));
            let over = a(w) / table_a - 1.0;
            assert!((0.0..0.024).contains(&over), "a({w}) = {}", a(w));
        }
    }

    #[test]
    fn the_difference_to_the_table_is_its_rounded_exponent() {
        // Appendix B lists the windows at which a, with 1/(12.8·w^1.2) for p, exceeds that of the row before by more than 1.
        let rounded = |w: f64| w * w / (12.8 * libm::pow(w, 1.2)) * 2.0 * b(w) / (2.0 - b(w));
        let (mut w, mut row) = (LOW_WINDOW, 1.0);
        for table_w in [118.0, 221.0, 347.0, 495.0, 663.0, 851.0, 1058.0, 1284.0, 1529.0, 1793.0, 2076.0, 2378.0] {
            while rounded(w) <= row + 1.0 {
                w += 1.0;
            }
            row = rounded(w);
            assert_eq!(w, table_w);
        }
    }

    #[test]
    fn the_response_function_goes_through_both_points() {
        assert!((p(LOW_WINDOW) / 1e-3 - 1.0).abs() < 1e-12);
        assert!((p(HIGH_WINDOW) / 1e-7 - 1.0).abs() < 1e-12);
        // a(83000) = 83000² · 1e-7 · 2 · 0.1 / 1.9 = 72.5.
        assert!((a(HIGH_WINDOW) - 72.516).abs() < 0.001);
        assert_eq!((a(20.0), b(20.0)), (1.0, 0.5));
        assert_eq!(b(1e6), HIGH_DECREASE);
    }

    #[test]
    fn a_round_trip_adds_a_and_a_loss_takes_b() {
        let mut law = HighSpeed::new();
        let mut w = 1000.0;
        for _ in 0..1000 {
            w += law.growth(w, 1.0, &test_path::ack());
        }
        // a(1000) = 7.85, a(1008) = 7.89; cwnd grows while it is divided by, so a little less than a.
        assert!((7.80..7.89).contains(&(w - 1000.0)), "{w}");
        // The cached a follows the window.
        assert_eq!(law.growth(2000.0, 1.0, &test_path::ack()), a(2000.0) / 2000.0);
        assert_eq!(law.growth(20.0, 1.0, &test_path::ack()), 1.0 / 20.0);
        let cached = law.growth(21.0, 21.0, &test_path::ack());
        assert!((cached / a(21.0) - 1.0).abs() < 0.017);
        // b(1000) = 0.5 − 0.4·ln(1000/38)/ln(83000/38) = 0.32988.
        assert!((law.after_loss(1000.0, Instant::START) - 670.12).abs() < 0.01);
    }
}
