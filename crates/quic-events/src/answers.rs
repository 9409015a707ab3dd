//! How late a peer answers, by when it says that packets arrived.

use symbiosis_base::{Instant, ReceiverInstant, SignedSpan, Span};

/// The fastest answer so far: from the arrival by the peer's clock to the ACK by ours, which may be anything, and only its changes tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    fastest: Option<(SignedSpan, Instant)>,
}

impl Answers {
    /// By how much later than the fastest an ACK came of a packet that arrived then: the peer was busy or put aside, or the ACK met a queue.
    pub(crate) fn late(&mut self, now: Instant, received_at: ReceiverInstant) -> Span {
        // The greater, the faster.
        let ahead = received_at.delay_since(now);
        let late = self.fastest.map_or(Span::ZERO, |(fastest, at)| (fastest - ahead).max_zero() - (now - at).scale(ReceiverInstant::DRIFT));
        if late == Span::ZERO {
            self.fastest = Some((ahead, now));
        }
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_late_beside_its_fastest_answer() {
        let mut answers = Answers::default();
        // Its clock shows 7 s more, and the way back takes 10 ms.
        let mut late = |ms: u64, late_ms: u64| {
            let arrived = ReceiverInstant(7_000_000_000 + ms * 1_000_000);
            answers.late(Instant::from_millis(ms + 10 + late_ms), arrived).millis()
        };
        assert_eq!(late(0, 1), 0.0, "the first tells nothing");
        assert_eq!(late(5, 0), 0.0, "a faster one");
        assert!((late(10, 4) - 4.0).abs() < 0.01);
        assert!((late(10_000, 4) - 3.0).abs() < 0.01, "clocks may have drifted apart by 1 ms in 10 s");
        assert_eq!(late(10_020, 1), 0.0);
    }
}
