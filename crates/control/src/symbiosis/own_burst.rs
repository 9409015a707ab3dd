//! What a flow's packets wait for their own burst: one behind the other at the bottleneck, in no queue that stands.
//!
//! Hosts send in bursts: segments handed to the device at once (GSO), a pacer that makes up for a late wake-up, a window that an aggregated ACK
//! opens. 64 kB take 5 ms on 100 Mbit/s, and the round-trip time of a burst's last packet has them all. A law that rests at a queue `θ·ln(K/x)`
//! would leave `1 − e^(−d/θ)` of the link free for a mean wait of d: a third of it.
//!
//! The sender knows its bursts. Lindley's recursion over what left, served at K, is what they leave behind: `b ← max(0, b − Δt) + L/K`. What the least
//! burdened packet of the longest burst's time met stands, or is K's error added up, and is a queue like any; what is over it is the burst's own.

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
    /// The least that a packet met in the time of a burst, the one under way and the one before \[s\]; when the former began.
    least: [f64; 2],
    began: Instant,
    /// What packets wait for their own burst, smoothed as round-trip times are \[ns\].
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
        let waited = self.backlog - stands + ahead;
        self.backlog += capacity.time_for(ack.bytes).secs();
        let rtt = ack.rtt?;
        let queued = rtt.signed_sub(tau).max_zero();
        let waited = Span::from_secs(waited).min(queued).min(rtt.scale(1.0 - 1.0 / MOST));
        self.waits.sample(waited.0 as f64);
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
