//! BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00), as Linux ships it: it models the path by the greatest rate at which it
//! delivered and by its least RTT, paces at that rate, and keeps at most two of their products in flight. No loss changes its model.
//!
//! "§" is the draft's section, and names are the draft's. Sizes are bytes on the wire, rates bytes a second.
//!
//! Where this deviates from the draft, after Linux' `tcp_bbr.c`, which it is compared with:
//! - the pacing rate leaves 1 % of the rate, windows allow for aggregated ACKs, and a phase is judged by what will be under way when the next packet
//!   leaves (all came after the draft);
//! - packets are paced one by one, not in quanta, and a departure that the timer missed is made up for by as much;
//! - the detector of policers, which acts from 20 % of loss on, is left out.

mod model;
mod output;

use alloc::boxed::Box;

use symbiosis_base::Random;

use crate::delivery_rate::{DeliveryRate, RateSample};
use crate::entry::{Entry, Feedback, Recovery as TcpRecovery};
use crate::round::RoundMax;
use crate::{
    AckProcessed, Acked, Ask, Basis, Bytes, Controller, Departure, Instant, LossKind, Lost, Notice, PacketLost, Permit, Sent, Setup, Span,
};

/// BBR version 1.
pub const ENTRY: Entry = Entry {
    name: "bbr",
    about: "BBR version 1, as in Linux: paced by a model of the path's rate and least RTT, which no loss changes",
    params: &[],
    recovery: TcpRecovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, _| Box::new(Bbr::new(setup)),
};

/// BBRHighGain (§4.1.1): 2/ln 2, the least with which the rate doubles each round.
const HIGH_GAIN: f64 = 2.885;
/// §4.1.2.1: what Startup has queued drains in the time that it took.
const DRAIN_GAIN: f64 = 1.0 / HIGH_GAIN;
/// §4.1.2.1: room for ACKs that are late or merged.
const CWND_GAIN: f64 = 2.0;
/// The pacing gains of ProbeBW, a round trip each (§4.1.2.2): more, as much less, and six round trips of the rate itself.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// BBRBtlBwFilterLen (§4.1.1.3) \[rounds\]: a cycle, and some.
const BW_ROUNDS: usize = 10;
/// Linux' `bbr_extra_acked_win_rtts` \[rounds\].
const EXTRA_ACKED_ROUNDS: usize = 10;

/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    /// With the phase of its cycle.
    ProbeBw(usize),
    ProbeRtt,
}

/// What recovery is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    Open,
    /// Its first round sends no more than is delivered (§4.2.3.4).
    Fast {
        conserving: bool,
    },
    /// Until a packet of a higher number is acknowledged.
    Timeout(u64),
    /// With the ACK under way.
    Over,
}

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr {
    packet: f64,
    initial_window: f64,
    timer: Span,
    random: Random,
    rate: DeliveryRate,
    now: Instant,
    in_flight: f64,
    state: State,
    highest_sent: u64,

    // Rounds (§4.1.1.3).
    round_count: u64,
    round_start: bool,
    next_round_delivered: u64,

    // The model (§4.1.1).
    bw: RoundMax<BW_ROUNDS>,
    min_rtt: Option<Span>,
    min_rtt_stamp: Instant,
    extra_acked: RoundMax<EXTRA_ACKED_ROUNDS>,
    epoch_start: Instant,
    epoch_acked: f64,

    // The full pipe (§4.3.2.2), and the cycle (§4.3.4.2).
    full_bw: f64,
    full_bw_count: u32,
    cycle_stamp: Instant,

    // ProbeRTT (§4.3.5), and a pause (§4.3.4.4).
    probe_rtt_done_stamp: Option<Instant>,
    probe_rtt_round_done: bool,
    idle_restart: bool,

    // Recovery (§4.2.3.4).
    recovery: Recovery,
    prior_cwnd: f64,

    // Output (§4.2).
    cwnd: f64,
    pacing_rate: f64,
    has_rtt: bool,
    next_send_time: Instant,
}

impl Bbr {
    /// BBRInit (§4.3.1).
    pub fn new(setup: &Setup) -> Bbr {
        /// An RTT before the first was measured (§4.2.1).
        const INITIAL_RTT: Span = Span::from_millis(1);
        let packet = setup.packet.as_f64().max(1.0);
        let initial_window = setup.initial_window.as_f64().max(packet);
        let mut bbr = Bbr {
            packet,
            initial_window,
            timer: setup.timer,
            random: Random::new(setup.seed, 0),
            rate: DeliveryRate::default(),
            now: Instant::START,
            in_flight: 0.0,
            state: State::Startup,
            highest_sent: 0,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            bw: RoundMax::default(),
            min_rtt: None,
            min_rtt_stamp: Instant::START,
            extra_acked: RoundMax::default(),
            epoch_start: Instant::START,
            epoch_acked: 0.0,
            full_bw: 0.0,
            full_bw_count: 0,
            cycle_stamp: Instant::START,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            recovery: Recovery::Open,
            prior_cwnd: 0.0,
            cwnd: initial_window,
            pacing_rate: 0.0,
            has_rtt: false,
            next_send_time: Instant::START,
        };
        bbr.init_pacing_rate(INITIAL_RTT);
        bbr
    }

