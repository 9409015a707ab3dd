//! Round-trip times that leap from one packet to the next, so that no queue can be told from them.
//!
//! A radio link or a busy hop holds a packet back, and those behind it, in order. A packet then has a round-trip time longer by r than that of the one which left d before it. In a
//! queue it had if others put `K(d + r)` in between the two, `1 + r/d` times what the link takes. Hosts hand 64 kB to their device at once; more than that, and
//! more than three times the link's rate, is no traffic. Nor is a leap the answer to a lone packet that a receiver keeps for the next one, which then leaves later. After a leap
//! round-trip times fall by what time passes, until the next: where leaps add up to much of the time, what the law takes for a queue is the path's. With exponential jitter
//! of mean μ, packets that are held back for `μ(ln λμ + .58)` on average, and leaps that count from T on,
//!
//! ```text
//! part of the time = (1 + T/μ) e^(−T/μ)                                           ours
//! ```
//!
//! The window is CUBIC's then ([`Rivalry::grow`](super::rivalry::Rivalry::grow)), by slow start to the first loss, and what is measured of K is the link's behind the jitter.

use super::law::MEMORY;
use super::own_burst::GSO;
use crate::pacer::LATE;
use crate::{Acked, Instant, Rate, Span};

/// A leap is so many times as long as the time between the two departures, and that to the next, at least: a slow start brings twice what the link takes.
const STEEP: u64 = 2;
/// Leaps rule from this part of the time on, until they are half of it. Where a flow has little of the link its packets are far between, and fewer leaps are seen: from half of the time
/// on, one beside a CUBIC with jitter of 10 ms has .13 of its share instead of .91 (50 Mbit/s, 60 ms, a BDP, bursts of four packets, delayed ACKs; median of ten seeds).
const BEGINS: f64 = 0.25;
const ENDS: f64 = 0.125;

/// What leaps make of the time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jitter {
    /// When the last packet that was acknowledged left, and its round-trip time.
    last: Option<(Instant, Span)>,
    /// By how much that had leapt, if the next one leaves soon enough.
    leapt: Span,
    seen: Instant,
    part: f64,
    rules: bool,
}

impl Jitter {
    /// Whether no queue can be told.
    pub fn rules(&self) -> bool {
        self.rules
    }

    /// The part of the time that leaps make.
    pub fn part(&self) -> f64 {
        self.part
    }

