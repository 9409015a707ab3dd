//! Eras and states ("States and Transition").

use super::signals::Signal;
use super::state::{C4, Era, RECOVERY, State};
use crate::Instant;

/// Jitter above the least RTT that counts \[s\] (MAX_JITTER).
const MOST_JITTER: f64 = 0.25;
/// Weight of an era in the RTTs that are smoothed.
const GAIN: f64 = 1.0 / 8.0;
/// The nominal max RTT is at least this \[s\]: what systems take to wake up ("Nominal max RTT on low latency links").
const LEAST_MAX_RTT: f64 = 1e-3;
/// Growth, told from rounding.
const GROWTH: f64 = 1.0 + 1.0 / 1024.0;
/// Eras without growth that end the Initial state; of so many a delay or a mark ends it.
const INITIAL_ERAS: u32 = 3;
const CONGESTED_ERAS: u32 = 2;
/// Packets that must have been received for a loss to end the Initial state.
const LOSS_PACKETS: u64 = 20;
/// Eras of Cruising.
const CRUISING_ERAS: u32 = 2;
/// After so many eras of Pushing comes the Initial state again.
const PUSHING_ERAS: u32 = 3;
/// What an era of Pushing must make of the rate to go on.
const PUSHED: f64 = 19.0 / 16.0;
/// Jitter is high where the least RTT is below this part of the nominal max RTT.
const HIGH_JITTER: f64 = 2.0 / 5.0;

impl C4 {
    fn begin_era(&mut self) {
        self.era = Era { rate: self.nominal_rate, ..Era::default() };
    }

    /// Another state, with an era of its own.
    pub(super) fn enter(&mut self, state: State, special: bool, now: Instant) {
        (self.state, self.eras) = (state, 0);
        (self.alpha_previous, self.alpha) = (self.alpha, state.alpha(special));
        self.round.restart(now);
        // What the ACK under way ends is the era of before.
        self.era_ends = false;
        self.begin_era();
    }

    /// "Applying congestion signals".
    pub(super) fn congestion(&mut self, now: Instant, signal: Signal) {
        match self.state {
            State::Initial => {
                let counts = match signal {
                    Signal::Delay(_) | Signal::Marks(_) | Signal::Mark => self.eras_no_increase >= CONGESTED_ERAS,
                    Signal::Loss => self.signals.received() > LOSS_PACKETS,
                    Signal::Timeout => true,
                };
                if counts {
                    self.leave_initial(now, true);
                }
            }
            State::Recovery => self.congested = true,
            State::Cruising => {
                self.nominal_rate *= 1.0 - signal.beta();
                self.recover(now, true);
            }
            State::Probing | State::Pushing => {
                self.draining |= self.state == State::Pushing;
                self.recover(now, true);
            }
        }
    }

    fn recover(&mut self, now: Instant, congested: bool) {
        (self.from, self.congested) = (self.state, congested);
        let draining = core::mem::take(&mut self.draining);
        self.enter(State::Recovery, draining, now);
    }

    fn leave_initial(&mut self, now: Instant, congested: bool) {
        if self.is_assessed() {
            let estimate = 0.5 * self.cwnd / self.nominal_rate;
            self.nominal_max_rtt = self.bounded(estimate);
        }
        self.draining = true;
        self.recover(now, congested);
    }

    /// Not less than what was seen in this era, nor than systems take, nor beyond what is taken for jitter.
    fn bounded(&self, max_rtt: f64) -> f64 {
        let least = self.running_min_rtt.min(self.era.min);
        let seen = if least.is_finite() { max_rtt.clamp(least, least + MOST_JITTER) } else { max_rtt };
        seen.max(LEAST_MAX_RTT)
    }

    /// "Nominal max RTT", on end of era.
    fn measure_rtt(&mut self) {
        if self.era.max == 0.0 {
            return;
        }
        let least = self.running_min_rtt;
        if self.era.min < least {
            self.draining |= least.is_finite() && self.era.min < RECOVERY * least;
            self.running_min_rtt = self.era.min;
        } else {
            self.running_min_rtt += GAIN * (self.era.min - least);
        }
        let max = self.era.max.min(self.running_min_rtt + MOST_JITTER);
        if max > self.nominal_max_rtt {
            self.nominal_max_rtt = max;
        } else {
            self.nominal_max_rtt += GAIN * (max - self.nominal_max_rtt);
        }
        self.nominal_max_rtt = self.nominal_max_rtt.max(LEAST_MAX_RTT);
    }

    /// The first packet of this era has been acknowledged.
    pub(super) fn end_era(&mut self, now: Instant) {
        if self.state != State::Initial && self.alpha_previous <= 1.0 {
            self.measure_rtt();
        }
        let grew = self.nominal_rate > GROWTH * self.era.rate;
        let limited = self.era.limited;
        self.eras = self.eras.saturating_add(1);
        match self.state {
            State::Initial => {
                if grew {
                    self.eras_no_increase = 0;
                } else if !limited {
                    self.eras_no_increase += 1;
                }
                if self.eras_no_increase >= INITIAL_ERAS {
                    return self.leave_initial(now, false);
                }
            }
            State::Recovery => return self.leave_recovery(now),
            State::Cruising if self.eras >= CRUISING_ERAS && !limited => {
                self.probe_rate = self.nominal_rate;
                return self.enter(State::Probing, self.signals.path_marks(), now);
            }
            State::Cruising => {}
            State::Probing => {
                self.probe_limited = limited;
                return self.recover(now, false);
            }
            // What its first era measures is of packets that Recovery sent.
            State::Pushing if self.eras > 1 && self.nominal_rate < PUSHED * self.era.rate => {
                (self.probe_limited, self.draining) = (limited, true);
                return self.recover(now, false);
            }
            State::Pushing if self.eras > PUSHING_ERAS => return self.start_again(now),
            State::Pushing => {}
        }
        self.alpha_previous = self.alpha;
        self.begin_era();
    }

    fn start_again(&mut self, now: Instant) {
        self.eras_no_increase = 0;
        self.initial_cwnd = self.nominal_rate * self.nominal_max_rtt;
        self.enter(State::Initial, false, now);
    }

    fn leave_recovery(&mut self, now: Instant) {
        let congested = core::mem::take(&mut self.congested);
        let recent = core::mem::take(&mut self.recent_max);
        self.successive = if congested { self.successive.saturating_add(1) } else { 0 };
        let probed = matches!(self.from, State::Probing | State::Pushing);
        if recent > 0.0 && recent < self.nominal_rate {
            if self.successive > 1 {
                self.nominal_rate = recent; // "Reaction to persistent congestion"
            } else if !congested && probed && !self.probe_limited && self.nominal_rate <= GROWTH * self.cycle_rate {
                self.nominal_rate = 0.5 * (self.nominal_rate + recent); // "Trimming an overestimated nominal rate"
            }
        }
        self.signals.forget_marks();
        self.cycle_rate = self.nominal_rate;
        let jitter = self.running_min_rtt < HIGH_JITTER * self.nominal_max_rtt;
        if jitter && !self.restarted {
            self.restarted = true;
            self.start_again(now);
        } else if self.from == State::Probing && !congested && self.nominal_rate > GROWTH * self.probe_rate {
            self.enter(State::Pushing, false, now);
        } else {
            self.enter(State::Cruising, false, now);
        }
    }
}
