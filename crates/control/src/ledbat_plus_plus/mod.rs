//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus-01): takes what others leave, and keeps 60 ms of queue at the most.
//!
//! The queueing delay is the least of the last four RTTs less the base, which is the least of ten minutes (§4.1). Below the target of 60 ms a round trip
//! adds `GAIN` = 1/min(16, ⌈2·target/base⌉) packets (§4.2); above, it takes `w·(delay/target − 1)` packets less that, and half of the window at the most
//! (§4.3). Slow start grows by `GAIN` for each packet and ends at ¾ of the target (§4.4). Two round trips after it, and then in a tenth of the time, the
//! window is two packets for two round trips and slow start takes it back, so that the base shows (§4.5). A loss halves, once in a round trip.
//!
//! Where this deviates from the draft: the least of ten minutes is kept by minutes that begin with the connection; a timeout leaves one packet, as
//! RFC 5681 has it.

use crate::entry::{Entry, Feedback, Recovery};
use crate::params::Param;
use crate::rtt::Smoothed;
use crate::window::{Window, may_grow};
use crate::{Acked, Ask, Controller, Instant, LossKind, Lost, Permit, Setup, Span};

/// LEDBAT++.
pub const ENTRY: Entry = Entry {
    name: "ledbat++",
    about: "LEDBAT++: yields to others, and keeps at most a target of queueing delay (draft-irtf-iccrg-ledbat-plus-plus-01)",
    params: &[Param::number("target_ms", 60.0, 1.0, 1000.0, "queueing delay that it keeps below [ms]; 60 in the draft")],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| alloc::boxed::Box::new(LedbatPlusPlus::new(setup, Span::from_secs(values.number("target_ms") / 1e3))),
};

/// Minutes whose least RTTs make the base (§4.1).
const BASE_MINUTES: usize = 10;
const MINUTE: Span = Span::from_millis(60_000);
/// RTTs of which the least is the current one (§4.1).
const FILTER: usize = 4;
/// The greatest divisor of GAIN (§4.2).
const MOST_DIVISOR: f64 = 16.0;
/// A round trip takes this part of the window at the most (§4.3).
const MOST_DECREASE: f64 = 0.5;
/// Slow start ends at this part of the target (§4.4).
const START_ENDS: f64 = 0.75;
/// What a slowdown leaves \[packets\], for how many round trips, and after how many of its own duration the next begins (§4.5).
const LEAST_WINDOW: f64 = 2.0;
const SLOW_ROUNDS: f64 = 2.0;
const SLOWDOWN_EVERY: f64 = 9.0;

/// Where the window is in the cycle of slowdowns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The first slow start.
    Starting,
    /// The law holds, until the next slowdown.
    Law { slowdown: Instant },
    /// Two packets, since then and until then.
    Slow { since: Instant, until: Instant },
    /// Back by slow start, since the slowdown began.
    Back { since: Instant },
}

/// LEDBAT++.
#[derive(Clone)]
pub struct LedbatPlusPlus {
    window: Window,
    target: Span,
    /// Least RTT of each of the last minutes, and when this minute began.
    minutes: [Span; BASE_MINUTES],
    minute: Instant,
    recent: [Span; FILTER],
    smoothed: Smoothed,
    phase: Phase,
}

impl LedbatPlusPlus {
    /// For a new connection.
    pub fn new(setup: &Setup, target: Span) -> LedbatPlusPlus {
        LedbatPlusPlus {
            window: Window::new(setup),
            target,
            minutes: [Span::MAX; BASE_MINUTES],
            minute: Instant::START,
            recent: [Span::MAX; FILTER],
            smoothed: Smoothed::default(),
            phase: Phase::Starting,
        }
    }

    fn measure(&mut self, now: Instant, rtt: Span) {
        if now > self.minute.saturating_add(MINUTE) {
            self.minutes.rotate_right(1);
            (self.minutes[0], self.minute) = (Span::MAX, now);
        }
        self.minutes[0] = self.minutes[0].min(rtt);
        self.recent.rotate_right(1);
        self.recent[0] = rtt;
        self.smoothed.sample(rtt.0 as f64);
    }

    fn base(&self) -> Span {
        self.minutes.iter().copied().min().unwrap_or(Span::MAX)
    }

    /// Queueing delay; none before the first RTT.
    fn delay(&self) -> Option<Span> {
        let current = self.recent.iter().copied().min().unwrap_or(Span::MAX);
        (current < Span::MAX).then(|| current - self.base().min(current))
    }

    fn gain(&self) -> f64 {
        1.0 / libm::ceil(2.0 * self.target.secs() / self.base().secs().max(1e-9)).clamp(1.0, MOST_DIVISOR)
    }

    /// What a round trip adds at this delay \[packets\].
    fn round(&self, delay: Span) -> f64 {
        let over = delay.secs() / self.target.secs() - 1.0;
        let gain = self.gain();
        if over <= 0.0 { gain } else { (gain - self.window.cwnd * over).max(-MOST_DECREASE * self.window.cwnd) }
    }

    fn rounds(&self, many: f64) -> Span {
        Span(self.smoothed.get() as u64).scale(many)
    }

    /// What time brings, whatever is acknowledged.
    fn turn(&mut self, now: Instant, delay: Span) {
        match self.phase {
            Phase::Starting if delay > self.target.scale(START_ENDS) => {
                self.window.ssthresh = self.window.cwnd;
                self.phase = Phase::Law { slowdown: now.saturating_add(self.rounds(SLOW_ROUNDS)) };
            }
            Phase::Law { slowdown } if now >= slowdown => {
                self.window.ssthresh = self.window.cwnd.max(LEAST_WINDOW);
                self.window.cwnd = LEAST_WINDOW.min(self.window.cwnd);
                self.phase = Phase::Slow { since: now, until: now.saturating_add(self.rounds(SLOW_ROUNDS)) };
            }
            Phase::Slow { since, until } if now >= until => self.phase = Phase::Back { since },
            Phase::Back { since } if !self.window.in_slow_start() => {
                self.phase = Phase::Law { slowdown: now.saturating_add((now - since).scale(SLOWDOWN_EVERY)) };
            }
            _ => {}
        }
    }
}

impl Controller for LedbatPlusPlus {
    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.measure(ack.now, rtt);
        }
        let Some(delay) = self.delay() else { return };
        self.turn(ack.now, delay);
        let acked = self.window.packets(ack.bytes);
        let cwnd = self.window.cwnd;
        let step = match self.phase {
            Phase::Slow { .. } => return,
            Phase::Starting | Phase::Back { .. } => self.gain() * acked,
            Phase::Law { .. } => self.round(delay) * acked / cwnd,
        };
        if step < 0.0 {
            self.window.cwnd = (cwnd + step).max(LEAST_WINDOW.min(cwnd));
        } else if may_grow(ack) {
            self.window.cwnd = cwnd + step;
        }
    }

    fn lost(&mut self, loss: &Lost) {
        let after = Phase::Law { slowdown: loss.now.saturating_add(self.rounds(SLOW_ROUNDS)) };
        match loss.kind {
            LossKind::FastRetransmit | LossKind::Ecn => {
                self.window.shrink_to(self.window.cwnd / 2.0);
                if self.phase == Phase::Starting {
                    self.phase = after;
                }
            }
            LossKind::Timeout | LossKind::PersistentCongestion => {
                self.window.restart_below(self.window.cwnd / 2.0);
                self.phase = Phase::Back { since: loss.now };
            }
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit::window(self.window.bytes())
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some(delay) = self.delay() {
            plot("queueing_delay_ms", delay.millis());
        }
    }
}

#[cfg(test)]
mod tests;
