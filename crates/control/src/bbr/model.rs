//! The model of the path (§4.1.1), and the states in which it is probed (§4.3).

use super::{Bbr, CYCLE, Recovery, State};
use crate::delivery_rate::RateSample;
use crate::{Bytes, Instant, Span};

/// RTpropFilterLen (§4.1.1.3).
const MIN_RTT_FILTER: Span = Span::from_millis(10_000);
/// ProbeRTTDuration (§4.3.5).
const PROBE_RTT_DURATION: Span = Span::from_millis(200);
/// §4.3.2.2: a pipe is full when the rate has not grown by so much in so many rounds.
const STARTUP_GROWTH: f64 = 1.25;
const STARTUP_ROUNDS: u32 = 3;
/// Linux' `bbr_extra_acked_max_us`: no more than this of the rate is allowed for ACKs that come together.
const EXTRA_ACKED_MOST: Span = Span::from_millis(100);

impl Bbr {
    /// BBRUpdateBtlBw and BBRUpdateRound (§4.1.1.3).
    pub(super) fn update_btl_bw(&mut self, rs: &RateSample) {
        self.round_start = rs.prior_delivered.is_some_and(|prior| prior >= self.next_round_delivered);
        if self.round_start {
            self.next_round_delivered = self.rate.delivered();
            self.round_count += 1;
            if let Recovery::Fast { conserving } = &mut self.recovery {
                *conserving = false;
            }
        }
        let bw = rs.bytes_per_s();
        if bw > 0.0 && (bw >= self.bw.get() || !rs.app_limited) {
            self.bw.update(self.round_count, bw);
        }
    }

    /// Linux' `bbr_update_ack_aggregation`: what was acknowledged beyond the rate since ACKs last came no faster than that.
    pub(super) fn update_ack_aggregation(&mut self, rs: &RateSample) {
        let mut expected = self.bw.get() * (self.now - self.epoch_start).secs();
        if self.epoch_acked <= expected {
            (self.epoch_start, self.epoch_acked, expected) = (self.now, 0.0, 0.0);
        }
        self.epoch_acked += rs.newly_acked.as_f64();
        self.extra_acked.update(self.round_count, (self.epoch_acked - expected).min(self.cwnd));
    }

    /// What of it the window allows for.
    pub(super) fn aggregated(&self) -> f64 {
        self.extra_acked.get().min(self.bw.get() * EXTRA_ACKED_MOST.secs())
    }

    /// BBRFullPipe.
    pub(super) fn is_pipe_full(&self) -> bool {
        self.full_bw_count >= STARTUP_ROUNDS
    }

    /// BBRCheckFullPipe (§4.3.2.2), and the end of Startup.
    pub(super) fn check_full_pipe(&mut self, rs: &RateSample) {
        if !self.is_pipe_full() && self.round_start && !rs.app_limited {
            if self.bw.get() >= self.full_bw * STARTUP_GROWTH {
                (self.full_bw, self.full_bw_count) = (self.bw.get(), 0);
            } else {
                self.full_bw_count += 1;
            }
        }
        if self.state == State::Startup && self.is_pipe_full() {
            self.state = State::Drain;
        }
    }

    /// What of a flight will be under way when the next packet leaves (Linux' `bbr_packets_in_net_at_edt`).
    fn in_network(&self, in_flight: f64) -> f64 {
        (in_flight - self.bw.get() * (self.next_send_time - self.now).secs()).max(0.0)
    }

    /// BBRCheckDrain (§4.3.3).
    pub(super) fn check_drain(&mut self) {
        if self.state == State::Drain && self.in_network(self.in_flight) <= self.inflight(1.0) {
            self.enter_probe_bw();
        }
    }

    /// BBREnterProbeBW (§4.3.4.3): at any phase but that of less, so that flows do not all probe at once.
    pub(super) fn enter_probe_bw(&mut self) {
        let phases = CYCLE.len();
        let drawn = (self.random.uniform() * (phases - 1) as f64) as usize;
        self.state = State::ProbeBw((phases - drawn) % phases);
        self.cycle_stamp = self.now;
    }

    /// BBRCheckCyclePhase and BBRIsNextCyclePhase (§4.3.4.3).
    pub(super) fn check_cycle_phase(&mut self, rs: &RateSample) {
        let State::ProbeBw(phase) = self.state else { return };
        let full_length = self.now - self.cycle_stamp > self.min_rtt.unwrap_or(Span::ZERO);
        let gain = CYCLE[phase];
        let before = self.in_flight + (rs.newly_acked + rs.newly_lost).as_f64();
        let over = if gain > 1.0 {
            let leaves = self.in_network(before) + self.quantum();
            full_length && (rs.newly_lost > Bytes::ZERO || leaves >= self.inflight(gain))
        } else if gain < 1.0 {
            full_length || self.in_network(before) <= self.inflight(1.0)
        } else {
            full_length
        };
        if over {
            self.state = State::ProbeBw((phase + 1) % CYCLE.len());
            self.cycle_stamp = self.now;
        }
    }

    /// BBRUpdateRTprop (§4.1.1.3), and what it makes of an expired one (§4.3.5).
    pub(super) fn update_rtprop(&mut self, rs: &RateSample) {
        let expired = self.now > self.min_rtt_stamp.saturating_add(MIN_RTT_FILTER);
        if let Some(rtt) = rs.rtt {
            if expired || self.min_rtt.is_none_or(|least| rtt <= least) {
                (self.min_rtt, self.min_rtt_stamp) = (Some(rtt), self.now);
            }
            if !self.has_rtt && rtt > Span::ZERO {
                self.has_rtt = true;
                self.init_pacing_rate(rtt);
            }
        }
        if expired && !self.idle_restart && self.state != State::ProbeRtt {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done_stamp = None;
        }
    }

    /// BBRHandleProbeRTT (§4.3.5).
    pub(super) fn check_probe_rtt(&mut self, rs: &RateSample) {
        if self.state == State::ProbeRtt {
            self.rate.limited(Bytes::from_f64(self.in_flight)); // its low samples tell nothing of the path
            match self.probe_rtt_done_stamp {
                None if self.in_flight <= self.min_pipe_cwnd() => {
                    self.probe_rtt_done_stamp = Some(self.now.saturating_add(PROBE_RTT_DURATION));
                    self.probe_rtt_round_done = false;
                    self.next_round_delivered = self.rate.delivered();
                }
                Some(done) => {
                    self.probe_rtt_round_done |= self.round_start;
                    if self.probe_rtt_round_done {
                        self.check_probe_rtt_done(done);
                    }
                }
                None => {}
            }
        }
        if rs.delivered > Bytes::ZERO {
            self.idle_restart = false;
        }
    }

    /// BBRExitProbeRTT (§4.3.5).
    fn check_probe_rtt_done(&mut self, done: Instant) {
        if self.now > done {
            self.min_rtt_stamp = self.now;
            self.restore_cwnd();
            if self.is_pipe_full() {
                self.enter_probe_bw();
            } else {
                self.state = State::Startup;
            }
        }
    }

    /// BBRHandleRestartFromIdle (§4.3.4.4).
    pub(super) fn restart_from_idle(&mut self) {
        self.idle_restart = true;
        (self.epoch_start, self.epoch_acked) = (self.now, 0.0);
        match (self.state, self.probe_rtt_done_stamp) {
            (State::ProbeBw(_), _) => self.set_pacing_rate_with(1.0),
            (State::ProbeRtt, Some(done)) => self.check_probe_rtt_done(done),
            _ => {}
        }
    }
}
