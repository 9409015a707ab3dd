//! Which packets leave at a distance that tells K: of every so many, a few.
//!
//! A train is five packets: one at a random instant; one after it by a service time or, in half of the trains, by as much as the standing
//! queue covers for sure; one a service time later; two back to back ([`super::capacity`]). Packet numbers say where a train is, so that nothing has to be remembered until the ACKs are there.

use symbiosis_base::Random;

use super::gaps::Gap;
use crate::{Bytes, Departure, Instant, Sent, Span};

/// Of so many packets, the first few are a train. Odd, so that where an ACK answers two packets, those of every second train fall together
/// as they should.
const EVERY: u64 = 33;
/// The longest time that a train waits for its random instant where competitors use all of the link, in service times: several turns of
/// flows that take turns.
const WAIT: f64 = 8.0;
/// The widest distance where competitors use all of the link, in service times: a longer pause tells little more.
const WIDEST: f64 = 16.0;
/// The part of the queue that is there for sure: competitors' packets come in lumps.
const SURE: f64 = 0.5;
/// A train leaves whatever is in flight, if at least so many packets are.
pub const FLIGHT: u64 = 10;

/// How a packet leaves after the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// As the window and the pacing have it.
    Any,
    /// At a random instant.
    Random,
    /// A service time or more.
    ServiceTime,
    /// Back to back.
    BackToBack,
}

impl Spacing {
    /// Of the packet of that number to the one before.
    fn of(number: u64) -> Spacing {
        match number % EVERY {
            0 => Spacing::Random,
            1 | 2 => Spacing::ServiceTime,
            3 | 4 => Spacing::BackToBack,
            _ => Spacing::Any,
        }
    }

    /// Whether that packet left with a train.
    pub fn is_of_train(number: u64) -> bool {
        Spacing::of(number) != Spacing::Any
    }

    /// Of all packets of a gap, if it is the same.
    pub fn of_gap(gap: &Gap) -> Spacing {
        let (first, last) = (Spacing::of(gap.first), Spacing::of(gap.last));
        if first == last { last } else { Spacing::Any }
    }
}

/// Decides departures.
#[derive(Clone, Debug)]
pub struct Trains {
    random: Random,
    next: u64,
    last_sent: Instant,
    wait: Span,
    others: f64,
    flight: Bytes,
}

impl Trains {
    /// For a new connection.
    pub fn new(seed: u64) -> Trains {
        Trains { random: Random::new(seed, 2), next: 0, last_sent: Instant::START, wait: Span::ZERO, others: 0.0, flight: Bytes::ZERO }
    }

    /// A packet left; `service` is `M/K`, once K is known, and `others` the part of the link that competitors use: the train waits for
    /// their turns, not for nobody's.
    pub fn sent(&mut self, packet: &Sent, service: Option<Span>, others: f64) {
        (self.last_sent, self.flight, self.others) = (packet.now, packet.in_flight, others);
        if packet.retransmission {
            return;
        }
        self.next = self.next.max(packet.number.saturating_add(1));
        if let (Spacing::Random, Some(service)) = (Spacing::of(self.next), service) {
            self.wait = service.scale(1.0 + WAIT * others * self.random.uniform());
        }
    }

    /// The number of the first packet that has never left.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// When the next packet should leave; `queued` is how long the latest packet waited.
    pub fn departure(&self, packet: Bytes, service: Option<Span>, queued: impl FnOnce() -> Span) -> Departure {
        let spacing = Spacing::of(self.next);
        if spacing != Spacing::Any && self.flight.0 < FLIGHT * packet.0 {
            // A train would be half of what is in flight. A pair will do.
            return if self.next % EVERY == 4 { Departure::IgnoreWindow(self.last_sent) } else { Departure::Now };
        }
        match (spacing, service) {
            (Spacing::BackToBack, _) => Departure::IgnoreWindow(self.last_sent),
            (Spacing::ServiceTime, Some(service)) => {
                let long = self.next % EVERY == 1 && self.next / EVERY % 4 >= 2;
                let wide = if long { queued().scale(SURE).min(service.scale(WIDEST * self.others)).max(service) } else { service };
                Departure::IgnoreWindow(self.last_sent.saturating_add(wide))
            }
            (Spacing::Random, Some(_)) => Departure::IgnoreWindow(self.last_sent.saturating_add(self.wait)),
            _ => Departure::Now,
        }
    }
}

#[cfg(test)]
mod tests;
