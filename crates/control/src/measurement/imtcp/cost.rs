//! What measuring may cost. Trains and streams leave when they must, and not when it suits: a host that is late loses a turn to each distance, and a short buffer
//! overflows by packets that leave together. Neither is to cost more than a small part of what the flow gets through; meanwhile the measurement rests.

use crate::{Instant, Span};

/// Of the time, what is lost to distances that the host was late for: as much as A may be wrong by before it is doubted.
const OF_TIME: f64 = 0.05;
/// Of the packets, those of trains and streams that are lost: one in so many, a half of what the arena grants in shallow buffers.
const LOST_ONE_OF: u64 = 200;
/// Whoever lost them, it rests no longer than this: what becomes free is to be found within three seconds.
const LONGEST: Span = Span::from_millis(2_000);

/// What is to be made up for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// What the last distance was late by, and until when no others are asked for.
    late: Span,
    late_until: Instant,
    /// From that packet to that one nothing leaves together, nor apart.
    lost: (u64, u64),
    /// Nor before then.
    lost_until: Instant,
    now: Instant,
    next: u64,
}

impl Cost {
    /// A packet left, late by so much if it was too late for its distance, and `next` is the number of the next. That one alone says whether the host lost a turn by
    /// the first, or collects packets anyway, as a kernel does: whether it is too late for its own.
    pub fn sent(&mut self, now: Instant, next: u64, late: Option<Span>) {
        (self.now, self.next) = (now, next);
        let before = core::mem::replace(&mut self.late, late.unwrap_or_default());
        if let Some(late) = late.filter(|_| before > Span::ZERO) {
            self.late_until = now.saturating_add((before + late).scale(1.0 / OF_TIME));
        }
    }

    /// A packet was lost that would have left with a train or a stream.
    pub fn lost(&mut self, number: u64) {
        let (from, until) = self.lost;
        if (from..until).contains(&number) {
            return;
        }
        let from = if self.next < until { from } else { self.next };
        self.lost = (from, until.max(self.next).saturating_add(LOST_ONE_OF));
        self.lost_until = self.now.saturating_add(LONGEST);
    }

    /// Nothing that has left is to be made up for: it was lost in an outage, or on another path.
    pub fn forget(&mut self) {
        self.lost = (0, self.next);
    }

    /// Whether packets may be asked to leave at a distance.
    pub fn allows_distances(&self) -> bool {
        self.now >= self.late_until
    }

    /// Whether packets may be asked to leave together.
    pub fn allows_bursts(&self) -> bool {
        self.next >= self.lost.1 || self.now >= self.lost_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_late_costs_a_twentieth_of_the_time() {
        let (mut cost, ms) = (Cost::default(), Instant::from_millis);
        for late in [Some(3), None, Some(2)] {
            cost.sent(ms(99), 1, late.map(Span::from_millis));
            assert!(cost.allows_distances(), "the next was not late");
        }
        cost.sent(ms(100), 2, Some(Span::from_millis(1)));
        cost.sent(ms(159), 3, None);
        assert!(!cost.allows_distances() && cost.allows_bursts());
        cost.sent(ms(160), 4, None);
        assert!(cost.allows_distances());
    }

    #[test]
    fn what_was_lost_is_one_of_two_hundred() {
        let (mut cost, ms) = (Cost::default(), Instant::from_millis);
        let allows = |cost: &mut Cost, now, next| {
            cost.sent(now, next, None);
            cost.allows_bursts()
        };
        assert!(allows(&mut cost, ms(0), 10));
        [1, 2, 4].iter().for_each(|number| cost.lost(*number));
        assert!(!allows(&mut cost, ms(1_999), 609));
        assert!(allows(&mut cost, ms(2_000), 609), "whoever lost them");
        cost.lost(300);
        assert!(allows(&mut cost, ms(100), 610), "what left in the rest was no train");
        cost.forget();
        cost.lost(5);
        assert!(allows(&mut cost, ms(100), 610));
    }
}
