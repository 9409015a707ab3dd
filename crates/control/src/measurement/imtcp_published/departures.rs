//! When packets leave: held back until a stream's worth has gathered, then at the stream's own distances.
//!
//! The published ImTCP has a FIFO between TCP and IP that keeps packets back until there are enough for a stream, and lets them go
//! unmeasured when they do not come in time (T §2.2.1). Here nothing is stored. Packets are held by not letting them leave before a bounded
//! time; every ACK meanwhile frees room for what it acknowledged, and when a stream's worth was acknowledged, a stream's worth could
//! leave. Then its packets leave at their times whatever is in flight, and the flight is at the end what it was before.

use crate::{Bytes, Departure, Instant, Span};

/// What leaves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Packets pass. Not to be gathered before this instant.
    Passing(Instant),
    /// Packets are held for a stream, until this instant at the latest; so much was acknowledged meanwhile.
    Gathering(Instant, Bytes),
    /// The stream of that place leaves; its first packet not before this instant.
    Leaving(usize, Instant),
}

/// Decides departures.
#[derive(Clone, Copy, Debug)]
pub struct Departures {
    phase: Phase,
    /// What a stream takes.
    needed: Bytes,
    /// Times that packets were held and did not gather.
    in_vain: u64,
}

impl Departures {
    /// For streams of `needed` bytes.
    pub fn new(needed: Bytes) -> Departures {
        Departures { phase: Phase::Passing(Instant::START), needed, in_vain: 0 }
    }

    /// Whether packets may be held for a stream now. As they are held for half a round trip at most, the flight must hold two streams.
    pub fn may_gather(&self, now: Instant, in_flight: Bytes) -> bool {
        matches!(self.phase, Phase::Passing(from) if now >= from) && in_flight.0 / 2 >= self.needed.0
    }

    /// Holds packets from now on, for half a round trip at most.
    pub fn gather(&mut self, now: Instant, smoothed: Span) {
        self.phase = Phase::Gathering(now.saturating_add(Span(smoothed.0 / 2)), Bytes::ZERO);
    }

    /// Something was acknowledged. Once enough was, the stream at `place` leaves.
    pub fn acked(&mut self, now: Instant, bytes: Bytes, place: Option<usize>) {
        let Phase::Gathering(until, acked) = self.phase else { return };
        let acked = Bytes(acked.0.saturating_add(bytes.0));
        self.phase = match place {
            Some(place) if acked >= self.needed => Phase::Leaving(place, now),
            _ => Phase::Gathering(until, acked),
        };
    }

    /// A packet left. If packets were held, the time was up; they pass, and a round trip later it is tried again.
    pub fn sent(&mut self, now: Instant, smoothed: Span) {
        if matches!(self.phase, Phase::Gathering(until, _) if now >= until) {
            self.in_vain += 1;
            self.phase = Phase::Passing(now.saturating_add(smoothed));
        }
    }

    /// The stream that leaves, by its place.
    pub fn leaving(&self) -> Option<usize> {
        if let Phase::Leaving(place, _) = self.phase { Some(place) } else { None }
    }

    /// Packets pass again: the stream has left, or there will be none.
    pub fn pass(&mut self) {
        self.phase = Phase::Passing(Instant::START);
    }

    /// When the next packet leaves; `next` is when it should if it is of a stream under way.
    pub fn next(&self, next: Option<Instant>) -> Departure {
        match self.phase {
            Phase::Passing(_) => Departure::Now,
            Phase::Gathering(until, _) => Departure::At(until),
            Phase::Leaving(_, from) => Departure::IgnoreWindow(next.unwrap_or(from)),
        }
    }

    /// Times that packets were held and did not gather.
    pub fn in_vain(&self) -> u64 {
        self.in_vain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    #[test]
    fn what_was_acknowledged_meanwhile_leaves_as_a_stream() {
        let at_ms = Instant::from_millis;
        let mut departures = Departures::new(Bytes(3000));
        assert_eq!(departures.next(None), Departure::Now);
        assert!(!departures.may_gather(at_ms(0), Bytes(5999)) && departures.may_gather(at_ms(0), Bytes(6000)));
        departures.gather(at_ms(1), RTT);
        assert!(!departures.may_gather(at_ms(1), Bytes(6000)), "it does so already");
        departures.acked(at_ms(2), Bytes(1500), Some(4));
        assert_eq!(departures.next(None), Departure::At(at_ms(51)));
        departures.acked(at_ms(3), Bytes(1500), Some(4));
        assert_eq!((departures.leaving(), departures.next(None)), (Some(4), Departure::IgnoreWindow(at_ms(3))));
        assert_eq!(departures.next(Some(at_ms(5))), Departure::IgnoreWindow(at_ms(5)));
        departures.pass();
        assert_eq!(departures.next(None), Departure::Now);
    }

    #[test]
    fn what_does_not_gather_in_time_leaves_unmeasured() {
        let at_ms = Instant::from_millis;
        let mut departures = Departures::new(Bytes(3000));
        departures.gather(at_ms(0), RTT);
        departures.acked(at_ms(10), Bytes(1500), Some(0));
        departures.sent(at_ms(50), RTT);
        assert_eq!((departures.next(None), departures.in_vain()), (Departure::Now, 1));
        assert!(!departures.may_gather(at_ms(149), Bytes(6000)) && departures.may_gather(at_ms(150), Bytes(6000)));
    }
}
