//! The records of packets in flight, by number.

use alloc::collections::VecDeque;

use crate::{Bytes, Instant};

/// A packet may leave so many numbers after the one before, or before the oldest that is in flight: what is farther is of another stream
/// of numbers, and the old one is forgotten. 10⁵ packets of 1500 bytes are the BDP of 10 Gbit/s and 120 ms.
const FARTHEST: u64 = 100_000;

/// A packet when it left (§4.1.2.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Departed {
    pub(super) sent_at: Instant,
    pub(super) first_send_time: Instant,
    pub(super) delivered_time: Instant,
    pub(super) delivered: u64,
    pub(super) lost: u64,
    pub(super) tx_in_flight: Bytes,
    pub(super) app_limited: bool,
    pub(super) retransmission: bool,
}

/// Records from the number `first` on; its ends are occupied.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    first: u64,
    records: VecDeque<Option<Departed>>,
}

impl Ring {
    /// A packet leaves, for the first time or again.
    pub(super) fn insert(&mut self, number: u64, departed: Departed) {
        if number > u64::MAX - FARTHEST {
            return;
        }
        let end = self.first + self.records.len() as u64;
        let strange = if number < self.first { self.first - number > FARTHEST } else { number.saturating_sub(end) > FARTHEST };
        if strange || self.records.is_empty() {
            self.records.clear();
            self.first = number;
        }
        while number < self.first {
            self.records.push_front(None);
            self.first -= 1;
        }
        let at = (number - self.first) as usize;
        if at >= self.records.len() {
            self.records.resize(at + 1, None);
        }
        self.records[at] = Some(departed);
    }

    /// A packet is no longer in flight; its record, if it was.
    pub(super) fn remove(&mut self, number: u64) -> Option<Departed> {
        let at = number.checked_sub(self.first)?;
        let record = self.records.get_mut(usize::try_from(at).ok()?)?.take();
        while self.records.front().is_some_and(Option::is_none) {
            self.records.pop_front();
            self.first += 1;
        }
        while self.records.back().is_some_and(Option::is_none) {
            self.records.pop_back();
        }
        record
    }
}
