//! Bursts whose lengths have no usual size: on and off in turns, each for a time drawn from a Pareto distribution.
//!
//! With a shape between 1 and 2 the times have a mean and no variance, and the rate that many such sources make together varies on every
//! time scale: its Hurst parameter is (3 − shape)/2 (Willinger, Taqqu, Sherman, Wilson 1997). Poisson traffic smooths out, this does not.

use symbiosis_base::{Instant, Random, Span};

use crate::Steps;

/// On and off in turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// Mean time on; not zero.
    pub on: Span,
    /// Mean time off; not zero.
    pub off: Span,
    /// Of both times' Pareto distributions; above 1, or there is no mean.
    pub shape: f64,
}

impl Default for OnOff {
    /// ns-2's `Application/Traffic/Pareto`: half a second each, 1.5.
    fn default() -> OnOff {
        OnOff { on: Span::from_millis(500), off: Span::from_millis(500), shape: 1.5 }
    }
}

impl OnOff {
    /// The share of time on: the mean rate over the peak.
    pub fn share(&self) -> f64 {
        self.on.secs() / (self.on.secs() + self.off.secs())
    }

    /// The least time of those with that mean.
    fn least(&self, mean: Span) -> f64 {
        mean.secs() * (self.shape - 1.0) / self.shape
    }

    fn time(&self, on: bool, random: &mut Random) -> Span {
        let least = self.least(if on { self.on } else { self.off });
        // A time of zero would be a time without end for who waits for the next.
        Span::from_secs(least * libm::exp(random.exponential() / self.shape)).max(Span(1))
    }

    /// What is left at a random instant of the time under way: density `P(time > x)/mean`, which below the least is even.
    fn rest(&self, on: bool, random: &mut Random) -> Span {
        let least = self.least(if on { self.on } else { self.off });
        Span::from_secs(match random.chance(1.0 - 1.0 / self.shape) {
            true => least * random.uniform(),
            false => least * libm::exp(random.exponential() / (self.shape - 1.0)),
        })
    }
}

/// The times of an [`OnOff`], one after another.
#[derive(Debug)]
pub(super) struct Bursts {
    spec: OnOff,
    on: bool,
    until: Instant,
}

impl Bursts {
    /// As if it had been going on for ever at `from`: the mean rate holds from there on.
    pub(super) fn new(spec: OnOff, from: Instant, random: &mut Random) -> Bursts {
        let on = random.chance(spec.share());
        Bursts { spec, on, until: from.saturating_add(spec.rest(on, random)) }
    }

    /// When `bytes` have moved if they start at `from`, by the peak rate while on. The mean rate is `rate`.
    pub(super) fn finish(&mut self, rate: &Steps, from: Instant, bytes: f64, random: &mut Random) -> Instant {
        // What the peak moves while the mean rate would move so much.
        let mut left = bytes * self.spec.share();
        let mut now = from;
        loop {
            if self.on {
                let done = rate.finish(now, left);
                if done <= self.until || done == Instant::NEVER {
                    return done;
                }
                left -= rate.volume(now, self.until);
            }
            now = now.max(self.until);
            self.on = !self.on;
            self.until = self.until.saturating_add(self.spec.time(self.on, random));
        }
    }
}
