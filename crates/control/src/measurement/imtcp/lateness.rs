//! Distances that the host is too late for. A host whose loop is put aside loses a turn to each: that is not to cost more than a small part of the time, and
//! meanwhile none is asked for.

use crate::{Instant, Span};

/// Of the time, what may be lost to distances: as much as A may be wrong by before it is doubted.
const COST: f64 = 0.05;

/// What is to be made up for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lateness {
    /// What the last packet was late by.
    late: Span,
    /// Until then no distances are asked for.
    rests_until: Instant,
    now: Instant,
}

impl Lateness {
    /// A packet left, late by so much if it was too late for its distance. The next alone says whether the host lost a turn by it, or collects packets anyway, as a
    /// kernel does: whether that is too late for its own.
    pub fn left(&mut self, now: Instant, late: Option<Span>) {
        self.now = now;
        let before = core::mem::replace(&mut self.late, late.unwrap_or_default());
        if let Some(late) = late.filter(|_| before > Span::ZERO) {
            self.rests_until = now.saturating_add((before + late).scale(1.0 / COST));
        }
    }

    /// Whether packets may be asked to leave at a distance.
    pub fn allows_distances(&self) -> bool {
        self.now >= self.rests_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_late_twice_in_a_row_costs_a_twentieth_of_the_time() {
        let (mut lateness, at) = (Lateness::default(), Instant::from_millis);
        let mut left = |now, late: Option<u64>| {
            lateness.left(at(now), late.map(Span::from_millis));
            lateness.allows_distances()
        };
        assert!(left(97, Some(3)) && left(98, None) && left(99, Some(2)), "the next was not late");
        assert!(!left(100, Some(1)) && !left(159, None));
        assert!(left(160, None));
    }
}
