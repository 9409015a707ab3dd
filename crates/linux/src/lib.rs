//! The controllers of this project under Linux's TCP.
#![deny(missing_docs)]

pub mod kernel;
pub mod testbed;
