//! Generic segmentation offload: packets that a host sends as one.
//!
//! A pacer lets a burst out when its first packet is due and pays for the others afterwards. A window lets one out when all of it fits, or what
//! a third of the window holds, as Linux (`tcp_tso_win_divisor`): else ACKs would never find room for one.

use symbiosis_base::Instant;

/// Of the window, a burst that waits for room is no larger than this part.
const WINDOW_DIVISOR: u64 = 3;

#[derive(Debug)]
pub(super) struct Burst {
    packets: u64,
    /// Of the burst under way, what has not left, and when it began.
    left: u64,
    at: Instant,
}

impl Burst {
    pub(super) fn new(packets: u64) -> Burst {
        Burst { packets, left: 0, at: Instant::START }
    }

    /// Whether a burst is under way: its packets wait for no timer.
    #[inline]
    pub(super) fn goes_on(&self, now: Instant) -> bool {
        self.left > 0 && self.at == now
    }

    /// Whether a new packet may leave: in a burst that is under way, or at the head of one for which there is room within `window` packets, or
    /// after which there is `more` too little to fill one.
    #[inline]
    pub(super) fn begins(&mut self, now: Instant, window: u64, in_flight: u64, more: u64) -> bool {
        if self.packets <= 1 {
            return true;
        }
        if self.goes_on(now) {
            self.left -= 1;
            return true;
        }
        let whole = self.packets.min((window / WINDOW_DIVISOR).max(1)).min(more);
        let begins = window.saturating_sub(in_flight) >= whole || in_flight == 0;
        if begins {
            (self.left, self.at) = (whole.saturating_sub(1), now);
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_waits_for_room_and_leaves_as_one() {
        let (mut burst, now) = (Burst::new(8), Instant(5));
        assert!(!burst.begins(now, 30, 23, 1000), "room for seven");
        assert!(burst.begins(now, 30, 22, 1000) && burst.goes_on(now));
        (23..30).for_each(|in_flight| assert!(burst.begins(now, 30, in_flight, 1000)));
        assert!(!burst.goes_on(now) && !burst.begins(now, 30, 30, 1000));
        assert!(burst.begins(now, 9, 6, 1000), "a third of a small window");
        let mut last = Burst::new(8);
        assert!(last.begins(now, 30, 27, 3), "there is no more to wait for");
        assert!(Burst::new(0).begins(now, 30, 29, 1000));
    }
}
