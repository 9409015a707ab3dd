//! Pacing: packets leave at a multiple of the window's own rate, `w / srtt`.
//!
//! Unpaced windows travel in clusters, and flows that travel in clusters see each other only when they collide. The multiple leaves the
//! window in charge: a pacer at exactly `w / srtt` would hold back what the window allows after every pause.

use crate::{Bytes, Departure, Instant, Sent, Span};

/// What a host's scheduler may be late by: Linux looks every 4 ms (`CONFIG_HZ=250`) whether whoever runs has run for long enough. More than
/// that is no host that is late but one that stood still, and a burst of it is not what a buffer is for.
pub(crate) const LATE: Span = Span::from_millis(4);

/// Spaces packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    next: Instant,
    /// Lateness that is made up for: the host's timer's.
    tick: Span,
    /// Nothing but the plan holds the next packet back.
    alone: bool,
    /// What the host held packets up by and was not made up for yet.
    owed: Span,
}

impl Pacer {
    /// On a host whose timer has steps of `tick`. A departure that lies between two of them happens at the later; a pacer that counted
    /// from there would send one packet a tick, however short its gaps are. So what a tick is late by is made up for at once: a token
    /// bucket that holds one tick.
    pub fn new(tick: Span) -> Pacer {
        Pacer { tick, ..Pacer::default() }
    }

    /// A packet left; the next may follow when it has been paid for at `gain · window / smoothed`.
    ///
    /// Where only the plan held it back, it left late because the host is: woken late, or busy. A host that is late by 50 µs each time would
    /// send at half the rate where a packet takes as long. That is made up for, too. A pause in which the window or the application held it
    /// back is not.
    pub fn sent(&mut self, packet: &Sent, gain: f64, window: Bytes, smoothed: Span) {
        self.sent_late(packet, Span::ZERO, gain, window, smoothed);
    }

    /// The same where it is known by how much the host held the packet up, also behind the window: that is made up for.
    pub fn sent_late(&mut self, packet: &Sent, held_up: Span, gain: f64, window: Bytes, smoothed: Span) {
        let gap = smoothed.0 as f64 * packet.bytes.as_f64() / (gain * window.as_f64().max(1.0));
        let owed = self.owed.max(held_up).min(LATE);
        let made_up = self.tick.max(if self.alone { LATE } else { owed });
        self.next = self.next.max(packet.now - made_up).saturating_add(Span(gap as u64));
        self.alone = !packet.app_limited && packet.in_flight <= window - packet.bytes;
        self.owed = if self.alone { owed.min(packet.now - self.next) } else { Span::ZERO };
    }

    /// What lets packets leave came so much later than it might have: that is made up for, if they did not leave anyway.
    pub fn owes(&mut self, late: Span) {
        self.owed = self.owed.max(late);
    }

    /// The next packet waits for something else than the plan.
    pub fn interrupted(&mut self) {
        self.alone = false;
    }

    /// The next packet may leave at `latest` whatever was planned.
    pub fn no_later(&mut self, latest: Instant) {
        self.next = self.next.min(latest);
    }

    /// When the next packet was to leave.
    pub fn planned(&self) -> Instant {
        self.next
    }

