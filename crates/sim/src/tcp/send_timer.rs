//! The sending host's timer, which can do no better than its granularity (B §3.1 has 50 µs).

use symbiosis_base::Nanos;

/// Turns the departure that a controller asks for into the one that the host can do.
#[derive(Debug)]
pub(crate) struct SendTimer {
    /// Zero for a perfect one.
    every: Nanos,
    /// The departure for which the timer was set last …
    asked: Nanos,
    /// … and when it expires.
    expires: Nanos,
}

impl SendTimer {
    pub(crate) fn new(every: Nanos) -> SendTimer {
        SendTimer { every, asked: Nanos::ZERO, expires: Nanos::ZERO }
    }

    /// When a packet leaves that may leave at `asked`: at once if that is not after `now`. But what waits for the timer waits until it
    /// expires, also if an ACK wakes the sender in between, or a stream's gaps would hang on the ACKs of packets before it. Only who asks
    /// for an earlier departure than the timer was set for gets it.
    #[inline]
    pub(crate) fn departure(&mut self, now: Nanos, asked: Nanos) -> Nanos {
        if asked > now {
            (self.asked, self.expires) = (asked, self.expiry(asked));
        } else if asked < self.asked || now >= self.expires {
            return asked;
        }
        self.expires
    }

    fn expiry(&self, asked: Nanos) -> Nanos {
        match self.every {
            Nanos::ZERO => asked,
            every => Nanos(asked.0.checked_next_multiple_of(every.0).unwrap_or(u64::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_ahead_happens_at_the_next_multiple() {
        let mut timer = SendTimer::new(Nanos(50));
        assert_eq!(timer.departure(Nanos(10), Nanos(60)), Nanos(100));
        assert_eq!(timer.departure(Nanos(70), Nanos(60)), Nanos(100), "the timer is set: an ACK between changes nothing");
        assert_eq!(timer.departure(Nanos(80), Nanos(80)), Nanos(100), "also if what was ahead is called now");
        assert_eq!(timer.departure(Nanos(80), Nanos(40)), Nanos(40), "a controller may change its mind");
        assert_eq!(timer.departure(Nanos(100), Nanos(60)), Nanos(60), "it has expired: at once");
        assert_eq!(timer.departure(Nanos(100), Nanos(150)), Nanos(150), "a multiple is one");
        assert_eq!(timer.departure(Nanos(170), Nanos(165)), Nanos(165), "no timer was set for what is past when it is asked for");
        assert_eq!(timer.departure(Nanos(170), Nanos::MAX), Nanos::MAX);
    }

    #[test]
    fn a_perfect_timer_changes_nothing() {
        let mut timer = SendTimer::new(Nanos::ZERO);
        for (now, asked) in [(10, 60), (20, 60), (60, 60), (61, 60), (61, 63), (62, 63), (63, 60)] {
            assert_eq!(timer.departure(Nanos(now), Nanos(asked)), Nanos(asked));
        }
    }
}
