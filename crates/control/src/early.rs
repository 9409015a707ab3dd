//! The early form of TCP Symbiosis (I §3): the logistic growth of a species under Lotka-Volterra competition, counted in round trips.
//!
//! For every acknowledged packet `Δw = ε(1 − (w + γτ(K − A))/(Kτ))`, with K the capacity of the narrowest link, A what others leave free
//! and τ the least RTT. The fixed point is `w* = {(1−γ)K + γA}τ`. Until (K, A) are known it is Reno, and so it is at every loss.
//!
//! Being counted in round trips, its speed depends on the RTT; the later form (S Eq 9) counts seconds. I has K given, and so does this.

use alloc::boxed::Box;

use crate::entry::{Entry, Feedback};
use crate::measurement::filter::{FILTER, FILTER_WINDOW};
use crate::measurement::{Measurement, Reading};
use crate::oscillation::{OSCILLATION, Windowed, oscillating};
use crate::params::Param;
use crate::rtt::MinRtt;
use crate::symbiosis::{
    A_BIAS, EPSILON, GAMMA, K_BIAS, K_NOISE, NOISE, NOISE_DOUBLES, PUBLISHED_MEASUREMENT, STREAM_PACKETS, SUBRANGES, measurement,
};
use crate::window::{Window, may_grow};
use crate::{Acked, Ask, Basis, Controller, Instant, Lost, Permit, Rate, Report, Sent, Setup, Span};

/// The early form of TCP Symbiosis.
pub const ENTRY: Entry = Entry {
    name: "symbiosis-early",
    about: "TCP Symbiosis in its early form, per ACK (Iguchi et al. 2005)",
    params: &[
        Param::number("epsilon", EPSILON, 0.01, 10.0, "growth rate, per round trip; I §4"),
        Param::number("gamma", GAMMA, 0.001, 0.999, "weight of the others' rate, below 1 or a flow dies out; I §4"),
        PUBLISHED_MEASUREMENT,
        NOISE,
        NOISE_DOUBLES,
        K_BIAS,
        K_NOISE,
        A_BIAS,
        SUBRANGES,
        STREAM_PACKETS,
        FILTER,
        FILTER_WINDOW,
        OSCILLATION,
    ],
    feedback: Feedback::Acks,
    build: |setup, values| {
        let early = Early::new(setup, values.number("epsilon"), values.number("gamma"), measurement(setup, values));
        oscillating(setup, values, early)
    },
};

/// Growth for one acknowledged packet (I §3, the equation after Eq 6). All in packets: window `w`, `Kτ`, and the others' `(K − A)τ`.
pub fn increment(w: f64, k_tau: f64, others_tau: f64, epsilon: f64, gamma: f64) -> f64 {
    epsilon * (1.0 - (w + gamma * others_tau) / k_tau)
}

/// The early form of TCP Symbiosis.
#[derive(Clone)]
pub struct Early {
    window: Window,
    setup: Setup,
    epsilon: f64,
    gamma: f64,
    measurement: Box<dyn Measurement>,
    /// The last result; none before the first and after a timeout.
    reading: Option<Reading>,
    /// Least RTT seen, once there is one.
    tau: MinRtt<Span>,
}

impl Early {
    /// For a new connection.
    pub fn new(setup: &Setup, epsilon: f64, gamma: f64, measurement: Box<dyn Measurement>) -> Early {
        Early { window: Window::new(setup), setup: *setup, epsilon, gamma, measurement, reading: None, tau: MinRtt::default() }
    }
}

impl Controller for Early {
    fn sent(&mut self, packet: &Sent) {
        self.measurement.sent(packet);
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        self.reading = self.measurement.acked(ack).filter(Reading::is_sure).or(self.reading);
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.tau.sample(rtt);
        }
        if !may_grow(ack) {
            return;
        }
        let acked = self.window.packets(ack.bytes);
        let (Some(Reading { bandwidth: path, .. }), Some(tau)) = (self.reading, self.tau.get()) else {
            self.window.grow_as_reno(acked);
            return;
        };
        let packets = |rate: Rate| rate.times(tau) / self.setup.packet.as_f64();
        let others = path.capacity - path.available;
        let step = increment(self.window.cwnd, packets(path.capacity), packets(others), self.epsilon, self.gamma);
        self.window.cwnd = (self.window.cwnd + step * acked).max(1.0);
    }

    fn lost(&mut self, loss: &Lost) {
        self.window.lose_as_reno(loss.kind);
        if loss.kind.collapses() {
            self.reading = None;
            self.measurement.forget();
        }
    }

    fn report(&mut self, report: &Report) {
        self.reading = self.measurement.report(report).or(self.reading);
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit { window: self.window.bytes(), departure: self.measurement.departure() }
    }

    fn wants_arrivals(&self) -> bool {
        self.measurement.wants_arrivals()
    }

    fn basis(&self, _now: Instant) -> Basis {
        if self.reading.is_some() && self.tau.get().is_some() { Basis::Law } else { Basis::Reno(self.measurement.unknown()) }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.window.gauges(plot);
        if let Some(reading) = &self.reading {
            reading.gauges(plot);
        }
        if let Some(tau) = self.tau.get() {
            plot("tau_ms", tau.millis());
        }
        self.measurement.gauges(plot);
    }
}

impl Windowed for Early {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
