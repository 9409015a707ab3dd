//! The controllers of symbiosis for [noq](https://docs.rs/noq):
//!
//! ```
//! # fn example() -> Result<(), symbiosis_noq::UnknownController> {
//! let mut transport = noq_proto::TransportConfig::default();
//! transport.congestion_controller_factory(symbiosis_noq::factory("symbiosis")?);
//! // client_config.transport_config(Arc::new(transport));
//! # Ok(())
//! # }
//! # example().unwrap();
//! ```
//!
//! So a connection is paced by noq, at the rate at which the controller wants the next packet to leave. Whoever drives connections of
//! noq-proto himself can be exact: [`Factory::with_hook`] gives a [`ControllerHandle`] that tells the instant of each departure.
//!
//! # What noq would have to offer
//!
//! A controller that measures with its own packets chooses when each of them leaves. noq asks for a rate and a window instead, and looks for
//! packets again when its own pacer or an ACK says so. One method of its trait would do: `fn departure(&self, now: Instant) -> Option<Instant>`, asked
//! before each datagram, with the connection's pacing timer set to the answer. The events that noq gives (packet numbers, losses packet by packet,
//! spurious losses, the window that limits) are all that the controllers need.

mod adapter;
mod factory;
mod handle;

pub use factory::{Factory, UnknownController, factory};
pub use handle::ControllerHandle;
pub use symbiosis_quic_events::{Arrived, Clock, FULL, Left};
