//! What passes of one flow, from which its result is made: exact, because all of it passes the emulated path.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_run::tally::{Arrivals, Tally};
use symbiosis_run::{FlowPlan, Ledger, Plan};

use super::segment::Segment;

/// One flow's account. Instants are those at which packets enter and leave the path.
#[derive(Debug)]
pub struct Account {
    /// What is counted at the sender.
    pub tally: Tally,
    /// What is counted behind the path.
    pub arrivals: Arrivals,
    /// Where every data packet went.
    pub ledger: Ledger,
    bytes: Option<Bytes>,
    /// Number of the stream's first byte.
    origin: Option<u32>,
    /// Bytes that have been sent.
    sent: u64,
    /// Bytes that the receiver has acknowledged.
    received: u64,
    /// First transmissions under way: where each ends in the stream, and when it left.
    flight: VecDeque<(u64, Instant)>,
    /// Karn's rule: what had been sent when something was sent again tells no round-trip time.
    unclear: u64,
    delivered: u64,
    every: Span,
    next: Instant,
    /// At every multiple of the trace's spacing.
    pub samples: Vec<Passed>,
}

/// What had passed by an instant, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Bytes on the wire that had got to the receiver.
    pub delivered: u64,
    /// Packets that had left once more.
    pub resent: u64,
}

impl Account {
    /// An account of a flow of a plan.
    pub fn new(plan: &Plan, flow: &FlowPlan) -> Account {
        Account {
            tally: Tally::new(flow, plan.measure_from, plan.measure_to),
            arrivals: Arrivals::new(flow, plan.measure_from, plan.measure_to),
            ledger: Ledger::default(),
            bytes: flow.bytes,
            origin: None,
            sent: 0,
            received: 0,
            flight: VecDeque::new(),
            unclear: 0,
            delivered: 0,
            every: plan.sample_every.unwrap_or(Span::MAX),
            next: if plan.sample_every.is_some() { Instant::START } else { Instant::NEVER },
            samples: Vec::new(),
        }
    }

    /// A segment leaves the sender.
    pub fn departs(&mut self, now: Instant, segment: &Segment) {
        if segment.syn {
            self.origin = Some(segment.sequence.wrapping_add(1));
        }
        if segment.payload == 0 {
            return;
        }
        let Some(start) = self.place(segment.sequence, self.sent) else { return };
        let end = start + u64::from(segment.payload);
        let again = start < self.sent;
        self.ledger.sent += 1;
        self.tally.sent(now, again);
        if again {
            self.unclear = self.sent;
        } else {
            self.flight.push_back((end, now));
        }
        self.sent = self.sent.max(end);
    }

    /// A segment gets to the receiver.
    pub fn arrives(&mut self, at: Instant, segment: &Segment, size: Bytes) {
        if segment.payload > 0 {
            self.advance(at);
            self.ledger.delivered += 1;
            self.delivered += size.0;
            self.arrivals.arrived(at, size, Bytes::ZERO);
        }
    }

    /// A segment is lost.
    pub fn lost(&mut self, at: Instant, segment: &Segment) {
        if segment.payload > 0 {
            self.ledger.dropped += 1;
            self.arrivals.dropped(at);
        }
    }

    /// The receiver answers: what it acknowledges has reached it, and only once.
    pub fn answers(&mut self, now: Instant, segment: &Segment) {
        if let Some(place) = self.acknowledged(segment).filter(|place| *place > self.received) {
            self.arrivals.arrived(now, Bytes::ZERO, Bytes(place - self.received));
            self.received = place;
        }
    }

    /// The answer gets to the sender.
    pub fn acked(&mut self, at: Instant, segment: &Segment) {
        let Some(place) = self.acknowledged(segment) else { return };
        let mut newest = None;
        while let Some((end, left)) = self.flight.front().filter(|(end, _)| *end <= place) {
            newest = (*end > self.unclear).then_some(*left);
            self.flight.pop_front();
        }
        if let Some(left) = newest {
            self.tally.rtt(at, at - left);
        }
        if self.bytes.is_some_and(|bytes| place >= bytes.0) {
            self.tally.completed(at);
        }
    }

    /// Takes the samples that are due before something arrives at `now`.
    pub fn advance(&mut self, now: Instant) {
        while self.next < now {
            self.samples.push(Passed { delivered: self.delivered, resent: self.tally.totals().0 });
            self.next = self.next.saturating_add(self.every);
        }
    }

