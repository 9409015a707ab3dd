//! Proportional rate reduction (RFC 6937 and its revision, draft-ietf-tcpm-prr-rfc6937bis): what a recovery lets out.
//!
//! A controller reduces its window at once. Were that the limit, a sender would fall silent until the pipe has drained to it, or would send
//! what the window has room for in one burst where many packets were lost. PRR sends in proportion to what arrives, and ends at the window.
//! It applies where the controller reduces its window at the loss; a controller that does not (BBR) rules its recovery itself, as in Linux.

/// What may be in flight while a recovery is under way, in place of the controller's window.
#[derive(Debug, Default)]
pub(crate) struct Prr {
    recovery: Option<Recovery>,
}

#[derive(Debug)]
struct Recovery {
    /// In flight when it began (RecoverFS).
    flight: u32,
    /// Delivered since (prr_delivered).
    delivered: u32,
    /// Sent since (prr_out).
    out: u32,
    /// What may be in flight.
    cap: u32,
}

impl Prr {
    /// A recovery begins with `flight` packets in the network, of which the controller keeps `window`.
    pub(crate) fn begin(&mut self, flight: u32, window: f64) {
        let reduces = (flight as f64) > window;
        self.recovery = reduces.then_some(Recovery { flight, delivered: 0, out: 0, cap: 0 });
    }

    /// A recovery is over.
    pub(crate) fn end(&mut self) {
        self.recovery = None;
    }

    /// An ACK says that `delivered` packets have arrived, and leaves `pipe` in the network; `safe` if it moves the left edge and shows no
    /// loss. `window` is the controller's, to which the recovery leads (ssthresh).
    pub(crate) fn acked(&mut self, delivered: u32, pipe: u32, window: f64, safe: bool) {
        let Some(recovery) = &mut self.recovery else { return };
        recovery.delivered += delivered;
        let sent = if pipe as f64 > window {
            let share = (recovery.delivered as f64 * window / recovery.flight as f64).ceil() as u32;
            share.saturating_sub(recovery.out)
        } else {
            let most = recovery.delivered.saturating_sub(recovery.out).max(delivered) + u32::from(safe);
            most.min(window as u32 - pipe)
        };
        // The retransmission with which the recovery begins waits for nothing.
        let sent = if recovery.out == 0 { sent.max(1) } else { sent };
        recovery.cap = pipe + sent;
    }

    /// A packet left.
    #[inline]
    pub(crate) fn sent(&mut self) {
        if let Some(recovery) = &mut self.recovery {
            recovery.out += 1;
        }
    }

    /// What may be in flight, in packets; as much as the controller says where there is none.
    #[inline]
    pub(crate) fn cap(&self) -> Option<u32> {
        self.recovery.as_ref().map(|recovery| recovery.cap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays the recovery of a flight of 20 of which the lowest `lost` are lost and whose window becomes `window`: what leaves after each ACK.
    fn sent(lost: u32, window: f64) -> Vec<u32> {
        let mut prr = Prr::default();
        let mut pipe = 20 - lost;
        prr.begin(20, window);
        let mut out = Vec::new();
        // The first ACKs have shown the losses: as many packets are still to be acknowledged as are in the pipe.
        let arrivals = pipe;
        for _ in 0..arrivals {
            pipe -= 1;
            prr.acked(1, pipe, window, false);
            let sends = prr.cap().unwrap() - pipe;
            (0..sends).for_each(|_| prr.sent());
            pipe += sends;
            out.push(sends);
        }
        out
    }

    /// RFC 6937 §4's example in the revision's arithmetic: one loss of twenty and a window of ten, so every second ACK sends a packet.
    #[test]
    fn a_reduction_is_spread_over_the_round_trip() {
        let sent = sent(1, 10.0);
        assert_eq!(sent.iter().sum::<u32>(), 10);
        assert!(sent.iter().all(|n| *n <= 1), "{sent:?}");
        assert!(sent.windows(3).all(|few| few.iter().sum::<u32>() >= 1), "never silent: {sent:?}");
    }

    /// RFC 6937 §4: fifteen of twenty are lost. What arrives is replaced one for one and no burst fills the window.
    #[test]
    fn after_a_burst_of_losses_a_packet_leaves_for_each_that_arrives() {
        assert_eq!(sent(15, 10.0), [1; 5]);
    }

    /// An ACK that moves the left edge and shows no loss lets one packet more out, until the window is full again.
    #[test]
    fn progress_catches_up_with_the_window() {
        let mut prr = Prr::default();
        prr.begin(20, 10.0);
        let mut pipe = 4;
        for _ in 0..12 {
            pipe -= 1;
            prr.acked(1, pipe, 10.0, true);
            let sends = prr.cap().unwrap() - pipe;
            assert!(sends <= 2);
            (0..sends).for_each(|_| prr.sent());
            pipe += sends;
        }
        assert_eq!(pipe, 10);
    }

    #[test]
    fn a_controller_that_keeps_its_window_is_left_alone() {
        let mut prr = Prr::default();
        prr.begin(20, 25.0);
        prr.acked(1, 3, 25.0, false);
        assert_eq!(prr.cap(), None);
        prr.begin(20, 10.0);
        prr.acked(1, 3, 10.0, false);
        assert_eq!(prr.cap(), Some(4));
        prr.end();
        assert_eq!(prr.cap(), None);
    }
}
