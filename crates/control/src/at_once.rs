//! What came at once: a network card, or a link that is not always there, held it back and let it go together.

use crate::{Instant, Span};

/// Arrivals closer than this part of their mean distance, and than [`HANDED_UP`], came at once.
const PART: f64 = 1.0 / 16.0;
/// How long a host takes to hand up what a network card gives it at once \[ns\]: 64 packets (NAPI's weight) of some .3 µs. Without it a flow with less
/// than 1/16 of the link would take packets that are a service time apart for one arrival, and would never find K.
const HANDED_UP: f64 = 20e3;
/// Weight of a distance in the mean, and by how many means it counts at the most: pauses are no distance.
const WEIGHT: f64 = 1.0 / 64.0;
const LONGEST: f64 = 64.0;

/// The mean distance of arrivals, and the last of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce {
    last: Option<Instant>,
    /// \[ns\]
    distance: f64,
}

impl AtOnce {
    /// An arrival, and whether it came at once with the one before.
    pub fn arrived(&mut self, now: Instant) -> bool {
        self.last.replace(now).is_some_and(|last| self.after(now - last))
    }

    /// The same of one that came so long after the one before.
    pub fn after(&mut self, apart: Span) -> bool {
        let apart = apart.0 as f64;
        let together = apart <= (PART * self.distance).min(HANDED_UP);
        let counted = if self.distance > 0.0 { apart.min(LONGEST * self.distance) } else { apart };
        self.distance += WEIGHT * (counted - self.distance);
        together
    }

    /// The mean distance \[ns\].
    pub fn distance(&self) -> f64 {
        self.distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of two more answers come at once with the one before, `apart` µs after it, when hundreds have come a millisecond apart, of which `crowd` come 3 µs after each other.
    fn at_once(crowd: u64, apart: [u64; 2]) -> [bool; 2] {
        let (mut at_once, at) = (AtOnce::default(), Instant::from_micros);
        for tick in 0..500 {
            (0..crowd).for_each(|place| _ = at_once.arrived(at(1_000 * tick + 3 * place)));
        }
        let mut now = 499_000 + 3 * (crowd - 1);
        apart.map(|apart| {
            now += apart;
            at_once.arrived(at(now))
        })
    }

    #[test]
    fn what_is_much_closer_than_the_mean_came_at_once_however_many_did() {
        assert_eq!(at_once(1, [12, 62]), [true, false]);
        assert_eq!(at_once(8, [3, 120]), [true, false], "125 µs on average");
        // On 1 Gbit/s a packet takes 12 µs, and 80 of a millisecond are no crowd.
        let mut fast = AtOnce::default();
        assert!((0..500).all(|i| !fast.arrived(Instant::from_micros(12 * i))));
    }
}
