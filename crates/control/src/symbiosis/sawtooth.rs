//! An opponent's sawtooth, in what others have in flight.
//!
//! What is in flight takes the link a round-trip time. Others' part of it is `rtt − w/K`; where the link runs empty, what is idle counts as theirs. A loss takes a part of an
//! opponent's window at once, and the window needs dozens of round trips to grow back. The queue hides that, since this flow fills the gap; others' part does not.
//!
//! Flows of the kind give up as much at once in a min-RTT probe, and have it back as soon as they are released, whether this flow probes with them or not. After a loss they have it back as soon as their law settles.
//! Flows that leave do not come back little by little. So a fall that is made up slowly is an opponent's, and several in a row are no coincidence. An opponent with less than half of what others have is not seen.
//!
//! It is found where losses come every few seconds, which is where the buffer is short or the path is: there every loss is a dip that looks like a probe, and no probe of the flow's
//! own falls due in which the queue would stand.

use crate::{Instant, Span};

/// A fall is half of what a loss takes from a CUBIC's window, 1 − β (RFC 9438 §4.6), at least.
const FALLS: f64 = 0.15;
/// It happens within so many rounds: a loss is answered within one, and the queue is shorter a round later. The other two are for those who join in.
const WITHIN: usize = 4;
/// It is made up when so much of its depth is back: a cubic has that after two fifths of its period.
const RISEN: f64 = 0.8;
/// The law of the kind has made up as much in so many times the time in which differences die to 1/e, `−ln(1 − RISEN)`.
pub const RISES: f64 = 1.609;
/// It is made up slowly if never more of its depth comes back within as many rounds as it fell in, which a cubic's steepest rise does not from a period of thirty-two round trips on, and if
/// flows of the kind would have made it up sooner: a probe out of step would be over, and the law would have settled.
const STEP: f64 = 1.0 / 3.0;
/// The end of a fall is told so many rounds late at most: a round is told when it is over, and its mean is of half a round before, held against what was in flight in the round before that.
const TOLD: f64 = 2.0;
/// So many falls in a row that are made up slowly: with two, in two of 104 runs of 4 to 16 flows of the kind that start within 1 to 30 s, on paths of 10 to 120 ms, some took the others for opponents
/// (100 Mbit/s, buffers of ¼ to 2 BDP), and in none with three.
const TEETH: u32 = 3;

/// What others have in flight, round by round.
#[derive(Clone, Debug, Default)]
pub struct Sawtooth {
    round: Round,
    /// What this flow had in flight in the round before.
    flight: Option<Span>,
    /// What others had in the last rounds.
    recent: [Span; WITHIN],
    fall: Option<Fall>,
    /// Falls in a row that were made up slowly, and when the last of them was.
    teeth: u32,
    made_up: Instant,
}

/// A round under way.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    begun: Option<Instant>,
    rtt: Span,
    flight: Span,
    count: u32,
}

/// A fall that is not made up yet.
#[derive(Clone, Copy, Debug)]
struct Fall {
    begun: Instant,
    top: Span,
    low: Span,
    rounds: usize,
    /// Much of it came back at once.
    at_once: bool,
}

/// A round-trip time and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The round-trip time.
    pub rtt: Span,
    /// How long what this flow has in flight takes the link.
    pub flight: Span,
    /// The smoothed round-trip time.
    pub smoothed: Span,
    /// Flows of the kind make up a fall in this time.
    pub least: Span,
    /// What is no fall: a packet, and what this flow keeps for its host.
    pub noise: Span,
    /// Between the probes of all: longer than that flows of the kind are not out of step.
    pub interval: Span,
}

impl Sawtooth {
    /// A round-trip time was measured. Whether it is the end of a third fall in a row that was made up slowly.
    pub fn sees(&mut self, now: Instant, seen: &Seen) -> bool {
        let Some(others) = self.round(now, seen) else { return false };
        if now - self.made_up >= seen.interval {
            self.teeth = 0;
        }
        match &mut self.fall {
            None => {
                let top = self.recent.iter().copied().max().unwrap_or_default();
                let falls = top.scale(1.0 - FALLS) > others.saturating_add(seen.noise);
                self.fall = falls.then_some(Fall { begun: now, top, low: others, rounds: 0, at_once: false });
            }
            Some(fall) => {
                fall.rounds += 1;
                if fall.rounds <= WITHIN {
                    fall.low = fall.low.min(others);
                }
                let depth = fall.top - fall.low;
                let least = self.recent.iter().copied().min().unwrap_or_default();
                fall.at_once |= others > least.saturating_add(depth.scale(STEP));
                let (lasted, risen) = (now - fall.begun, others >= fall.low.saturating_add(depth.scale(RISEN)));
                let slowly = !fall.at_once && lasted >= seen.least.saturating_add(seen.smoothed.scale(TOLD));
                if risen || lasted >= seen.interval {
                    self.teeth = if slowly && lasted < seen.interval { self.teeth + 1 } else { 0 };
                    (self.made_up, self.fall, self.recent) = (now, None, [others; WITHIN]);
                }
            }
        }
        self.recent.rotate_right(1);
        self.recent[0] = others;
        self.teeth >= TEETH
    }

