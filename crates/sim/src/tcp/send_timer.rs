//! The sending host's timer, which can do no better than its granularity (B §3.1 has 50 µs).

use symbiosis_base::{Instant, Span};

/// Turns the departure that a controller asks for into the one that the host can do.
#[derive(Debug)]
pub(crate) struct SendTimer {
    /// Zero for a perfect one.
    every: Span,
    /// The departure for which the timer was set last …
    asked: Instant,
    /// … and when it expires.
    expires: Instant,
}

impl SendTimer {
    pub(crate) fn new(every: Span) -> SendTimer {
        SendTimer { every, asked: Instant::START, expires: Instant::START }
    }

    /// When a packet leaves that may leave at `asked`: at once if that is not after `now`. But what waits for the timer waits until it
    /// expires, also if an ACK wakes the sender in between, or a stream's gaps would hang on the ACKs of packets before it. Only who asks
    /// for an earlier departure than the timer was set for gets it.
    #[inline]
    pub(crate) fn departure(&mut self, now: Instant, asked: Instant) -> Instant {
        if asked > now {
            (self.asked, self.expires) = (asked, self.expiry(asked));
        } else if asked < self.asked || now >= self.expires {
            return asked;
        }
        self.expires
    }

    fn expiry(&self, asked: Instant) -> Instant {
        match self.every {
            Span::ZERO => asked,
            every => Instant(asked.0.checked_next_multiple_of(every.0).unwrap_or(u64::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_ahead_happens_at_the_next_multiple() {
        let mut timer = SendTimer::new(Span(50));
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
    fn a_perfect_timer_changes_nothing() {
        let mut timer = SendTimer::new(Span::ZERO);
        for (now, asked) in [(10, 60), (20, 60), (60, 60), (61, 60), (61, 63), (62, 63), (63, 60)] {
            assert_eq!(timer.departure(Instant(now), Instant(asked)), Instant(asked));
        }
    }
}
