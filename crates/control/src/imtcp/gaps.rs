//! From ACKs to gaps: how far apart two neighbouring packets left, and how far apart they arrived.
//!
//! What counts is how far apart they came to the link that is measured. Before it there is an access link, which spreads packets that
//! left back to back: how long it takes for a packet is estimated elsewhere ([`super::capacity`]), and undone here.

use crate::{Acked, Bytes, Nanos, Sent};

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
    /// The link was busy from the earlier packet's arrival at it to the later one's: each packet came before the one ahead of it can have
    /// left. This looks at what the earlier packet met only: choosing by the later one, or by a whole stream, prefers gaps in which
    /// competitors happened to send much.
    pub joint: bool,
}

/// Why acknowledged packets made no gap, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unused {
    /// A packet between the two is missing: lost, or repeated and thus late.
    pub apart: u64,
    /// Another packet left between the two: one that was repeated.
    pub repeated: u64,
    /// More packets came at one instant than a receiver answers together: their own arrivals are not known.
    pub merged: u64,
    /// They arrived, or were acknowledged, in another order than they left.
    pub disordered: u64,
}

/// What is known of the links that packets cross.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Links {
    /// A full packet.
    pub packet: Bytes,
    /// How long the access link takes for one.
    pub access: Nanos,
    /// How long the measured link takes for one; zero before that is known.
    pub service: Nanos,
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
    /// When the link can have sent all up to the last one, at the earliest, if it was busy all the time; as seen from where packets enter.
    busy_until: Nanos,
    joint: bool,
    disordered: bool,
    /// A round-trip time was measured of one of them: they are not all repeated ones, which arrived long before their ACK came.
    timed: bool,
}

/// A receiver answers at most so many packets with one ACK (RFC 9000 §13.2.2 and RFC 1122 say two; batches of a network card are larger).
const MOST_MERGED: u64 = 4;

/// Arrivals closer than this part of the mean spacing are one: a network card handed them up together.
const ONE_INSTANT: f64 = 1.0 / 16.0;
/// Weight of a spacing in the mean, and by how many means it counts at the most: pauses are no spacing.
const SPACING_WEIGHT: f64 = 1.0 / 64.0;
const LONGEST_SPACING: f64 = 64.0;
/// Where more than this part of the packets of late came with two others or more, arrivals are a network card's and not the path's.
const MERGED_WORLD: f64 = 0.25;

/// Makes gaps of acknowledged packets.
///
/// Packets that arrive at the same instant, as an ACK for two makes it seem, count as one: the bytes since the ACK before are one gap.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    earlier: Option<Group>,
    latest: Option<Group>,
    least_rtt: Option<Nanos>,
    /// Mean distance of arrivals \[ns\].
    spacing: f64,
    /// Part of the packets that came with two others or more.
    crowd: f64,
    repeated: Repeated,
    unused: Unused,
}

/// Which packets left right after a repeated one: a bit for each of the latest numbers.
#[derive(Clone, Debug)]
struct Repeated([u64; 64]);

impl Default for Repeated {
    fn default() -> Repeated {
        Repeated([0; 64])
    }
}

impl Repeated {
    fn place(number: u64) -> (usize, u64) {
        ((number / 64 % 64) as usize, 1 << (number % 64))
    }

    fn set(&mut self, number: u64, after: bool) {
        let (word, bit) = Repeated::place(number);
        if after {
            self.0[word] |= bit;
        } else {
            self.0[word] &= !bit;
        }
    }

    fn any(&self, first: u64, last: u64) -> bool {
        (first..=last).any(|number| {
            let (word, bit) = Repeated::place(number);
            self.0[word] & bit != 0
        })
    }
}

impl Gaps {
    /// A packet left; `next` is the number of the first that has never left.
    pub fn sent(&mut self, packet: &Sent, next: u64) {
        self.repeated.set(next, packet.retransmission);
    }

