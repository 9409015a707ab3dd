//! What the model makes of the sending: pacing rate and window (§5.6).

use super::state::{Bbr, State};
use crate::delivery_rate::RateSample;
use crate::{Rate, Sent};

/// What BBR.PacingMarginPercent = 1 leaves of the rate (§2.5).
const PACING_MARGIN: f64 = 0.99;
/// BBR.MinPipeCwnd (§2.8) \[packets\]: two on the way there, and the ACKs of two on the way back.
const MIN_PIPE_PACKETS: f64 = 4.0;
/// The most that leaves as a unit (§5.6.3) \[bytes\].
const MOST_QUANTUM: f64 = 65_536.0;
/// The least (§5.6.3) \[packets\].
const LEAST_QUANTUM: f64 = 2.0;
/// BBR.offload_budget is so many quanta (§5.5.8.1).
const BUDGET_QUANTA: f64 = 3.0;
/// What ProbeBW_UP adds to a bound (§5.6.4.2) \[packets\].
const UP_PACKETS: f64 = 2.0;

impl Bbr {
    /// BBR.MinPipeCwnd.
    pub(super) fn min_pipe_cwnd(&self) -> f64 {
        MIN_PIPE_PACKETS * self.packet
    }

    /// SetPacingRateWithGain (§5.6.2).
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * PACING_MARGIN;
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// A packet left: when the next may (§5.6.2).
    pub(super) fn pace(&mut self, packet: &Sent) {
        let gap = Rate::from_bytes_per_s(self.pacing_rate).time_for(packet.bytes);
        self.next_send_time = self.next_send_time.max(packet.now - self.timer).saturating_add(gap);
    }

    /// QuantizationBudget (§5.6.4.2) with UpdateOffloadBudget (§5.5.8.1) and SetSendQuantum (§5.6.3).
    fn quantization_budget(&self, cap: f64) -> f64 {
        let quantum = (self.pacing_rate * self.timer.secs()).min(MOST_QUANTUM).max(LEAST_QUANTUM * self.packet);
        let cap = cap.max(BUDGET_QUANTA * quantum).max(self.min_pipe_cwnd());
        if self.state == State::Up { cap + UP_PACKETS * self.packet } else { cap }
    }

    /// Inflight(1.0) (§5.6.4.2) at a rate.
    pub(super) fn inflight_of(&self, bw: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(bw, 1.0))
    }

    /// UpdateMaxInflight (§5.6.4.2).
    fn max_inflight(&self) -> f64 {
        let cap = self.bdp_multiple(self.bw, self.state.cwnd_gain()) + self.extra_acked.get(self.full_bw_reached);
        self.quantization_budget(cap)
    }

    /// SetCwnd (§5.6.4.6).
    pub(super) fn set_cwnd(&mut self, rs: &RateSample) {
        let (max_inflight, acked) = (self.max_inflight(), rs.newly_acked.as_f64());
        if self.full_bw_reached {
            self.cwnd = (self.cwnd + acked).min(max_inflight);
        } else if self.cwnd < max_inflight || (self.rate.delivered() as f64) < self.initial_window {
            self.cwnd += acked;
        }
        self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd()); // BoundCwndForProbeRTT (§5.6.4.5)
        }
        self.bound_cwnd_for_model();
    }

    /// BoundCwndForModel (§5.6.4.7).
    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(cap.min(self.inflight_shortterm).max(self.min_pipe_cwnd()));
    }
}
