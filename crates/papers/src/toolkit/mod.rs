//! What experiments have in common: who is compared, on which paths, and how results become claims and figures.

pub mod alone;
pub mod choices;
pub mod claims;
pub mod convergence;
pub mod crowd;
pub mod drop;
pub mod dumbbell;
pub mod five_flows;
pub mod hcc;
pub mod inline;
pub mod joins;
pub mod kernel;
pub mod kinds;
pub mod lab;
pub mod linux_hosts;
pub mod reach;
pub mod rivalry;
pub mod series;
pub mod step;
pub mod steps;

pub use lab::Lab;
