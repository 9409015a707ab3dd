//! QUIC with the controllers of this project, on noq-proto.
//!
//! A [`node`] is an endpoint without I/O and without a clock. Two things drive nodes: [`virtual_time`], over the links of `symbiosis-path`, where the
//! same seed gives the same run; and [`socket`], over UDP, where departures are exact to microseconds. The controllers cannot tell which
//! (`adapter`). [`transfer`] moves files, and [`relay`] is an emulated path between real sockets.
#![deny(missing_docs)]

mod adapter;
pub mod choice;
pub mod clock;
mod feedback;
pub mod identity;
pub mod impairments;
pub mod node;
pub mod noq_controllers;
pub mod plain;
pub mod relay;
pub mod socket;
pub mod transfer;
pub mod virtual_time;

pub use adapter::ControllerHandle;
