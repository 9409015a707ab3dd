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
/// Packets of a long burst, as many as a host may send at once (RFC 9002 §7.7): what holds the first and the last back counts a ninth as much as in a pair.
pub const LONG_BURST: u64 = 10;

/// A long burst leaves in each turn of so many trains. The place is by chance, and a turn longer than what is told apart at all: what holds ACKs up together sets packets free
/// together, and must not hold up each burst alike.
const LONG_TURN: u64 = 2 * EVERY;

/// Where in its turn a long burst begins.
fn long_burst(turn: u64) -> u64 {
    // The finaliser of SplitMix64: any number for each.
    let mixed = (turn ^ (turn >> 30)).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) % (LONG_TURN - LONG_BURST)
}

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
    fn of(number: u64, long: bool) -> Spacing {
        if long && (1..LONG_BURST).contains(&(number % LONG_TURN).wrapping_sub(long_burst(number / LONG_TURN))) {
            return Spacing::BackToBack;
        }
        match number % EVERY {
            0 => Spacing::Random,
            1 | 2 => Spacing::ServiceTime,
            3 | 4 if !long => Spacing::BackToBack,
            _ => Spacing::Any,
        }
    }

    /// Whether that packet left with a train, if bursts were long.
    pub fn is_of_train(number: u64, long: bool) -> bool {
        Spacing::of(number, long) != Spacing::Any
    }

    /// Whether the packets of a gap left back to back because they should, in a long burst or in a short one.
    pub fn is_back_to_back(gap: &Gap, long: bool) -> bool {
        (gap.first..=gap.last).all(|number| Spacing::of(number, long) == Spacing::BackToBack)
    }

    /// Of all packets of a gap, if it is the same.
    pub fn of_gap(gap: &Gap) -> Spacing {
        let (first, last) = (Spacing::of(gap.first, false), Spacing::of(gap.last, false));
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
        if let (Spacing::Random, Some(service)) = (Spacing::of(self.next, false), service) {
            self.wait = service.scale(1.0 + WAIT * others * self.random.uniform());
        }
    }

    /// How long after the one before a packet leaves that was to leave back to back with it.
    pub fn pair(&self, packet: &Sent, wanted: Departure) -> Option<Span> {
        let pair = wanted == Departure::IgnoreWindow(self.last_sent) && packet.number == self.next;
        (pair && !packet.retransmission).then(|| packet.now - self.last_sent)
    }

    /// The number of the first packet that has never left.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether there is enough in flight for long bursts.
    pub fn may_be_long(&self, packet: Bytes) -> bool {
        self.flight.0 >= 2 * LONG_BURST * packet.0
    }

    /// When the next packet should leave; `queued` is how long the latest packet waited. Bursts are long where arrivals are merged.
    pub fn departure(&self, packet: Bytes, service: Option<Span>, merged: bool, queued: impl FnOnce() -> Span) -> Departure {
        let spacing = Spacing::of(self.next, merged && self.may_be_long(packet));
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
