//! From ACKs to gaps: how far apart two neighbouring packets left, and how far apart they arrived.
//!
//! What counts is how far apart they came to the link that is measured. Before it there is an access link, which spreads packets that
//! left back to back: how long it takes for a packet is estimated elsewhere ([`super::capacity`]), and undone here.

use crate::{Acked, Bytes, Nanos};

/// Two neighbours on the way: the earlier one, and what came after it up to the next ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Number of the first packet after the earlier one.
    pub first: u64,
    /// Number of the later packet: greater, where one ACK answered several.
    pub last: u64,
    /// Between the departures \[s\].
    pub sent: f64,
    /// Between their entering the path behind the access link \[s\].
    pub entered: f64,
    /// Between the arrivals \[s\].
    pub arrived: f64,
    /// What arrived in between, the later packet included \[bytes\].
    pub bytes: f64,
    /// How long the earlier packet waited on its way, as its round-trip time over the least tells \[s\].
    pub queued: f64,
}

/// Why acknowledged packets made no gap, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unused {
    /// Acknowledged during loss recovery: ACKs then do not come as packets arrived.
    pub recovering: u64,
    /// A packet between the two is missing, or they came in another order.
    pub apart: u64,
}

/// Packets that one ACK acknowledged, or that arrived at one instant.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u64,
    last: u64,
    bytes: u64,
    /// Of the last packet: when it left the host, and when the access link.
    sent_at: Nanos,
    entered_at: Nanos,
    arrived_at: Nanos,
    rtt: Nanos,
}

/// Makes gaps of acknowledged packets.
///
/// Packets that arrive at the same instant, as an ACK for two makes it seem, count as one: the bytes since the ACK before are one gap.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    earlier: Option<Group>,
    latest: Option<Group>,
    least_rtt: Option<Nanos>,
    unused: Unused,
}

impl Gaps {
    /// Takes in an acknowledged packet. A gap comes out one ACK late, when it is certain that no more belongs to it.
    /// `access` is how long the access link takes for a full packet of `packet` bytes.
    pub fn acked(&mut self, ack: &Acked, packet: Bytes, access: Nanos) -> Option<Gap> {
        if ack.recovering {
            self.unused.recovering += 1;
            (self.earlier, self.latest) = (None, None);
            return None;
        }
        let arrived_at = ack.received_at.unwrap_or(ack.now);
        let sent_at = ack.sent_at;
        let free_at = self.latest.map_or(Nanos::ZERO, |latest| latest.entered_at.saturating_add(access.scale(ack.bytes.packets(packet))));
        let entered_at = sent_at.max(free_at).min(ack.now);
        let rtt = ack.now - entered_at;
        self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        let own = Group { first: ack.number, last: ack.number, bytes: ack.bytes.0, sent_at, entered_at, arrived_at, rtt };
        if let Some(latest) = self.latest.as_mut().filter(|latest| latest.arrived_at == arrived_at && follows(latest.last, ack.number)) {
            *latest = Group { first: latest.first, bytes: latest.bytes + own.bytes, ..own };
            return None;
        }
        let done = self.latest.replace(own)?;
        let earlier = self.earlier.replace(done)?;
        if !follows(earlier.last, done.first) || done.sent_at < earlier.sent_at || done.arrived_at < earlier.arrived_at {
            self.unused.apart += 1;
            return None;
        }
        Some(Gap {
            first: done.first,
            last: done.last,
            sent: (done.sent_at - earlier.sent_at).secs(),
            entered: (done.entered_at - earlier.entered_at).secs(),
            arrived: (done.arrived_at - earlier.arrived_at).secs(),
            bytes: done.bytes as f64,
            queued: (earlier.rtt - self.least_rtt.unwrap_or(earlier.rtt)).secs(),
        })
    }

    /// How long the latest packet waited on its way, as its round-trip time over the least tells.
    pub fn queued(&self) -> Nanos {
        self.latest.map_or(Nanos::ZERO, |latest| latest.rtt - self.least_rtt.unwrap_or(latest.rtt))
    }

