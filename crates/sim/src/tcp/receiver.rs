//! TCP's receiver: in which order what arrived, and when to say so.

use symbiosis_base::{Instant, Span};
use symbiosis_path::Ecn;
use symbiosis_run::Hosts;

use super::packets::{Ack, Data, Seen};
use crate::arrived::Arrived;
use crate::transport::ReceivingEnd;

/// The receiving end of a flow.
#[derive(Debug)]
pub(crate) struct Receiver {
    arrived: Arrived,
    /// How long an ACK may be delayed; none sends one for each packet.
    delay: Option<Span>,
    /// The packet whose ACK is delayed.
    held: Option<Held>,
    ack_bytes: u32,
    hosts: Hosts,
    /// A mark has arrived that the sender has not answered.
    ece: bool,
    seen: Seen,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    echo: Instant,
    received_at: Instant,
    /// Packets that it answers.
    packets: u64,
    /// It leaves at once, with what is handed up at the same instant.
    urgent: bool,
}

impl Receiver {
    pub(crate) fn new(delay: Option<Span>, ack_bytes: u32, hosts: Hosts) -> Receiver {
        Receiver { arrived: Arrived::new(), delay, held: None, ack_bytes, hosts, ece: false, seen: Seen::default() }
    }

    /// What the packet's ECN field says.
    #[inline]
    fn see(&mut self, data: &Data) {
        match data.ecn {
            Ecn::NotCapable => return,
            Ecn::Classic => self.seen.classic = self.seen.classic.wrapping_add(1),
            Ecn::L4s => self.seen.l4s = self.seen.l4s.wrapping_add(1),
            Ecn::Marked => self.seen.marked = self.seen.marked.wrapping_add(1),
        }
        // RFC 3168 §6.1.3: from a mark on, until the sender says that it has answered.
        self.ece = (self.ece && !data.cwr) || data.ecn == Ecn::Marked;
    }

    /// Whether in-order packets are acknowledged one by one though ACKs are delayed: at the start.
    fn is_quick(&self) -> bool {
        u64::from(self.arrived.next()) <= self.hosts.quick_acks
    }

    #[inline]
    fn ack(&self, echo: Instant, received_at: Instant, duplicate: Option<u32>) -> Ack {
        let (next, sacks) = (self.arrived.next(), self.arrived.sacks());
        Ack { next, bytes: self.ack_bytes, echo, received_at: received_at.into(), duplicate, ece: self.ece, seen: self.seen, sacks }
    }
}

impl ReceivingEnd for Receiver {
    type Data = Data;
    type Ack = Ack;

    fn deadline(&self) -> Instant {
        match (self.held, self.delay) {
            (Some(held), _) if held.urgent => held.received_at,
            (Some(held), Some(delay)) => held.received_at + delay,
            _ => Instant::NEVER,
        }
    }

    fn overdue(&mut self) -> Option<(Instant, Ack)> {
        let deadline = self.deadline();
        let held = self.held.take()?;
        Some((deadline, self.ack(held.echo, held.received_at, None)))
    }

