//! The least RTT, and the state that looks for it (§5.3.4); what a pause changes (§5.4).

use super::state::{AckPhase, Bbr, State};
use crate::delivery_rate::RateSample;
use crate::{Bytes, Span};

/// BBR.MinRTTFilterLen (§2.16.1).
const MIN_RTT_FILTER: Span = Span::from_millis(10_000);
/// BBR.ProbeRTTInterval (§2.16.2).
const PROBE_RTT_INTERVAL: Span = Span::from_millis(5_000);
/// BBR.ProbeRTTDuration (§2.16.2).
const PROBE_RTT_DURATION: Span = Span::from_millis(200);

impl Bbr {
    /// UpdateMinRTT (§5.3.4.3).
    pub(super) fn update_min_rtt(&mut self, rs: &RateSample) {
        self.probe_rtt_expired = self.now > self.probe_rtt_min_stamp.saturating_add(PROBE_RTT_INTERVAL);
        if let Some(rtt) = rs.rtt
            && (self.probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|least| rtt < least))
        {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (Some(rtt), self.now);
        }
        let expired = self.now > self.min_rtt_stamp.saturating_add(MIN_RTT_FILTER);
        if let Some(least) = self.probe_rtt_min_delay
            && (expired || self.min_rtt.is_none_or(|min_rtt| least < min_rtt))
        {
            (self.min_rtt, self.min_rtt_stamp) = (Some(least), self.probe_rtt_min_stamp);
        }
        if let Some(rtt) = rs.rtt.filter(|rtt| *rtt > Span::ZERO && !self.has_rtt) {
            self.has_rtt = true;
            self.init_pacing_rate(rtt);
        }
    }

    /// CheckProbeRTT (§5.3.4.3).
    pub(super) fn check_probe_rtt(&mut self, rs: &RateSample) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt();
        }
        if rs.delivered > Bytes::ZERO {
            self.idle_restart = false;
        }
    }

    /// HandleProbeRTT (§5.3.4.3).
    fn handle_probe_rtt(&mut self) {
        self.rate.limited(Bytes::from_f64(self.inflight)); // its low samples tell nothing of the path
        match self.probe_rtt_done_stamp {
            None if self.inflight <= self.probe_rtt_cwnd() => {
                self.probe_rtt_done_stamp = Some(self.now.saturating_add(PROBE_RTT_DURATION));
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            Some(_) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done {
                    self.check_probe_rtt_done();
                }
            }
            None => {}
        }
    }

    /// CheckProbeRTTDone and ExitProbeRTT (§5.3.4.3, §5.3.4.4).
    fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done_stamp.is_some_and(|done| self.now > done) {
            self.probe_rtt_min_stamp = self.now;
            self.restore_cwnd();
            self.reset_short_term_model();
            if self.full_bw_reached {
                self.start_down();
                self.state = State::Cruise;
            } else {
                self.state = State::Startup;
            }
        }
    }

    /// ProbeRTTCwnd (§5.6.4.5).
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, State::ProbeRtt.cwnd_gain()).max(self.min_pipe_cwnd())
    }

    /// HandleRestartFromIdle (§5.4.1): a packet leaves with nothing else in flight.
    pub(super) fn restart_from_idle(&mut self) {
        if !self.rate.is_app_limited() {
            return;
        }
        self.idle_restart = true;
        self.extra_acked.interval_start = self.now;
        if self.state.is_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done();
        }
    }
}
