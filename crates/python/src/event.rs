//! What a controller written in Python is told: the events of `symbiosis_control`, with seconds and bytes as plain numbers.

use pyo3::prelude::*;
use symbiosis_control as control;

/// Declares an event: a frozen class whose fields are read-only attributes.
macro_rules! event {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $read:expr,)+ }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, module = "symbiosis")]
        #[derive(Clone, Debug)]
        pub(crate) struct $name { $($(#[$field_doc])* $field: $type,)+ }

        impl From<&control::$name> for $name {
            fn from(event: &control::$name) -> $name {
                $name { $($field: { let read: fn(&control::$name) -> $type = $read; read(event) },)+ }
            }
        }

        #[pymethods]
        impl $name {
            fn __repr__(&self) -> String {
                format!("{self:?}")
            }
        }
    };
}

event! {
    /// What a controller is told when its connection opens.
    Setup {
        /// Size of a full packet on the wire [bytes].
        packet: u64 = |setup| setup.packet.0,
        /// Window before the first ACK [bytes].
        initial_window: u64 = |setup| setup.initial_window.0,
        /// Granularity of the host's timer [s]; 0: exact.
        timer: f64 = |setup| setup.timer.secs(),
        /// Seed of whatever the controller draws at random.
        seed: u64 = |setup| setup.seed,
    }
}

event! {
    /// A packet left.
    Sent {
        /// When [s].
        now: f64 = |sent| sent.now.secs(),
        /// Its number; a retransmission has that of the original.
        number: u64 = |sent| sent.number,
        /// Its size on the wire [bytes].
        bytes: u64 = |sent| sent.bytes.0,
        /// In flight, this packet included [bytes].
        in_flight: u64 = |sent| sent.in_flight.0,
        /// Whether it repeats a packet.
        retransmission: bool = |sent| sent.retransmission,
        /// Whether the application has nothing more to send.
        app_limited: bool = |sent| sent.app_limited,
    }
}

event! {
    /// A packet is acknowledged for the first time.
    Acked {
        /// When the ACK arrived [s].
        now: f64 = |ack| ack.now.secs(),
        /// The packet's number.
        number: u64 = |ack| ack.number,
        /// Its size on the wire [bytes].
        bytes: u64 = |ack| ack.bytes.0,
        /// When it (last) left [s].
        sent_at: f64 = |ack| ack.sent_at.secs(),
        /// Round-trip time that this ACK measured [s], or None.
        rtt: Option<f64> = |ack| ack.rtt.map(|rtt| rtt.secs()),
        /// In flight without it [bytes].
        in_flight: u64 = |ack| ack.in_flight.0,
        /// Whether the application, not the window, held the sender back.
        app_limited: bool = |ack| ack.app_limited,
        /// Whether loss recovery is under way.
        recovering: bool = |ack| ack.recovering,
        /// Whether the window may grow for it (RFC 5681).
        grows: bool = |ack| ack.grows,
    }
}

event! {
    /// A packet is presumed lost.
    PacketLost {
        /// When [s].
        now: f64 = |loss| loss.now.secs(),
        /// Its number.
        number: u64 = |loss| loss.number,
        /// Its size on the wire [bytes].
        bytes: u64 = |loss| loss.bytes.0,
        /// When it (last) left [s].
        sent_at: f64 = |loss| loss.sent_at.secs(),
        /// In flight without it [bytes].
        in_flight: u64 = |loss| loss.in_flight.0,
    }
}

event! {
    /// A congestion event: once for an episode of loss.
    Lost {
        /// When [s].
        now: f64 = |loss| loss.now.secs(),
        /// How it was noticed: fast_retransmit, timeout, persistent_congestion or ecn.
        kind: &'static str = |loss| match loss.kind {
            control::LossKind::FastRetransmit => "fast_retransmit",
            control::LossKind::Timeout => "timeout",
            control::LossKind::PersistentCongestion => "persistent_congestion",
            _ => "ecn",
        },
        /// In flight before what is lost was taken out [bytes].
        in_flight: u64 = |loss| loss.in_flight.0,
        /// Presumed lost at that moment [bytes].
        bytes: u64 = |loss| loss.bytes.0,
    }
}

event! {
    /// Everything that an ACK says has been told.
    AckProcessed {
        /// When the ACK arrived [s].
        now: f64 = |ack| ack.now.secs(),
        /// In flight now [bytes].
        in_flight: u64 = |ack| ack.in_flight.0,
        /// Whether loss recovery is under way.
        recovering: bool = |ack| ack.recovering,
        /// Whether the window held back a packet since the ACK before.
        cwnd_limited: bool = |ack| ack.cwnd_limited,
    }
}

event! {
    /// A packet is ready: may it leave?
    Ask {
        /// When [s].
        now: f64 = |ask| ask.now.secs(),
        /// In flight now [bytes].
        in_flight: u64 = |ask| ask.in_flight.0,
    }
}