    /// What made no gap.
    pub fn unused(&self) -> Unused {
        self.unused
    }
}

fn follows(before: u64, number: u64) -> bool {
    before.checked_add(1) == Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    /// With an access link that takes no time.
    fn take(gaps: &mut Gaps, ack: &Acked) -> Option<Gap> {
        gaps.acked(ack, Bytes(1500), Nanos::ZERO)
    }

    fn ack(number: u64, sent_ms: u64, arrived_ms: u64) -> Acked {
        Acked {
            now: Nanos::from_millis(arrived_ms),
            number,
            bytes: Bytes(1500),
            sent_at: Nanos::from_millis(sent_ms),
            received_at: None,
            rtt: None,
            in_flight: Bytes::ZERO,
            app_limited: false,
            recovering: false,
            grows: true,
        }
    }

    #[test]
    fn a_gap_is_two_neighbours_and_what_the_earlier_one_waited() {
        let mut gaps = Gaps::default();
        assert_eq!(take(&mut gaps, &ack(0, 0, 100)), None);
        assert_eq!(take(&mut gaps, &ack(1, 10, 115)), None, "its group may not be complete");
        let gap = take(&mut gaps, &ack(2, 12, 120)).unwrap();
        assert!((gap.sent - 0.010).abs() < 1e-12 && (gap.arrived - 0.015).abs() < 1e-12);
        assert_eq!((gap.bytes, gap.queued), (1500.0, 0.0));
        let gap = take(&mut gaps, &ack(3, 13, 130)).unwrap();
        assert!((gap.queued - 0.005).abs() < 1e-12, "packet 1 took 105 ms, the least is 100");
    }

    #[test]
    fn an_ack_for_two_packets_is_one_gap() {
        let mut gaps = Gaps::default();
        for (number, sent, arrived) in [(0, 0, 100), (1, 10, 115), (2, 12, 115)] {
            assert_eq!(take(&mut gaps, &ack(number, sent, arrived)), None);
        }
        let gap = take(&mut gaps, &ack(3, 20, 130)).unwrap();
        assert_eq!((gap.sent, gap.bytes), (0.012, 3000.0));
    }

    #[test]
    fn what_is_not_neighbouring_is_counted_and_not_measured() {
        let mut gaps = Gaps::default();
        for (number, arrived) in [(0, 100), (2, 102), (3, 103)] {
            assert_eq!(take(&mut gaps, &ack(number, 0, arrived)), None);
        }
        assert_eq!(gaps.unused().apart, 1);
        assert_eq!(take(&mut gaps, &Acked { recovering: true, ..ack(4, 0, 104) }), None);
        assert_eq!(gaps.unused().recovering, 1);
        assert_eq!(take(&mut gaps, &ack(5, 0, 105)), None);
        assert_eq!(take(&mut gaps, &ack(6, 0, 106)), None);
        assert!(take(&mut gaps, &ack(7, 0, 107)).is_some());
    }
    #[test]
    fn packets_that_left_back_to_back_enter_one_by_one() {
        let mut gaps = Gaps::default();
        let mut entered = alloc::vec::Vec::new();
        for number in 0..6 {
            // Three at once at 0 ms, then 1 ms apart; the access link takes 0.5 ms.
            let sent_ms = [0, 0, 0, 1, 2, 3][number as usize];
            if let Some(gap) = gaps.acked(&ack(number, sent_ms, 100 + number), Bytes(1500), Nanos::from_micros(500)) {
                entered.push((gap.sent, gap.entered));
            }
        }
        let expected = [(0.0, 0.0005), (0.0, 0.0005), (0.001, 0.0005), (0.001, 0.0005)];
        for ((sent, entered), (left, came)) in entered.iter().zip(expected) {
            assert!((sent - left).abs() < 1e-12 && (entered - came).abs() < 1e-12, "{entered} instead of {came}");
        }
        assert_eq!(entered.len(), 4);
    }
}
