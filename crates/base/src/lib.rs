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

/// A count for use in a formula; what is beyond 2⁶³, for ever or without bound, counts as that. The processor converts signed integers in one step, and
/// unsigned ones in several.
#[inline]
fn float(count: u64) -> f64 {
    count.min(i64::MAX as u64) as i64 as f64
}

#[cfg(test)]
mod tests;
