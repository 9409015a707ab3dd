//! What passes a sender's network interface, for whoever wants to see it: a capture file, a test.

use symbiosis_base::{Bytes, Instant};

/// Sees every packet that leaves a sender and every ACK that reaches one.
pub trait Tap {
    /// One packet passes. Instants never go back.
    fn passes(&mut self, passing: &Passing);
}

/// A packet that passes a sender's network interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passing {
    /// When.
    pub at: Instant,
    /// The flow's index in the plan.
    pub flow: usize,
    /// Which packet.
    pub packet: Packet,
}

/// A packet as its sender sees it. Packets are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packet {
    /// Data leaves.
    Data {
        /// Its number; a packet retransmitted keeps it.
        number: u32,
        /// Its size on the wire.
        bytes: Bytes,
    },
    /// An ACK arrives.
    Ack {
        /// All packets below have arrived.
        next: u32,
        /// What has arrived above, as runs from the first number up to, not including, the second; empty runs are none.
        sacks: [(u32, u32); 3],
    },
}
