//! QUIC's events as a controller's: what a QUIC stack tells its congestion controller, and what a controller of `symbiosis-control` is told.
//!
//! A QUIC stack tells of packets by packet number, space by space, of a whole ACK at a time, and of losses as it presumes them. A
//! [`QuicController`] keeps what lies between: the packets in flight, numbered without gaps; episodes of loss (RFC 9002 §7.3.2); the limit on
//! growth. It asks the controller for its permit and turns it into a [`Gate`]: a window, or the instant before which nothing may leave.
//!
//! `symbiosis-noq` and `symbiosis-quinn` put it under their stacks' traits.
//!
//! ```
#![doc = include_str!("../examples/one_ack.rs")]
//! ```

mod answers;
pub mod clock;
mod controller;
mod flight;
mod packets;
mod untold;

#[doc(no_inline)]
pub use clock::Clock;
pub use controller::{Gate, QuicController};
pub use packets::{Arrived, FULL, Left};

#[cfg(test)]
mod tests;
