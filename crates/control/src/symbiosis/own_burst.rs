//! What a flow's packets wait for their own burst: one behind the other at the bottleneck, in no queue that stands.
//!
//! Hosts send in bursts: segments handed to the device at once (GSO), a pacer that makes up for a late wake-up, a window that an aggregated ACK
//! opens. 64 kB take 5 ms on 100 Mbit/s, and the round-trip time of a burst's last packet has them all. A law that rests at a queue `θ·ln(K/x)`
//! would leave `1 − e^(−d/θ)` of the link free for a mean wait of d: a third of it.
//!
//! The sender knows its bursts. Lindley's recursion over what left, served at K, is what they leave behind: `b ← max(0, b − Δt) + L/K`. What the least
//! burdened packet of the longest burst's time met stands, or is K's error added up, and is a queue like any; what is over it is the burst's own.
//!
//! Of m packets that leave at one instant, d apart at K, the one i after the first waits id behind the others; and what leaves for it waits `(m − 1 − i)d` at the
//! sender, until the next burst is complete. The loop is longer by `(m − 1)d` for each: on average twice what packets wait behind their burst, or, where one
//! ACK answers n of them, twice that and the `(n − 1)d` that the first waits for the last. That holds for a host that gathers packets, whose bursts follow each
//! other, and not for the trains of the measurement between packets that are paced.

use crate::measurement::imtcp::LONG_BURST;
use crate::rtt::Smoothed;
use crate::{Acked, Bytes, Instant, Rate, Span};

/// What a host hands to its device at once: the most of Linux' GSO.
pub(super) const GSO: Bytes = Bytes(65_536);
/// What a scheduler holds up: a tick of Linux.
const TICK: Span = Span::from_millis(4);
/// For bursts the window is at most so many times the law's, whatever is measured.
const MOST: f64 = 2.0;

/// The flow's own backlog.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnBurst {
    /// When the last acknowledged packet left, and what stood behind it then \[s\].
    left: Instant,
    backlog: f64,
    /// The service times of what left before it at the same instant, and of the burst of the instant before \[s\].
    bursts: [f64; 2],
    /// The least that a packet met in the time of a burst, the one under way and the one before \[s\]; when the former began.
    least: [f64; 2],
    began: Instant,
    /// What packets wait for their own burst and for the next, smoothed as round-trip times are \[ns\].
    waits: Smoothed,
    /// The loop is longer by this part of what the law goes by.
    longer: f64,
}

impl OwnBurst {
    /// The round-trip time that an ACK measures without what its packet waited for the flow's own burst, or in the queue `bridge` that the
    /// flow keeps for its hosts; no less than `tau`.
    pub fn without(&mut self, ack: &Acked, capacity: Rate, packet: Bytes, tau: Span, bridge: Span) -> Option<Span> {
        if ack.sent_at < self.left {
            return ack.rtt;
        }
        self.backlog = (self.backlog - (ack.sent_at - self.left).secs()).max(0.0);
        if ack.sent_at > self.left {
            self.bursts = [0.0, self.bursts[0]];
        }
        self.left = ack.sent_at;
        let since = ack.sent_at - self.began;
        if since > TICK && since > capacity.time_for(GSO) {
            self.least = [f64::INFINITY, self.least[0]];
            self.began = ack.sent_at;
        }
        self.least[0] = self.least[0].min(self.backlog);
        let stands = self.least[0].min(self.least[1]);
        // An ACK may stand for several packets; it is the last that it tells of.
        let ahead = if ack.bytes > packet { capacity.time_for(ack.bytes - packet).secs() } else { 0.0 };
        let behind = self.backlog - stands;
        let [burst, before] = self.bursts;
        let gathers = before > capacity.time_for(packet).secs() * LONG_BURST as f64;
        let gathered = if gathers { Span::from_secs(burst.min(before)) } else { Span::ZERO };
        let service = capacity.time_for(ack.bytes).secs();
        self.bursts[0] += service;
        self.backlog += service;
        let rtt = ack.rtt?;
        let queued = rtt.signed_sub(tau).max_zero();
        let waited = Span::from_secs(behind + ahead).min(queued).min(rtt.scale(1.0 - 1.0 / MOST));
        self.waits.sample((waited + gathered.min(waited)).0 as f64);
        Some(rtt - waited.max(bridge.min(queued)))
    }

    /// The loop is so many times what the law goes by, `smoothed`; for the hosts alone it is longer by the part `hosts`.
    pub fn measure(&mut self, smoothed: Span, hosts: f64) {
        let longer = self.waits.get() / smoothed.0.max(1) as f64;
        self.longer = longer.min(MOST - 1.0).max(hosts);
    }

