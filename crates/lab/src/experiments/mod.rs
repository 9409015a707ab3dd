//! The papers' figures and tables as experiments: one file for each, and the list of all that there are.
//!
//! An experiment makes its scenarios as TOML text, which the report shows and `symbiosis simulate` takes, runs them, draws the paper's
//! plot and checks the paper's claims. A claim that differs is an honest result and says why.

mod b4;
mod claims;
mod dumbbell;
mod h0;
mod h10;
mod h11;
mod h2;
mod h3;
mod h4;
mod h5;
mod h6;
mod h7;
mod h8;
mod h9;
mod hcc;
mod i1;
mod i4;
mod joins;
mod kinds;
mod lab;
mod linux;
mod list;
mod m1;
mod m2;
mod m3;
mod m4;
mod m5;
mod m6;
mod m7;
mod m8;
mod reach;
mod s1;
mod s11;
mod s12;
mod s14;
mod s4;
mod s7;
mod s9;
mod series;
mod step;
mod steps;
mod t10;
mod t11;
mod t12;
mod t15;
mod t18;
mod t3;
mod t5;
mod t6;
mod worlds;

pub use lab::Lab;
pub use list::{ALL, IN_KERNEL};

use crate::outcome::Outcome;
use crate::scenario::World;

/// A figure or table of a paper.
#[derive(Debug)]
pub struct Experiment {
    /// Short name: paper and number. `"S7"` is Fig 7 of S.
    pub id: &'static str,
    /// Other numbers under which its figures are looked for.
    pub also: &'static [&'static str],
    /// What it is about, in a few words.
    pub title: &'static str,
    /// The figures and tables that it reproduces: `"S Fig 7"`.
    pub source: &'static str,
    /// Runs it.
    pub run: fn(&Lab) -> Outcome,
}

/// The experiments of a world.
pub fn of_world(world: World) -> &'static [Experiment] {
    match world {
        World::Simulator => ALL,
        World::Kernel => IN_KERNEL,
    }
}

/// The experiment of a world of that name, or of which that figure is a part, whatever the case of its letters.
pub fn find(world: World, id: &str) -> Option<&'static Experiment> {
    let named = |name: &&str| name.eq_ignore_ascii_case(id);
    of_world(world).iter().find(|experiment| named(&experiment.id) || experiment.also.iter().any(named))
}
