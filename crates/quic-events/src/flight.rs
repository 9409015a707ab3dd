//! What the adapter remembers of each packet that asks for an ACK.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, ReceiverInstant};

/// A packet that left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// QUIC's packet number. These rise, but with gaps: packets that carry only ACKs have numbers too, and some are skipped on purpose
    /// (RFC 9000 §21.4).
    pub(crate) pn: u64,
    /// When it left.
    pub(crate) sent_at: Instant,
    /// Size on the wire.
    pub(crate) bytes: Bytes,
    /// Nothing more was there to be sent when it left.
    pub(crate) app_limited: bool,
    /// When it reached the receiver, on its clock, as far as that was told.
    pub(crate) received_at: Option<ReceiverInstant>,
    /// Acknowledged, or given up.
    settled: bool,
}

/// The packets in flight, numbered without gaps: neighbours on the path are neighbours in number.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    /// Number of the front.
    first: u64,
    records: VecDeque<Record>,
    bytes: Bytes,
}

impl Flight {
    /// Bytes in flight.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// The first number that is neither acknowledged nor given up; that of the next packet if none is.
    pub(crate) fn oldest(&self) -> u64 {
        self.first
    }

    /// A packet leaves; its number.
    ///
    /// Packet numbers that do not rise are of another space (RFC 9000 §12.3): the end of the handshake, which is discarded unacknowledged,
    /// lies between the last flight of the one and the first of the other. So nothing is remembered across the change. Where numbers rise across it,
    /// because the first was skipped, what is left over is found out by [`Flight::forget_before`].
    pub(crate) fn push(&mut self, pn: u64, sent_at: Instant, bytes: Bytes) -> u64 {
        if self.records.back().is_some_and(|last| pn <= last.pn) {
            self.clear();
        }
        self.records.push_back(Record { pn, sent_at, bytes, app_limited: false, received_at: None, settled: false });
        self.bytes += bytes;
        self.first + self.records.len() as u64 - 1
    }

    /// Nothing more is there to be sent after the packet that left last.
    pub(crate) fn ran_dry(&mut self) {
        if let Some(last) = self.records.back_mut() {
            last.app_limited = true;
        }
    }

    /// Takes a packet out of flight, and tells its number. None if it is not in flight, or if `sent_at` tells that another packet number
    /// space is meant.
    pub(crate) fn settle(&mut self, pn: u64, sent_at: Option<Instant>) -> Option<(u64, Record)> {
        let at = self.records.binary_search_by_key(&pn, |record| record.pn).ok()?;
        let record = &mut self.records[at];
        if record.settled || sent_at.is_some_and(|sent_at| sent_at != record.sent_at) {
            return None;
        }
        record.settled = true;
        let found = (self.first + at as u64, *record);
        self.bytes -= found.1.bytes;
        while self.records.front().is_some_and(|front| front.settled) {
            self.records.pop_front();
            self.first += 1;
        }
        Some(found)
    }

    /// Packets that left before then and are still in flight are none: nothing will be heard of them. Their numbers stay taken.
    pub(crate) fn forget_before(&mut self, then: Instant) {
        while let Some(front) = self.records.front()
            && (front.settled || front.sent_at < then)
        {
            if !front.settled {
                self.bytes -= front.bytes;
            }
            self.records.pop_front();
            self.first += 1;
        }
    }

    /// When a packet in flight reached the receiver, to be filled in.
    pub(crate) fn received_at(&mut self, pn: u64) -> Option<&mut Option<ReceiverInstant>> {
        let at = self.records.binary_search_by_key(&pn, |record| record.pn).ok()?;
        Some(&mut self.records[at].received_at)
    }

    /// Nothing is in flight any more, whatever became of it.
    pub(crate) fn clear(&mut self) {
        self.first += self.records.len() as u64;
        self.records.clear();
        self.bytes = Bytes::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_gaps_where_packet_numbers_have() {
        let mut flight = Flight::default();
        for (pn, number) in [(3, 0), (4, 1), (9, 2)] {
            assert_eq!(flight.push(pn, Instant(pn), Bytes(100)), number);
        }
        assert_eq!(flight.bytes(), Bytes(300));
        assert_eq!(flight.settle(9, None).unwrap().0, 2);
        assert_eq!(flight.oldest(), 0);
        assert!(flight.settle(9, None).is_none(), "once");
        assert!(flight.settle(5, None).is_none(), "never sent");
        assert!(flight.settle(3, Some(Instant(2))).is_none(), "of another space");
        assert_eq!(flight.settle(3, Some(Instant(3))).unwrap().0, 0);
        assert_eq!((flight.oldest(), flight.bytes()), (1, Bytes(100)));
        flight.clear();
        assert_eq!((flight.oldest(), flight.bytes()), (3, Bytes::ZERO));
        assert_eq!(flight.push(10, Instant(10), Bytes(1)), 3);
        assert_eq!(flight.push(0, Instant(11), Bytes(1)), 4, "of another space");
        assert_eq!((flight.oldest(), flight.bytes()), (4, Bytes(1)));
    }

    #[test]
    fn what_nobody_hears_of_is_forgotten() {
        let mut flight = Flight::default();
        (0..4).for_each(|pn| assert_eq!(flight.push(pn, Instant(pn), Bytes(100)), pn));
        assert!(flight.settle(2, None).is_some());
        flight.forget_before(Instant(2));
        assert_eq!((flight.oldest(), flight.bytes()), (3, Bytes(100)), "the third was settled");
        assert!(flight.settle(0, None).is_none());
        assert_eq!(flight.settle(3, None).unwrap().0, 3);
    }
}
