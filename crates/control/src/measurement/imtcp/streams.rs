//! Which packets leave at a distance that tells A.
//!
//! No packet is added; data packets leave at chosen times. A *stream* goes out when the flow's own packets meet too little of a busy link to tell A: three packets back to back,
//! which make a queue, and then some a little faster than what is free, which keep it. A stream keeps its distances whatever is in
//! flight, because a packet that waits for the window leaves when an ACK comes and not when it should; so it is no longer than a small
//! part of the flight, which is also the debt that the window then waits for. A stream that told nothing was too slow to keep the link
//! busy: more is free than was thought, and the next is faster.

use crate::lotka_volterra::Bandwidth;
use crate::{Bytes, Departure, Instant, Rate, Sent, Span};

/// Packets that a stream sends back to back at its start.
pub const HEAD: u32 = 3;
/// Packets that follow at the stream's rate: a small part of the flight, but not fewer than the first number, and more than the second
/// only as this smaller part of a long flight.
const BODY: (f64, f64) = (4.0, 20.0);
/// No stream has fewer.
pub const SHORTEST: u32 = HEAD + BODY.0 as u32;
const OF_FLIGHT: f64 = 0.125;
const OF_LONG_FLIGHT: f64 = 1.0 / 64.0;
/// The stream's rate over the available bandwidth.
const OVER: f64 = 1.1;
/// Each stream after one that told nothing is so much faster.
const FASTER: f64 = 2.0;
/// Bounds of the stream's rate, as parts of the capacity.
const RATE: (f64, f64) = (0.15, 1.05);

/// So many streams leave in a round trip, and one more before a loss is known.
const OF_LATE: usize = 4;

/// Streams in vain that are counted: by then the rate has met its bound from any A.
const MOST_VAIN: i32 = 4;

/// Decides departures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Streams {
    last_sent: Instant,
    /// Packets of the stream under way that have not left: of its head, and of its body.
    head: u32,
    body: u32,
    /// Streams since the last result.
    vain: i32,
    /// Between packets of its body.
    gap: Span,
    /// When the last stream began.
    begun: Option<Instant>,
    /// The first and the last packet of the last streams, the oldest first.
    numbers: [(u64, u64); OF_LATE],
}

impl Streams {
    /// Begins a stream, unless one is under way or began less than `spacing` ago. `flight` is in packets.
    pub fn begin(&mut self, now: Instant, spacing: Span, known: &Bandwidth, packet: Bytes, flight: f64) {
        if self.head + self.body > 0 || self.begun.is_some_and(|begun| now - begun < spacing) {
            return;
        }
        let faster = libm::pow(FASTER, f64::from(self.vain));
        // From the least rate on, also where nothing was thought free: each in vain is followed by a faster one.
        let least = (known.available * OVER).clamp(known.capacity * RATE.0, known.capacity * RATE.1);
        let rate = (least * faster).clamp(Rate::ZERO, known.capacity * RATE.1);
        self.gap = rate.time_for(packet);
        self.head = HEAD;
        self.body = (flight * OF_FLIGHT).clamp(BODY.0, BODY.1.max(flight * OF_LONG_FLIGHT)) as u32;
        self.vain = (self.vain + 1).min(MOST_VAIN);
        self.begun = Some(now);
        self.numbers.rotate_left(1);
        self.numbers[OF_LATE - 1] = (u64::MAX, 0);
    }

    /// There is a result: what is known of A holds.
    pub fn told(&mut self) {
        self.vain = 0;
    }

    /// The host is too late for the stream under way.
    pub fn end(&mut self) {
        (self.head, self.body) = (0, 0);
    }

    /// Whether that packet left with one of the last streams.
    pub fn sent_of_late(&self, number: u64) -> bool {
        self.numbers.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }

    /// A packet left.
    pub fn sent(&mut self, packet: &Sent) {
        self.last_sent = packet.now;
        if self.head + self.body > 0 {
            let (first, last) = &mut self.numbers[OF_LATE - 1];
            (*first, *last) = (packet.number.min(*first), packet.number.max(*last));
        }
        if self.head > 0 {
            self.head -= 1;
        } else {
            self.body = self.body.saturating_sub(1);
        }
    }