    /// What others had in flight in the round that is over just now: its packets met what this flow had in flight the round before.
    fn round(&mut self, now: Instant, seen: &Seen) -> Option<Span> {
        let round = &mut self.round;
        let begun = *round.begun.get_or_insert(now);
        (round.rtt, round.flight) = (round.rtt.saturating_add(seen.rtt), round.flight.saturating_add(seen.flight));
        round.count = round.count.saturating_add(1);
        if now - begun < seen.smoothed {
            return None;
        }
        let part = 1.0 / f64::from(round.count);
        let (rtt, flight) = (round.rtt.scale(part), round.flight.scale(part));
        *round = Round { begun: Some(now), ..Round::default() };
        let before = self.flight.replace(flight)?;
        Some(rtt - before.min(rtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the third tooth ends \[s\], if it does within a minute: on a path of 20 ms others have 15 ms times `part` of the time \[s\] in flight, and this flow, a round trip later, half of what they leave
    /// of 27 ms more than 6.
    fn third(part: impl Fn(f64) -> f64) -> Option<f64> {
        let mut sawtooth = Sawtooth::default();
        let own = |at: f64| 0.006 + 0.5 * (0.027 - 0.015 * part(at.max(0.0)));
        (0..12_000).map(|tick| f64::from(tick) * 0.005).find(|at| {
            let rtt = Span::from_secs(f64::max(own(*at - 0.05) + 0.015 * part(*at), 0.02));
            let (flight, noise) = (Span::from_secs(own(*at - 0.025)), Span::from_micros(250));
            let (least, interval) = (Span::from_millis(650), Span::from_millis(10_000));
            sawtooth.sees(Instant::from_secs(*at), &Seen { rtt, flight, smoothed: rtt, least, noise, interval })
        })
    }

    /// A CUBIC with TCP's own rate adds .53 packets a round trip (RFC 9438 §4.3): 1.7 s for .3 of what half a BDP of 50 Mbit/s and 20 ms takes. A Reno gives up half.
    #[test]
    fn three_losses_of_a_linear_window_are_an_opponents() {
        for (beta, period) in [(0.7, 1.7), (0.5, 1.6), (0.7, 8.0)] {
            let at = third(|at| beta + (1.0 - beta) * (at / period).fract()).unwrap();
            assert!(at > 3.0 * period && at < 4.0 * period, "{beta}, {period} s: {at} s");
        }
    }

    /// What is made up as soon as a probe may be over may be of the kind, and what takes longer than the time between probes of all, too.
    #[test]
    fn shorter_and_longer_teeth_are_none() {
        for period in [0.5, 0.8, 13.0] {
            assert_eq!(third(|at| 0.7 + 0.3 * (at / period).fract()), None, "{period} s");
        }
    }

    /// `1 − .3(1 − t/K)³` (RFC 9438 Eq 1): .8 of the depth are back after .42 K.
    #[test]
    fn three_losses_of_a_cubic_are_an_opponents() {
        let at = third(|at| 1.0 - 0.3 * (1.0 - (at / 4.0).fract()).powi(3)).unwrap();
        assert!(at > 12.0 && at < 14.5, "{at} s");
    }

    /// Probes in common every nine seconds, and of flows that are out of step every second: half of the flight, then a hold of 450 ms, then all of it within four round trips.
    #[test]
    fn probes_of_the_kind_are_none() {
        for every in [9.0, 2.0, 1.0] {
            let part = |at: f64| match at % every {
                since if since < 0.06 => 0.5,
                since if since < 0.51 => 0.8,
                since if since < 0.61 => 0.8 + 0.2 * (since - 0.51) / 0.1,
                _ => 1.0,
            };
            assert_eq!(third(part), None, "every {every} s");
        }
    }

    /// .8 of what a loss takes are back after `RISES` of the time in which differences die, here .4 s.
    #[test]
    fn losses_of_the_kind_are_none() {
        assert!((RISES + libm::log(1.0 - RISEN)).abs() < 1e-3);
        assert_eq!(third(|at| 1.0 - 0.3 * (-(at % 2.0) / 0.4).exp()), None);
    }

    /// A queue that newcomers make, and that stands lower for as long as nobody comes.
    #[test]
    fn what_stands_between_newcomers_is_none() {
        let part = |at: f64| match at % 9.0 {
            since if since < 1.0 => 1.0,
            since if since < 2.0 => 0.6,
            since if since < 4.0 => 0.6 + 0.1 * (since - 2.0),
            _ => 0.8,
        };
        assert_eq!(third(part), None);
    }
}
