//! Answers that a receiver delays.
//!
//! A receiver that answers two packets with one ACK keeps the answer to a single one, in case that another comes, for 25 ms (RFC 9000's `max_ack_delay`), 40 to 200 ms
//! (Linux' TCP), at most half a second (RFC 1122 §4.2.3.2). That time is in no queue, nor between two arrivals. Over TCP nothing tells it; but only of the last of packets
//! that left one after the other it can be, the next of which left later than such a time.

use crate::{Acked, Instant, Sent, Span};

/// No receiver that delays answers delays them by less.
const LEAST: Span = Span::from_millis(25);
/// Of so many packets it is remembered that none left soon after: at the least distance those of 400 ms.
const REMEMBERED: usize = 16;

/// Which answers may have been delayed.
#[derive(Clone, Debug, Default)]
pub struct DelayedAcks {
    /// The packet that left last, and when.
    last: Option<(u64, Instant)>,
    /// Those after which none left soon, the latest ones; the next takes the place of the oldest.
    lone: [Option<u64>; REMEMBERED],
    next: usize,
    /// The packet acknowledged last, and whether its own arrival is told.
    acked: Option<(Instant, u64, bool)>,
    /// When the first left that the same ACK answered, and how long before the last.
    first: Instant,
    over: Span,
    /// The receiver has answered two packets with one ACK.
    delays: bool,
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
        let told = ack.rtt.is_some() || ack.received_at.is_some();
        // Of packets that one ACK answers a round-trip time is measured of one: the last, or the first, with what passed until the last.
        let before = self.acked.replace((ack.now, ack.number, told));
        let before = before.filter(|(at, number, _)| *at == ack.now && number.checked_add(1) == Some(ack.number));
        if before.is_none() {
            self.first = ack.sent_at;
        }
        self.over = ack.sent_at - self.first;
        self.delays |= before.is_some_and(|(_, _, earlier)| earlier != told) && !ack.recovering;
        let with_another = before.is_some_and(|(_, _, earlier)| !earlier);
        let alone = || self.last.is_some_and(|(number, at)| number == ack.number && ack.now - at >= LEAST);
        self.delays && told && ack.received_at.is_none() && !with_another && (alone() || self.lone.contains(&Some(ack.number)))
    }

    /// How much longer the loop is for a packet of the last ACK than for one that is answered at once.
    ///
    /// Of m packets d apart that one ACK answers the one i after the first waits `(m − 1 − i)d` for the last, and what leaves for it waits `id` behind the others, if it is paced: `(m − 1)d` in
    /// all, twice the mean of what the packets left after the first.
    pub fn longer(&self) -> Span {
        self.over.saturating_add(self.over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use alloc::vec::Vec;

    const PACKET: Bytes = Bytes(1500);

    /// Flights of three every 100 ms over 20 ms; the first two are answered together, and the one of them is timed, or each by itself. Which of twelve packets may have been kept.
    fn kept(together: bool, timed: u64) -> Vec<u64> {
        let mut delayed = DelayedAcks::default();
        let mut found = Vec::new();
        for flight in 0..4 {
            let left = Instant::from_millis(100 * flight);
            let numbers = 3 * flight..3 * flight + 3;
            for number in numbers.clone() {
                delayed.sent(&Sent::new(left, number, PACKET, PACKET));
            }
            for number in numbers {
                let rtt = Span::from_millis(if number % 3 == 2 { 60 } else { 20 });
                let ack = Acked::new(left + rtt, number, PACKET, left).with_rtt((number % 3 != 1 - timed || !together).then_some(rtt));
                if delayed.acked(&ack) {
                    found.push(number);
                }
            }
        }
        found
    }

    #[test]
    fn the_last_of_an_odd_flight_may_have_been_kept() {
        assert_eq!(kept(true, 0), [2, 5, 8, 11]);
        assert_eq!(kept(true, 1), [2, 5, 8, 11]);
        assert!(kept(false, 0).is_empty(), "a receiver that answers each packet keeps none");
    }

    #[test]
    fn the_loop_is_longer_by_the_packets_that_an_ack_answers_together() {
        for packets in [1, 2, 8] {
            let (mut delayed, apart) = (DelayedAcks::default(), Span::from_micros(500));
            let mut sum = Span::ZERO;
            for number in 0..64 {
                let last = number / packets * packets + packets - 1;
                let later = |number: u64| Instant::from_millis(10_000) + apart * number;
                let ack = Acked::new(later(last) + Span::from_millis(20), number, PACKET, later(number));
                delayed.acked(&ack);
                sum = sum.saturating_add(delayed.longer());
            }
            assert_eq!(Span(sum.0 / 64), apart * (packets - 1));
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
