//! TCP-Adaptive Reno (Shimonishi, Hama, Murase: *TCP-Adaptive Reno: Improving efficiency-friendliness tradeoffs of TCP congestion control
//! algorithm*, PFLDnet 2006): Reno that grows faster while the RTT shows no congestion, and gives up less at a loss that none foretold.
//!
//! The congestion is `c = min(1, (RTT − RTT_min)/(RTT_cong − RTT_min))`, where RTT_cong is a moving average of the RTT just before each loss. The
//! window is the sum of a base, which grows as Reno's, and a probe. In packets, for each acknowledged
//!
//! ```text
//! W_base  ← W_base + 1/W
//! W_probe ← max(0, W_probe + W_inc/W)       W_inc(c) = W_max·e^(−αc) + βc + γ       W_max = B/M
//! β = 2·W_max(1/α − (1/α + 1)e^(−α))        γ = 1 − 2·W_max(1/α − (1/α + ½)e^(−α))
//! W ← W/(1 + c), all of it base             at a loss
//! ```
//!
//! so that W_inc is one at c = 1 and one in the mean over c ([`increase`]): the probe grows on an idle path and is taken back as the queue
//! fills. Base and probe together thus add two packets a round trip at c = 1, twice what Reno adds.
//!
//! Where this deviates or fills in: the bandwidth B is the rate at which a round trip's packets were acknowledged, smoothed as in TCP Westwood+
//! (Grieco, Mascolo 2004); no ACK grows the window by more than slow start would; before the first loss, when RTT_cong is not known, c is one; a
//! timeout leaves one packet, and a threshold of W/(1 + c).

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::Param;
use crate::round::Round;
use crate::rtt::MinRtt;
use crate::window::{Window, Windowed, may_grow};
use crate::{Acked, Ask, Bytes, Controller, LossKind, Lost, Notice, Permit, Rate, Setup};

/// TCP-Adaptive Reno.
pub const ENTRY: Entry = Entry {
    name: "adaptive-reno",
    about: "TCP-Adaptive Reno: Reno that probes faster where the RTT shows no congestion (Shimonishi, Hama, Murase 2006)",
    params: &[
        Param::number("alpha", 10.0, 0.1, 50.0, "how fast growth falls with congestion; PFLDnet 2006: 10"),
        Param::number("m_mbps", 10.0, 0.1, 1e5, "bandwidth for each packet of greatest growth a round trip, M; PFLDnet 2006: 10 Mbit/s"),
        Param::number("memory", 0.85, 0.0, 0.99, "weight of what was known of the RTT before a loss; PFLDnet 2006: 0.85"),
        OSCILLATION,
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let m = Rate::from_mbps(values.number("m_mbps"));
        oscillating(setup, values, AdaptiveReno::new(setup, values.number("alpha"), m, values.number("memory")))
    },
};

/// Weight of a round trip's rate in the smoothed one (Linux's tcp_westwood; Grieco and Mascolo have 0.1).
const RATE_GAIN: f64 = 0.125;

/// W_inc at congestion `c`, for the greatest growth `most` and the exponent `alpha` \[packets a round trip\].
pub fn increase(c: f64, most: f64, alpha: f64) -> f64 {
    let fade = libm::exp(-alpha);
    let beta = 2.0 * most * (1.0 / alpha - (1.0 / alpha + 1.0) * fade);
    let gamma = 1.0 - 2.0 * most * (1.0 / alpha - (1.0 / alpha + 0.5) * fade);
    most * libm::exp(-alpha * c) + beta * c + gamma
}

/// The congestion that an RTT shows, between those of an idle path and of one that loses; all in the same unit.
pub fn congestion(rtt: f64, least: f64, congested: f64) -> f64 {
    if congested > least { ((rtt - least) / (congested - least)).clamp(0.0, 1.0) } else { 1.0 }
}

/// TCP-Adaptive Reno.
#[derive(Clone)]
pub struct AdaptiveReno {
    alpha: f64,
    /// M \[bytes/s\].
    m: Rate,
    memory: f64,
    /// Base and probe together.
    window: Window,
    /// W_probe \[packets\].
    probe: f64,
    /// Least RTT \[s\].
    least: MinRtt<f64>,
    /// Last RTT \[s\]; none before the first.
    rtt: Option<f64>,
    /// RTT_cong \[s\]; none before the first loss.
    congested: Option<f64>,
    round: Round,
    /// Acknowledged in this round trip.
    acked: Bytes,
    /// B \[bytes/s\].
    rate: f64,
}

impl AdaptiveReno {
    /// For a new connection.
    pub fn new(setup: &Setup, alpha: f64, m: Rate, memory: f64) -> AdaptiveReno {
        AdaptiveReno {
            alpha,
            m,
            memory,
            window: Window::new(setup),
            probe: 0.0,
            least: MinRtt::default(),
            rtt: None,
            congested: None,
            round: Round::default(),
            acked: Bytes::ZERO,
            rate: 0.0,
        }
    }

    /// The congestion now.
    fn congestion(&self) -> f64 {
        match (self.least.get(), self.rtt, self.congested) {
            (Some(least), Some(rtt), Some(congested)) => congestion(rtt, least, congested),
            _ => 1.0,
        }
    }

    /// The RTT just before a loss enters the average.
    fn note_congestion(&mut self) {
        if let Some(rtt) = self.rtt {
            self.congested = Some(self.congested.map_or(rtt, |before| self.memory * before + (1.0 - self.memory) * rtt));
        }
    }

    /// The rate of the round trip that ends with this ACK.
    fn measure_rate(&mut self, ack: &Acked) {
        self.acked += ack.bytes;
        let began = self.round.began();
        if !self.round.ends_with(ack) {
            return;
        }
        let span = (ack.now - began).secs();
        if span > 0.0 {
            let rate = self.acked.as_f64() / span;
            self.rate = if self.rate == 0.0 { rate } else { self.rate + RATE_GAIN * (rate - self.rate) };
        }
        self.acked = Bytes::ZERO;
    }
}

impl Controller for AdaptiveReno {
    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.least.sample(rtt.secs());
            self.rtt = Some(rtt.secs());
        }
        self.measure_rate(ack);
        if !may_grow(ack) {
            return;
        }
        let (acked, w) = (self.window.packets(ack.bytes), self.window.cwnd);
        if self.window.in_slow_start() {
            self.window.slow_start(acked);
            return;
        }
        let wanted = increase(self.congestion(), self.rate / self.m.bytes_per_s(), self.alpha);
        let base = acked / w;
        let probe = (self.probe + wanted * acked / w).clamp(0.0, self.probe + acked - base);
        self.window.cwnd = (w + base + probe - self.probe).max(1.0);
        self.probe = probe;
    }

    fn lost(&mut self, loss: &Lost) {
        if loss.kind.collapses() && self.window.is_backed_off() {
            return; // The same packet again: nothing more is known of congestion.
        }
        self.note_congestion();
        let kept = self.window.cwnd / (1.0 + self.congestion());
        match loss.kind {
            LossKind::FastRetransmit | LossKind::Ecn => self.window.shrink_to(kept),
            LossKind::Timeout | LossKind::PersistentCongestion => self.window.restart_below(kept),
        }
        self.probe = 0.0;
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
        plot("probe_packets", self.probe);
        plot("congestion", self.congestion());
        if let Some(congested) = self.congested {
            plot("congested_rtt_ms", congested * 1e3);
        }
    }
}

impl Windowed for AdaptiveReno {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
