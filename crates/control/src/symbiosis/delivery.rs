//! What the flow gets through.

use crate::{Bytes, Rate, Span};

/// Bytes acknowledged over time, with a memory of a smoothed round-trip time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    bytes: f64,
    time: f64,
}

impl Delivery {
    /// `bytes` are acknowledged, `since` the last ACK.
    pub fn acked(&mut self, bytes: Bytes, since: Span, memory: Span) {
        if since > Span::ZERO {
            let kept = libm::exp(-(since.secs() / memory.secs().max(f64::MIN_POSITIVE)));
            (self.bytes, self.time) = (kept * self.bytes, kept * self.time + since.secs());
        }
        self.bytes += bytes.as_f64();
    }

    /// The rate; zero before any time has passed.
    pub fn rate(&self) -> Rate {
        if self.time > 0.0 { Rate::from_bytes_per_s(self.bytes / self.time) } else { Rate::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_stream_is_its_rate_and_a_change_is_seen_in_a_round_trip() {
        let mut delivery = Delivery::default();
        let (ms, memory) = (Span::from_millis(1), Span::from_millis(100));
        assert_eq!(delivery.rate(), Rate::ZERO);
        (0..1000).for_each(|_| delivery.acked(Bytes(1500), ms, memory));
        assert!((delivery.rate().mbps() - 12.0).abs() < 0.01);
        (0..100).for_each(|_| delivery.acked(Bytes(3000), ms, memory));
        // 12 + 12·(1 − 1/e).
        assert!((delivery.rate().mbps() - 19.585).abs() < 0.1, "{}", delivery.rate());
    }
}
