//! The randomiser: a part added to the period, so that flows do not move in step (H §5, §6.1, §9).

use crate::Span;
use symbiosis_base::Random;

/// Adds up to a part to the period.
#[derive(Clone, Debug)]
pub struct Randomiser {
    random: Random,
    most: f64,
    added: f64,
}

impl Randomiser {
    /// Adds a part uniform in `[0, most)`; nothing before the first draw.
    pub fn new(most: f64, seed: u64) -> Randomiser {
        Randomiser { random: Random::new(seed, 0), most, added: 0.0 }
    }

    /// A new value of the period: another part is added from now on.
    pub fn draw(&mut self) {
        self.added = self.most * self.random.uniform();
    }

    /// The period at which packets leave.
    pub fn applied(&self, period: Span) -> Span {
        period.scale(1.0 + self.added)
    }
}
