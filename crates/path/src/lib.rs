//! A network path as values: links with a rate, a delay and a queue; loss, jitter and schedules; the traffic of others.
//!
//! A [`Link`] is driven by asking: a packet is offered at an instant and the answer is when it comes out, or why it does not. Nothing
//! here knows a clock or a socket, so the link that serves the simulator could as well sit in a relay on real sockets or behind a TUN device.
//!
//! A [`Network`] of them carries what it is given, for whoever has a clock.
//!
//! A queue that drops at its head, or reorders between streams, decides only when a packet's turn comes: that is a [`ManagedLink`], which
//! must also be told when time passes.
//!
//! ```
#![doc = include_str!("../examples/a_queue.rs")]
//! ```

mod aqm;
mod impair;
mod link;
mod link_spec;
mod meter;
mod network;
mod queue;
mod rate;
mod record;
mod traffic;
mod wire;

pub use aqm::{CakeSpec, CoDelSpec, Discipline, DualPi2Spec, Ecn, Fate, FqCoDelSpec, FqPieSpec, ManagedLink, Offer, PieSpec, RedSpec};
pub use impair::Impairment;
pub use link::Link;
pub use link_spec::{Drop, LinkSpec, Offered};
pub use meter::{LinkSample, LinkStats};
pub use network::{Left, Network, NetworkLink};
pub use queue::QueueLimit;
pub use rate::{RateSpec, Steps, Trace, TraceError, Wifi};
pub use symbiosis_base::{Bytes, Instant, Random, Rate, Span};
pub use traffic::{Gaps, OnOff, Sizes, Traffic, TrafficSpec};
