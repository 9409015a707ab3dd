//! When the queue was last as good as empty, and whether flows of the kind had emptied it.
//!
//! Their probes do so at least once in every interval, and have the queue back within a few round-trip times. Beside an opponent a queue runs empty too, where a loss of it
//! leaves no more than the path holds; but then it stays shorter for as long as a window takes to grow again. So a queue was emptied by flows of the kind if it is back in time.

use crate::{Instant, Span};

/// When the queue was last as good as empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Emptied {
    last: Instant,
    by_own_kind: Instant,
    /// When the queue became as good as empty, and what it has to be back at.
    away: Option<(Instant, Span)>,
}

/// A round-trip time and what it is held against.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The round-trip time.
    pub rtt: Span,
    /// The least with which a queue that was empty is what stood of late again.
    pub back_at: Span,
    /// The queue is as good as empty.
    pub empty: bool,
    /// In which a queue that flows of the kind have emptied comes back.
    pub back_within: Span,
}

impl Emptied {
    /// As if it had been just now: of what was before nothing is known.
    pub fn since(now: Instant) -> Emptied {
        Emptied { last: now, by_own_kind: now, ..Emptied::default() }
    }

    /// When that was, whoever had emptied it.
    pub fn last(&self) -> Instant {
        self.last
    }

    /// When flows of the kind did, as far as is known.
    pub fn by_own_kind(&self) -> Instant {
        self.by_own_kind
    }

    /// A round-trip time was measured.
    pub fn sees(&mut self, now: Instant, seen: &Seen) {
        if seen.empty {
            self.last = now;
            let (since, level) = *self.away.get_or_insert((now, seen.back_at));
            // Empty for so long it may have gone for good: it is held against what stands of late by now.
            self.away = Some((since, if now - since >= seen.back_within { level.min(seen.back_at) } else { level }));
        }
        if self.away.is_some_and(|(_, level)| seen.rtt >= level) {
            if now - self.last < seen.back_within {
                self.by_own_kind = self.last;
            }
            self.away = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue of 40 ms runs empty for 100 ms, whether a probe looks or not, stands at 15 ms, and is back after so many milliseconds. CUBIC's window of 400 packets at 50 Mbit/s
    /// needs more than a second to make up three quarters of what a loss of it took, flows of the kind a round trip.
    #[test]
    fn what_comes_back_in_time_flows_of_the_kind_had_emptied() {
        let (tau, back_at, back_within) = (Span::from_millis(20), Span::from_millis(50), Span::from_millis(500));
        let by_own_kind = |back: u64| {
            let mut emptied = Emptied::since(Instant::START);
            for ms in 10_000..20_000 {
                let queue = match ms - 10_000 {
                    0..100 => 0,
                    since if since < back => 15,
                    _ => 40,
                };
                emptied
                    .sees(Instant::from_millis(ms), &Seen { rtt: tau + Span::from_millis(queue), back_at, empty: queue == 0, back_within });
            }
            (emptied.last(), emptied.by_own_kind())
        };
        let last = Instant::from_millis(10_099);
        assert_eq!(by_own_kind(300), (last, last));
        assert_eq!(by_own_kind(2_000), (last, Instant::START));
    }

    /// Who is alone has an empty queue: what stood long ago is not asked for.
    #[test]
    fn a_queue_that_is_empty_for_long_need_not_come_back() {
        let (tau, back_within) = (Span::from_millis(20), Span::from_millis(500));
        let mut emptied = Emptied::since(Instant::START);
        for ms in 10_000..12_000 {
            let back_at = tau + Span::from_millis(30 - (ms - 10_000) / 70);
            emptied.sees(Instant::from_millis(ms), &Seen { rtt: tau, back_at, empty: true, back_within });
        }
        assert_eq!(emptied.by_own_kind(), Instant::START, "the mean remembers");
        emptied.sees(Instant::from_millis(12_000), &Seen { rtt: tau, back_at: tau, empty: true, back_within });
        assert_eq!(emptied.by_own_kind(), Instant::from_millis(12_000));
    }
}