    /// When the next packet may leave.
    pub fn departure(&self, now: Instant) -> Departure {
        if self.next > now { Departure::At(self.next) } else { Departure::Now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of 1500 bytes that leaves at `ms`, and is all that is in flight.
    fn left(ms: u64) -> Sent {
        left_at(Instant::from_millis(ms), Bytes(1500))
    }

    fn left_at(now: Instant, in_flight: Bytes) -> Sent {
        Sent::new(now, 0, Bytes(1500), in_flight)
    }

    #[test]
    fn packets_are_spread_over_the_round_trip() {
        let mut pacer = Pacer::default();
        let (ms, at_ms) = (Span::from_millis, Instant::from_millis);
        // Ten packets in 100 ms at gain 1.25: one every 8 ms.
        pacer.sent(&left(0), 1.25, Bytes(15_000), ms(100));
        assert_eq!(pacer.departure(at_ms(0)), Departure::At(at_ms(8)));
        assert_eq!(pacer.departure(at_ms(8)), Departure::Now);
        pacer.interrupted();
        pacer.sent(&left(50), 1.25, Bytes(15_000), ms(100));
        assert_eq!(pacer.departure(at_ms(50)), Departure::At(at_ms(58)), "the pause from 8 to 50 is not made up for");
    }

    #[test]
    fn a_plan_has_a_bound() {
        let (ms, at_ms) = (Span::from_millis, Instant::from_millis);
        let mut pacer = Pacer::default();
        // Two packets in 2 s, by a round-trip time that an outage made.
        pacer.sent(&left(0), 1.0, Bytes(3000), ms(2000));
        pacer.no_later(at_ms(40));
        assert_eq!(pacer.departure(at_ms(39)), Departure::At(at_ms(40)));
        pacer.no_later(at_ms(90));
        assert_eq!(pacer.departure(at_ms(39)), Departure::At(at_ms(40)), "nothing becomes later by it");
    }

    #[test]
    fn what_a_timer_is_late_by_is_made_up_for_and_no_more() {
        let (ms, at_ms) = (Span::from_millis, Instant::from_millis);
        let mut pacer = Pacer::new(ms(10));
        let mut burst = |now: Instant| {
            let mut packets = 0;
            while pacer.departure(now) == Departure::Now {
                pacer.sent(&left_at(now, Bytes(1500)), 1.0, Bytes(75_000), ms(100));
                packets += 1;
            }
            packets
        };
        // Fifty packets in 100 ms, one every 2 ms, by a timer of 10 ms: five a tick.
        assert_eq!([at_ms(100), at_ms(110), at_ms(120)].map(&mut burst), [6, 5, 5]);
        assert_eq!(burst(at_ms(500)), 6, "a pause of 380 ms is worth a tick");
    }

    #[test]
    fn a_host_that_is_late_each_time_keeps_the_rate() {
        // One packet every 100 µs, and the host wakes up 80 µs late.
        let (window, smoothed, late) = (Bytes(750_000), Span::from_millis(50), Span::from_micros(80));
        let packets_in_100_ms = |in_flight: Bytes| {
            let (mut pacer, mut now, mut packets) = (Pacer::default(), Instant::START, 0);
            while now < Instant::from_millis(100) {
                while pacer.departure(now) == Departure::Now {
                    pacer.sent(&left_at(now, in_flight), 1.0, window, smoothed);
                    packets += 1;
                }
                let Departure::At(at) = pacer.departure(now) else { unreachable!() };
                now = at + late;
            }
            packets
        };
        assert!((999..=1001).contains(&packets_in_100_ms(Bytes(700_000))));
        assert!((555..=557).contains(&packets_in_100_ms(window)), "the window may have held them back");
    }

    #[test]
    fn a_host_that_stood_still_makes_up_for_what_a_scheduler_takes() {
        let mut pacer = Pacer::default();
        let mut burst = |now: Instant| {
            let mut packets = 0;
            while pacer.departure(now) == Departure::Now {
                pacer.sent(&left_at(now, Bytes(1500)), 1.0, Bytes(750_000), Span::from_millis(50));
                packets += 1;
            }
            packets
        };
        assert_eq!(burst(Instant::from_millis(100)), 1, "nothing was planned");
        assert_eq!(burst(Instant::from_millis(300)), 41, "4 ms, and the packet itself");
    }

    #[test]
    fn what_a_host_held_up_behind_the_window_is_made_up_for() {
        let (window, smoothed, full) = (Bytes(75_000), Span::from_millis(50), Bytes(75_000));
        let mut pacer = Pacer::default();
        // One packet a millisecond, each of which fills the window.
        pacer.sent(&left_at(Instant::from_millis(100), full), 1.0, window, smoothed);
        let mut burst = |now: Instant, late: Span, in_flight: Bytes| {
            let mut packets = 0;
            while pacer.departure(now) == Departure::Now {
                pacer.sent_late(&left_at(now, in_flight), if packets == 0 { late } else { Span::ZERO }, 1.0, window, smoothed);
                packets += 1;
            }
            packets
        };
        let room = Bytes(60_000);
        // ACKs opened it at 101 ms, and the host came back 3 ms later.
        assert_eq!(burst(Instant::from_millis(104), Span::from_millis(3), room), 4);
        assert_eq!(burst(Instant::from_millis(105), Span::ZERO, full), 1, "nothing is owed any more");
        // The window held back what leaves at 120: no fault of the host.
        assert_eq!(burst(Instant::from_millis(120), Span::ZERO, full), 1);
    }

    #[test]
    fn what_is_owed_outlasts_packets_that_somebody_else_spaces() {
        let (window, smoothed, full, room) = (Bytes(75_000), Span::from_millis(50), Bytes(75_000), Bytes(60_000));
        let mut pacer = Pacer::default();
        pacer.sent(&left_at(Instant::from_millis(100), full), 1.0, window, smoothed);
        pacer.owes(Span::from_millis(3));
        for us in [0, 500, 1000] {
            pacer.sent(&left_at(Instant::from_millis(104) + Span::from_micros(us), room), 1.0, window, smoothed);
            pacer.interrupted();
        }
        assert_eq!(pacer.departure(Instant::from_millis(105)), Departure::Now, "4 of 5 have left");
    }
}
