//! What a flow knows (§2), and its beginning (§5.2.1).

use symbiosis_base::Random;

use super::filter::{ExtraAcked, MaxBw};
use crate::delivery_rate::DeliveryRate;
use crate::{Instant, Setup, Span};

/// BBR.StartupPacingGain (§2.5): 4·ln 2, the least with which the rate doubles each round.
pub(super) const STARTUP_PACING_GAIN: f64 = 2.77;
/// BBR.DrainPacingGain (§2.5): 1/2 drains in a round trip what a window gain of 2 can queue.
const DRAIN_PACING_GAIN: f64 = 0.5;
/// §5.3.3.1: with ProbeBW_UP's 1.25 the least with which rates converge to fairness.
const DOWN_PACING_GAIN: f64 = 0.9;
/// §5.3.3.5.
const UP_PACING_GAIN: f64 = 1.25;
/// BBR.DefaultCwndGain (§2.6): the least with which the rate doubles each round.
const DEFAULT_CWND_GAIN: f64 = 2.0;
/// §5.3.3.5: so that the window does not bound what the gain of 1.25 sends.
const UP_CWND_GAIN: f64 = 2.25;
/// BBR.ProbeRTTCwndGain (§2.16.2).
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// BBR.LossThresh (§2.8): a round of probing may lose so much.
pub(super) const LOSS_THRESH: f64 = 0.02;
/// BBR.Beta (§2.8): what a round with losses leaves at least, as CUBIC's.
pub(super) const BETA: f64 = 0.7;
/// BBR.Headroom (§2.8): left to others of what the path has held.
pub(super) const HEADROOM: f64 = 0.15;

/// An RTT before the first was measured (§5.6.2, InitPacingRate).
const INITIAL_RTT: Span = Span::from_millis(1);
/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// §5.6.1.
    pub(super) fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => DRAIN_PACING_GAIN,
            State::Down => DOWN_PACING_GAIN,
            State::Up => UP_PACING_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    /// §5.6.1.
    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => UP_CWND_GAIN,
            State::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }

    /// IsInAProbeBWState (§5.3.3.9).
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW (§5.3.3.9).
    pub(super) fn is_probing_bw(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }

    /// For the plot.
    pub(super) fn number(self) -> f64 {
        f64::from(self as u8)
    }
}

/// BBR.ack_phase (§2.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// What recovery is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    Open,
    Fast,
    /// Until a packet of a higher number is acknowledged.
    Timeout(u64),
    /// With the ACK under way.
    Over,
}

/// What is restored when an episode of loss was none (§2.15).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// An episode of loss is under way, and what was before it is kept here.
    pub(super) open: bool,
    /// BBR.undo_state.
    pub(super) state: Option<State>,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
}

/// BBR version 3.
#[derive(Clone, Debug)]
pub struct Bbr {
    /// C.SMSS, and the first window.
    pub(super) packet: f64,
    pub(super) initial_window: f64,
    pub(super) timer: Span,
    pub(super) random: Random,
    pub(super) rate: DeliveryRate,
    pub(super) now: Instant,
    /// C.inflight.
    pub(super) inflight: f64,
    pub(super) state: State,

    // Rounds (§5.5.1).
    pub(super) round_count: u64,
    pub(super) round_start: bool,
    pub(super) next_round_delivered: u64,
    /// The window held a packet back in this round; and in the one before.
    pub(super) cwnd_limited: (bool, bool),

    // The model of the path (§2.9).
    pub(super) max_bw: MaxBw,
    pub(super) bw: f64,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_longterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) min_rtt: Option<Span>,
    pub(super) min_rtt_stamp: Instant,
    pub(super) extra_acked: ExtraAcked,

    // Signals of the round (§2.10).
    pub(super) bw_latest: f64,
    pub(super) inflight_latest: f64,
    pub(super) loss_round_delivered: u64,
    pub(super) loss_round_start: bool,
    pub(super) is_loss_in_round: bool,
    /// Ranges of numbers lost in this round, and the last of them.
    pub(super) loss_events: (u32, Option<u64>),

    // The full pipe (§2.13).
    pub(super) full_bw: f64,
    pub(super) full_bw_count: u32,
    pub(super) full_bw_now: bool,
    pub(super) full_bw_reached: bool,
    pub(super) drain_start_round: u64,

    // The cycle (§2.14).
    pub(super) ack_phase: AckPhase,
    pub(super) is_bw_probe_sample: bool,
    pub(super) bw_probe_up_rounds: u32,
    pub(super) bw_probe_up_acked: f64,
    pub(super) probe_up_acked_per_inc: f64,
    pub(super) rounds_since_probe_up: u64,
    pub(super) bw_probe_wait: Span,
    pub(super) cycle_stamp: Instant,
    pub(super) prev_probe_too_high: bool,
    pub(super) prev_probe_precautionary: bool,

    // ProbeRTT (§2.16.2).
    pub(super) probe_rtt_min_delay: Option<Span>,
    pub(super) probe_rtt_min_stamp: Instant,
    pub(super) probe_rtt_expired: bool,
    pub(super) probe_rtt_done_stamp: Option<Instant>,
    pub(super) probe_rtt_round_done: bool,
    pub(super) idle_restart: bool,

    // Recovery and undo (§2.15, §5.6.4.4).
    pub(super) recovery: Recovery,
    pub(super) highest_sent: u64,
    pub(super) prior_cwnd: f64,
    pub(super) undo: Undo,

    // Output (§2.4).
    pub(super) cwnd: f64,
    pub(super) pacing_rate: f64,
    pub(super) has_rtt: bool,
    pub(super) next_send_time: Instant,
}

impl Bbr {
    /// OnInit (§5.2.1).
    pub fn new(setup: &Setup) -> Bbr {
        let packet = setup.packet.as_f64().max(1.0);
        let initial_window = setup.initial_window.as_f64().max(packet);
        let mut bbr = Bbr {
            packet,
            initial_window,
            timer: setup.timer,
            random: Random::new(setup.seed, 0),
            rate: DeliveryRate::default(),
            now: Instant::START,
            inflight: 0.0,
            state: State::Startup,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            cwnd_limited: (false, false),
            max_bw: MaxBw::default(),
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            min_rtt: None,
            min_rtt_stamp: Instant::START,
            extra_acked: ExtraAcked::default(),
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            loss_events: (0, None),
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            rounds_since_probe_up: 0,
            bw_probe_wait: Span::ZERO,
            cycle_stamp: Instant::START,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Instant::START,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            recovery: Recovery::Open,
            highest_sent: 0,
            prior_cwnd: 0.0,
            undo: Undo::default(),
            cwnd: initial_window,
            pacing_rate: 0.0,
            has_rtt: false,
            next_send_time: Instant::START,
        };
        bbr.init_pacing_rate(INITIAL_RTT);
        bbr
    }

    /// InitPacingRate (§5.6.2).
    pub(super) fn init_pacing_rate(&mut self, rtt: Span) {
        self.pacing_rate = STARTUP_PACING_GAIN * self.initial_window / rtt.secs();
    }
}
