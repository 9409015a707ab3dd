//! The model of the path (§5.5): rounds, rate, aggregation, and what losses take from it.

use super::state::{BETA, Bbr};
use crate::delivery_rate::RateSample;

impl Bbr {
    /// UpdateLatestDeliverySignals (§5.5.10.3).
    pub(super) fn update_latest_delivery_signals(&mut self, rs: &RateSample) {
        self.loss_round_start = false;
        self.bw_latest = self.bw_latest.max(rs.bytes_per_s());
        self.inflight_latest = self.inflight_latest.max(rs.delivered.as_f64());
        if rs.prior_delivered.is_some_and(|prior| prior >= self.loss_round_delivered) {
            self.loss_round_delivered = self.rate.delivered();
            self.loss_round_start = true;
        }
    }

    /// AdvanceLatestDeliverySignals (§5.5.10.3).
    pub(super) fn advance_latest_delivery_signals(&mut self, rs: &RateSample) {
        if self.loss_round_start {
            self.bw_latest = rs.bytes_per_s();
            self.inflight_latest = rs.delivered.as_f64();
        }
    }

    /// ResetCongestionSignals (§5.5.10.3).
    pub(super) fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// UpdateCongestionSignals (§5.5.10.3).
    pub(super) fn update_congestion_signals(&mut self, rs: &RateSample) {
        self.update_max_bw(rs);
        if self.loss_round_start {
            self.adapt_lower_bounds();
            self.is_loss_in_round = false;
        }
    }

    /// UpdateMaxBw (§5.5.5).
    fn update_max_bw(&mut self, rs: &RateSample) {
        self.update_round(rs);
        let bw = rs.bytes_per_s();
        if bw > 0.0 && (bw >= self.max_bw.get() || !rs.app_limited) {
            self.max_bw.update(bw);
        }
    }

    /// UpdateRound (§5.5.1).
    fn update_round(&mut self, rs: &RateSample) {
        self.round_start = rs.prior_delivered.is_some_and(|prior| prior >= self.next_round_delivered);
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
            self.cwnd_limited = (false, self.cwnd_limited.0);
        }
    }

    /// StartRound (§5.5.1).
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.rate.delivered();
    }

    /// C.is_cwnd_limited (§2.2): in the last round trip the window was fully used.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.cwnd_limited.0 || self.cwnd_limited.1
    }

    /// AdaptLowerBoundsFromCongestion (§5.5.10.3).
    fn adapt_lower_bounds(&mut self) {
        if self.state.is_probing_bw() || !self.is_loss_in_round {
            return;
        }
        if self.bw_shortterm == f64::INFINITY {
            self.bw_shortterm = self.max_bw.get();
        }
        if self.inflight_shortterm == f64::INFINITY {
            self.inflight_shortterm = self.cwnd;
        }
        self.bw_shortterm = self.bw_latest.max(BETA * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max(BETA * self.inflight_shortterm);
    }

    /// ResetShortTermModel (§5.5.10.3).
    pub(super) fn reset_short_term_model(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// UpdateACKAggregation (§5.5.9).
    pub(super) fn update_ack_aggregation(&mut self, rs: &RateSample) {
        let extra_acked = &mut self.extra_acked;
        let mut expected = self.bw * (self.now - extra_acked.interval_start).secs();
        if extra_acked.delivered <= expected {
            extra_acked.delivered = 0.0;
            extra_acked.interval_start = self.now;
            expected = 0.0;
        }
        extra_acked.delivered += rs.newly_acked.as_f64();
        let extra = (extra_acked.delivered - expected).min(self.cwnd);
        extra_acked.update(self.round_count, extra);
    }

    /// BDPMultiple (§5.6.4.2) of a rate.
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial_window, |rtt| gain * bw * rtt.secs())
    }

    /// BBR.bdp.
    pub(super) fn bdp(&self) -> f64 {
        self.bdp_multiple(self.bw, 1.0)
    }

    /// TargetInflight (§5.3.3.8.3).
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp().min(self.cwnd)
    }
}
