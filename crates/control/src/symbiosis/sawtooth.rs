//! An opponent's sawtooth, in what others have in flight.
//!
//! What is in flight takes the link a round-trip time. Others' part of it, `rtt − w/K`, falls at once by what a loss takes from an opponent's window, and grows back over dozens of round
//! trips, whatever this flow puts into the queue meanwhile. Flows of the kind give up as much at once, in a min-RTT probe, and have it back as soon as all are released; and those that
//! leave do not come back little by little. So a fall that is made up slowly is an opponent's, and several in a row are no coincidence.
//!
//! It is found where losses come every few seconds, which is where the buffer is short or the path is: there every loss is a dip that looks like a probe, and no probe of the flow's
//! own falls due in which the queue would stand.

use super::probe_rtt::MOST_LASTS;
use crate::{Instant, Span};

/// A fall is half of what a loss takes from a CUBIC's window, 1 − β (RFC 9438 §4.6), at least.
const FALLS: f64 = 0.15;
/// It happens within so many rounds: a loss is answered within one, and the queue is shorter a round later. The other two are for those who join in.
const WITHIN: usize = 4;
/// It is made up when so much of its depth is back: a cubic has that after two fifths of its period.
const RISEN: f64 = 0.8;
/// It is made up slowly if never more of its depth comes back within as many rounds as it fell in: a cubic's steepest rise takes longer from a period of thirty-two round trips on. Flows of the kind
/// are back as soon as they are released.
const STEP: f64 = 1.0 / 3.0;
/// Rounds after a probe, and after the time that the queue has to come back, in which who was out of step may be released.
const RELEASED: u32 = 2;
/// So many falls in a row that are made up slowly: of one pair in thousands of crowds of the kind the other probes were out of step.
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
    /// A probe was under way last, and so many rounds have been since it and its rest.
    probed: Instant,
    rounds: u32,
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
    /// What is no fall: a packet, and what this flow keeps for its host.
    pub noise: Span,
    /// Between the probes of all: longer than that flows of the kind are not out of step.
    pub interval: Span,
}

impl Sawtooth {
    /// In a min-RTT probe of this flow, or while the application leaves the path to others, nothing is told.
    pub fn pauses(&mut self, now: Instant) {
        (self.round, self.flight, self.probed, self.rounds) = (Round::default(), None, now, 0);
    }

    /// A round-trip time was measured. Whether it is the end of a third fall in a row that was made up slowly.
    pub fn sees(&mut self, now: Instant, seen: &Seen) -> bool {
        let Some(others) = self.round(now, seen) else { return false };
        self.rounds = self.rounds.saturating_add(1);
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
                let (risen, forgotten) = (others >= fall.low.saturating_add(depth.scale(RISEN)), now - fall.begun >= seen.interval);
                let slowly = self.rounds > RELEASED && !fall.at_once;
                if risen || forgotten {
                    self.teeth = if risen && slowly { self.teeth + 1 } else { 0 };
                    (self.made_up, self.fall, self.recent) = (now, None, [others; WITHIN]);
                }
            }
        }
        self.recent.rotate_right(1);
        self.recent[0] = others;
        if now - self.made_up >= seen.interval {
            self.teeth = 0;
        }
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
        (now - self.probed >= seen.smoothed.scale(MOST_LASTS)).then(|| rtt - before.min(rtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the third tooth ends \[s\], if it does within a minute: on a path of 20 ms this flow has 12 ms of the link in flight, and others 15 ms times `part` of the time \[s\].
    fn third(part: impl Fn(f64) -> f64) -> Option<f64> {
        let (mut sawtooth, flight) = (Sawtooth::default(), Span::from_millis(12));
        (0..12_000).map(|tick| f64::from(tick) * 0.005).find(|at| {
            let rtt = flight.saturating_add(Span::from_secs(0.015 * part(*at))).max(Span::from_millis(20));
            let (noise, interval) = (Span::from_micros(250), Span::from_millis(10_000));
            sawtooth.sees(Instant::from_secs(*at), &Seen { rtt, flight, smoothed: rtt, noise, interval })
        })
    }

    /// A CUBIC with TCP's own rate adds .53 packets a round trip (RFC 9438 §4.3): 1.7 s for .3 of what half a BDP of 50 Mbit/s and 20 ms takes. A Reno gives up half.
    #[test]
    fn three_losses_of_a_linear_window_are_an_opponents() {
        for (beta, period) in [(0.7, 1.7), (0.5, 1.5), (0.7, 0.9)] {
            let at = third(|at| beta + (1.0 - beta) * (at / period).fract()).unwrap();
            assert!(at > 3.0 * period && at < 4.0 * period, "{beta}, {period} s: {at} s");
        }
    }

    /// `1 − .3(1 − t/K)³` (RFC 9438 Eq 1): .8 of the depth are back after .42 K.
    #[test]
    fn three_losses_of_a_cubic_are_an_opponents() {
        let at = third(|at| 1.0 - 0.3 * (1.0 - (at / 4.0).fract()).powi(3)).unwrap();
        assert!(at > 12.0 && at < 14.5, "{at} s");
    }

    /// Probes in common every ten seconds, and of flows that are out of step every second: half of the flight, then a hold of 450 ms, then all of it within four round trips.
    #[test]
    fn probes_of_the_kind_are_none() {
        for every in [10.0, 1.0] {
            let part = |at: f64| match at % every {
                since if since < 0.06 => 0.5,
                since if since < 0.51 => 0.8,
                since if since < 0.61 => 0.8 + 0.2 * (since - 0.51) / 0.1,
                _ => 1.0,
            };
            assert_eq!(third(part), None, "every {every} s");
        }
    }

    #[test]
    fn flows_that_leave_and_come_are_none() {
        assert_eq!(third(|at| if at % 4.0 < 2.0 { 1.0 } else { 0.6 }), None);
    }

    /// A queue that newcomers make, and that stands lower for as long as nobody comes.
    #[test]
    fn what_stands_between_the_probes_of_all_is_none() {
        let part = |at: f64| match at % 11.0 {
            since if since < 1.0 => 1.0,
            since if since < 2.0 => 0.6,
            _ => 0.8,
        };
        assert_eq!(third(part), None);
    }
}