    /// BBRUpdateOnACK (§4.2).
    fn update_on_ack(&mut self, rs: &RateSample) {
        self.update_btl_bw(rs);
        self.update_ack_aggregation(rs);
        self.check_cycle_phase(rs);
        self.check_full_pipe(rs);
        self.check_drain();
        self.update_rtprop(rs);
        self.check_probe_rtt(rs);
        self.set_pacing_rate();
        self.set_cwnd(rs);
    }

    /// BBRSaveCwnd (§4.2.3.4).
    fn save_cwnd(&mut self) {
        let modulated = self.recovery != Recovery::Open || self.state == State::ProbeRtt;
        self.prior_cwnd = if modulated { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// BBRRestoreCwnd (§4.2.3.4).
    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}

impl Controller for Bbr {
    fn sent(&mut self, packet: &Sent) {
        self.now = packet.now;
        if packet.in_flight <= packet.bytes && self.rate.is_app_limited() {
            self.restart_from_idle();
        }
        self.highest_sent = self.highest_sent.max(packet.number);
        self.rate.sent(packet);
        self.in_flight = packet.in_flight.as_f64();
        self.pace(packet);
    }

    fn acked(&mut self, ack: &Acked) {
        self.rate.acked(ack);
        if matches!(self.recovery, Recovery::Timeout(point) if ack.number > point) {
            self.recovery = Recovery::Over;
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.now = packet.now;
        self.rate.lost(packet);
    }

    fn lost(&mut self, loss: &Lost) {
        self.now = loss.now;
        let left = (loss.in_flight - loss.bytes).as_f64();
        match loss.kind {
            LossKind::FastRetransmit => {
                self.save_cwnd();
                self.recovery = Recovery::Fast { conserving: true };
                self.next_round_delivered = self.rate.delivered();
                self.cwnd = self.cwnd.min(left + self.packet);
            }
            LossKind::Timeout | LossKind::PersistentCongestion => {
                self.save_cwnd();
                self.recovery = Recovery::Timeout(self.highest_sent);
                self.full_bw = 0.0;
                self.cwnd = self.cwnd.min(left + self.packet);
            }
            // The model asks for no marks.
            LossKind::Ecn => {}
        }
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        self.now = ack.now;
        self.in_flight = ack.in_flight.as_f64();
        let sample = self.rate.take(ack.now);
        if self.recovery == Recovery::Over || matches!(self.recovery, Recovery::Fast { .. }) && !ack.recovering {
            self.recovery = Recovery::Open;
            self.restore_cwnd();
        }
        // A timeout acknowledges nothing: what it says was told by the losses.
        if sample.newly_acked > Bytes::ZERO {
            self.update_on_ack(&sample);
        }
    }

    fn notice(&mut self, notice: &Notice) {
        match *notice {
            Notice::Spurious { now, .. } => {
                self.now = now;
                // Linux' `bbr_undo_cwnd`: what looked like a full pipe may have been the loss.
                self.full_bw = 0.0;
                self.full_bw_count = 0;
                self.restore_cwnd();
            }
            Notice::AppLimited { in_flight, .. } => self.rate.limited(in_flight),
            Notice::PacketSize { packet, .. } => self.packet = packet.as_f64().max(1.0),
            Notice::AckFrequency { .. } | Notice::Idle { .. } | Notice::HostWindow { .. } => {}
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        let window = Bytes::from_f64(self.cwnd.max(self.packet));
        Permit::paced(window, Departure::At(self.next_send_time))
    }

    fn basis(&self, _now: Instant) -> Basis {
        match self.state {
            State::Startup => Basis::SlowStart,
            State::ProbeRtt => Basis::ProbeRtt,
            _ => Basis::Law,
        }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        plot("bw_mbps", self.bw.get() * 8e-6);
        plot("pacing_mbps", self.pacing_rate * 8e-6);
        if let Some(rtt) = self.min_rtt {
            plot("min_rtt_ms", rtt.millis());
        }
        let state = match self.state {
            State::Startup => 0.0,
            State::Drain => 1.0,
            State::ProbeBw(_) => 2.0,
            State::ProbeRtt => 3.0,
        };
        plot("state", state);
    }
}

#[cfg(test)]
mod tests;
