//! Congestion controllers, written once for every world: the simulator, QUIC, and the kernel's TCP.
//!
//! A controller is a value that takes events ([`Sent`], [`Acked`], [`PacketLost`], [`Lost`], [`AckProcessed`], [`Notice`], [`Report`]) and answers how much may be in flight and when
//! the next packet may leave ([`Permit`]). It does no I/O, reads no clock and never learns in which world it runs; what a world knows
//! that matters to it (receiver times, a retransmission, an application that ran dry) is a field of the event.
//!
//! [`registry`] lists every controller by name with its parameters.
//!
//! ```
#![doc = include_str!("../examples/one_flow.rs")]
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod at_once;
mod delayed_ack;
pub mod delivery_rate;
mod entry;
mod events;
pub mod growth;
mod interface;
pub mod lotka_volterra;
pub mod measurement;
mod notice;
pub mod observer;
pub mod oscillation;
mod pacer;
pub mod params;
pub mod registry;
mod round;
pub mod rtt;
#[cfg(test)]
mod test_path;
pub mod window;

pub mod adaptive_reno;
pub mod bbr;
pub mod bbr3;
pub mod c4;
pub mod compound;
pub mod copa;
pub mod cubic;
pub mod early;
pub mod fast;
pub mod hcc;
pub mod highspeed;
pub mod hystart;
pub mod ledbat_plus_plus;
pub mod prague;
pub mod probe;
pub mod reno;
pub mod scalable;
pub mod symbiosis;
pub mod vegas;

pub use events::{AckProcessed, Acked, Ask, EcnCounts, LossKind, Lost, PacketLost, Sent, Setup};
pub use interface::{Basis, CloneBox, Controller, Departure, Permit, Report, Unknown};
pub use notice::{Migration, Notice};
pub use symbiosis_base::{Bytes, Instant, Rate, ReceiverInstant, SignedSpan, Span};
