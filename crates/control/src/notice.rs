//! What a world tells a controller now and then.

use symbiosis_base::{Bytes, Instant, Span};

/// Something that happened to the connection, beside packets, ACKs and losses. A controller that does not know a notice ignores it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The packets of the last congestion event were not lost after all: they were late, or what was late was their ACK (RFC 3522, RFC 4015).
    Spurious {
        /// When that was noticed.
        now: Instant,
        /// In flight at that moment.
        in_flight: Bytes,
    },
    /// Neither the window nor the departure holds a packet back: the application has nothing to send.
    AppLimited {
        /// Since when.
        now: Instant,
        /// In flight at that moment.
        in_flight: Bytes,
    },
    /// Nothing was in flight and nothing left for longer than the retransmission timeout, and now the application goes on: what the window
    /// says of the path is old (RFC 5681 §4.1). A host that lets windows be does not say so.
    Idle {
        /// The next packet leaves now.
        now: Instant,
        /// How many retransmission timeouts the silence was long, from one on.
        timeouts: u64,
    },
    /// The host's own congestion control rules while the controller's [`Basis`](crate::Basis) is Reno, and has set its window so.
    HostWindow {
        /// In force.
        window: Bytes,
        /// Its slow-start threshold, if slow start has ever ended.
        ssthresh: Option<Bytes>,
    },
    /// Full packets have another size from now on (RFC 8899).
    PacketSize {
        /// Since when.
        now: Instant,
        /// Size of a full packet on the wire.
        packet: Bytes,
    },
    /// The receiver answers so from now on (draft-ietf-quic-ack-frequency).
    AckFrequency {
        /// Since when.
        now: Instant,
        /// Packets that may arrive before it answers.
        packets: u64,
        /// How long an answer may wait.
        delay: Span,
    },
}

/// What becomes of a controller whose connection moves to another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// The world makes a new one, as for a new connection (RFC 9000 §9.4).
    Replace,
    /// It goes on: it has forgotten of the old path what does not hold on the new one. Packets still in flight are neither acknowledged nor
    /// lost.
    Keep,
}
