//! What C4 keeps: its variables, states and eras ("C4 variables").

use super::signals::Signals;
use crate::delivery_rate::DeliveryRate;
use crate::round::Round;
use crate::{Instant, Setup, Span};

/// What Recovery leaves of the rate, and where it drains.
pub(super) const RECOVERY: f64 = 15.0 / 16.0;
const DRAINING: f64 = 7.0 / 8.0;

/// The draft's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Initial,
    Recovery,
    Cruising,
    Probing,
    Pushing,
}

impl State {
    /// The coefficient of pacing and window; `special` in Recovery says that queues are drained, in Probing that the path makes marks.
    pub(super) fn alpha(self, special: bool) -> f64 {
        match (self, special) {
            (State::Initial, _) => 2.0,
            (State::Recovery, false) => RECOVERY,
            (State::Recovery, true) => DRAINING,
            (State::Cruising, _) => 1.0,
            (State::Probing, false) => 17.0 / 16.0,
            (State::Probing, true) => 33.0 / 32.0,
            (State::Pushing, _) => 5.0 / 4.0,
        }
    }
}

/// What is seen in an era, which a packet's round trip makes.
#[derive(Clone, Debug)]
pub(super) struct Era {
    /// RTTs \[s\].
    pub(super) min: f64,
    pub(super) max: f64,
    /// Nominal rate at its beginning.
    pub(super) rate: f64,
    /// The application was the limit.
    pub(super) limited: bool,
}

impl Default for Era {
    fn default() -> Era {
        Era { min: f64::INFINITY, max: 0.0, rate: 0.0, limited: false }
    }
}

impl Era {
    /// An RTT was measured.
    pub(super) fn rtt(&mut self, rtt: f64) {
        (self.min, self.max) = (self.min.min(rtt), self.max.max(rtt));
    }
}

/// C4.
#[derive(Clone, Debug)]
pub struct C4 {
    /// Size of a full packet.
    pub(super) packet: f64,
    pub(super) timer: Span,
    pub(super) state: State,
    pub(super) nominal_rate: f64,
    /// Zero before the first RTT.
    pub(super) nominal_max_rtt: f64,
    /// Infinite before the first era that measures it.
    pub(super) running_min_rtt: f64,
    pub(super) alpha: f64,
    pub(super) alpha_previous: f64,
    pub(super) round: Round,
    pub(super) era_ends: bool,
    pub(super) era: Era,
    /// Of this state, ended.
    pub(super) eras: u32,
    pub(super) eras_no_increase: u32,
    pub(super) initial_cwnd: f64,
    /// Recovery: from which state, and whether there is or was congestion.
    pub(super) from: State,
    pub(super) congested: bool,
    /// Successive recoveries with congestion.
    pub(super) successive: u32,
    /// Greatest rate measured since the recovery before ended.
    pub(super) recent_max: f64,
    /// Nominal rate when the last recovery ended, and when the last probing began.
    pub(super) cycle_rate: f64,
    pub(super) probe_rate: f64,
    /// The application was the limit while it probed or pushed.
    pub(super) probe_limited: bool,
    pub(super) draining: bool,
    /// Initial was entered again for jitter.
    pub(super) restarted: bool,
    pub(super) signals: Signals,
    /// The worst RTT of the ACK under way \[s\].
    pub(super) latest_rtt: f64,
    pub(super) rate: DeliveryRate,
    pub(super) cwnd: f64,
    pub(super) next_send_time: Instant,
}

impl C4 {
    /// For a new connection.
    pub fn new(setup: &Setup) -> C4 {
        let cwnd = setup.initial_window.as_f64();
        C4 {
            packet: setup.packet.as_f64().max(1.0),
            timer: setup.timer,
            state: State::Initial,
            nominal_rate: 0.0,
            nominal_max_rtt: 0.0,
            running_min_rtt: f64::INFINITY,
            alpha: State::Initial.alpha(false),
            alpha_previous: State::Initial.alpha(false),
            round: Round::default(),
            era_ends: false,
            era: Era::default(),
            eras: 0,
            eras_no_increase: 0,
            initial_cwnd: cwnd,
            from: State::Initial,
            congested: false,
            successive: 0,
            recent_max: 0.0,
            cycle_rate: 0.0,
            probe_rate: 0.0,
            probe_limited: false,
            draining: false,
            restarted: false,
            signals: Signals::default(),
            latest_rtt: 0.0,
            rate: DeliveryRate::default(),
            cwnd,
            next_send_time: Instant::START,
        }
    }

    /// Whether rate and RTT are known.
    pub(super) fn is_assessed(&self) -> bool {
        self.nominal_rate > 0.0 && self.nominal_max_rtt > 0.0
    }
}
