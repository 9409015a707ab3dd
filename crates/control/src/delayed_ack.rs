//! Answers that a receiver delays, and those that it gives together.
//!
//! A receiver that answers two packets with one ACK keeps the answer to a single one, in case that another comes, for 25 ms (RFC 9000's `max_ack_delay`), 40 to 200 ms
//! (Linux' TCP), at most half a second (RFC 1122 §4.2.3.2). That time is in no queue, nor between two arrivals. Over TCP nothing tells it; but only the answer to a packet after
//! which none left for that long can have been kept, and its round-trip time is longer than the least by as much.

use crate::at_once::AtOnce;
use crate::{Acked, Bytes, Instant, Sent, Span};

/// Hardly any receiver that delays answers delays them by less.
const LEAST: Span = Span::from_millis(25);
/// Of so many packets it is remembered that none left soon after: at the least distance those of 400 ms.
const REMEMBERED: usize = 16;

/// Which answers may have been delayed, and how much longer the loop is where several are given together.
#[derive(Clone, Debug, Default)]
pub struct DelayedAcks {
    /// The packet that left last, and when.
    last: Option<(u64, Instant)>,
    /// Those after which none left soon, the latest ones; the next takes the place of the oldest.
    lone: [Option<u64>; REMEMBERED],
    next: usize,
    at_once: AtOnce,
    answer: Option<Answer>,
    least: Option<Span>,
    /// The receiver has answered two packets with one ACK.
    delays: bool,
}

/// What ACKs of one instant answer, as far as it has been told: one ACK that brings one round-trip time, that of its last packet, or several, that something held up together.
#[derive(Clone, Copy, Debug)]
struct Answer {
    at: Instant,
    number: u64,
    bytes: Bytes,
    /// When the first of its packets left, and the last.
    first: Instant,
    last: Instant,
    timed: bool,
    /// How many bytes it answered when it brought the round-trip time before this one, and how long after the first the last of them had left.
    before: (Bytes, Span),
    /// The receiver tells arrivals.
    told: bool,
    /// The sender recovers, or its application is silent: what lies between departures is that.
    paused: bool,
}

impl DelayedAcks {
    /// A packet left.
    pub fn sent(&mut self, packet: &Sent) {
        if let Some((number, at)) = self.last.replace((packet.number, packet.now))
            && packet.now - at >= LEAST
        {
            self.lone[self.next] = Some(number);
            self.next = (self.next + 1) % REMEMBERED;
        }
    }

    /// Whether the answer to a packet may have been delayed. A receiver that tells when packets arrived is believed.
    pub fn acked(&mut self, ack: &Acked) -> bool {
        let own = Answer {
            at: ack.now,
            number: ack.number,
            bytes: ack.bytes,
            first: ack.sent_at,
            last: ack.sent_at,
            timed: ack.rtt.is_some(),
            before: (Bytes::ZERO, Span::ZERO),
            told: ack.received_at.is_some(),
            paused: ack.recovering || ack.app_limited,
        };
        let together = self.at_once.arrived(ack.now);
        let at_once = self.answer.filter(|answer| together && answer.number.checked_add(1) == Some(own.number));
        self.answer = Some(at_once.map_or(own, |answer| Answer {
            bytes: Bytes(answer.bytes.0.saturating_add(own.bytes.0)),
            first: answer.first,
            before: if answer.timed { (answer.bytes, answer.last - answer.first) } else { answer.before },
            paused: answer.paused || own.paused,
            ..own
        }));
        let with = at_once.filter(|answer| answer.at == own.at && !answer.timed);
        let Some(rtt) = ack.rtt else { return false };
        self.delays |= with.is_some() && !ack.recovering;
        let least = self.least.map_or(rtt, |least| least.min(rtt));
        self.least = Some(least);
        let lone = || {
            let last = self.last.is_some_and(|(number, at)| number == ack.number && ack.now - at >= LEAST);
            last || self.lone.contains(&Some(ack.number))
        };
        self.delays && with.is_none() && !own.told && rtt - least >= LEAST && lone()
    }

