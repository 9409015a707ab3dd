//! Whether the queue comes back after a dip in common.
//!
//! Where all flows are of the kind a min-RTT probe in common empties the queue, and their windows, which it leaves as they are, fill it again within two round trips of the release of the last of
//! them. What losses took just before is back when the law has settled, a few round trips later. An opponent's dip lasts: CUBIC's window needs dozens of round trips to grow back, and BBR keeps the path
//! without a queue until it probes for bandwidth again. So where all that probed found the queue empty, and it is not back in time, some of them are not of the kind.

use super::probe_rtt::{DIP, Verdict};
use crate::{Instant, Span};

/// It is back in time within so many round trips of the release of the last flow of the kind: two for the windows, and six for what losses took. With eight, 2 of 520 runs of 4 to 16 flows of the kind that
/// start within 1 to 30 s have flows that take others for opponents, as many as without this rule; with six, in a build that counted such queues apart from those that are left, 21.
const WITHIN: f64 = 8.0;

/// A dip in common after which the queue is not back yet.
#[derive(Clone, Debug, Default)]
pub struct Refill {
    /// When the probe began, the round-trip time with which the queue is back, and until when it has to be.
    awaited: Option<(Instant, Span, Instant)>,
}

impl Refill {
    /// A probe ended, on a path of `tau` where a round trip takes `smoothed`. A queue of no more than `harmless` is none, and one of which less than a [`DIP`] lacks is back.
    pub fn probed(&mut self, verdict: &Verdict, harmless: Span, tau: Span, smoothed: Span) {
        let until = verdict.released.saturating_add(smoothed.scale(WITHIN));
        let back = tau.saturating_add(verdict.before.scale(1.0 - DIP));
        self.awaited = (verdict.company && verdict.left <= harmless && !verdict.back).then_some((verdict.asked, back, until));
    }

    /// A round-trip time was measured. When the probe began after which the queue is missing.
    pub fn sees(&mut self, now: Instant, rtt: Span) -> Option<Instant> {
        let (asked, back, until) = self.awaited?;
        let missing = rtt < back;
        if !missing || now >= until {
            self.awaited = None;
        }
        (missing && now >= until).then_some(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAU: Span = Span::from_millis(40);
    const ROUND: Span = Span::from_millis(60);

    /// A probe empties a queue of 20 ms; the last of those who joined in is released half a second after it began, and 240 ms later it is over. Three quarters of the queue are back after so many
    /// milliseconds. When it is missing \[ms\].
    fn missing(after: u64, change: impl Fn(Verdict) -> Verdict) -> Option<u64> {
        let verdict = Verdict {
            asked: Instant::from_millis(5_000),
            released: Instant::from_millis(5_500),
            before: Span::from_millis(20),
            left: Span::ZERO,
            stood: true,
            long: false,
            back: false,
            early: false,
            seen: false,
            company: true,
        };
        let (mut refill, verdict) = (Refill::default(), change(verdict));
        refill.probed(&verdict, Span::from_millis(5), TAU, ROUND);
        let rtt = |ms: u64| TAU + Span::from_millis(if ms >= 5_500 + after { 16 } else { 14 });
        let missing = (5_740..10_000).find(|ms| refill.sees(Instant::from_millis(*ms), rtt(*ms)) == Some(verdict.asked));
        assert_eq!(refill.sees(Instant::from_millis(10_001), TAU), None, "once");
        missing
    }

    /// BBRv3 keeps the path without a queue for two to three seconds, and CUBIC needs as long for a queue of half a BDP. Where several flows of the kind lost packets just before the probe the queue is
    /// back five to seven round trips after the release.
    #[test]
    fn what_is_not_back_eight_round_trips_after_the_release_is_missing() {
        let same = |verdict| verdict;
        assert_eq!([300, 420, 480, 481, 2_500].map(|after| missing(after, same)), [None, None, None, Some(5_980), Some(5_980)]);
        assert_eq!(
            missing(2_500, |verdict| Verdict { released: Instant::from_millis(5_800), ..verdict }),
            Some(6_280),
            "who joined in late"
        );
    }

    #[test]
    fn what_one_found_alone_or_what_was_left_or_back_is_not() {
        let none: [fn(Verdict) -> Verdict; 3] = [
            |verdict| Verdict { company: false, ..verdict },
            |verdict| Verdict { left: Span::from_millis(6), ..verdict },
            |verdict| Verdict { back: true, ..verdict },
        ];
        assert_eq!(none.map(|change| missing(2_500, change)), [None; 3]);
    }
}
