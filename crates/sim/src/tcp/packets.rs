//! What passes between TCP's two ends.

use symbiosis_base::{Bytes, Instant, ReceiverInstant};
use symbiosis_path::Ecn;

use crate::conveyor::Cargo;
use crate::runs::Run;
use crate::tap::Packet;
use crate::transport::Visible;

/// A data packet. Packets are numbered from 0; a number stands for the same payload whenever it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) sent_at: Instant,
    pub(crate) number: u32,
    pub(crate) bytes: u16,
    pub(crate) ecn: Ecn,
    /// The sender has answered the last mark (RFC 3168).
    pub(crate) cwr: bool,
}

impl Cargo for Data {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(self.bytes as u64)
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Marked;
    }
}

/// An ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack {
    /// All packets below have arrived.
    pub(crate) next: u32,
    /// Size on the wire.
    pub(crate) bytes: u32,
    /// The time stamp of the packet that it answers (RFC 7323: the first, where one ACK answers two).
    pub(crate) echo: Instant,
    /// When the packet that it answers arrived.
    pub(crate) received_at: ReceiverInstant,
    /// The packet that it answers had arrived before (RFC 2883).
    pub(crate) duplicate: Option<u32>,
    /// A mark arrived that the sender has not answered (RFC 3168).
    pub(crate) ece: bool,
    /// Packets that have arrived, by what their ECN fields said.
    pub(crate) seen: Seen,
    /// What has arrived above `next`: the run with the newest packet first, then those reported last (RFC 2018 §4). Empty runs are none.
    pub(crate) sacks: [Run; 3],
}

/// Packets by their ECN fields: not marked of a classic sender, of an L4S sender, and marked. Modulo 2³².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) classic: u32,
    pub(crate) l4s: u32,
    pub(crate) marked: u32,
}

impl Cargo for Ack {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(self.bytes as u64)
    }
}

impl Visible for Data {
    #[inline]
    fn packet(&self) -> Packet {
        Packet::Data { number: self.number, bytes: self.size() }
    }
}

impl Visible for Ack {
    #[inline]
    fn packet(&self) -> Packet {
        Packet::Ack { next: self.next, sacks: self.sacks }
    }
}