    /// Takes in an acknowledged packet. A gap comes out one ACK late, when it is certain that no more belongs to it.
    pub fn acked(&mut self, ack: &Acked, links: &Links) -> Option<Gap> {
        let packets = ack.bytes.packets(links.packet);
        let arrived_at = ack.received_at.unwrap_or(ack.now);
        // Packets that left before the latest one did not queue behind it.
        let ahead = self.latest.filter(|latest| latest.sent_at <= ack.sent_at);
        let free_at = ahead.map_or(Nanos::ZERO, |latest| latest.entered_at.saturating_add(links.access.scale(packets)));
        let entered_at = ack.sent_at.max(free_at).min(ack.now);
        let rtt = ack.now - entered_at;
        if ack.rtt.is_some() || self.least_rtt.is_none() {
            // Only of packets that left once: of a repeated one nobody knows which copy arrived.
            // And with its wait for the access link: an estimate of that, once wrong, must not stay in it.
            let whole = ack.now - ack.sent_at;
            self.least_rtt = Some(self.least_rtt.map_or(whole, |least| least.min(whole)));
        }
        let mut own = Group {
            first: ack.number,
            last: ack.number,
            bytes: ack.bytes.0,
            sent_at: ack.sent_at,
            entered_at,
            arrived_at,
            rtt,
            busy_until: Nanos::ZERO,
            joint: true,
            disordered: false,
            timed: ack.rtt.is_some(),
        };
        if let Some(latest) = &mut self.latest {
            own.joint = entered_at <= latest.busy_until;
            own.disordered = ack.sent_at < latest.sent_at || arrived_at < latest.arrived_at;
            own.busy_until = latest.busy_until.saturating_add(links.service.scale(packets));
            let apart = (arrived_at - latest.arrived_at).0 as f64;
            let together = apart <= ONE_INSTANT * self.spacing;
            let counted = if self.spacing > 0.0 { apart.min(LONGEST_SPACING * self.spacing) } else { apart };
            self.spacing += SPACING_WEIGHT * (counted - self.spacing);
            if together && follows(latest.last, ack.number) {
                *latest = Group {
                    first: latest.first,
                    bytes: latest.bytes + own.bytes,
                    joint: latest.joint && own.joint,
                    disordered: latest.disordered || own.disordered,
                    timed: latest.timed || own.timed,
                    ..own
                };
                return None;
            }
            // The round-trip time of the last packet tells when the link had sent all of its group.
            let queued = latest.rtt - self.least_rtt.unwrap_or(latest.rtt);
            latest.busy_until = latest.entered_at.saturating_add(queued).saturating_add(links.service);
            own.joint = entered_at <= latest.busy_until;
            own.busy_until = latest.busy_until.saturating_add(links.service.scale(packets));
        }
        let done = self.latest.replace(own)?;
        if done.timed {
            let packets = (done.last - done.first + 1) as f64;
            let crowd = if packets > 2.0 { 1.0 } else { 0.0 };
            self.crowd += SPACING_WEIGHT * packets.min(1.0 / SPACING_WEIGHT) * (crowd - self.crowd);
        }
        let earlier = self.earlier.replace(done)?;
        let why_not = if done.disordered {
            Some(&mut self.unused.disordered)
        } else if !follows(earlier.last, done.first) {
            Some(&mut self.unused.apart)
        } else if done.last - done.first >= MOST_MERGED || self.is_merged() {
            Some(&mut self.unused.merged)
        } else if self.repeated.any(done.first, done.last) {
            Some(&mut self.unused.repeated)
        } else {
            None
        };
        if let Some(count) = why_not {
            *count += 1;
            return None;
        }
        Some(Gap {
            first: done.first,
            last: done.last,
            sent: (done.sent_at - earlier.sent_at).secs(),
            entered: (done.entered_at - earlier.entered_at).secs(),
            arrived: (done.arrived_at - earlier.arrived_at).secs(),
            bytes: done.bytes as f64,
            joint: done.joint,
        })
    }

    /// How long the latest packet waited on its way, as its round-trip time over the least tells.
    pub fn queued(&self) -> Nanos {
        self.latest.map_or(Nanos::ZERO, |latest| latest.rtt - self.least_rtt.unwrap_or(latest.rtt))
    }

