//! The controllers of this project under Linux's TCP.
#![deny(missing_docs)]

pub mod kernel;
pub mod privileged;
mod runner;
pub mod testbed;

pub use runner::{KernelTcp, RunError};