    /// The window over the whole loop that gives a flow what `window` gives it without its bursts, and the loop's time.
    pub fn whole(&self, window: Bytes, smoothed: Span) -> (Bytes, Span) {
        let loops = 1.0 + self.longer;
        (Bytes::from_f64(window.as_f64() * loops), smoothed.scale(loops))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const K: Rate = Rate::from_mbps(120.0);
    const PACKET: Bytes = Bytes(1500);
    const TAU: Span = Span::from_millis(40);

    /// An ACK of `packets` that left at `ms` and met what the model of a FIFO bottleneck of the rate K has for them.
    fn ack(number: u64, ms: f64, packets: u64, rtt: Span) -> Acked {
        let sent_at = Instant::START + Span::from_secs(ms / 1e3);
        Acked::new(sent_at + rtt, number, Bytes(1500 * packets), sent_at).with_rtt(Some(rtt))
    }

    #[test]
    fn a_burst_is_no_queue_however_it_is_acknowledged() {
        // Ten packets at once, one every 0.1 ms at K: the last waits 0.9 ms.
        let mut each = OwnBurst::default();
        for i in 0..10 {
            let rtt = TAU + Span::from_micros(100) * i;
            assert_eq!(each.without(&ack(i, 5.0, 1, rtt), K, PACKET, TAU, Span::ZERO), Some(TAU), "packet {i}");
        }
        let mut together = OwnBurst::default();
        let rtt = TAU + Span::from_micros(900);
        assert_eq!(together.without(&ack(9, 5.0, 10, rtt), K, PACKET, TAU, Span::ZERO), Some(TAU));
    }

    #[test]
    fn what_stands_behind_others_stays() {
        let mut own = OwnBurst::default();
        let queued = TAU + Span::from_millis(3);
        for i in 0..100 {
            // One at a time, at half of K: whatever they wait for is not their own.
            let rtt = own.without(&ack(i, 5.0 + 0.2 * i as f64, 1, queued), K, PACKET, TAU, Span::ZERO);
            assert_eq!(rtt, Some(queued));
        }
        own.measure(TAU, 0.0);
        assert_eq!(own.whole(Bytes(100_000), TAU), (Bytes(100_000), TAU));
    }

    #[test]
    fn a_capacity_that_is_read_too_low_adds_up_to_nothing() {
        let mut own = OwnBurst::default();
        let queued = TAU + Span::from_millis(3);
        // At K, of which 5 % less is known, for 2 s.
        for i in 0..20_000 {
            let rtt = own.without(&ack(i, 5.0 + 0.1 * i as f64, 1, queued), K * 0.95, PACKET, TAU, Span::ZERO).unwrap();
            // 5 % of the time of two bursts.
            assert!(queued - rtt <= Span::from_micros(600), "{i}: {rtt:?}");
        }
    }

    #[test]
    fn what_came_in_another_order_tells_nothing() {
        let mut own = OwnBurst::default();
        own.without(&ack(1, 6.0, 1, TAU), K, PACKET, TAU, Span::ZERO);
        let late = TAU + Span::from_millis(5);
        assert_eq!(own.without(&ack(0, 5.0, 1, late), K, PACKET, TAU, Span::ZERO), Some(late));
    }

    #[test]
    fn the_loop_is_longer_by_the_whole_burst_however_it_is_acknowledged() {
        // 44 packets every 6 ms, one every 0.1 ms at K.
        for together in [1, 2, 4, 11, 22, 44] {
            let mut own = OwnBurst::default();
            let mut loops = Vec::new();
            for burst in 0..60 {
                for last in (together - 1..44).step_by(together as usize) {
                    let rtt = TAU + Span::from_micros(100) * last;
                    let left =
                        own.without(&ack(44 * burst + last, 5.0 + 6.0 * burst as f64, together, rtt), K, PACKET, TAU, Span::ZERO).unwrap();
                    own.measure(left, 0.0);
                    loops.push(own.whole(PACKET, left).1.millis());
                }
            }
            let late = &loops[loops.len() / 2..];
            let longer = late.iter().sum::<f64>() / late.len() as f64 - TAU.millis();
            assert!((longer - 4.3).abs() < 0.05, "{together} at a time: {longer} ms");
        }
    }

    #[test]
    fn a_train_among_paced_packets_is_nothing_gathered() {
        let mut own = OwnBurst::default();
        let waits = |own: &OwnBurst| own.waits.get() / 1e6;
        // A packet each 0.2 ms, and ten at once in each turn of 66.
        for number in 0..660 {
            let of_train = (number % 66_u64).min(10);
            let (turn, place) = (number / 66, number % 66);
            let ms = 5.0 + 12.0 * turn as f64 + 0.2 * (place - of_train) as f64;
            let rtt = TAU + if place < 10 { Span::from_micros(100) * of_train } else { Span::ZERO };
            own.without(&ack(number, ms, 1, rtt), K, PACKET, TAU, Span::ZERO);
            // A mean over some eight of waits of up to 0.9 ms, of which it is the half at the most.
            assert!(waits(&own) <= 0.45, "{number}: {} ms", waits(&own));
        }
    }

    #[test]
    fn the_window_is_for_the_whole_loop() {
        let mut own = OwnBurst::default();
        assert_eq!(own.whole(Bytes(100_000), TAU), (Bytes(100_000), TAU));
        for i in 0..200 {
            own.without(&ack(i, 5.0 + 6.0 * i as f64, 44, TAU + Span::from_millis(4)), K, PACKET, TAU, Span::ZERO);
        }
        // 43 packets are 4.3 ms; 4 of them were measured.
        own.measure(TAU, 0.0);
        let (window, loop_time) = own.whole(Bytes(100_000), TAU);
        assert!((109_999..=110_000).contains(&window.0) && loop_time.millis().round() == 44.0, "{window:?} {loop_time:?}");
        own.measure(Span::from_millis(1), 0.0);
        assert_eq!(own.whole(Bytes(100_000), TAU), (Bytes(200_000), TAU.scale(2.0)), "at most twice");
    }
}
