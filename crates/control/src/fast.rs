//! FAST TCP (Jin, Wei, Low, INFOCOM 2004; draft-jwl-tcp-fast-01): keeps `alpha` packets in the queue and, once a round trip, goes a part
//! of the way to the window that would.
//!
//! Where this is simpler than the published implementations: an update in every round trip (S: at intervals based on the RTT), whole and at once, with
//! neither pacing nor burstiness control; losses as in Reno, a timeout leaves one packet. There is no slow start: the same law holds from
//! the first ACK on, so the window at most doubles in a round trip, and above `gain`·`alpha` grows by `gain`·`alpha`.

use crate::entry::{Entry, Feedback, Recovery};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::Param;
use crate::round::Round;
use crate::rtt::MinRtt;
use crate::window::{Window, Windowed};
use crate::{Acked, Ask, Controller, Lost, Notice, Permit, Rate, Setup};

/// FAST TCP.
pub const ENTRY: Entry = Entry {
    name: "fast",
    about: "FAST TCP: keeps alpha packets queued, by the RTT (Jin, Wei, Low 2004)",
    params: &[
        Param::number("alpha", 100.0, 0.1, 1e5, "packets to keep in the queue; S §IV-A takes one for each Mbit/s of the bottleneck"),
        Param::number("gain", 0.5, 0.01, 1.0, "part of the way in one round trip (gamma in the draft, whose value is 0.5)"),
        OSCILLATION,
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| oscillating(setup, values, Fast::new(setup, values.number("alpha"), values.number("gain"))),
};

/// The averaged RTT forgets within a third of a window, but no faster than this weight (draft-jwl-tcp-fast-01: min(3/cwnd, 1/4)).
const GREATEST_WEIGHT: f64 = 0.25;
/// See `GREATEST_WEIGHT`: this, over the window, is a sample's weight.
const WEIGHT: f64 = 3.0;
/// Least and greatest `alpha` in S §IV-A's table \[packets\]; beyond it, at 10 Mbit/s and 1 Gbit/s, nothing is extrapolated.
const ALPHAS: (f64, f64) = (10.0, 1000.0);

/// `alpha` for a bottleneck of this rate \[packets\]: S §IV-A's table is 10, 20, 50, … 1000 packets at 10, 20, 50, … 1000 Mbit/s, and
/// interpolating its logarithms gives one packet for each Mbit/s.
pub fn alpha_for(bottleneck: Rate) -> f64 {
    bottleneck.mbps().max(ALPHAS.0).min(ALPHAS.1)
}

/// The window after one update from `w`, with base RTT over RTT as `ratio` (Jin, Wei, Low 2004).
pub fn update(w: f64, ratio: f64, alpha: f64, gain: f64) -> f64 {
    (2.0 * w).min((1.0 - gain) * w + gain * (w * ratio + alpha))
}

/// FAST TCP.
#[derive(Clone)]
pub struct Fast {
    window: Window,
    alpha: f64,
    gain: f64,
    /// Least RTT seen \[s\].
    base: MinRtt<f64>,
    /// Averaged RTT \[s\], once there is a sample.
    rtt: Option<f64>,
    round: Round,
}

impl Fast {
    /// For a new connection.
    pub fn new(setup: &Setup, alpha: f64, gain: f64) -> Fast {
        Fast { window: Window::new(setup), alpha, gain, base: MinRtt::default(), rtt: None, round: Round::default() }
    }

    fn measure(&mut self, sample: f64) {
        self.base.sample(sample);
        let rtt = self.rtt.unwrap_or(sample);
        let weight = (WEIGHT / self.window.cwnd).min(GREATEST_WEIGHT);
        self.rtt = Some(rtt + weight * (sample - rtt));
    }
}

impl Controller for Fast {
    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if let Some(sample) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.measure(sample.secs());
        }
        let ends = self.round.ends_with(ack);
        let (Some(rtt), Some(base)) = (self.rtt.filter(|_| ends && !ack.recovering), self.base.get()) else { return };
        let w = self.window.cwnd;
        let next = update(w, base / rtt, self.alpha, self.gain);
        self.window.cwnd = if ack.app_limited { next.min(w) } else { next }.max(1.0);
    }

    fn lost(&mut self, loss: &Lost) {
        self.window.lose_as_reno(loss.kind);
        self.round.restart(loss.now); // what is in flight left under the old window
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
        if let (Some(rtt), Some(base)) = (self.rtt, self.base.get()) {
            plot("base_rtt_ms", base * 1e3);
            plot("rtt_ms", rtt * 1e3);
        }
    }
}

impl Windowed for Fast {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instant, LossKind, test_path};

    #[test]
    fn alpha_follows_the_table() {
        for mbps in [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0] {
            assert_eq!(alpha_for(Rate::from_mbps(mbps)), mbps);
        }
        // Between 20 and 50 on logarithmic scales.
        let between = libm::exp((libm::log(20.0) + libm::log(50.0)) / 2.0);
        assert!((alpha_for(Rate::from_mbps(between)) - between).abs() < 1e-9);
        assert_eq!(alpha_for(Rate::from_mbps(1.0)), 10.0);
        assert_eq!(alpha_for(Rate::from_mbps(1e4)), 1000.0);
    }

    #[test]
    fn an_update_goes_part_of_the_way_and_at_most_doubles() {
        assert_eq!(update(1000.0, 0.8, 100.0, 0.5), 950.0); // half way from 1000 to 900
        assert_eq!(update(10.0, 1.0, 100.0, 0.5), 20.0); // half way to 110 is 60, but twice is 20
        assert_eq!(update(400.0, 0.75, 100.0, 0.5), 400.0); // alpha = w(1 − base/RTT) rests
    }

    #[test]
    fn alone_it_keeps_alpha_packets_in_the_queue() {
        let setup = test_path::setup(2);
        let trace = test_path::Path::default().run(&mut Fast::new(&setup, 100.0, 0.5), &setup, Instant::from_millis(20_000));
        // 100 Mbit/s for 70.1664 ms in packets of 1000 bytes are 877.1; 100 more wait.
        let last = trace.last().unwrap();
        assert!((last.cwnd - 977.1).abs() < 1.0, "{last:?}");
        assert!((last.queue - 100.0).abs() < 2.0, "{last:?}");
        // 2 to 64 by doubling, 50 a round trip from there: 817/50 = 16 round trips, 22 in all, 1.6 s; then the link is full.
        assert!(trace[0].cwnd < 877.0 && trace[1].cwnd > 877.0, "{trace:?}");
        let overshoot = trace.iter().map(|second| second.cwnd).fold(0.0, f64::max);
        assert!(overshoot < 977.1 * 1.02, "{overshoot}");
    }

    #[test]
    fn a_loss_halves_and_a_timeout_starts_over() {
        let mut fast = Fast::new(&test_path::setup(100), 100.0, 0.5);
        fast.lost(&Lost::new(Instant(5), LossKind::FastRetransmit, crate::Bytes(0)));
        assert_eq!(fast.window.cwnd, 50.0);
        fast.acked(&Acked { now: Instant(6), sent_at: Instant(4), ..test_path::ack() });
        assert_eq!(fast.window.cwnd, 50.0); // of before the loss: no update
        fast.lost(&Lost::new(Instant(7), LossKind::Timeout, crate::Bytes(0)));
        assert_eq!(fast.window.cwnd, 1.0);
        fast.acked(&Acked { now: Instant(9), sent_at: Instant(8), ..test_path::ack() });
        assert_eq!(fast.window.cwnd, 2.0);
    }
}
