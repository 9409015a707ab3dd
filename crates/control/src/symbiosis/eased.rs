//! What losses leave of θ. The queue that the flows of a link ask for may be longer than its buffer; a loss says so.
//!
//! A flow that has the link for itself asks for no queue, so that losses by chance cost it nothing; among several the larger share meets more
//! losses and asks for less.

use super::doubt::PASSES;
use crate::Span;

/// The part that a loss leaves; what it took comes back in [`PASSES`].
const EASE: f64 = 0.875;
/// θ is no smaller than this part of itself: errors of τ must stay small beside it.
const LEAST: f64 = 0.0625;

/// The part of θ that losses have left.
#[derive(Clone, Copy, Debug)]
pub struct Eased(f64);

impl Default for Eased {
    fn default() -> Eased {
        Eased(1.0)
    }
}

impl Eased {
    /// The part.
    pub fn part(self) -> f64 {
        self.0
    }

    /// So much time passed.
    pub fn passes(&mut self, since: Span) {
        if self.0 < 1.0 {
            self.0 += (1.0 - self.0) * (since.secs() / PASSES.secs());
        }
    }

    /// A loss.
    pub fn lost(&mut self) {
        self.0 = (self.0 * EASE).max(LEAST);
    }
}
