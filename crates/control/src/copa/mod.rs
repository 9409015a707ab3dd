//! Copa (Arun, Balakrishnan, NSDI 2018): goes for the rate `1/(δ·dq)`, where `dq` is the delay in the queue.
//!
//! `dq = RTTstanding − RTTmin`: the least RTT of the last srtt/2, less the least of the last 10 s (§2.1). With each packet acknowledged the window
//! moves by `v/(δ·cwnd)` towards the window that gives this rate. The velocity v doubles once a window, once three
//! had the same direction. Packets are paced at `2·cwnd/RTTstanding`. Flows of Copa alone empty their queue every five RTTs; where that does not happen,
//! somebody else fills it, and 1/δ goes by additive increase and multiplicative decrease, as Reno's window does (§2.2).
//!
//! Where this deviates from the paper, or it leaves something open:
//! - a step against the direction at a v above 1 resets v at once, as in mvfst, and not only when the window ends: a window that comes back
//!   from far would overshoot by as much again;
//! - on the way down a round trip takes at most the packets that wait, by dq. Without it a velocity from far above takes the window far below
//!   the path's, comes back as fast, and so on: 69 % of 100 Mbit/s at 50 ms, where the paper's figures have all of the link;
//! - v is at most δ·cwnd, so that a window at most doubles in an RTT, as in the authors' implementation;
//! - the window is at least two packets, as there;
//! - a timeout leaves one packet and begins slow start again; the paper says nothing of timeouts, RFC 8961 asks for it;
//! - a queue of no length at all is nearly empty, where the paper's inequality compares zero with zero;
//! - the competitive mode begins after slow start: the queue of a start is one's own.

mod extreme;

use extreme::Extreme;

use crate::entry::{Entry, Feedback, Recovery};
use crate::pacer::Pacer;
use crate::params::Param;
use crate::round::Round;
use crate::rtt::Smoothed;
use crate::window::Window;
use crate::{Acked, Ask, Controller, Departure, Instant, LossKind, Lost, Notice, Permit, Sent, Setup, Span};