    #[inline]
    fn arrives(&mut self, now: Instant, data: &Data, mut answer: impl FnMut(Instant, Ack)) -> bool {
        if self.deadline() < now
            && let Some((at, ack)) = self.overdue()
        {
            answer(at, ack);
        }
        self.see(data);
        let in_order = self.arrived.in_order(data.number);
        let new = self.arrived.take(data.number);
        // RFC 5681 §4.2: at once when out of order or filling a gap, else for every second packet at the latest.
        let held = self.held.take();
        let echo = held.map_or(data.sent_at, |held| held.echo);
        let packets = held.map_or(1, |held| held.packets + 1);
        let waits = in_order && packets < 2 && self.delay.is_some() && !self.is_quick();
        // With receive offload what is handed up together is one packet to TCP.
        let merges = in_order && packets < self.hosts.gro_packets;
        if waits || merges {
            self.held = Some(Held { echo, received_at: now, packets, urgent: !waits });
            return new;
        }
        answer(now, self.ack(echo, now, (!new).then_some(data.number)));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::Run;
    use proptest::prelude::*;

    fn at(ms: u64, number: u32) -> (Instant, Data) {
        (Instant::from_millis(ms), Data { sent_at: Instant(number as u64), number, bytes: 1500, ecn: Ecn::NotCapable, cwr: false })
    }

    fn answers(receiver: &mut Receiver, arrivals: &[(Instant, Data)]) -> Vec<(u64, u32, [Run; 3])> {
        let mut out = Vec::new();
        for (now, data) in arrivals {
            receiver.arrives(*now, data, |at, ack| out.push((at.0 / 1_000_000, ack.next, ack.sacks)));
        }
        out
    }

    #[test]
    fn out_of_order_packets_are_reported_newest_run_first() {
        let mut receiver = Receiver::new(None, 40, Hosts::default());
        let got = answers(&mut receiver, &[at(0, 0), at(1, 2), at(2, 4), at(3, 6), at(4, 3), at(5, 1), at(6, 5)]);
        let none = (0, 0);
        assert_eq!(
            got,
            [
                (0, 1, [none; 3]),
                (1, 1, [(2, 3), none, none]),
                (2, 1, [(4, 5), (2, 3), none]),
                (3, 1, [(6, 7), (4, 5), (2, 3)]),
                (4, 1, [(2, 5), (6, 7), none]),
                (5, 5, [(6, 7), none, none]),
                (6, 7, [none; 3]),
            ]
        );
    }

    #[test]
    fn a_delayed_ack_answers_two_packets_or_leaves_at_its_deadline() {
        let mut receiver = Receiver::new(Some(Span::from_millis(40)), 40, Hosts::default());
        let none = [(0, 0); 3];
        // 0 and 1 together; 2 alone until its deadline at 42; 3 waits; 5 is out of order: at once; 4 fills the gap: at once.
        let got = answers(&mut receiver, &[at(0, 0), at(1, 1), at(2, 2), at(50, 3), at(51, 5), at(52, 4)]);
        assert_eq!(got, [(1, 2, none), (42, 3, none), (51, 4, [(5, 6), (0, 0), (0, 0)]), (52, 6, none)]);
        assert_eq!(receiver.deadline(), Instant::NEVER);
        assert!(answers(&mut receiver, &[at(60, 6)]).is_empty());
        assert_eq!(receiver.deadline(), Instant::from_millis(100));
        assert_eq!(receiver.overdue().map(|(at, ack)| (at, ack.next)), Some((Instant::from_millis(100), 7)));
    }

    proptest! {
        /// Whatever the order and the repetitions: `next` is the first number missing, and the first SACK holds the newest packet.
        #[test]
        fn the_receiver_knows_what_has_arrived(numbers in proptest::collection::vec(0u32..30, 1..200)) {
            let mut receiver = Receiver::new(None, 40, Hosts::default());
            let mut got = [false; 30];
            for number in numbers {
                let (now, data) = at(0, number);
                let mut answer = None;
                let new = receiver.arrives(now, &data, |_, ack| answer = Some(ack));
                prop_assert_eq!(new, !got[number as usize]);
                got[number as usize] = true;
                let next = got.iter().position(|g| !g).unwrap_or(30) as u32;
                let ack = answer.unwrap();
                prop_assert_eq!(ack.next, next);
                for (start, end) in ack.sacks {
                    prop_assert!((start..end).all(|n| got[n as usize]));
                    if start < end {
                        prop_assert!(start > next && (end == 30 || !got[end as usize]) && !got[start as usize - 1]);
                    }
                }
                if number > next && new {
                    prop_assert!(ack.sacks[0].0 <= number && number < ack.sacks[0].1);
                }
            }
        }
    }
}
