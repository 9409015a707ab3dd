//! The experiments of the papers: what they set up, what they claim, what is measured, and the report that shows it.

pub mod experiments;
pub mod figure;
pub mod files;
mod measured;
pub mod outcome;
pub mod pcap;
pub mod report;
pub mod scenario;
pub mod traces;

// The page is a program: `cargo test --doc` compiles and runs it.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/adding-a-controller.md")]
mod adding_a_controller {}
