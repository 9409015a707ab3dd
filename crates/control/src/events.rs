//! What a world tells a controller. The types are `#[non_exhaustive]`: they are made by `new` and `with_…`, so that a new field breaks no
//! world and no controller outside of this crate.

use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};

/// Window before the first ACK where a world says nothing else (RFC 6928 §2).
const INITIAL_PACKETS: u64 = 10;

/// Setters that return the changed value.
macro_rules! with {
    ($($(#[$doc:meta])* $name:ident => $field:ident: $type:ty,)+) => {
        $(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )+
    };
}

/// What a world tells a controller when a connection opens.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// Size of a full packet on the wire.
    pub packet: Bytes,
    /// Window before the first ACK.
    pub initial_window: Bytes,
    /// Slow start ends at this window; a new connection knows of no end.
    pub ssthresh: Option<Bytes>,
    /// How exactly departures happen that lie ahead: what the host's timer can do. What is nearer than this may leave together. Zero: exactly.
    pub timer: Span,
    /// What the host can tell apart: packets that leave or arrive nearer than this tell of the host and not of the path. Zero: anything.
    pub clock: Span,
    /// Seeds whatever the controller draws at random; same seed and events, same decisions.
    pub seed: u64,
}

impl Setup {
    /// A connection whose full packets are `packet` on the wire: 10 of them before the first ACK (RFC 6928), an exact timer and clock, seed 0.
    pub fn new(packet: Bytes) -> Setup {
        Setup { packet, initial_window: Bytes(INITIAL_PACKETS * packet.0), ssthresh: None, timer: Span::ZERO, clock: Span::ZERO, seed: 0 }
    }

    with! {
        /// Another window before the first ACK.
        with_initial_window => initial_window: Bytes,
        /// A connection that is under way, whose slow start ended, or ends, at this window.
        with_ssthresh => ssthresh: Option<Bytes>,
        /// A host with such a timer.
        with_timer => timer: Span,
        /// A host that tells apart no less.
        with_clock => clock: Span,
        /// Another seed.
        with_seed => seed: u64,
    }
}

/// A packet that left.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sent {
    /// When it really left.
    pub now: Instant,
    /// Packet number; a retransmission carries the number of the original.
    pub number: u64,
    /// Size on the wire.
    pub bytes: Bytes,
    /// In flight, this packet included.
    pub in_flight: Bytes,
    /// Since when nothing but the controller's plan held it back, as far as the world knows: what is later than both is the host's.
    pub ready_at: Instant,
    /// It repeats a packet that was sent before.
    pub retransmission: bool,
    /// The application has nothing more to send after this packet, as far as the world knows already; [`Acked::app_limited`] knows for sure.
    pub app_limited: bool,
}

impl Sent {
    /// A new packet, with more to follow.
    #[inline]
    pub fn new(now: Instant, number: u64, bytes: Bytes, in_flight: Bytes) -> Sent {
        Sent { now, number, bytes, in_flight, ready_at: now, retransmission: false, app_limited: false }
    }

    with! {
        /// Since when nothing but the plan held it back.
        with_ready_at => ready_at: Instant,
        /// Whether it repeats a packet.
        with_retransmission => retransmission: bool,
        /// Whether the application has nothing more to send.
        with_app_limited => app_limited: bool,
    }
}

/// A packet acknowledged for the first time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Acked {
    /// When the ACK arrived.
    pub now: Instant,
    /// The packet's number.
    pub number: u64,
    /// Its size on the wire.
    pub bytes: Bytes,
    /// When it (last) left.
    pub sent_at: Instant,
    /// When it reached the receiver, on the receiver's clock, where the world knows: over TCP not of packets that share an
    /// ACK with others. The receiver's clock may show any time, and drift.
    pub received_at: Option<ReceiverInstant>,
    /// Round-trip time that this ACK measured: of one packet of those it covers, never of a retransmitted one unless the world can
    /// tell the copies apart.
    pub rtt: Option<Span>,
    /// By how much later than it might have the peer answered, as far as the world knows: a part of the round-trip time in which it was in no queue.
    pub answered_late: Span,
    /// In flight after this packet was taken out.
    pub in_flight: Bytes,
    /// The application had nothing more to send when this packet left: not the window held the sender back.
    pub app_limited: bool,
    /// Loss recovery is under way: a window that losses rule must not grow, and ACKs do not come as packets arrived.
    pub recovering: bool,
    /// The window may grow for this packet. Not in recovery, not for a packet acknowledged above a gap (RFC 5681 §3.2), and not for the
    /// third and later packets of one ACK: after a retransmission one ACK may cover a whole window (RFC 5681 Eq 2, RFC 3465 with L = 2). The
    /// kernel's TCP counts all packets of an ACK, because it still recovers when such an ACK arrives.
    pub grows: bool,
}

impl Acked {
    /// A packet in order, outside of recovery, that the window held back; nothing else in flight, no RTT measured.
    #[inline]
    pub fn new(now: Instant, number: u64, bytes: Bytes, sent_at: Instant) -> Acked {
        Acked {
            now,
            number,
            bytes,
            sent_at,
            received_at: None,
            rtt: None,
            answered_late: Span::ZERO,
            in_flight: Bytes::ZERO,
            app_limited: false,
            recovering: false,
            grows: true,
        }
    }

