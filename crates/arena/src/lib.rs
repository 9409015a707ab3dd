//! The arena: what a new congestion controller must be tried on (RFC 9743), as scenarios with goals.
//!
//! The [`suite`] is a list of [`Cell`]s in [`Family`]s. A cell makes a scenario from a seed: round-trip times vary by a tenth, starts are
//! spread. Its [`Goal`]s say what is measured and what the measurement must be. [`try_out`] runs a cell for a controller over many seeds and
//! gives a [`Found`]: the worst of the seeds decides each goal. A [`Scoreboard`] counts goals met, and blends nothing.
//!
//! A controller need not be in the registry:
//!
//! ```
#![doc = include_str!("../examples/outside.rs")]
//! ```

mod board;
mod cell;
mod contestant;
mod draw;
mod families;
mod goal;
mod known;
mod metrics;
pub mod page;
mod scene;
mod series;
mod suite;
mod traces;
mod trial;
mod view;

pub use board::{FamilyCount, Row, Scoreboard};
pub use cell::{Cell, Family, SLOW_SEEDS};
pub use contestant::Contestant;
pub use draw::Draw;
pub use families::FAMILIES;
pub use goal::{Goal, Range};
pub use known::Known;
pub use scene::{Beside, Scene, Table, link, other, own, udp};
pub use suite::suite;
pub use trial::{Failed, Found, Measured, Trial, Tried, try_out};
pub use view::View;

#[cfg(test)]
mod tests;

// The page is programs: `cargo test --doc` compiles and runs them.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/adding-a-controller.md")]
mod adding_a_controller {}
