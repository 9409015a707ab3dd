//! What losses do (§5.5.10), recovery (§5.6.4.4), and their undoing (§5.5.11).

use super::state::{BETA, Bbr, LOSS_THRESH, Recovery, State, Undo};
use crate::PacketLost;
use crate::delivery_rate::LostPacket;

impl Bbr {
    /// NoteLoss (§5.5.10.2).
    pub(super) fn note_loss(&mut self) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.rate.delivered();
        }
        self.is_loss_in_round = true;
    }

    /// HandleLostPacket (§5.5.10.2).
    pub(super) fn handle_lost_packet(&mut self, packet: &PacketLost) {
        self.note_loss();
        if !self.undo.open {
            self.save_state_upon_loss();
        }
        let (ranges, last) = self.loss_events;
        let joins = last.is_some_and(|last| packet.number.checked_sub(1) == Some(last));
        self.loss_events = (ranges.saturating_add(u32::from(!joins)), Some(packet.number));
        let Some(lost) = self.rate.lost(packet).filter(|_| self.is_bw_probe_sample) else { return };
        if lost.lost.as_f64() > lost.tx_in_flight.as_f64() * LOSS_THRESH {
            self.handle_inflight_too_high(inflight_at_loss(&lost, packet.bytes.as_f64()), lost.app_limited);
        }
    }

    /// HandleInflightTooHigh (§5.5.10.2).
    fn handle_inflight_too_high(&mut self, inflight: f64, app_limited: bool) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !app_limited {
            self.inflight_longterm = inflight.max(self.target_inflight() * BETA);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down();
        }
    }

    /// SaveStateUponLoss (§5.5.11.1).
    fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            open: true,
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// SaveCwnd (§5.6.4.4).
    pub(super) fn save_cwnd(&mut self) {
        let modulated = self.recovery != Recovery::Open || self.state == State::ProbeRtt;
        self.prior_cwnd = if modulated { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// RestoreCwnd (§5.6.4.4).
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// OnEnterFastRecovery (§5.6.4.4). The state was saved at the first loss, before what it led to.
    pub(super) fn enter_fast_recovery(&mut self) {
        self.save_cwnd();
        self.recovery = Recovery::Fast;
    }

    /// OnEnterRTO (§5.6.4.4).
    pub(super) fn enter_rto(&mut self, inflight: f64) {
        self.save_cwnd();
        self.recovery = Recovery::Timeout(self.highest_sent);
        self.cwnd = self.cwnd.min(inflight + self.packet);
    }

    /// Recovery is over.
    pub(super) fn recovered(&mut self) {
        self.recovery = Recovery::Open;
        self.undo.open = false;
        self.restore_cwnd();
    }

    /// HandleSpuriousLossDetection (§5.5.11.2).
    pub(super) fn handle_spurious_loss(&mut self) {
        self.restore_cwnd();
        self.undo.open = false;
        self.is_loss_in_round = false;
        self.reset_full_bw(0.0);
        self.bw_shortterm = self.bw_shortterm.max(self.undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        let probing = self.state == State::ProbeRtt;
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if !probing {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && !probing => self.start_refill(),
            _ => {}
        }
    }
}

/// InflightAtLoss (§5.5.10.2): what was in flight when losses passed the threshold.
pub(super) fn inflight_at_loss(lost: &LostPacket, size: f64) -> f64 {
    let (inflight_prev, lost_prev) = (lost.tx_in_flight.as_f64() - size, lost.lost.as_f64() - size);
    let lost_prefix = (LOSS_THRESH * inflight_prev - lost_prev) / (1.0 - LOSS_THRESH);
    inflight_prev + lost_prefix
}