    with! {
        /// When it reached the receiver, on the receiver's clock.
        with_received_at => received_at: Option<ReceiverInstant>,
        /// The RTT that its ACK measured.
        with_rtt => rtt: Option<Span>,
        /// By how much the peer answered later than it might have.
        with_answered_late => answered_late: Span,
        /// What is in flight without it.
        with_in_flight => in_flight: Bytes,
        /// Whether the application was the limit.
        with_app_limited => app_limited: bool,
        /// Whether loss recovery is under way.
        with_recovering => recovering: bool,
        /// Whether the window may grow for it.
        with_grows => grows: bool,
    }
}

/// A packet presumed lost: one event for each, and each time that it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PacketLost {
    /// When it was presumed lost.
    pub now: Instant,
    /// The packet's number.
    pub number: u64,
    /// Its size on the wire.
    pub bytes: Bytes,
    /// When it (last) left.
    pub sent_at: Instant,
    /// In flight after this packet was taken out.
    pub in_flight: Bytes,
}

impl PacketLost {
    /// With nothing else in flight.
    #[inline]
    pub fn new(now: Instant, number: u64, bytes: Bytes, sent_at: Instant) -> PacketLost {
        PacketLost { now, number, bytes, sent_at, in_flight: Bytes::ZERO }
    }

    with! {
        /// What is in flight without it.
        with_in_flight => in_flight: Bytes,
    }
}

/// A congestion event: the first loss or mark of an episode.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Lost {
    /// When it was noticed.
    pub now: Instant,
    /// How it was noticed.
    pub kind: LossKind,
    /// In flight before what is lost was taken out.
    pub in_flight: Bytes,
    /// Presumed lost at that moment, packet by packet told as [`PacketLost`]; zero for a mark.
    pub bytes: Bytes,
}

impl Lost {
    /// An event of no bytes.
    pub fn new(now: Instant, kind: LossKind, in_flight: Bytes) -> Lost {
        Lost { now, kind, in_flight, bytes: Bytes::ZERO }
    }

    with! {
        /// What was presumed lost.
        with_bytes => bytes: Bytes,
    }
}

/// How congestion was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossKind {
    /// Duplicate or selective ACKs: recovery starts.
    FastRetransmit,
    /// The retransmission timer expired (RFC 6298 §5): everything in flight is written off.
    Timeout,
    /// Every packet sent over a period of several timeouts was lost (RFC 9002 §7.6). What is in flight is not written off.
    PersistentCongestion,
    /// A congestion mark came back.
    Ecn,
}

impl LossKind {
    /// Whether the window starts again from its least: nothing is known of the path any more (RFC 5681 §3.1, RFC 9002 §7.6.2).
    pub fn collapses(self) -> bool {
        matches!(self, LossKind::Timeout | LossKind::PersistentCongestion)
    }
}

/// Everything that one ACK (or one expiry of the timer) says has been told, packet by packet.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AckProcessed {
    /// When the ACK arrived.
    pub now: Instant,
    /// In flight after everything that it acknowledged, and everything that was presumed lost, was taken out.
    pub in_flight: Bytes,
    /// Loss recovery is under way now.
    pub recovering: bool,
    /// Since the ACK before, the window held back a packet that was ready.
    pub cwnd_limited: bool,
    /// Marks that this ACK newly reports, where the path's ends count them.
    pub ecn: Option<EcnCounts>,
}

impl AckProcessed {
    /// Nothing in flight, nothing held back, no marks.
    #[inline]
    pub fn new(now: Instant) -> AckProcessed {
        AckProcessed { now, in_flight: Bytes::ZERO, recovering: false, cwnd_limited: false, ecn: None }
    }

    with! {
        /// What is in flight.
        with_in_flight => in_flight: Bytes,
        /// Whether loss recovery is under way.
        with_recovering => recovering: bool,
        /// Whether the window held a packet back.
        with_cwnd_limited => cwnd_limited: bool,
        /// The marks that it reports.
        with_ecn => ecn: Option<EcnCounts>,
    }
}

/// Packets by the ECN codepoint with which they arrived (RFC 9000 §19.3.2; RFC 9768 for TCP), since the ACK before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EcnCounts {
    /// ECT(0): not marked.
    pub ect0: u64,
    /// ECT(1): not marked, of an L4S sender (RFC 9331).
    pub ect1: u64,
    /// Congestion experienced.
    pub ce: u64,
}

impl EcnCounts {
    /// So many of each.
    pub fn new(ect0: u64, ect1: u64, ce: u64) -> EcnCounts {
        EcnCounts { ect0, ect1, ce }
    }
}

/// A world that has a packet ready asks whether it may leave.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Ask {
    /// When it asks.
    pub now: Instant,
    /// In flight at that moment.
    pub in_flight: Bytes,
}

impl Ask {
    /// Asks.
    #[inline]
    pub fn new(now: Instant, in_flight: Bytes) -> Ask {
        Ask { now, in_flight }
    }
}
