//! How close together the host can tell that packets left.
//!
//! The second packet of a pair leaves when the host has got to it. The clock that a transport names was measured on one host, and on a slower one each pair is further
//! apart. Where K is known a pair that is close for the link counts all the same; where it is not, or the link is fast, no pair would ever count. So the
//! measurement takes the distance at which pairs leave from the pairs.

use crate::Span;

/// Packets that left closer than this part of a service time left back to back.
const BACK_TO_BACK: f64 = 0.05;
/// Pairs of late that are remembered, and how many of them leave as close as the host lets them: the others may be of one that was held up.
const PAIRS: usize = 8;
const CLOSEST: usize = 2;
/// What is more than so many times the clock is no host's way to send a pair: it was held up. Of 845 pairs of kernel TCP on a shared machine, the clock of which is
/// 20 µs, the median left 28 µs apart, 95 of 100 within 44 µs, and none between 97 µs and a service time.
const HELD_UP: u64 = 5;
/// The least service time that such pairs tell, as a multiple of their distance: what they tell is the link's and not the host's.
const TELLS: f64 = 2.0;

/// The host's clock, as it names it and as it keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    told: Span,
    /// How far apart packets left of late that should have left back to back.
    pairs: [Span; PAIRS],
    seen: usize,
    /// The first that told K counted only because pairs leave no closer.
    by_pairs: bool,
}

impl Clock {
    /// Of a host that names it.
    pub fn new(told: Span) -> Clock {
        Clock { told, pairs: [told; PAIRS], seen: 0, by_pairs: false }
    }

    /// A packet that should leave back to back with the one before left so long after it.
    pub fn left(&mut self, after: Span) {
        if after <= self.told * HELD_UP {
            self.pairs[self.seen % PAIRS] = after;
            self.seen = self.seen.wrapping_add(1);
        }
    }

    /// How far apart the closest pairs leave, if the clock is closer.
    fn kept(&self) -> Span {
        let mut pairs = self.pairs;
        pairs.sort_unstable();
        pairs[CLOSEST - 1].max(self.told)
    }

    /// Whether packets that left `sent` seconds apart left back to back, or closer than the host can tell; `service` is the time of one on the link.
    pub fn is_close(&self, sent: f64, service: Option<Span>) -> bool {
        let kept = self.kept();
        let tells = service.is_none_or(|service| service >= kept.scale(TELLS));
        let host = if tells && kept > self.told { sent <= kept.secs() } else { sent < self.told.secs() };
        host || sent <= BACK_TO_BACK * service.map_or(0.0, Span::secs)
    }

    /// Packets that left `sent` seconds apart are the first to tell K.
    pub fn first(&mut self, sent: f64) {
        self.by_pairs |= sent >= self.told.secs();
    }

    /// Whether what the link takes for what passes as one is no more than the host can tell apart (B §4.2.1).
    pub fn is_too_fast(&self, service: Span) -> bool {
        let pairs = if self.by_pairs { self.kept().scale(TELLS) } else { Span::ZERO };
        service <= self.told.max(pairs)
    }

    /// K is forgotten, and the host is the same.
    pub fn forget(&mut self) {
        self.by_pairs = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Span = Span::from_micros;

    #[test]
    fn without_a_clock_what_left_together_is_close_and_what_is_close_for_the_link() {
        let mut clock = Clock::new(Span::ZERO);
        (0..20).for_each(|_| clock.left(US(30)));
        assert!(clock.is_close(0.0, None) && !clock.is_close(1e-6, None));
        assert!(clock.is_close(5e-6, Some(US(100))) && !clock.is_close(6e-6, Some(US(100))));
    }

    #[test]
    fn the_host_shows_how_close_pairs_leave() {
        let mut clock = Clock::new(US(20));
        assert!(clock.is_close(19e-6, None) && !clock.is_close(20e-6, None));
        // Held up, which is no sample.
        [101, 600, 1_200].into_iter().for_each(|us| clock.left(US(us)));
        assert!(!clock.is_close(27e-6, None));
        [28, 26, 29, 45, 27, 28, 70, 100].into_iter().for_each(|us| clock.left(US(us)));
        assert!(clock.is_close(27e-6, None) && !clock.is_close(28e-6, None));
        // A link that is not twice as slow as that is not told by them.
        assert!(clock.is_close(27e-6, Some(US(54))) && !clock.is_close(27e-6, Some(US(53))));
        // A host that becomes faster than it says.
        (0..2).for_each(|_| clock.left(US(3)));
        assert!(clock.is_close(19e-6, None) && !clock.is_close(27e-6, None));
    }

    #[test]
    fn a_link_as_fast_as_the_pairs_that_tell_it_is_not_told() {
        let mut clock = Clock::new(US(20));
        assert!(clock.is_too_fast(US(20)) && !clock.is_too_fast(US(21)));
        (0..8).for_each(|_| clock.left(US(28)));
        clock.first(3e-6);
        assert!(!clock.is_too_fast(US(21)), "packets that left together told it");
        clock.first(28e-6);
        assert!(clock.is_too_fast(US(56)) && !clock.is_too_fast(US(57)));
        clock.forget();
        assert!(!clock.is_too_fast(US(21)));
    }
}
