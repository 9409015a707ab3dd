//! The retransmission timer (RFC 6298), with the margin of Linux and FreeBSD.
//!
//! RFC 6298 adds `max(G, 4·RTTVAR)` to the smoothed round-trip time, G being the clock's granularity, and bounds the sum from below. In a
//! simulator round-trip times are exact: behind a full queue RTTVAR is nothing and G is nothing, and the timer would run out just
//! before the retransmission is acknowledged, one round trip and a few packets after the last new ACK. So the least timeout is what is
//! added to the smoothed round-trip time at the least, as Linux has it; FreeBSD's slop does the same.

use symbiosis_base::Span;
use symbiosis_control::rtt::RttEstimator;

/// Greatest timeout (RFC 6298 §2.5 asks for at least a minute).
pub const MAX_RTO: Span = Span::from_millis(60_000);
/// Timeout before the first measurement (RFC 6298 §2.1).
pub const FIRST_RTO: Span = Span::from_millis(1_000);

/// Smoothed round-trip time and the timeout that follows from it.
#[derive(Debug)]
pub(crate) struct Rto {
    min: Span,
    /// In nanoseconds.
    rtt: RttEstimator,
    /// Doublings since the last measurement of new data.
    backoff: u32,
}

impl Rto {
    pub(crate) fn new(min: Span) -> Rto {
        Rto { min, rtt: RttEstimator::default(), backoff: 0 }
    }

    /// A measurement by an ACK of new data (§2.2, §2.3). Ends the backing off (§5.7).
    #[inline]
    pub(crate) fn measured(&mut self, rtt: Span) {
        self.rtt.sample(rtt.0 as f64);
        self.backoff = 0;
    }

    /// The timer ran out (§5.5).
    pub(crate) fn expired(&mut self) {
        self.backoff += 1;
    }

    /// Smoothed round-trip time; zero before the first measurement.
    pub(crate) fn srtt(&self) -> Span {
        Span(self.rtt.smoothed() as u64)
    }

    /// The timeout.
    #[inline]
    pub(crate) fn timeout(&self) -> Span {
        let (srtt, rttvar) = (self.rtt.smoothed(), self.rtt.variation());
        let margin = (4.0 * rttvar).max(self.min.0 as f64);
        let plain = if srtt == 0.0 { FIRST_RTO.max(self.min) } else { Span((srtt + margin) as u64) };
        // The bound is on backing off: a path may be longer than it.
        Span(plain.0.saturating_mul(1 << self.backoff.min(16))).min(MAX_RTO.max(plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_is_rfc_6298s_with_a_margin() {
        let ms = Span::from_millis;
        let mut rto = Rto::new(ms(200));
        assert_eq!(rto.timeout(), ms(1000));
        rto.measured(ms(100));
        assert_eq!(rto.timeout(), ms(300), "srtt 100, rttvar 50");
        rto.measured(ms(180));
        // rttvar = 3/4·50 + 1/4·80 = 57.5, srtt = 110.
        assert_eq!(rto.timeout(), ms(340));
        rto.expired();
        rto.expired();
        assert_eq!(rto.timeout(), ms(4 * 340));
        for _ in 0..40 {
            rto.expired();
        }
        assert_eq!(rto.timeout(), MAX_RTO);
        for _ in 0..200 {
            rto.measured(ms(10));
        }
        assert_eq!(rto.timeout(), ms(210), "the least that was set, over the round-trip time");
    }
}