/// Copa.
pub const ENTRY: Entry = Entry {
    name: "copa",
    about: "Copa: the rate 1/(δ·queueing delay), and a mode for beside loss-based flows (Arun, Balakrishnan 2018)",
    params: &[
        Param::number("delta", 0.5, 0.004, 10.0, "1/δ is the packets that a flow wants in the queue; 0.5 in the paper"),
        Param::flag("competitive", true, "whether there is a mode for beside flows that fill the queue"),
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| alloc::boxed::Box::new(Copa::new(setup, values.number("delta"), values.flag("competitive"))),
};

/// RTTmin is of so long ago at most (§2.1).
const MIN_RTT_WINDOW: Span = Span::from_millis(10_000);
/// RTTmax is over so many RTTs (§2.2).
const MAX_RTT_ROUNDS: f64 = 4.0;
/// A queue that was not nearly empty for so many RTTs is somebody else's (§2.2).
const EMPTY_ROUNDS: f64 = 5.0;
/// Nearly empty: below this part of the RTT's swing (§2.2).
const NEARLY_EMPTY: f64 = 0.1;
/// The velocity doubles at the end of each window from this one of the same direction on (§2.1: "three RTTs").
const SAME_DIRECTION: u32 = 3;
/// Packets are paced at this multiple of the window over RTTstanding (§2.1).
const PACING: f64 = 2.0;
/// No ACK takes the window below this \[packets\].
const LEAST_WINDOW: f64 = 2.0;

/// What the window did last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// Copa.
#[derive(Clone)]
pub struct Copa {
    window: Window,
    /// δ of the default mode, and δ now.
    default_delta: f64,
    delta: f64,
    /// Whether there is a competitive mode, and since when the queue has not been nearly empty.
    may_compete: bool,
    last_empty: Instant,
    competes: bool,
    /// Slow start has not ended.
    starting: bool,
    smoothed: Smoothed,
    least: Extreme,
    standing: Extreme,
    greatest: Extreme,
    /// RTTmin and RTTstanding, once there are any.
    rtts: Option<(Span, Span)>,
    velocity: f64,
    direction: Option<Direction>,
    /// Windows of that direction, one after another.
    same: u32,
    round: Round,
    /// The window when the round began.
    began_with: f64,
    lost_in_round: bool,
    pacer: Pacer,
}

impl Copa {
    /// For a new connection.
    pub fn new(setup: &Setup, delta: f64, may_compete: bool) -> Copa {
        let window = Window::new(setup);
        Copa {
            began_with: window.cwnd,
            window,
            default_delta: delta,
            delta,
            may_compete,
            last_empty: Instant::START,
            competes: false,
            starting: true,
            smoothed: Smoothed::default(),
            least: Extreme::least(),
            standing: Extreme::least(),
            greatest: Extreme::greatest(),
            rtts: None,
            velocity: 1.0,
            direction: None,
            same: 0,
            round: Round::default(),
            lost_in_round: false,
            pacer: Pacer::new(setup.timer),
        }
    }

    fn measure(&mut self, now: Instant, rtt: Span) {
        self.smoothed.sample(rtt.0 as f64);
        let smoothed = Span(self.smoothed.get() as u64);
        let standing = self.standing.sample(now, rtt, smoothed.scale(0.5));
        // Also where the smoothed RTT is longer than RTTmin looks back.
        let least = self.least.sample(now, rtt, MIN_RTT_WINDOW).min(standing);
        let greatest = self.greatest.sample(now, rtt, smoothed.scale(MAX_RTT_ROUNDS));
        self.rtts = Some((least, standing));
        let queueing = (standing - least).secs();
        if self.starting || queueing <= NEARLY_EMPTY * (greatest - least).secs() {
            self.last_empty = now;
        }
        let competes = self.may_compete && now > self.last_empty.saturating_add(smoothed.scale(EMPTY_ROUNDS));
        if !competes {
            self.delta = self.default_delta;
        }
        self.competes = competes;
    }

    /// Once a window: how fast, and in competitive mode how much.
    fn turn(&mut self) {
        let direction = if self.window.cwnd > self.began_with { Direction::Up } else { Direction::Down };
        if self.direction == Some(direction) {
            self.same += 1;
            if self.same >= SAME_DIRECTION {
                self.velocity *= 2.0;
            }
        } else {
            (self.direction, self.same, self.velocity) = (Some(direction), 1, 1.0);
        }
        if self.competes && !self.lost_in_round {
            self.delta = 1.0 / (1.0 / self.delta + 1.0);
        }
        self.began_with = self.window.cwnd;
        self.lost_in_round = false;
    }

    /// From speed into the other direction.
    fn reverse(&mut self, direction: Direction) {
        (self.direction, self.same, self.velocity) = (Some(direction), 0, 1.0);
        self.began_with = self.window.cwnd;
    }

    /// Whether the rate is at most the target: `cwnd/RTTstanding ≤ 1/(δ·dq)`.
    fn may_rise(&self, least: Span, standing: Span) -> bool {
        self.window.cwnd * self.delta * (standing - least).secs() <= standing.secs()
    }
}

impl Controller for Copa {
    fn sent(&mut self, packet: &Sent) {
        if let Some((_, standing)) = self.rtts {
            self.pacer.sent(packet, PACING, self.window.bytes(), standing);
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            self.measure(ack.now, rtt);
        }
        let ended = self.round.ends_with(ack);
        let Some((least, standing)) = self.rtts else { return };
        let acked = self.window.packets(ack.bytes);
        let rises = self.may_rise(least, standing);
        if self.starting && rises {
            if !ack.app_limited {
                self.window.slow_start(acked);
            }
            return;
        }
        if self.starting {
            self.starting = false;
            self.began_with = self.window.cwnd;
        } else if ended {
            self.turn();
        }
        let cwnd = self.window.cwnd;
        let wanted = if rises { Direction::Up } else { Direction::Down };
        if self.velocity > 1.0 && self.direction != Some(wanted) {
            self.reverse(wanted);
            self.round.restart(ack.now);
        }
        self.velocity = self.velocity.min(self.delta * cwnd).max(1.0);
        let step = self.velocity.min(self.delta * cwnd) / (self.delta * cwnd) * acked;
        if !rises {
            // In a round trip at most what waits: cwnd·dq/RTTstanding packets, of which each acknowledged has its part.
            let step = step.min((standing - least).secs() / standing.secs() * acked);
            self.window.cwnd = (cwnd - step).max(LEAST_WINDOW.min(cwnd));
        } else if !ack.app_limited {
            self.window.cwnd = cwnd + step;
        }
    }

    fn lost(&mut self, loss: &Lost) {
        match loss.kind {
            LossKind::FastRetransmit | LossKind::Ecn => {
                self.lost_in_round = true;
                if self.competes {
                    self.delta = (2.0 * self.delta).min(self.default_delta);
                }
            }
            LossKind::Timeout | LossKind::PersistentCongestion => {
                self.window.restart_below(self.window.cwnd / 2.0);
                (self.starting, self.velocity, self.direction, self.same) = (true, 1.0, None, 0);
                self.round.restart(loss.now);
            }
        }
    }

    fn notice(&mut self, notice: &Notice) {
        if let Notice::AppLimited { .. } = notice {
            self.pacer.interrupted();
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let departure = if self.rtts.is_some() { self.pacer.departure(ask.now) } else { Departure::Now };
        Permit::paced(self.window.bytes(), departure)
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some((least, standing)) = self.rtts {
            plot("queueing_delay_ms", (standing - least).millis());
        }
        plot("delta", self.delta);
        plot("velocity", self.velocity);
    }
}

#[cfg(test)]
mod tests;
