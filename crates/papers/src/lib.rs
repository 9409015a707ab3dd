//! The papers' figures and tables as experiments: one file for each, and the list of all that there are.
//!
//! An experiment makes its scenarios as TOML text, which the report shows and `symbiosis simulate` takes, runs them, draws the paper's
//! plot and checks the paper's claims. A claim that differs is an honest result and says why.

mod b;
mod chapters;
mod experiment;
mod h;
mod i;
mod list;
mod ours;
mod s;
mod t;
mod toolkit;
mod world;

pub use chapters::CHAPTERS;
pub use experiment::Experiment;
pub use list::{ALL, IN_KERNEL, find, of_world};
pub use toolkit::Lab;
pub use world::World;
