//! What passes between XMTP's two ends.

use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};
use symbiosis_control::observer::Findings;

use crate::conveyor::Cargo;
use crate::runs::Run;
use crate::tap::Packet;
use crate::transport::Visible;

/// A data packet. Packets are numbered from 0; a number stands for the same payload whenever it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(super) sent_at: Instant,
    /// Smoothed round-trip time of the sender.
    pub(super) rtt: Span,
    pub(super) number: u32,
    /// Counts transmissions.
    pub(super) serial: u32,
    pub(super) bytes: u32,
    /// It left by `Departure::IgnoreWindow`.
    pub(super) probe: bool,
    /// There is nothing behind it.
    pub(super) last: bool,
}

impl Cargo for Data {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(self.bytes as u64)
    }
}

impl Visible for Data {
    fn packet(&self) -> Packet {
        Packet::Data { number: self.number, bytes: self.size() }
    }
}

/// What a receiver reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    /// All packets below have arrived.
    pub(super) next: u32,
    /// What has arrived above `next`: the run with the newest packet first. Empty runs are none.
    pub(super) sacks: [Run; 3],
    /// The latest transmission that has arrived …
    pub(super) serial: u32,
    /// Size on the wire.
    pub(super) bytes: u32,
    /// … when it left, on the sender's clock …
    pub(super) echo: Instant,
    /// … when it arrived …
    pub(super) received_at: ReceiverInstant,
    /// … and how long the report has waited since.
    pub(super) held: Span,
    /// What the controller's half found.
    pub(super) findings: Findings,
}

impl Cargo for Report {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(self.bytes as u64)
    }
}

impl Visible for Report {
    fn packet(&self) -> Packet {
        Packet::Ack { next: self.next, sacks: self.sacks }
    }
}
