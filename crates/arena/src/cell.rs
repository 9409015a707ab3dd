//! A cell: scenarios that a seed makes, and goals.

use std::fmt;

use crate::draw::Draw;
use crate::goal::Goal;
use crate::scene::Scene;

/// Cells that ask one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name in commands: `"random-loss"`.
    pub id: &'static str,
    /// Name in words.
    pub title: &'static str,
    /// Where RFC 9743 asks the question.
    pub asked: &'static str,
    /// The goal in words.
    pub goal: &'static str,
}

type Make = Box<dyn Fn(&mut Draw) -> Scene + Send + Sync>;

/// Most seeds of a cell that is slow: its runs carry a million packets or more.
pub const SLOW_SEEDS: u64 = 10;

/// A cell of the suite.
pub struct Cell {
    /// Its family.
    pub family: &'static Family,
    /// Its name, unique in the family.
    pub name: String,
    /// What is asked for.
    pub goals: Vec<Goal>,
    /// The opponent, where there is one.
    pub against: Option<String>,
    /// Takes so long that [`SLOW_SEEDS`] must do.
    pub slow: bool,
    /// The path itself is random: the 10th percentile of the seeds decides, not the worst.
    pub random: bool,
    /// Part of a quick look.
    pub quick: bool,
    /// Where it lies in its family, for plots over a parameter: `("buffer [BDP]", 4.0)`.
    pub at: Vec<(&'static str, f64)>,
    make: Make,
}

impl Cell {
    /// A cell.
    pub fn new(
        family: &'static Family,
        name: impl Into<String>,
        goals: Vec<Goal>,
        make: impl Fn(&mut Draw) -> Scene + Send + Sync + 'static,
    ) -> Cell {
        Cell { family, name: name.into(), goals, against: None, slow: false, random: false, quick: false, at: vec![], make: Box::new(make) }
    }

    /// Against that opponent.
    pub fn against(self, cc: &str) -> Cell {
        Cell { against: Some(cc.into()), ..self }
    }

    /// Takes long, if so.
    pub fn slow(self, slow: bool) -> Cell {
        Cell { slow, ..self }
    }

    /// On a path that is random itself.
    pub fn random(self) -> Cell {
        Cell { random: true, ..self }
    }

    /// Part of a quick look, if so.
    pub fn quick(self, quick: bool) -> Cell {
        Cell { quick, ..self }
    }

    /// Lying there in its family.
    pub fn at(self, at: &[(&'static str, f64)]) -> Cell {
        Cell { at: at.into(), ..self }
    }

    /// Family and name: `"random-loss/1 % 50 ms"`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.family.id, self.name)
    }

    /// How many of so many seeds this cell is run with.
    pub fn seeds(&self, seeds: u64) -> u64 {
        if self.slow { seeds.min(SLOW_SEEDS) } else { seeds }
    }

    /// The scenario of a seed.
    pub fn scene(&self, seed: u64) -> Scene {
        (self.make)(&mut Draw::new(&self.id(), seed))
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.id(), self.goals)
    }
}
