//! What dips are held against.

use super::timing::LEAST_ROUND_TRIPS;
use crate::{Instant, Span};

/// So many rounds are remembered. A probe takes two to four of them. With its hold it takes five where a round trip is 150 ms or longer, and more on shorter paths: to who did not join in the
/// shortened queue may be usual then.
const ROUNDS: usize = LEAST_ROUND_TRIPS as usize;
/// No noise is so many times what the upper half lies above the median in the mean: if it is normal 3.4 standard deviations of sixteen rounds, four of many. Sixteen tell that to a fifth
/// only: .8 % of rounds are shorter by chance, and of those that are shorter by five deviations a quarter is not seen. Chance is greater with the fewer rounds that are known soon after an own probe.
const NO_NOISE: f64 = 5.0;
/// A probe's fall takes a round and those of two flows do not begin together: one so many rounds back is before it. A queue that shrinks slowly is none.
const FALLS_IN: usize = 3;

/// The least round-trip times of the last rounds, but for the present one: a queue that somebody's probe shortens takes a round trip to fall, and what falls from one
/// ACK to the next would be held against itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Late {
    rounds: [Span; ROUNDS],
    /// So many of them are known.
    known: usize,
    /// When the present round began, and the least in it.
    round: Option<(Instant, Span)>,
    usual: Option<Usual>,
}

/// What dips are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual {
    /// The median, and no more than what there was before any fall that is under way.
    pub rtt: Span,
    /// What is shorter by more is no noise. It is told from the longer half, which a short probe has not made.
    pub noise: Span,
}

impl Late {
    /// What was usual before a round-trip time that was measured just now.
    pub fn sees(&mut self, now: Instant, rtt: Span, smoothed: Span) -> Option<Usual> {
        let (begun, least) = self.round.get_or_insert((now, rtt));
        *least = rtt.min(*least);
        let (lasts, least) = (now - *begun, *least);
        let usual = self.usual;
        if lasts >= smoothed {
            self.round = None;
            self.rounds.rotate_right(1);
            self.rounds[0] = least;
            self.known = ROUNDS.min(self.known + 1);
            self.usual = Some(self.usual());
        }
        usual
    }

    fn usual(&self) -> Usual {
        let mut sorted = self.rounds;
        let sorted = &mut sorted[..self.known];
        sorted.sort_unstable();
        let (_, upper) = sorted.split_at(self.known / 2);
        let (median, part) = (upper[0], 1.0 / upper.len() as f64);
        let above = upper.iter().fold(Span::ZERO, |sum, rtt| sum.saturating_add(*rtt - median)).scale(part);
        let before = self.rounds[FALLS_IN.min(self.known) - 1];
        Usual { rtt: median.min(before), noise: above.scale(NO_NOISE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symbiosis_base::Random;

    const RTT: Span = Span::from_millis(30);

    /// Held against what the last ACK brought, a queue that falls by a packet from ACK to ACK would never be shorter than of late.
    #[test]
    fn what_falls_within_a_round_is_held_against_the_rounds_before() {
        let mut late = Late::default();
        let mut at = |ms: u64, rtt: Span| late.sees(Instant::from_millis(ms), rtt, RTT);
        for ms in 0..100 {
            at(ms, RTT);
        }
        for ms in 0..20 {
            let rtt = Span::from_micros(30_000 - 500 * ms);
            assert_eq!(at(100 + ms, rtt), Some(Usual { rtt: RTT, noise: Span::ZERO }));
        }
    }

    /// A probe of others, five rounds of sixteen, is forgotten three rounds after it.
    #[test]
    fn what_others_have_probed_for_is_still_seen_after_it() {
        let mut late = Late::default();
        for round in 0..24 {
            let rtt = Span::from_millis(if (8..13).contains(&round) { 20 } else { 30 });
            if let Some(usual) = late.sees(Instant::from_millis(31 * round), rtt, RTT).filter(|_| !(11..16).contains(&round)) {
                assert_eq!(usual, Usual { rtt: RTT, noise: Span::ZERO }, "round {round}");
            }
            late.sees(Instant::from_millis(31 * round + 30), rtt, RTT);
        }
    }

    /// What comes back higher than it was and settles within ten rounds, as after a probe, is no dip.
    #[test]
    fn what_falls_slowly_is_none() {
        let mut late = Late::default();
        for round in 0..40_u32 {
            let rtt = Span::from_secs(0.030 + 0.010 * libm::exp(-f64::from(round) / 5.0));
            let at = 31 * u64::from(round);
            let usual = late.sees(Instant::from_millis(at), rtt, RTT);
            assert!(usual.is_none_or(|usual| usual.rtt - rtt <= Span::from_millis(5)), "round {round}: {usual:?}");
            late.sees(Instant::from_millis(at + 30), rtt, RTT);
        }
    }

    /// The sum of twelve uniform numbers is as good as normal, with a standard deviation of one.
    #[test]
    fn noise_is_seldom_taken_for_a_dip() {
        let (mut random, mut late) = (Random::new(1, 0), Late::default());
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let (mut by_chance, mut missed) = (0, 0);
        for round in 0..100_000 {
            let (rtt, at) = (0.030 + 1e-3 * normal(), Instant::from_millis(100 * round));
            if let Some(usual) = late.sees(at, Span::from_secs(rtt), RTT).filter(|_| round > 16) {
                by_chance += u32::from(usual.rtt - Span::from_secs(rtt) > usual.noise);
                missed += u32::from(usual.rtt - Span::from_secs(rtt - 0.005) <= usual.noise);
            }
            late.sees(at.saturating_add(RTT), Span::from_secs(rtt), RTT);
        }
        assert!(by_chance < 1_000, "{by_chance} by chance");
        assert!(missed < 30_000, "{missed} missed");
    }
}