    /// An ACK measures `rtt` on a link of `capacity`. Whether it changes that leaps rule.
    pub fn acked(&mut self, ack: &Acked, rtt: Span, capacity: Rate, smoothed: Span) -> bool {
        let since = ack.now - core::mem::replace(&mut self.seen, ack.now);
        let memory = MEMORY * smoothed.secs();
        self.part *= libm::exp(-since.secs() / memory);
        let last = self.last.replace((ack.sent_at, rtt));
        let leapt = core::mem::take(&mut self.leapt);
        if let Some((left, before)) = last.filter(|(left, _)| ack.sent_at >= *left) {
            let (apart, leap) = (ack.sent_at - left, rtt - before);
            if Span(leapt.0 / STEEP) > apart {
                // A single one is an outage.
                self.part += leapt.min(smoothed).secs() / memory;
            }
            if leap > LATE.max(capacity.time_for(GSO)) && Span(leap.0 / STEEP) > apart {
                self.leapt = leap;
            }
        }
        let was = self.rules;
        self.rules = self.part > if was { ENDS } else { BEGINS };
        was != self.rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use symbiosis_base::Random;

    const SMOOTHED: Span = Span::from_millis(60);

    /// Packets every 250 µs, 48 Mbit/s, over 20 ms and what `holds` makes of each, in order, for so long. Whether leaps rule, and the mean part of the second half.
    fn after(seconds: u64, capacity: f64, mut holds: impl FnMut(Span) -> Span) -> (bool, f64) {
        let (mut jitter, mut arrived, mut parts, packets) = (Jitter::default(), Instant::START, 0.0, 4000 * seconds);
        for i in 0..packets {
            let left = Span::from_micros(250) * i;
            arrived = arrived.max(Instant::after(left + Span::from_millis(20) + holds(left)));
            let left = Instant::after(left);
            jitter.acked(&Acked::new(arrived, i, Bytes(1500), left), arrived - left, Rate::from_mbps(capacity), SMOOTHED);
            parts += if i >= packets / 2 { 2.0 * jitter.part() / packets as f64 } else { 0.0 };
        }
        (jitter.rules(), parts)
    }

    fn exponential(mean: f64) -> impl FnMut(Span) -> Span {
        let mut random = Random::new(1, 0);
        move |_| Span::from_secs(mean / 1000.0 * random.exponential())
    }

    #[test]
    fn leaps_of_exponential_jitter_make_what_theory_says() {
        // What leaps at 1 Gbit/s, behind the jitter, is more than 4 ms; at 100 Mbit/s a burst takes 5.2.
        for (mean, capacity, least) in
            [(1.0, 1000.0, 4.0), (3.0, 1000.0, 4.0), (10.0, 1000.0, 4.0), (10.0, 100.0, 5.243), (3.0, 100.0, 5.243)]
        {
            let (rules, found) = after(60, capacity, exponential(mean));
            let theory = (1.0 + least / mean) * libm::exp(-least / mean);
            assert!((found - theory).abs() < 0.06, "{mean} ms: {found}, {theory}");
            assert_eq!(rules, theory > BEGINS, "{mean} ms");
        }
    }

    #[test]
    fn leaps_rule_no_longer_when_they_are_over() {
        let mut held = exponential(10.0);
        assert!(after(3, 1000.0, &mut held).0);
        assert!(!after(6, 1000.0, |left| if left < Span::from_millis(3000) { held(left) } else { Span::ZERO }).0);
    }

    #[test]
    fn what_hosts_and_their_bursts_do_is_no_leap() {
        let every = |millis: u64, left: Span| Span(Span::from_millis(millis).0 - left.0 % Span::from_millis(millis).0);
        // A card that hands up every 3 ms what came meanwhile.
        assert_eq!(after(5, 100.0, |left| every(3, left)).1, 0.0);
        // Somebody's 64 kB every 10 ms, half of 100 Mbit/s: 5 ms, that drain with our half.
        assert_eq!(after(5, 100.0, |left| Span(every(10, left).0 / 2)).1, 0.0);
        // A host that stands still for 8 ms in 50, as a virtual machine's may, has leaps, for 16 % of the time.
        let (rules, part) = after(5, 1000.0, |left| Span(Span::from_millis(8).0.saturating_sub(left.0 % Span::from_millis(50).0)));
        assert!(!rules && part > 0.1 && part < 0.25, "{part}");
    }

    #[test]
    fn a_receiver_that_waits_for_the_next_packet_makes_no_leap() {
        let mut jitter = Jitter::default();
        // Bursts of three every 50 ms; the third is answered 40 ms later.
        for i in 0..300 {
            let left = Instant::after(Span::from_millis(50) * (i / 3));
            let rtt = Span::from_millis(if i % 3 < 2 { 20 } else { 60 });
            jitter.acked(&Acked::new(left + rtt, i, Bytes(1500), left), rtt, Rate::from_mbps(100.0), SMOOTHED);
            assert_eq!(jitter.part(), 0.0);
        }
    }

    #[test]
    fn an_outage_is_one_leap() {
        let (rules, part) =
            after(5, 1000.0, |left| Span(Span::from_millis(4_900).0.saturating_sub(left.0.max(Span::from_millis(2_900).0))));
        assert!(!rules && part < 0.06, "{part}");
    }

    #[test]
    fn a_queue_that_others_fill_is_no_leap() {
        // Slow starts at three times the link's rate fill 40 ms, and a loss empties them.
        let fills = |left: Span| Span((left.0 * 2 % Span::from_millis(40).0).min(Span::from_millis(40).0));
        let (_, part) = after(5, 1000.0, fills);
        assert_eq!(part, 0.0);
    }
}
