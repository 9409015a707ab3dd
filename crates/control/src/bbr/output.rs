//! What the model makes of the sending: pacing rate and window (§4.2).

use super::{Bbr, CWND_GAIN, CYCLE, DRAIN_GAIN, HIGH_GAIN, Recovery, State};
use crate::delivery_rate::RateSample;
use crate::{Rate, Sent, Span};

/// What Linux' `bbr_pacing_margin_percent` of 1 leaves of the rate.
const PACING_MARGIN: f64 = 0.99;
/// BBRMinPipeCwnd (§4.2.3.2) \[packets\]: two on the way there, and the ACKs of two on the way back.
const MIN_PIPE_PACKETS: f64 = 4.0;
/// What leaves as a unit in Linux (§4.2.2): a millisecond of the rate, at least this \[packets\], at most this \[bytes\].
const QUANTUM: Span = Span::from_millis(1);
const LEAST_QUANTUM: f64 = 2.0;
const MOST_QUANTUM: f64 = 65_536.0;
/// §4.2.3.2: one in the queue of the host, one in its device, one that the receiver gathers.
const QUANTA: f64 = 3.0;
/// Linux' `bbr_quantization_budget`: a phase of probing is to show even where a window is a few packets.
const PROBE_PACKETS: f64 = 2.0;

impl Bbr {
    fn gains(&self) -> (f64, f64) {
        match self.state {
            State::Startup => (HIGH_GAIN, HIGH_GAIN),
            State::Drain => (DRAIN_GAIN, HIGH_GAIN),
            State::ProbeBw(phase) => (CYCLE[phase], CWND_GAIN),
            State::ProbeRtt => (1.0, 1.0),
        }
    }

    /// BBRInitPacingRate (§4.2.1).
    pub(super) fn init_pacing_rate(&mut self, rtt: Span) {
        self.pacing_rate = HIGH_GAIN * self.initial_window / rtt.secs();
    }

    /// BBRSetPacingRate (§4.2.1).
    pub(super) fn set_pacing_rate(&mut self) {
        let (gain, _) = self.gains();
        self.set_pacing_rate_with(gain);
    }

    /// BBRSetPacingRateWithGain (§4.2.1).
    pub(super) fn set_pacing_rate_with(&mut self, gain: f64) {
        let rate = gain * self.bw.get() * PACING_MARGIN;
        if rate > 0.0 && (self.is_pipe_full() || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// A packet left: when the next may.
    pub(super) fn pace(&mut self, packet: &Sent) {
        let gap = Rate::from_bytes_per_s(self.pacing_rate).time_for(packet.bytes);
        self.next_send_time = self.next_send_time.max(packet.now - self.timer).saturating_add(gap);
    }

    /// BBRMinPipeCwnd.
    pub(super) fn min_pipe_cwnd(&self) -> f64 {
        MIN_PIPE_PACKETS * self.packet
    }

    /// BBR.send_quantum.
    pub(super) fn quantum(&self) -> f64 {
        (self.pacing_rate * QUANTUM.secs()).min(MOST_QUANTUM).max(LEAST_QUANTUM * self.packet)
    }

    /// BBRInflight (§4.2.3.2), with Linux' allowance for quanta.
    pub(super) fn inflight(&self, gain: f64) -> f64 {
        let Some(rtt) = self.min_rtt else { return self.initial_window };
        let probing = if self.state == State::ProbeBw(0) { PROBE_PACKETS * self.packet } else { 0.0 };
        gain * self.bw.get() * rtt.secs() + QUANTA * self.quantum() + probing
    }

    /// BBRSetCwnd (§4.2.3.5), with BBRModulateCwndForRecovery (§4.2.3.4) and BBRModulateCwndForProbeRTT (§4.2.3.3).
    pub(super) fn set_cwnd(&mut self, rs: &RateSample) {
        let acked = rs.newly_acked.as_f64();
        if self.recovery != Recovery::Open {
            self.cwnd = (self.cwnd - rs.newly_lost.as_f64()).max(self.packet);
        }
        if self.recovery == (Recovery::Fast { conserving: true }) {
            self.cwnd = self.cwnd.max((self.in_flight + acked).min(self.prior_cwnd));
        } else {
            let (_, gain) = self.gains();
            let target = self.inflight(gain) + if self.is_pipe_full() { self.aggregated() } else { 0.0 };
            if self.is_pipe_full() {
                self.cwnd = (self.cwnd + acked).min(target);
            } else if self.cwnd < target || (self.rate.delivered() as f64) < self.initial_window {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_pipe_cwnd());
        }
    }
}
