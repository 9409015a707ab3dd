//! What a connection's transport is told.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use noq_proto::{AckFrequencyConfig, TransportConfig, VarInt};
use symbiosis_base::{Bytes, Instant, Span};

use crate::choice::{At, Choice};
use crate::clock::Clock;
use crate::feedback::{Host, Wants};
use crate::identity::FILES;
use crate::passing::Pass;
use symbiosis_noq::ControllerHandle;

use super::admission::Limits;
use super::pulse::Pulse;
use crate::transfer::FIRST;

/// Whether this build can write down connections ([`super::Node::log_to`]): only with the feature `qlog`.
pub const QLOG: bool = cfg!(feature = "qlog");

/// What of a connection may differ between worlds and experiments.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// UDP payload of a full packet \[bytes\]. 1452 fits Ethernet also under IPv6. It is not searched for: probes of other sizes would
    /// disturb a measurement; where so large a packet does not pass, 1200 is taken when that shows.
    pub payload: u16,
    /// What UDP and IP add to it on the wire: 28 bytes with IPv4.
    pub overhead: Bytes,
    /// Window before the first ACK \[packets\] (RFC 9002 §7.2).
    pub initial_window: u64,
    /// Departures and arrivals nearer than this tell of the host and not of the path. What is to leave so soon leaves at once.
    pub timer: Span,
    /// At most so many datagrams that leave at one instant are given out together ([`super::Leaving`]).
    pub together: usize,
    /// Most data of a stream that may be unacknowledged or unread. Not so little that it, and not the controller,
    /// keeps the window small: 64 MB are 1 Gbit/s for half a second. How much of it a connection has at the moment is its session's business
    /// ([`crate::transfer`]).
    pub buffer: Bytes,
    /// A connection from which nothing is heard for so long has ended. So long because a path may be gone for seconds.
    pub idle: Duration,
    /// What a peer may send before anything was read of it, over all streams. Sessions let it send more as they read.
    pub first: Bytes,
    /// What callers may take of the node.
    pub limits: Limits,
    /// Connection IDs, skipped packet numbers and path challenges are drawn from the seed, so that a run can be repeated. Between strangers they
    /// must not be guessed (RFC 9000 §8.2.1, §21.4): then the system draws them.
    pub repeatable: bool,
    /// Callers are asked for a certificate. They need not have one.
    pub asks_who: bool,
    /// What is spoken over connections (ALPN).
    pub protocol: &'static str,
    /// Receivers are asked when packets arrived, where the controller makes use of it.
    pub receiver_times: bool,
}

/// What noq is told of a connection, and the world's side of it.
pub(crate) struct Made {
    pub(crate) transport: Arc<TransportConfig>,
    /// Of the controller, if it is one of ours.
    pub(crate) controller: Option<ControllerHandle>,
    pub(crate) pass: Pass,
    pub(crate) wants: Wants,
}

/// Messages that wait to leave, or to be read, are so many bytes at the most: five of the largest, a datagram each.
const MESSAGES: usize = 8 << 10;

/// Requests that a peer may have open: those of this project have one, and what noq keeps of each may be 32 kB.
const STREAMS: u32 = 16;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            payload: 1452,
            overhead: Bytes(28),
            initial_window: 10,
            timer: Span::ZERO,
            together: 1,
            buffer: Bytes(64_000_000),
            idle: Duration::from_secs(20),
            first: Bytes(FIRST),
            limits: Limits::default(),
            repeatable: true,
            asks_who: false,
            protocol: FILES,
            receiver_times: true,
        }
    }
}

impl Settings {
    /// How a connection that began now shows that it lives.
    pub(super) fn pulse(&self, now: Instant) -> Pulse {
        Pulse::new(now, Span(self.idle.as_nanos() as u64))
    }

    pub(crate) fn host(&self) -> Host {
        Host { overhead: self.overhead, timer: self.timer }
    }

    /// A transport for one connection with the controller of `choice`.
    pub(crate) fn transport(&self, choice: &Choice, clock: Clock, seed: u64, qlog: Option<&Path>) -> Made {
        let at = At { clock, seed, payload: self.payload, overhead: self.overhead, initial_window: self.initial_window, timer: self.timer };
        let (factory, controller) = choice.factory(&at);
        let pass = Pass::default();
        let wants = Wants { arrivals: self.receiver_times, observer: choice.observer(self.payload) };
        let buffer = VarInt::try_from(self.buffer.0).unwrap_or(VarInt::MAX);
        // Every packet is to be acknowledged at once: an ACK is a measurement (draft-ietf-quic-ack-frequency).
        let mut acks = AckFrequencyConfig::default();
        acks.ack_eliciting_threshold(VarInt::from_u32(0));
        let mut config = TransportConfig::default();
        config
            .congestion_controller_factory(pass.factory(factory))
            .ack_frequency_config(Some(acks))
            .initial_mtu(self.payload)
            .mtu_discovery_config(None)
            .enable_segmentation_offload(self.together > 1)
            .stream_receive_window(buffer)
            .receive_window(VarInt::try_from(self.first.0).unwrap_or(VarInt::MAX))
            .send_window(self.buffer.0)
            .datagram_receive_buffer_size(Some(MESSAGES))
            .datagram_send_buffer_size(MESSAGES)
            .max_concurrent_uni_streams(VarInt::from_u32(0))
            .max_concurrent_bidi_streams(VarInt::from_u32(STREAMS))
            .keep_alive_interval(Some(self.idle / 4))
            .max_idle_timeout(Some(self.idle.try_into().expect("an idle time of days is no idle time")));
        #[cfg(feature = "qlog")]
        if let Some(folder) = qlog {
            config.qlog_from_path(folder, choice.name());
        }
        #[cfg(not(feature = "qlog"))]
        let _ = qlog;
        Made { transport: Arc::new(config), controller, pass, wants }
    }
}
