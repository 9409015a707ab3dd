//! The early form of TCP Symbiosis (I §3): the logistic growth of a species under Lotka-Volterra competition, counted in round trips.
//!
//! For every acknowledged packet `Δw = ε(1 − (w + γτ(K − A))/(Kτ))`, with K the capacity of the narrowest link, A what others leave free
//! and τ the least RTT. The fixed point is `w* = {(1−γ)K + γA}τ`. Until (K, A) are known it is Reno, and so it is at every loss.
//!
//! Being counted in round trips, its speed depends on the RTT; the later form (S Eq 9) counts seconds. I has K given, and so does this.

use crate::entry::{Entry, Feedback, Recovery};
use crate::measurement::imtcp::ImTcp;
use crate::measurement::params::{MEASURED_AS_PUBLISHED, measurement};
use crate::measurement::{Host, News};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::{Param, joined};
use crate::rtt::MinRtt;
use crate::symbiosis::{EPSILON, GAMMA};
use crate::window::{Window, Windowed, may_grow};
use crate::{Acked, Ask, Basis, Controller, Instant, Lost, Notice, PacketLost, Permit, Rate, Report, Sent, Setup, Span};

const LAW: [Param; 2] = [
    Param::number("epsilon", EPSILON, 0.01, 10.0, "growth rate, per round trip; I §4"),
    Param::number("gamma", GAMMA, 0.001, 0.999, "weight of the others' rate, below 1 or a flow dies out; I §4"),
];

/// The early form of TCP Symbiosis.
pub const ENTRY: Entry = Entry {
    name: "symbiosis-early",
    about: "TCP Symbiosis in its early form, per ACK (Iguchi et al. 2005)",
    params: &joined::<14>(&[&LAW, MEASURED_AS_PUBLISHED, &[OSCILLATION]]),
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let host = Host::new(measurement(setup, values, ImTcp::for_window));
        let early = Early::new(setup, values.number("epsilon"), values.number("gamma"), host);
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
    host: Host,
    /// Least RTT seen, once there is one.
    tau: MinRtt<Span>,
}

impl Early {
    /// For a new connection.
    pub fn new(setup: &Setup, epsilon: f64, gamma: f64, host: Host) -> Early {
        Early { window: Window::new(setup), setup: *setup, epsilon, gamma, host, tau: MinRtt::default() }
    }
}

impl Early {
    fn hear(&mut self, news: News) {
        if news == News::Expired {
            // The window was right by what was known: no reason to double it.
            self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
        }
    }
}

impl Controller for Early {
    fn sent(&mut self, packet: &Sent) {
        self.host.sent(packet);
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.host.packet_lost(packet);
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        let news = self.host.acked(ack);
        self.hear(news);
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.tau.sample(rtt);
        }
        if !may_grow(ack) {
            return;
        }
        let acked = self.window.packets(ack.bytes);
        let (Some(path), Some(tau)) = (self.host.reading().map(|reading| reading.bandwidth), self.tau.get()) else {
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
            self.host.forget();
        }
    }

    fn report(&mut self, report: &Report) {
        let news = self.host.report(report);
        self.hear(news);
    }

    fn notice(&mut self, notice: &Notice) {
        match *notice {
            Notice::HostWindow { window, ssthresh } if self.basis(Instant::START) != Basis::Law => self.window.set(window, ssthresh),
            _ => {}
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit { window: self.window.bytes(), departure: self.host.departure() }
    }

    fn wants_arrivals(&self) -> bool {
        self.host.wants_arrivals()
    }

    fn basis(&self, _now: Instant) -> Basis {
        if self.host.reading().is_some() && self.tau.get().is_some() { Basis::Law } else { Basis::Reno(self.host.unknown()) }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.window.gauges(plot);
        if let Some(tau) = self.tau.get() {
            plot("tau_ms", tau.millis());
        }
        self.host.gauges(plot);
    }
}

impl Windowed for Early {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
