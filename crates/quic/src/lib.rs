//! QUIC with the controllers of this project, on noq-proto.
//!
//! A [`node`] is an endpoint without I/O and without a clock. Two things drive nodes: [`virtual_time`], over the links of `symbiosis-path`, where the
//! same seed gives the same run; and [`socket`], over UDP, where departures are exact to microseconds. The controllers cannot tell which
//! (`symbiosis-noq`). [`transfer`] moves files, [`exchange`] whatever two ends have to say to each other, and [`relay`] is an emulated path between real sockets.
#![deny(missing_docs)]

pub mod choice;
pub mod exchange;
mod feedback;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod identity;
pub mod impairments;
pub mod node;
pub mod noq_controllers;
mod passing;
pub mod plain;
pub mod relay;
pub mod socket;
pub mod transfer;
pub mod virtual_time;
pub mod watched;

pub use symbiosis_noq::ControllerHandle;
pub use symbiosis_quic_events::clock;
