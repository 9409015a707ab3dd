//! The receiving host's network card, which may spare its host interrupts.

use symbiosis_base::{Instant, Span};

/// Hands packets up at interrupts, which come at least so long after one another.
#[derive(Debug)]
pub(crate) struct InterruptCoalescing {
    /// Zero for an interrupt with each packet.
    least: Span,
    /// The last interrupt that is due.
    interrupt: Instant,
    /// No other comes before this.
    ready: Instant,
}

impl InterruptCoalescing {
    pub(crate) fn new(least: Span) -> InterruptCoalescing {
        InterruptCoalescing { least, interrupt: Instant::START, ready: Instant::START }
    }

    /// When the host sees a packet that arrives at `at`; arrivals in their order.
    #[inline]
    pub(crate) fn hands_up(&mut self, at: Instant) -> Instant {
        // With the one that is due already, or with one that this packet asks for.
        if at > self.interrupt {
            self.interrupt = at.max(self.ready);
            self.ready = self.interrupt.saturating_add(self.least);
        }
        self.interrupt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(least: u64, arrivals: &[u64]) -> Vec<u64> {
        let mut coalescing = InterruptCoalescing::new(Span(least));
        arrivals.iter().map(|at| coalescing.hands_up(Instant(*at)).0).collect()
    }

    #[test]
    fn what_arrives_between_two_interrupts_is_seen_at_the_second() {
        // The first at once; three with the next interrupt, the last of them at its very instant; one with the one after; one late.
        assert_eq!(seen(100, &[5, 6, 50, 105, 106, 400]), [5, 105, 105, 105, 205, 400]);
    }

    /// Packets that come evenly wait for half the time between interrupts on average.
    #[test]
    fn the_mean_wait_is_half_the_time_between_interrupts() {
        let arrivals: Vec<u64> = (0..100_000).map(|n| 7 * n).collect();
        let waits: u64 = seen(1000, &arrivals).iter().zip(&arrivals).map(|(seen, at)| seen - at).sum();
        let mean = waits as f64 / arrivals.len() as f64;
        assert!((mean - 500.0).abs() < 7.0, "{mean}");
    }

    #[test]
    fn without_coalescence_every_packet_is_seen_as_it_comes() {
        assert_eq!(seen(0, &[0, 0, 3, 3, 4, 9]), [0, 0, 3, 3, 4, 9]);
    }
}
