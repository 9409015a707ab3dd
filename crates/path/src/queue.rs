//! The drop-tail queue of a link that serves in order of arrival.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant};

/// How much may wait for a link, the packet being sent not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueLimit {
    /// Whatever comes.
    #[default]
    Unlimited,
    /// So many packets, whatever their size: small packets fill it as large ones do.
    Packets(u64),
    /// So many bytes.
    Bytes(Bytes),
}

impl QueueLimit {
    /// Whether one more packet of `size` may join `packets` and `bytes` that wait already.
    pub fn admits(self, packets: u64, bytes: Bytes, size: Bytes) -> bool {
        self.holds(packets + 1, bytes + size)
    }

    /// Whether so many packets and bytes may wait.
    pub fn holds(self, packets: u64, bytes: Bytes) -> bool {
        match self {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(limit) => packets <= limit,
            QueueLimit::Bytes(limit) => bytes <= limit,
        }
    }
}

/// Packets that wait, each with the instant at which its transmission will start. In a queue served in order of arrival that instant
/// is known when the packet joins (Lindley's recursion), so no event is needed to take it out.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    starts: VecDeque<(Instant, u32)>,
    bytes: Bytes,
}

impl Waiting {
    #[inline]
    pub(crate) fn join(&mut self, start: Instant, size: Bytes) {
        self.starts.push_back((start, size.0 as u32));
        self.bytes += size;
    }

    /// Takes out the next packet whose transmission has started by `now`, and tells when.
    #[inline]
    pub(crate) fn started_by(&mut self, now: Instant) -> Option<Instant> {
        match self.starts.front() {
            Some(&(start, size)) if start <= now => {
                self.starts.pop_front();
                self.bytes -= Bytes(size as u64);
                Some(start)
            }
            _ => None,
        }
    }

    pub(crate) fn packets(&self) -> u64 {
        self.starts.len() as u64
    }

    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }
}
