//! A network path as values: links with a rate, a delay and a queue; loss, jitter and schedules; the traffic of others.
//!
//! A [`Link`] is driven by asking: a packet is offered at an instant and the answer is when it comes out, or why it does not. Nothing
//! here knows a clock or a socket, so the link that serves the simulator could as well sit in a relay on real sockets or behind a TUN device.

mod link;
mod meter;
mod queue;
mod rate;
mod traffic;

pub use link::{Drop, Link, LinkSpec, Offered};
pub use meter::{LinkSample, LinkStats};
pub use queue::QueueLimit;
pub use rate::{RateSpec, Steps, Trace, TraceError};
pub use symbiosis_base::{Bytes, Nanos, Random, Rate};
pub use traffic::{Gaps, Sizes, Traffic, TrafficSpec};
