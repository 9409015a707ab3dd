//! The state machine but for ProbeRTT: Startup, Drain and the cycle of ProbeBW (§5.3.1 to §5.3.3).

use super::state::{AckPhase, Bbr, HEADROOM, LOSS_THRESH, Recovery, State};
use crate::Span;
use crate::delivery_rate::RateSample;

/// A round in which the rate grew by a quarter shows a pipe that is not full (§5.3.1.2).
const FULL_BW_GROWTH: f64 = 1.25;
/// Rounds of less growth that show a full one (§5.3.1.2).
const FULL_BW_ROUNDS: u32 = 3;
/// BBRStartupFullLossCnt (§5.3.1.3): ranges of packets lost in a round.
const STARTUP_FULL_LOSS_COUNT: u32 = 6;
/// Drain ends after so many rounds (§5.3.2).
const DRAIN_ROUNDS: u64 = 3;
/// T_reno_bound (§5.3.3.8.2) \[rounds\].
const RENO_ROUNDS: f64 = 63.0;
/// T_bbr (§5.3.3.8.2): between 2 and 3 s.
const PROBE_WAIT: (Span, Span) = (Span::from_millis(2000), Span::from_millis(1000));
/// §5.3.3.9, RaiseInflightLongtermSlope.
const MOST_UP_ROUNDS: u32 = 30;

impl Bbr {
    /// ResetFullBW (§5.3.1.2).
    pub(super) fn reset_full_bw(&mut self, baseline: f64) {
        self.full_bw = baseline;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    /// CheckFullBWReached (§5.3.1.2).
    pub(super) fn check_full_bw_reached(&mut self, rs: &RateSample) {
        if self.full_bw_now || !self.round_start || rs.app_limited {
            return;
        }
        let bw = rs.bytes_per_s();
        if bw >= self.full_bw * FULL_BW_GROWTH {
            self.reset_full_bw(bw);
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= FULL_BW_ROUNDS;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// CheckStartupDone (§5.3.1.1).
    pub(super) fn check_startup_done(&mut self, rs: &RateSample) {
        self.check_startup_high_loss(rs);
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.round_count;
        }
    }

    /// CheckStartupHighLoss (§5.3.1.3): judged at the end of a round of recovery.
    fn check_startup_high_loss(&mut self, rs: &RateSample) {
        if !self.loss_round_start {
            return;
        }
        let (events, _) = core::mem::take(&mut self.loss_events);
        let high = events >= STARTUP_FULL_LOSS_COUNT && rs.lost.as_f64() > rs.tx_in_flight.as_f64() * LOSS_THRESH;
        if !self.full_bw_reached && self.recovery == Recovery::Fast && high {
            self.undo.state = Some(State::Startup);
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp().max(self.inflight_latest);
        }
    }

    /// CheckDrainDone (§5.3.2).
    pub(super) fn check_drain_done(&mut self) {
        let drained = self.inflight <= self.inflight_of(self.bw) || self.round_count > self.drain_start_round + DRAIN_ROUNDS;
        if self.state == State::Drain && drained {
            self.start_down();
        }
    }

    /// UpdateProbeBWCyclePhase (§5.3.3.9).
    pub(super) fn update_probe_bw_cycle_phase(&mut self, rs: &RateSample) {
        if !self.full_bw_reached || self.adapt_long_term_model(rs) {
            return;
        }
        if self.state == State::Up && self.is_time_to_go_down(rs) {
            self.prev_probe_too_high = false;
            self.start_down();
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe_bw() => self.start_refill(),
            State::Down if self.is_time_to_cruise() => self.state = State::Cruise,
            State::Refill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_up(rs);
            }
            _ => {}
        }
    }

    /// StartProbeBW_DOWN (§5.3.3.9).
    pub(super) fn start_down(&mut self) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = f64::INFINITY;
        self.pick_probe_wait();
        self.cycle_stamp = self.now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    /// StartProbeBW_REFILL (§5.3.3.9).
    pub(super) fn start_refill(&mut self) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    /// StartProbeBW_UP (§5.3.3.9).
    fn start_up(&mut self, rs: &RateSample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw(rs.bytes_per_s());
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    /// PickProbeWait (§5.3.3.8.3).
    fn pick_probe_wait(&mut self) {
        self.rounds_since_probe_up = u64::from(self.random.chance(0.5));
        self.bw_probe_wait = PROBE_WAIT.0 + PROBE_WAIT.1.scale(self.random.uniform());
    }

    /// IsTimeToProbeBW (§5.3.3.8.3).
    fn is_time_to_probe_bw(&self) -> bool {
        let reno_rounds = (self.target_inflight() / self.packet).min(RENO_ROUNDS);
        self.now > self.cycle_stamp.saturating_add(self.bw_probe_wait) || self.rounds_since_probe_up as f64 >= reno_rounds
    }

    /// IsTimeToCruise (§5.3.3.9).
    fn is_time_to_cruise(&self) -> bool {
        self.inflight <= self.inflight_with_headroom() && self.inflight <= self.inflight_of(self.max_bw.get())
    }

    /// IsTimeToGoDown (§5.3.3.9).
    fn is_time_to_go_down(&mut self, rs: &RateSample) -> bool {
        if self.prev_probe_too_high && self.inflight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw(rs.bytes_per_s()); // the bound, and not the path, is what limits the rate
            return false;
        }
        self.full_bw_now
    }

    /// InflightWithHeadroom (§5.3.3.9).
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let bound = self.inflight_longterm;
        if bound == f64::INFINITY { bound } else { (bound - self.packet.max(HEADROOM * bound)).max(self.min_pipe_cwnd()) }
    }

    /// RaiseInflightLongtermSlope (§5.3.3.9).
    fn raise_inflight_longterm_slope(&mut self) {
        let growth = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(MOST_UP_ROUNDS);
        self.probe_up_acked_per_inc = (self.cwnd / growth).max(self.packet);
    }

    /// ProbeInflightLongtermUpward (§5.3.3.9).
    fn probe_inflight_longterm_upward(&mut self, rs: &RateSample) {
        if !self.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += rs.newly_acked.as_f64();
        let steps = libm::floor(self.bw_probe_up_acked / self.probe_up_acked_per_inc);
        if steps > 0.0 {
            self.bw_probe_up_acked -= steps * self.probe_up_acked_per_inc;
            self.inflight_longterm += steps * self.packet;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// AdaptLongTermModel (§5.3.3.9). Whether it has decided on a state.
    fn adapt_long_term_model(&mut self, rs: &RateSample) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() && !rs.app_limited {
                self.max_bw.advance();
            }
            if self.state.is_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        let too_high = rs.lost.as_f64() > rs.tx_in_flight.as_f64() * LOSS_THRESH;
        if !too_high && self.inflight_longterm < f64::INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(rs.tx_in_flight.as_f64());
            if self.state == State::Up {
                self.probe_inflight_longterm_upward(rs);
            }
        }
        false
    }
}