    /// Whether arrivals are merged beyond use.
    pub fn is_merged(&self) -> bool {
        self.crowd > MERGED_WORLD
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

    const LINKS: Links = Links { packet: Bytes(1500), access: Nanos::ZERO, service: Nanos::from_millis(1) };

    fn take(gaps: &mut Gaps, ack: &Acked) -> Option<Gap> {
        gaps.acked(ack, &LINKS)
    }

    fn ack(number: u64, sent_ms: u64, arrived_ms: u64) -> Acked {
        Acked {
            now: Nanos::from_millis(arrived_ms),
            number,
            bytes: Bytes(1500),
            sent_at: Nanos::from_millis(sent_ms),
            received_at: None,
            rtt: Some(Nanos::from_millis(arrived_ms - sent_ms)),
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
        assert_eq!((gap.bytes, gap.joint), (1500.0, false), "packet 0 did not wait: the link was free after a millisecond");
        let gap = take(&mut gaps, &ack(3, 13, 130)).unwrap();
        assert!(gap.joint, "packet 1 took 105 ms and the least is 100: it left the link after 16 ms, and packet 2 came at 12");
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
        // Packet 1 comes late, repeated: neither it nor what follows has a neighbour.
        for (number, arrived) in [(1, 104), (4, 105), (5, 106)] {
            take(&mut gaps, &ack(number, 0, arrived));
        }
        assert_eq!(gaps.unused().apart, 3);
        assert!(take(&mut gaps, &ack(6, 0, 107)).is_some());
    }

    #[test]
    fn what_an_ack_for_many_hides_is_not_measured() {
        let mut gaps = Gaps::default();
        take(&mut gaps, &ack(0, 0, 100));
        (1..6).for_each(|number| assert_eq!(take(&mut gaps, &ack(number, number, 110)), None));
        assert_eq!(take(&mut gaps, &ack(6, 7, 111)), None);
        assert_eq!(gaps.unused(), Unused { merged: 1, ..Unused::default() });
        assert!(take(&mut gaps, &ack(7, 8, 112)).is_some());
    }

    #[test]
    fn packets_with_a_repeated_one_between_them_are_not_measured() {
        let mut gaps = Gaps::default();
        let sent = |retransmission| Sent {
            now: Nanos::ZERO,
            number: 0,
            bytes: Bytes(1500),
            in_flight: Bytes(1500),
            retransmission,
            app_limited: false,
        };
        for (next, retransmission) in [(1, false), (2, false), (2, true), (3, false), (4, false)] {
            gaps.sent(&sent(retransmission), next);
        }
        let got: alloc::vec::Vec<bool> = (0..5).map(|number| take(&mut gaps, &ack(number, number, 100 + number)).is_some()).collect();
        assert_eq!(got, [false, false, true, false, true], "none from 1 to 2");
        assert_eq!(gaps.unused(), Unused { repeated: 1, ..Unused::default() });
    }

    #[test]
    fn another_order_is_not_measured() {
        let mut gaps = Gaps::default();
        for (number, sent) in [(0, 0), (1, 5), (2, 3), (3, 6)] {
            take(&mut gaps, &ack(number, sent, 100 + number));
        }
        assert_eq!(gaps.unused(), Unused { disordered: 1, ..Unused::default() });
    }

    #[test]
    fn packets_of_one_ack_are_joint_if_each_of_them_is() {
        // The link takes 1 ms. Packet 0 did not wait; 1 came while it was sent, 2 came 1.2 ms after 1: while 1 was sent, or not.
        for (second_us, joint) in [(1_900, true), (2_100, false)] {
            let mut gaps = Gaps::default();
            take(&mut gaps, &ack(0, 0, 100));
            take(&mut gaps, &Acked { sent_at: Nanos::from_micros(900), ..ack(1, 0, 102) });
            take(&mut gaps, &Acked { sent_at: Nanos::from_micros(second_us), ..ack(2, 0, 102) });
            assert_eq!(take(&mut gaps, &ack(3, 5, 110)).unwrap().joint, joint);
        }
    }
    #[test]
    fn packets_that_left_back_to_back_enter_one_by_one() {
        let mut gaps = Gaps::default();
        let mut entered = alloc::vec::Vec::new();
        for number in 0..6 {
            // Three at once at 0 ms, then 1 ms apart; the access link takes 0.5 ms.
            let sent_ms = [0, 0, 0, 1, 2, 3][number as usize];
            if let Some(gap) = gaps.acked(&ack(number, sent_ms, 100 + number), &Links { access: Nanos::from_micros(500), ..LINKS }) {
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
