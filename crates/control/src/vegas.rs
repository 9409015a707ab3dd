//! TCP Vegas (Brakmo, Peterson, JSAC 1995) by the rules of ns-2's `Agent/TCP/Vegas`: once a round trip it estimates how many of its packets
//! wait in a queue, and keeps that between `alpha` and `beta`.
//!
//! `diff = (expected − actual)·baseRTT`, expected = flight/baseRTT, actual = packets sent in the round / mean RTT of its ACKs, rounded to
//! whole packets. Slow start doubles in every other round and ends, with an eighth less, when `diff > gamma`. Because the doubling sends two
//! packets for each ACK, a doubling from W to 2W queues W/2 packets on average, W²/BDP in `diff`: it ends at a W of about √(1.5·BDP), long
//! before the link is full, and one packet a round trip does the rest.
//!
//! Where this deviates from ns-2: rounds are told by departure times, not by numbers; a timeout leaves one packet (RFC 5681), not two; Vegas'
//! own fine-grained retransmission timer and its second cut for a packet lost twice are matters of recovery, which is the world's; growth
//! stops by the `app_limited` flag, not when the flight is two packets behind.

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::Param;
use crate::round::Round;
use crate::rtt::MinRtt;
use crate::window::{Window, Windowed};
use crate::{Acked, Ask, Controller, Instant, LossKind, Lost, Notice, Permit, Sent, Setup};

/// TCP Vegas.
pub const ENTRY: Entry = Entry {
    name: "vegas",
    about: "TCP Vegas: one to three packets in the queue, by the RTT (Brakmo, Peterson 1995; as in ns-2)",
    params: &[
        Param::number("alpha", 1.0, 1.0, 1e4, "grow below this many queued packets; ns-2's v_alpha_"),
        Param::number("beta", 3.0, 1.0, 1e4, "shrink above this many queued packets; ns-2's v_beta_"),
        Param::number("gamma", 1.0, 1.0, 1e4, "leave slow start above this many queued packets; ns-2's v_gamma_"),
        OSCILLATION,
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        oscillating(setup, values, Vegas::new(setup, values.number("alpha"), values.number("beta"), values.number("gamma")))
    },
};

/// No decision takes the window below this \[packets\] (ns-2).
const LEAST_WINDOW: f64 = 2.0;
/// Part of the window given back when slow start ends (ns-2).
const SLOW_START_EXCESS: f64 = 1.0 / 8.0;
/// Part of the window that duplicate ACKs leave (ns-2; Brakmo §3.1).
const KEPT_AT_LOSS: f64 = 3.0 / 4.0;

/// What the window does until the next decision.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Growth {
    Hold,
    /// One packet for each acknowledged.
    Double,
    /// This much for each acknowledged: one over the window at the decision.
    Linear(f64),
}

/// TCP Vegas.
#[derive(Clone)]
pub struct Vegas {
    window: Window,
    alpha: f64,
    beta: f64,
    gamma: f64,
    growth: Growth,
    /// This round of slow start is one that may double.
    odd: bool,
    /// Least RTT seen \[s\].
    base: MinRtt<f64>,
    round: Round,
    /// New packets sent in this round.
    sent: f64,
    /// Sum \[s\] and number of the RTTs measured in this round.
    rtts: (f64, f64),
    /// Queued packets at the last decision, for the plot.
    diff: f64,
}

impl Vegas {
    /// For a new connection.
    pub fn new(setup: &Setup, alpha: f64, beta: f64, gamma: f64) -> Vegas {
        Vegas {
            window: Window::new(setup),
            alpha,
            beta,
            gamma,
            growth: Growth::Hold,
            odd: true, // so the first round holds, as in ns-2
            base: MinRtt::default(),
            round: Round::default(),
            sent: 0.0,
            rtts: (0.0, 0.0),
            diff: 0.0,
        }
    }

    /// Once a round trip.
    fn decide(&mut self, flight: f64, rtt: f64) {
        if self.sent <= 1.0 {
            self.base.restart(rtt); // a packet alone on the path meets no queue of ours: follow a change of route
        }
        self.base.sample(rtt);
        let base = self.base.get().unwrap_or(rtt);
        self.diff = libm::floor(flight - self.sent * base / rtt + 0.5);
        self.growth = if self.window.in_slow_start() {
            self.odd = !self.odd;
            if !self.odd {
                Growth::Hold
            } else if self.diff > self.gamma {
                self.window.ssthresh = LEAST_WINDOW;
                self.shrink_by(self.window.cwnd * SLOW_START_EXCESS);
                Growth::Hold
            } else {
                Growth::Double
            }
        } else if self.diff > self.beta {
            self.shrink_by(1.0);
            Growth::Hold
        } else if self.diff < self.alpha {
            Growth::Linear(1.0 / self.window.cwnd)
        } else {
            Growth::Hold
        };
    }

    fn shrink_by(&mut self, packets: f64) {
        let cwnd = self.window.cwnd;
        self.window.cwnd = (cwnd - packets).max(LEAST_WINDOW).min(cwnd);
    }

    fn grow(&mut self, acked: f64) {
        match self.growth {
            Growth::Double if self.window.in_slow_start() => self.window.slow_start(acked),
            Growth::Linear(step) => self.window.cwnd += step * acked,
            Growth::Double | Growth::Hold => {}
        }
    }

    fn forget_round(&mut self) {
        (self.sent, self.rtts) = (0.0, (0.0, 0.0));
    }

    fn restart_round(&mut self, now: Instant) {
        self.round.restart(now);
        self.growth = Growth::Hold;
        self.forget_round();
    }
}

impl Controller for Vegas {
    fn sent(&mut self, packet: &Sent) {
        if !packet.retransmission {
            self.sent += self.window.packets(packet.bytes);
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if ack.recovering {
            self.restart_round(ack.now); // a flight with holes says nothing about a queue
            return;
        }
        let acked = self.window.packets(ack.bytes);
        let began = self.round.began();
        if self.round.ends_with(ack) {
            let (sum, count) = self.rtts;
            let rtt = if count > 0.0 { sum / count } else { (ack.now - began).secs() };
            if rtt > 0.0 {
                self.decide(self.window.packets(ack.in_flight) + acked, rtt);
            }
            self.forget_round();
        }
        if !ack.app_limited {
            self.grow(acked);
        }
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.base.sample(rtt.secs());
            self.rtts = (self.rtts.0 + rtt.secs(), self.rtts.1 + 1.0);
        }
    }

    fn lost(&mut self, loss: &Lost) {
        match loss.kind {
            LossKind::FastRetransmit => {
                self.window.ssthresh = LEAST_WINDOW;
                self.shrink_by((1.0 - KEPT_AT_LOSS) * self.window.cwnd);
            }
            LossKind::Ecn | LossKind::Timeout | LossKind::PersistentCongestion => self.window.lose_as_reno(loss.kind),
        }
        self.restart_round(loss.now);
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
        plot("diff_packets", self.diff);
        if let Some(base) = self.base.get() {
            plot("base_rtt_ms", base * 1e3);
        }
    }
}

impl Windowed for Vegas {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
