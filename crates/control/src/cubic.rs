//! CUBIC (RFC 9438): after a loss the window returns to where it was along a cubic of time, flat near it and steep beyond, whatever the RTT.
//!
//! Where this deviates from the RFC:
//! - the window and not the flight is multiplied by β at a loss (§4.6 allows it; growth stops while the window is not used);
//! - the clock of an epoch runs between ACKs that may grow the window: not through recovery, and not while the application is the limit (§5.8);
//! - HyStart++ (§4.10 recommends it) is a parameter: without it slow start ends at the first loss, as the papers' experiments have it.

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::Param;
use crate::rtt::Smoothed;
use crate::window::{HYSTART, Law, LossBased};
use crate::{Acked, Instant};

/// CUBIC.
pub const ENTRY: Entry = Entry {
    name: "cubic",
    about: "CUBIC: a cubic of the time since the last loss (RFC 9438), without HyStart++ unless told so",
    params: &[
        Param::number("c", C, 0.01, 10.0, "steepness of the cubic, C [packets/s³]; RFC 9438 §5.1"),
        Param::number("beta", BETA, 0.1, 0.95, "what a loss leaves of the window; RFC 9438 §4.6"),
        Param::flag("fast_convergence", true, "give up some of the old maximum when a loss comes before it; RFC 9438 §4.7"),
        HYSTART,
        OSCILLATION,
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let law = Cubic::new(values.number("c"), values.number("beta"), values.flag("fast_convergence"));
        oscillating(setup, values, LossBased::new(setup, law).with_hystart(values.flag("hystart")))
    },
};

/// Steepness of the cubic \[packets/s³\] (RFC 9438 §5.1).
pub const C: f64 = 0.4;
/// What a loss leaves of the window (RFC 9438 §4.6).
pub const BETA: f64 = 0.7;
/// A target is at most this much above the window, so a round trip grows it by half at most (RFC 9438 §4.2).
const STEEPEST: f64 = 1.5;

/// CUBIC's law. Windows in packets, times in seconds.
#[derive(Clone)]
pub struct Cubic {
    c: f64,
    beta: f64,
    fast_convergence: bool,
    /// Window before the last reduction, less what fast convergence gave up; none before a loss and after a timeout.
    w_max: Option<f64>,
    /// Window before the last reduction (cwnd_prior).
    prior: f64,
    /// In seconds.
    srtt: Smoothed,
    /// The stage of congestion avoidance under way; none until its first ACK.
    epoch: Option<Epoch>,
}

/// A stage of congestion avoidance.
#[derive(Clone)]
struct Epoch {
    /// Time that counts.
    t: f64,
    /// The ACK to count from; none after one that was not to grow the window.
    last: Option<Instant>,
    /// When the cubic is back at `plateau` (Eq 2).
    k: f64,
    /// W_max in Eq 1.
    plateau: f64,
    /// What Reno would have by now (Eq 4).
    w_est: f64,
}

impl Cubic {
    /// For a new connection.
    pub fn new(c: f64, beta: f64, fast_convergence: bool) -> Cubic {
        Cubic { c, beta, fast_convergence, w_max: None, prior: 0.0, srtt: Smoothed::default(), epoch: None }
    }
}

/// Packets a round trip that compete as Reno's one does, with β in place of a half (RFC 9438 §4.3).
pub fn friendly(beta: f64) -> f64 {
    3.0 * (1.0 - beta) / (1.0 + beta)
}

impl Epoch {
    /// Starts at `cwnd`; where the old maximum is above it, the cubic leads there in `K` (Eq 2), else it starts flat (§4.8).
    fn begin(cwnd: f64, w_max: Option<f64>, c: f64) -> Epoch {
        let plateau = w_max.unwrap_or(cwnd).max(cwnd);
        Epoch { t: 0.0, last: None, k: libm::cbrt((plateau - cwnd) / c), plateau, w_est: cwnd }
    }

    fn advance(&mut self, now: Instant) {
        self.t += self.last.map_or(0.0, |last| (now - last).secs());
        self.last = Some(now);
    }

    /// `W_cubic` (Eq 1).
    fn cubic(&self, t: f64, c: f64) -> f64 {
        let x = t - self.k;
        c * x * x * x + self.plateau
    }
}

impl Law for Cubic {
    fn growth(&mut self, cwnd: f64, acked: f64, ack: &Acked) -> f64 {
        if let Some(rtt) = ack.rtt {
            self.srtt.sample(rtt.secs());
        }
        let alpha = friendly(self.beta);
        let epoch = self.epoch.get_or_insert_with(|| Epoch::begin(cwnd, self.w_max, self.c));
        epoch.advance(ack.now);
        let alpha = if epoch.w_est < self.prior { alpha } else { 1.0 };
        epoch.w_est += alpha * acked / cwnd; // Eq 4
        if epoch.cubic(epoch.t, self.c) < epoch.w_est {
            (epoch.w_est - cwnd).max(0.0) // §4.3, Reno-friendly
        } else {
            let target = epoch.cubic(epoch.t + self.srtt.get(), self.c).clamp(cwnd, STEEPEST * cwnd);
            (target - cwnd) / cwnd * acked // §4.4, §4.5
        }
    }

    fn after_loss(&mut self, cwnd: f64, _now: Instant) -> f64 {
        let early = self.fast_convergence && self.w_max.is_some_and(|w_max| cwnd < w_max);
        self.w_max = Some(if early { cwnd * (1.0 + self.beta) / 2.0 } else { cwnd }); // §4.7
        self.prior = cwnd;
        self.epoch = None;
        self.beta * cwnd // §4.6
    }

    fn timeout(&mut self) {
        self.w_max = None; // §4.8: the next stage starts flat, at its own window
    }

    fn paused(&mut self) {
        if let Some(epoch) = &mut self.epoch {
            epoch.last = None;
        }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some(w_max) = self.w_max {
            plot("w_max_packets", w_max);
        }
        if let Some(epoch) = &self.epoch {
            plot("w_est_packets", epoch.w_est);
        }
    }
}

#[cfg(test)]
mod tests;
