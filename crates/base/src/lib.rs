//! What every part of symbiosis stands on: the units of congestion control as types, and seeded randomness.
//!
//! No quantity crosses a public boundary of this project as a bare number. Time is an unsigned count of nanoseconds since the start of
//! the world's clock (584 years fit), sizes are whole bytes, rates are bytes per second in `f64`.
#![no_std]

mod bytes;
mod nanos;
mod random;
mod rate;

pub use bytes::Bytes;
pub use nanos::Nanos;
pub use random::Random;
pub use rate::Rate;

#[cfg(test)]
mod tests;
