//! What a sender remembers of each packet that is not yet acknowledged in order.

use symbiosis_base::Instant;

/// A packet is lost when so many duplicate ACKs have come (RFC 5681 §3.2), or so many packets above it have arrived (RFC 6675 DupThresh).
pub(super) const DUP_THRESH: u32 = 3;

/// A packet's record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// When it last left.
    pub(crate) sent_at: Instant,
    /// How many packets had left before it last did, modulo 2³².
    pub(crate) order: u32,
    /// Reported by a selective ACK.
    pub(crate) sacked: bool,
    /// Presumed lost.
    pub(crate) lost: bool,
    /// Sent again since it was presumed lost.
    pub(crate) resent: bool,
    /// Has left more than once.
    pub(crate) repeated: bool,
    /// Nothing more was there to be sent when it first left.
    pub(crate) app_limited: bool,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Acknowledged for the first time.
    Acked,
    /// Presumed lost.
    Lost,
}

/// The records of all packets from `una`, the first not acknowledged, up to but not including `end`, the first never sent.
#[derive(Debug)]
pub(crate) struct Flight {
    una: u32,
    end: u32,
    /// Departures so far, retransmissions among them, modulo 2³².
    departures: u32,
    /// Record `n` is at `n` modulo the length, a power of two.
    ring: Vec<Record>,
}

impl Flight {
    pub(crate) fn new() -> Flight {
        Flight { una: 0, end: 0, departures: 0, ring: vec![Record::default(); 64] }
    }

    pub(crate) fn una(&self) -> u32 {
        self.una
    }

    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// A new packet leaves.
    #[inline]
    pub(crate) fn push(&mut self, sent_at: Instant, app_limited: bool) -> u32 {
        if (self.end - self.una) as usize == self.ring.len() {
            self.grow();
        }
        let number = self.end;
        self.end += 1;
        *self.at(number) = Record { sent_at, order: self.departures, app_limited, ..Record::default() };
        self.departures = self.departures.wrapping_add(1);
        number
    }

    /// A packet leaves again.
    pub(crate) fn again(&mut self, number: u32, now: Instant) {
        let order = self.departures;
        self.departures = order.wrapping_add(1);
        let record = self.at(number);
        (record.sent_at, record.order, record.resent, record.repeated) = (now, order, true, true);
    }

    /// All below `next` are acknowledged.
    #[inline]
    pub(crate) fn advance(&mut self, next: u32) {
        debug_assert!(self.una <= next && next <= self.end);
        self.una = next;
    }

    #[inline]
    pub(crate) fn at(&mut self, number: u32) -> &mut Record {
        let mask = self.ring.len() - 1;
        &mut self.ring[number as usize & mask]
    }

    /// Which of the packets below `next` that an ACK answers a controller is told the round-trip time of, and when it left: `None` stands for whichever left at `echo`.
    ///
    /// A timestamp is of the first packet that a delayed ACK answers (RFC 7323 §4.3). Linux tells its controllers of the last, which the receiver did not wait after, where none of them left
    /// twice (`ca_rtt_us` of `tcp_clean_rtx_queue`).
    #[inline]
    pub(crate) fn timed(&mut self, next: u32, echo: Instant) -> (Option<u32>, Instant) {
        if next <= self.una + 1 {
            return (None, echo);
        }
        let [first, last] = [self.una, next - 1].map(|number| *self.at(number));
        let once = |record: Record| !record.repeated && !record.resent;
        if first.sent_at == echo && once(first) && once(last) && !last.sacked { (Some(next - 1), last.sent_at) } else { (None, echo) }
    }

    fn grow(&mut self) {
        let (old, mask) = (self.ring.clone(), self.ring.len() - 1);
        self.ring.resize(2 * old.len(), Record::default());
        for number in self.una..self.end {
            *self.at(number) = old[number as usize & mask];
        }
    }
}