    /// When the next packet should leave.
    pub fn departure(&self) -> Departure {
        match (self.head, self.body) {
            (0, 0) | (HEAD, _) => Departure::Now,
            (1.., _) => Departure::IgnoreWindow(self.last_sent),
            (0, _) => Departure::IgnoreWindow(self.last_sent.saturating_add(self.gap)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(number: u64, now: Instant) -> Sent {
        Sent { now, number, bytes: Bytes(1500), in_flight: Bytes(0), ready_at: now, retransmission: false, app_limited: false }
    }

    /// Lets `count` packets leave when they should, or at the bench's own pace of one a millisecond.
    fn run(streams: &mut Streams, count: u64) -> alloc::vec::Vec<Departure> {
        let mut now = Instant::START;
        let departures = (0..count).map(|number| {
            let departure = streams.departure();
            now = match departure {
                Departure::Now => now + Span::from_millis(1),
                Departure::At(at) | Departure::IgnoreWindow(at) => at,
            };
            streams.sent(&sent(number, now));
            departure
        });
        departures.collect()
    }

    fn known(available: f64) -> Bandwidth {
        Bandwidth { capacity: Rate::from_mbps(12.0), available: Rate::from_mbps(available) }
    }

    const SPACING: Span = Span::from_millis(40);

    #[test]
    fn a_stream_is_three_at_once_and_some_at_its_rate() {
        let mut streams = Streams::default();
        let at_ms = Instant::from_millis;
        // 1.1 · 6 Mbit/s: one packet of 1500 bytes in 1.818 ms, after the first at 1 ms. An eighth of 64 packets.
        streams.begin(at_ms(0), SPACING, &known(6.0), Bytes(1500), 64.0);
        let departures = run(&mut streams, 12);
        assert_eq!(departures[..3], [Departure::Now, Departure::IgnoreWindow(at_ms(1)), Departure::IgnoreWindow(at_ms(1))]);
        let body: alloc::vec::Vec<_> = (1..=8).map(|i| Departure::IgnoreWindow(at_ms(1) + Span(1_818_182) * i)).collect();
        assert_eq!(departures[3..11], body);
        assert_eq!(departures[11], Departure::Now);
        streams.begin(at_ms(30), SPACING, &known(6.0), Bytes(1500), 64.0);
        assert_eq!(streams.departure(), Departure::Now, "too soon for another");
    }

    #[test]
    fn a_stream_in_vain_is_followed_by_a_faster_one() {
        let mut streams = Streams::default();
        let mut gaps = alloc::vec::Vec::new();
        for i in 0..5 {
            streams.begin(Instant::after(SPACING * i), SPACING, &known(4.0), Bytes(1500), 0.0);
            gaps.push(streams.gap.0 / 1000);
            run(&mut streams, 7);
        }
        // 4.4, 8.8 Mbit/s, and from then on 1.05 K.
        assert_eq!(gaps, [2727, 1363, 952, 952, 952]);
        streams.told();
        streams.begin(Instant::after(SPACING * 9), SPACING, &known(4.0), Bytes(1500), 0.0);
        assert_eq!(streams.gap.0 / 1000, 2727);
    }

    /// Nothing was thought free: twice nothing would be nothing.
    #[test]
    fn streams_in_vain_are_faster_from_the_least_rate_too() {
        let mut streams = Streams::default();
        let mut rates = alloc::vec::Vec::new();
        for i in 0..5 {
            streams.begin(Instant::after(SPACING * i), SPACING, &known(0.0), Bytes(1500), 0.0);
            rates.push((Rate::of(Bytes(1500), streams.gap).mbps() * 100.0) as u64);
            run(&mut streams, 7);
        }
        assert_eq!(rates, [179, 360, 719, 1259, 1259]);
    }

    #[test]
    fn the_rate_keeps_its_bounds() {
        for (available, gap) in [(0.0, 1_000_000.0 / 0.15), (12.0, 1_000_000.0 / 1.05)] {
            let mut streams = Streams::default();
            streams.begin(Instant::START, Span::ZERO, &known(available), Bytes(1500), 100.0);
            assert!((streams.gap.0 as f64 - gap).abs() <= 1.0);
        }
    }
}
