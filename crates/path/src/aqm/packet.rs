//! A packet in a managed queue.

use symbiosis_base::{Bytes, Instant};

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) stream: usize,
    pub(super) size: Bytes,
    /// When it joined.
    pub(super) at: Instant,
}
