//! The experiments of the papers: what they set up, what they claim, what is measured, and the report that shows it.

pub mod figure;
mod measured;
pub mod outcome;
pub mod scenario;
