//! A QUIC endpoint on noq-proto, driving the controllers.
#![deny(missing_docs)]

mod adapter;
pub mod choice;
pub mod clock;
pub mod identity;
pub mod node;
pub mod relay;
pub mod socket;
pub mod transfer;
pub mod virtual_time;

pub use adapter::Seat;
