//! The sending host's timer, which can do no better than its granularity (B §3.1 has 50 µs).

use symbiosis_base::{Instant, Span};

/// Turns the departure that a controller asks for into the one that the host can do.
#[derive(Debug)]
pub(crate) struct SendTimer {
    /// Zero for a perfect one.
    every: Span,
    /// When it expired for the first time: hosts' timers go by clocks of their own.
    phase: Span,
    /// How much of its own lateness the host makes up.
    catch_up: Span,
    /// By how much the last departure was late, up to that.
    owed: Span,
    /// The departure for which the timer was set last …
    asked: Instant,
    /// … and when it expires.
    expires: Instant,
}

impl SendTimer {
    pub(crate) fn new(every: Span, phase: Span, catch_up: Span) -> SendTimer {
        SendTimer { every, phase, catch_up, owed: Span::ZERO, asked: Instant::START, expires: Instant::START }
    }

    /// When a packet leaves that may leave at `asked`: at once if that is not after `now`. But what waits for the timer waits until it
    /// expires, also if an ACK wakes the sender in between, or a stream's gaps would hang on the ACKs of packets before it. Only who asks
    /// for an earlier departure than the timer was set for gets it.
    ///
    /// A controller asks for a distance from the departure before; a host that catches up takes off by how much that was late.
    #[inline]
    pub(crate) fn departure(&mut self, now: Instant, asked: Instant) -> Instant {
        let due = if asked == Instant::NEVER { asked } else { asked - self.owed };
        if due > now {
            (self.asked, self.expires) = (due, self.expiry(due));
        } else if due < self.asked || now >= self.expires {
            self.owed = self.catch_up.min(now - due);
            return due;
        }
        self.expires
    }

    fn expiry(&self, asked: Instant) -> Instant {
        match self.every {
            Span::ZERO => asked,
            every => {
                let since = asked.0.saturating_sub(self.phase.0).checked_next_multiple_of(every.0);
                Instant(since.map_or(u64::MAX, |since| since.saturating_add(self.phase.0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_ahead_happens_at_the_next_multiple() {
        let mut timer = SendTimer::new(Span(50), Span::ZERO, Span::ZERO);
        assert_eq!(timer.departure(Instant(10), Instant(60)), Instant(100));
        assert_eq!(timer.departure(Instant(70), Instant(60)), Instant(100), "the timer is set: an ACK between changes nothing");
        assert_eq!(timer.departure(Instant(80), Instant(80)), Instant(100), "also if what was ahead is called now");
        assert_eq!(timer.departure(Instant(80), Instant(40)), Instant(40), "a controller may change its mind");
        assert_eq!(timer.departure(Instant(100), Instant(60)), Instant(60), "it has expired: at once");
        assert_eq!(timer.departure(Instant(100), Instant(150)), Instant(150), "a multiple is one");
        assert_eq!(timer.departure(Instant(170), Instant(165)), Instant(165), "no timer was set for what is past when it is asked for");
        assert_eq!(timer.departure(Instant(170), Instant::NEVER), Instant::NEVER);
    }

    #[test]
    fn timers_of_hosts_expire_at_times_of_their_own() {
        let mut timer = SendTimer::new(Span(50), Span(20), Span::ZERO);
        assert_eq!(timer.departure(Instant(5), Instant(10)), Instant(20));
        assert_eq!(timer.departure(Instant(60), Instant(71)), Instant(120));
    }

    /// A pacer that wants a packet each 30 from a timer of 100: without catching up it gets one in 100.
    #[test]
    fn a_host_that_catches_up_sends_as_much_as_it_was_asked_to() {
        for (catch_up, sent) in [(0, 100), (50, 200), (200, 333)] {
            let mut timer = SendTimer::new(Span(100), Span::ZERO, Span(catch_up));
            let (mut now, mut asked, mut left) = (Instant(0), Instant(0), 0);
            while now < Instant(10_000) {
                match timer.departure(now, asked) {
                    at if at <= now => (asked, left) = (now + Span(30), left + 1),
                    at => now = at,
                }
            }
            assert!((left as i64 - sent as i64).abs() <= 2, "{catch_up}: {left}");
        }
    }

    #[test]
    fn a_perfect_timer_changes_nothing() {
        let mut timer = SendTimer::new(Span::ZERO, Span::ZERO, Span::ZERO);
        for (now, asked) in [(10, 60), (20, 60), (60, 60), (61, 60), (61, 63), (62, 63), (63, 60)] {
            assert_eq!(timer.departure(Instant(now), Instant(asked)), Instant(asked));
        }
    }
}
