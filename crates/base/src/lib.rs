//! What every part of symbiosis stands on: the units of congestion control as types, and seeded randomness.
//!
//! No quantity crosses a public boundary of this project as a bare number. Time is nanoseconds (584 years fit): an [`Instant`]
//! on the world's clock, a [`Span`] between two of them, or a [`ReceiverInstant`] on a clock that was never set to it. Sizes are whole
//! bytes, rates bytes per second in `f64`.
//!
//! ```
#![doc = include_str!("../examples/units.rs")]
//! ```
#![no_std]

mod bytes;
mod instant;
mod random;
mod rate;
mod receiver_instant;
mod span;

pub use bytes::Bytes;
pub use instant::Instant;
pub use random::Random;
pub use rate::Rate;
pub use receiver_instant::ReceiverInstant;
pub use span::{SignedSpan, Span};

#[cfg(test)]
mod tests;