    /// Up to where in the stream a segment acknowledges. A FIN takes a number, too, but there are no bytes there.
    fn acknowledged(&self, segment: &Segment) -> Option<u64> {
        Some(self.place(segment.ack?, self.received)?.min(self.sent))
    }

    /// A number's place in the stream: numbers wrap, so it is the one next to a place that is known.
    fn place(&self, number: u32, near: u64) -> Option<u64> {
        let ahead = number.wrapping_sub(self.origin?).wrapping_sub(near as u32) as i32;
        near.checked_add_signed(i64::from(ahead))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::testbed::tests::plan;

    const START: u32 = u32::MAX - 2000;

    fn data(place: u32, payload: u32) -> Segment {
        let (from, to) = (Ipv4Addr::new(10, 64, 0, 1), Ipv4Addr::new(10, 65, 0, 1));
        Segment { from, to, sequence: START.wrapping_add(1 + place), ack: Some(1), payload, syn: false }
    }

    fn ack(place: u32) -> Segment {
        Segment { ack: Some(START.wrapping_add(1 + place)), payload: 0, ..data(0, 0) }
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// Five packets of 1000 bytes, over the end of the numbers; the second is lost and sent again.
    #[test]
    fn an_account_over_a_loss_and_the_end_of_numbers() {
        let plan = plan();
        let mut account = Account::new(&plan, &plan.flows[0]);
        account.departs(at_ms(0), &Segment { syn: true, ack: None, sequence: START, ..data(0, 0) });
        for n in 0..5 {
            account.departs(at_ms(u64::from(n)), &data(1000 * n, 1000));
        }
        for n in [0, 2, 3, 4] {
            account.arrives(at_ms(10 + u64::from(n)), &data(1000 * n, 1000), Bytes(1052));
            let acknowledged = ack(1000);
            account.answers(at_ms(10 + u64::from(n)), &acknowledged);
            account.acked(at_ms(20 + u64::from(n)), &acknowledged);
        }
        account.lost(at_ms(5), &data(1000, 1000));
        account.departs(at_ms(30), &data(1000, 1000));
        account.arrives(at_ms(40), &data(1000, 1000), Bytes(1052));
        account.answers(at_ms(40), &ack(5000));
        account.acked(at_ms(50), &ack(5000));
        // Once more, for nothing; then new data.
        account.departs(at_ms(60), &data(4000, 1000));
        account.arrives(at_ms(70), &data(4000, 1000), Bytes(1052));
        account.departs(at_ms(71), &data(5000, 500));
        account.arrives(at_ms(81), &data(5000, 500), Bytes(552));
        account.answers(at_ms(81), &ack(5500));
        account.acked(at_ms(95), &ack(5501));
        account.advance(at_ms(1000));

        assert_eq!(account.ledger, Ledger { sent: 8, duplicated: 0, delivered: 7, dropped: 1, in_flight: 0 });
        assert_eq!(account.samples.len(), 10, "0, 100 … 900 ms");
        assert_eq!(account.samples[1], Passed { delivered: 6 * 1052 + 552, resent: 2 });
        let summary = account.tally.summary(&plan.flows[0], &account.arrivals);
        assert_eq!((summary.packets_sent, summary.packets_lost, summary.retransmissions), (8, 1, 2));
        assert!((summary.goodput_mbps - 5500.0 * 8e-6).abs() < 1e-9, "{}: each byte once, over a second", summary.goodput_mbps);
        assert!((summary.throughput_mbps - (6.0 * 1052.0 + 552.0) * 8e-6).abs() < 1e-9);
        // The first packet's 20 ms and the last one's 24; not those that a hole held back.
        let rtt = summary.rtt_ms.unwrap();
        assert_eq!((rtt.min, rtt.max), (20.0, 24.0));
        assert_eq!(summary.completion_s, None);
    }

    #[test]
    fn an_amount_is_complete_when_its_last_byte_is_acknowledged() {
        let mut plan = plan();
        plan.flows[0].bytes = Some(Bytes(1500));
        let mut account = Account::new(&plan, &plan.flows[0]);
        account.departs(at_ms(0), &Segment { syn: true, ack: None, sequence: START, ..data(0, 0) });
        account.departs(at_ms(1), &data(0, 1000));
        account.departs(at_ms(1), &data(1000, 500));
        account.answers(at_ms(11), &ack(1000));
        account.acked(at_ms(21), &ack(1000));
        account.answers(at_ms(12), &ack(1501));
        account.acked(at_ms(22), &ack(1501));
        let summary = account.tally.summary(&plan.flows[0], &account.arrivals);
        assert_eq!(summary.completion_s, Some(0.022));
    }
}
