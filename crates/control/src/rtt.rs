//! Round-trip times: smoothed (RFC 6298), least, and both of whatever an ACK measures.
//!
//! Worlds and controllers keep their round-trip times in nanoseconds or in seconds; the equations are the same in any unit.

use crate::at_once::AtOnce;
use crate::pacer::LATE;
use crate::{Acked, Instant, Span};

/// Weight of a new sample in the smoothed round-trip time: α of RFC 6298 §2.3.
const ALPHA: f64 = 1.0 / 8.0;
/// Weight of a new deviation in the variation: β of RFC 6298 §2.3.
const BETA: f64 = 1.0 / 4.0;

/// Weight of what a round-trip time is over the least of late: over more packets than come in a tick.
const OVER: f64 = 1.0 / 64.0;

/// A smoothed round-trip time, in the unit of its samples; zero before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Smoothed(f64);

impl Smoothed {
    /// Takes in a sample: `SRTT ← (1 − α)·SRTT + α·R`, and `SRTT ← R` for the first (RFC 6298 §2.2, §2.3).
    #[inline]
    pub fn sample(&mut self, rtt: f64) {
        self.0 = if self.0 == 0.0 { rtt } else { self.0 + ALPHA * (rtt - self.0) };
    }

    /// The smoothed round-trip time.
    #[inline]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A smoothed round-trip time and how much samples deviate from it; both zero before the first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RttEstimator {
    smoothed: Smoothed,
    variation: f64,
}

impl RttEstimator {
    /// Takes in a sample: `RTTVAR ← (1 − β)·RTTVAR + β·|SRTT − R|` before SRTT moves, and `RTTVAR ← R/2` for the first
    /// (RFC 6298 §2.2, §2.3).
    #[inline]
    pub fn sample(&mut self, rtt: f64) {
        let before = self.smoothed.get();
        self.variation = if before == 0.0 { rtt / 2.0 } else { self.variation + BETA * ((before - rtt).abs() - self.variation) };
        self.smoothed.sample(rtt);
    }

    /// SRTT.
    #[inline]
    pub fn smoothed(&self) -> f64 {
        self.smoothed.get()
    }

    /// RTTVAR.
    #[inline]
    pub fn variation(&self) -> f64 {
        self.variation
    }
}

/// The least round-trip time of all that were measured; none before the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinRtt<T>(Option<T>);

impl<T> Default for MinRtt<T> {
    fn default() -> Self {
        MinRtt(None)
    }
}

impl<T: Copy + PartialOrd> MinRtt<T> {
    /// Takes in a sample.
    #[inline]
    pub fn sample(&mut self, rtt: T) {
        if self.0.is_none_or(|least| rtt < least) {
            self.0 = Some(rtt);
        }
    }

    /// Forgets what was measured before: the path is another.
    pub fn restart(&mut self, rtt: T) {
        self.0 = Some(rtt);
    }

    /// The least so far.
    #[inline]
    pub fn get(&self) -> Option<T> {
        self.0
    }
}

/// The base round-trip time τ and the smoothed one, of whatever an ACK measures.
#[derive(Clone, Debug, Default)]
pub struct BaseRtt {
    least: MinRtt<Span>,
    smoothed: Smoothed,
    /// The smoothed one before the first ACK of those that came at once.
    before: Smoothed,
    at_once: AtOnce,
    /// The least round-trip time of a tick ([`LATE`]), and of as long before; when the former began.
    of_late: [Span; 2],
    began: Instant,
    /// By how much round-trip times are longer than that, on average \[ns\].
    over: f64,
}

impl BaseRtt {
    /// Takes in a measurement of a round-trip time, if the ACK brings one.
    pub fn acked(&mut self, ack: &Acked) {
        self.acked_without(ack, ack.rtt);
    }

    /// The same, smoothed without a part of it: as if it had been `without`.
    pub fn acked_without(&mut self, ack: &Acked, without: Option<Span>) {
        if let (Some(rtt), Some(without)) = (ack.rtt.filter(|rtt| *rtt > Span::ZERO), without) {
            self.smoothed.sample(without.0 as f64);
            self.least.sample(rtt);
        }
    }

    /// The same, of ACKs that come at once the last alone: what held them back it held back the least.
    /// Where packets are `held_back`, each in its own way, it is the least of late that tells what queue stands.
    pub fn acked_at_once(&mut self, ack: &Acked, without: Option<Span>, held_back: bool) {
        if ack.rtt.is_none_or(|rtt| rtt == Span::ZERO) {
            return;
        }
        let without = without.map(|rtt| {
            let least = if held_back { self.least_of_late(ack.now, rtt) } else { rtt };
            self.over += OVER * ((rtt - least).min(LATE).0 as f64 - self.over);
            least
        });
        if self.at_once.arrived(ack.now) && self.before.get() > 0.0 {
            self.smoothed = self.before;
        } else {
            self.before = self.smoothed;
        }
        self.acked_without(ack, without);
    }

    fn least_of_late(&mut self, now: Instant, rtt: Span) -> Span {
        let since = now - self.began;
        if since > LATE || self.of_late[0] == Span::ZERO {
            let known = since <= LATE * 2 && self.of_late[0] > Span::ZERO;
            let before = if known { self.of_late[0] } else { Span::MAX };
            (self.of_late, self.began) = ([rtt, before], now);
        }
        self.of_late[0] = self.of_late[0].min(rtt);
        self.of_late[0].min(self.of_late[1])
    }

    /// By how much the loop is longer than what stands tells: by what packets are held back, and what is let go together leaves, paced, behind each other for as long.
    pub fn held_back(&self) -> Span {
        Span((2.0 * self.over) as u64)
    }

    /// The base round-trip time τ; none before the first measurement.
    pub fn tau(&self) -> Option<Span> {
        self.least.get()
    }

    /// The smoothed round-trip time; zero before the first measurement.
    pub fn smoothed(&self) -> Span {
        Span(self.smoothed.get() as u64)
    }
}

#[cfg(test)]
mod tests;
