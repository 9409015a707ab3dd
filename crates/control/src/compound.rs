//! Compound TCP (Tan, Song, Zhang, Sridharan: *A compound TCP approach for high-speed and long distance networks*, INFOCOM 2006;
//! draft-sridharan-tcpm-ctcp-02): the window is the sum of two. One is Reno's. The other grows with the window while the path is idle, gives
//! way as soon as packets queue, and so leaves Reno alone in a full buffer.
//!
//! Windows in packets, `win = cwnd + dwnd`. Once a round trip, with its mean RTT,
//!
//! ```text
//! diff = win·(1 − base RTT/RTT)
//! dwnd ← dwnd + (α·win^k − 1)⁺      while diff < γ
//! dwnd ← (dwnd − ζ·diff)⁺           else
//! dwnd ← (win(1 − β) − cwnd/2)⁺     at a loss, and cwnd ← cwnd/2
//! ```
//!
//! Reno's part adds one packet a round trip, so that without a queue `win` grows by `max(1, α·win^k)`: faster than Reno from 16 packets on.
//!
//! Where this deviates: the growth of a round trip is spread over its ACKs, because a window that jumps once a round trip sends a burst;
//! γ is fixed, as in the paper (the draft tunes it); rounds are told by departure times. A mark counts as a loss.

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::Param;
use crate::round::Round;
use crate::rtt::MinRtt;
use crate::window::{Window, Windowed, may_grow};
use crate::{Acked, Ask, Controller, Lost, Notice, Permit, Setup};

/// Compound TCP.
pub const ENTRY: Entry = Entry {
    name: "compound",
    about: "Compound TCP: Reno's window and one that fills an idle path, by the RTT (Tan, Song, Zhang, Sridharan 2006)",
    params: &[
        Param::number("alpha", 0.125, 0.01, 1.0, "growth α·win^k a round trip; INFOCOM 2006 §III"),
        Param::number("k", 0.75, 0.0, 1.0, "exponent of that growth; INFOCOM 2006 §III"),
        Param::number("beta", 0.5, 0.1, 0.9, "what a loss takes of the window; INFOCOM 2006 §III"),
        Param::number("gamma", 30.0, 1.0, 1e4, "queued packets from which the delay-based window gives way; INFOCOM 2006 §III"),
        Param::number("zeta", 1.0, 0.01, 10.0, "how many it gives up for each queued packet; 1 in Linux's tcp_compound"),
        OSCILLATION,
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let [alpha, k, beta, gamma, zeta] = ["alpha", "k", "beta", "gamma", "zeta"].map(|name| values.number(name));
        oscillating(setup, values, Compound::new(setup, Constants { alpha, k, beta, gamma, zeta }))
    },
};

/// The constants of the law, by their names in the paper.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Growth α·win^k in a round trip without a queue \[packets\].
    pub alpha: f64,
    /// The exponent k.
    pub k: f64,
    /// Part of the window that a loss takes.
    pub beta: f64,
    /// Queued packets that are too many.
    pub gamma: f64,
    /// Part of the queued packets by which the delay-based window shrinks.
    pub zeta: f64,
}

impl Constants {
    /// What the delay-based window gains in a round trip without a queue, `(α·win^k − 1)⁺` \[packets\].
    pub fn growth(&self, win: f64) -> f64 {
        (self.alpha * libm::pow(win, self.k) - 1.0).max(0.0)
    }

    /// What is left of the delay-based window after a loss, `(win(1 − β) − cwnd/2)⁺` \[packets\].
    pub fn after_loss(&self, win: f64, delay_based: f64) -> f64 {
        (win * (1.0 - self.beta) - (win - delay_based) / 2.0).max(0.0)
    }
}

/// Packets queued by a window of `win` packets: `diff` of the paper.
pub fn queued(win: f64, base_rtt: f64, rtt: f64) -> f64 {
    win * (1.0 - base_rtt / rtt)
}

/// Compound TCP.
#[derive(Clone)]
pub struct Compound {
    constants: Constants,
    /// Both windows together.
    window: Window,
    /// The delay-based one \[packets\].
    dwnd: f64,
    /// No more than γ packets queued in the last round trip.
    idle: bool,
    /// Least RTT seen \[s\].
    base: MinRtt<f64>,
    round: Round,
    /// Sum \[s\] and number of the RTTs measured in this round trip.
    rtts: (f64, f64),
}

impl Compound {
    /// For a new connection.
    pub fn new(setup: &Setup, constants: Constants) -> Compound {
        Compound {
            constants,
            window: Window::new(setup),
            dwnd: 0.0,
            idle: true,
            base: MinRtt::default(),
            round: Round::default(),
            rtts: (0.0, 0.0),
        }
    }

    /// Once a round trip: may the delay-based window grow in the next, or must it give way?
    fn decide(&mut self, rtt: f64) {
        let Some(base) = self.base.get() else { return };
        let diff = queued(self.window.cwnd, base, rtt);
        self.idle = diff < self.constants.gamma;
        if !self.idle {
            self.set_delay_based(self.dwnd - self.constants.zeta * diff);
        }
    }

    /// The delay-based window becomes `dwnd`, not below zero; the other stays, and both together keep a packet.
    fn set_delay_based(&mut self, dwnd: f64) {
        let dwnd = dwnd.max(0.0);
        self.window.cwnd = (self.window.cwnd + dwnd - self.dwnd).max(1.0);
        self.dwnd = dwnd;
    }
}

impl Controller for Compound {
    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.base.sample(rtt.secs());
            self.rtts = (self.rtts.0 + rtt.secs(), self.rtts.1 + 1.0);
        }
        if self.round.ends_with(ack) {
            let (sum, count) = core::mem::take(&mut self.rtts);
            if count > 0.0 && !ack.recovering && !self.window.in_slow_start() {
                self.decide(sum / count);
            }
        }
        if !may_grow(ack) {
            return;
        }
        let (acked, win) = (self.window.packets(ack.bytes), self.window.cwnd);
        if self.window.in_slow_start() {
            self.window.slow_start(acked);
            return;
        }
        let gained = if self.idle { self.constants.growth(win) * acked / win } else { 0.0 };
        self.dwnd += gained;
        self.window.cwnd += acked / win + gained;
    }

    fn lost(&mut self, loss: &Lost) {
        if loss.kind.collapses() {
            self.dwnd = 0.0;
            self.window.lose_as_reno(loss.kind);
        } else {
            let win = self.window.cwnd;
            let kept = self.constants.after_loss(win, self.dwnd.min(win));
            self.window.shrink_to((win - self.dwnd).max(0.0) / 2.0 + kept);
            self.dwnd = kept.min(self.window.cwnd);
        }
        self.round.restart(loss.now);
        self.rtts = (0.0, 0.0);
    }

    fn notice(&mut self, notice: &Notice) {
        if let Notice::Idle { timeouts, .. } = notice {
            self.window.decay(*timeouts);
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit::window(self.window.bytes())
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.window.gauges(plot);
        plot("dwnd_packets", self.dwnd);
        if let Some(base) = self.base.get() {
            plot("base_rtt_ms", base * 1e3);
        }
    }
}

impl Windowed for Compound {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
