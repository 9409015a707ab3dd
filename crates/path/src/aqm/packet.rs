//! A packet in a managed queue.

use symbiosis_base::{Bytes, Instant};

use super::ecn::Ecn;

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) stream: usize,
    pub(super) host: usize,
    pub(super) size: Bytes,
    pub(super) ecn: Ecn,
    /// It was marked here.
    pub(super) marked: bool,
    /// When it joined.
    pub(super) at: Instant,
}

impl Packet {
    /// Marks it in place of dropping it, if its sender answers marks.
    pub(super) fn mark(&mut self) -> bool {
        self.marked |= self.ecn.is_capable();
        self.ecn.is_capable()
    }
}
