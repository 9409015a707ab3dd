//! What ends of a connection tell each other of packets beside ACKs.

use symbiosis_base::{Instant, ReceiverInstant};

/// Only packets of so much UDP payload \[bytes\] are spoken of: those that carry data have at least 1200 bytes (RFC 9000 §14), while those that
/// carry ACKs and messages must not make each other without end.
pub const FULL: u64 = 1000;

/// A packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrived {
    /// Its packet number.
    pub pn: u64,
    /// When.
    pub at: ReceiverInstant,
}

/// A packet that left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Its packet number.
    pub pn: u64,
    /// It was the so many-th to leave.
    pub serial: u64,
    /// When.
    pub at: Instant,
    /// Close behind the one before on purpose.
    pub probe: bool,
}