    /// How much longer the loop is for the packets of an ACK whose last one has just been told than if each were answered at once, and how many bytes they are. Of several
    /// ACKs of one instant, each of which brings a round-trip time, each adds what makes it as much for all of their packets as for those of one.
    ///
    /// Of m packets d apart the one i after the first waits `(m − 1 − i)d` for the last, and what leaves for it, paced, waits `id` behind the others: `(m − 1)d` in all, of which a receiver
    /// that tells arrivals tells the first half itself.
    pub fn longer(&self) -> Option<(Span, Bytes)> {
        let answer = self.answer.filter(|answer| answer.timed && !answer.paused)?;
        let (over, (before, over_before)) = (answer.last - answer.first, answer.before);
        let bytes = answer.bytes - before;
        let over = Span::from_secs((over.secs() * answer.bytes.as_f64() - over_before.secs() * before.as_f64()) / bytes.as_f64().max(1.0));
        Some((if answer.told { Span(over.0 / 2) } else { over }, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use alloc::vec::Vec;

    const PACKET: Bytes = Bytes(1500);

    /// Flights of three every 100 ms over 20 ms, the first two answered together or each by itself, and the third when `third` ms have passed. Which of twelve may have been kept.
    fn kept(together: bool, third: u64) -> Vec<u64> {
        let mut delayed = DelayedAcks::default();
        let mut found = Vec::new();
        for flight in 0..4 {
            let left = Instant::from_millis(100 * flight);
            let numbers = 3 * flight..3 * flight + 3;
            for number in numbers.clone() {
                delayed.sent(&Sent::new(left, number, PACKET, PACKET));
            }
            for number in numbers {
                let rtt = Span::from_millis(if number % 3 == 2 { third } else { 20 });
                let ack = Acked::new(left + rtt, number, PACKET, left).with_rtt((number % 3 != 0 || !together).then_some(rtt));
                if delayed.acked(&ack) {
                    found.push(number);
                }
            }
        }
        found
    }

    #[test]
    fn the_last_of_an_odd_flight_may_have_been_kept() {
        assert_eq!(kept(true, 60), [2, 5, 8, 11]);
        assert!(kept(true, 44).is_empty(), "it was not kept for as long as receivers do");
        assert!(kept(false, 60).is_empty(), "a receiver that answers each packet keeps none");
    }

    /// 64 packets 500 µs apart, of which one ACK answers so many; what the loop is longer by, on average over bytes.
    fn longer(packets: u64, change: impl Fn(Acked) -> Acked) -> Option<Span> {
        let (mut delayed, later) = (DelayedAcks::default(), |number: u64| Instant::from_millis(10_000) + Span::from_micros(500) * number);
        let (mut sum, mut weight) = (0, 0);
        for number in 0..64 {
            let last = number / packets * packets + packets - 1;
            let now = later(last) + Span::from_millis(20);
            let ack = Acked::new(now, number, PACKET, later(number)).with_rtt((number == last).then_some(Span::from_millis(20)));
            delayed.acked(&change(ack));
            if let Some((longer, bytes)) = delayed.longer() {
                (sum, weight) = (sum + longer.0 * bytes.0, weight + bytes.0);
            }
        }
        (weight > 0).then(|| Span(sum / weight))
    }

    #[test]
    fn the_loop_is_longer_by_the_packets_that_an_ack_answers_together() {
        for packets in [1, 2, 8] {
            let apart = Span::from_micros(500) * (packets - 1);
            assert_eq!(longer(packets, |ack| ack), Some(apart));
            assert_eq!(longer(packets, |ack| ack.with_received_at(Some(ack.now.into()))), Some(Span(apart.0 / 2)), "the rest is told");
        }
        assert_eq!(longer(2, |ack| ack.with_recovering(true)), None);
        assert_eq!(longer(2, |ack| ack.with_app_limited(true)), None);
        for packets in [2, 8] {
            let as_of_one = longer(packets, |ack| ack);
            assert_eq!(longer(packets, |ack| ack.with_rtt(Some(Span::from_millis(20)))), as_of_one, "{packets} ACKs of one instant");
        }
    }

    #[test]
    fn what_another_follows_or_a_receiver_tells_was_not_kept() {
        let mut delayed = DelayedAcks::default();
        let at = Instant::from_millis;
        for number in 0..6 {
            delayed.sent(&Sent::new(at(24 * number), number, PACKET, PACKET));
        }
        for number in 0..6 {
            let ack = Acked::new(at(24 * (number | 1) + 20), number, PACKET, at(24 * number))
                .with_rtt((number % 2 == 1).then_some(Span::from_millis(20)));
            assert!(!delayed.acked(&ack), "{number}");
        }
        delayed.sent(&Sent::new(at(200), 6, PACKET, PACKET));
        let ack = Acked::new(at(260), 6, PACKET, at(200)).with_rtt(Some(Span::from_millis(60)));
        assert!(!delayed.clone().acked(&ack.with_received_at(Some(at(220).into()))));
        assert!(delayed.acked(&ack));
    }
}
