//! What losses leave of K: a flow sends no faster than it delivers where much is lost, whatever was measured.
//!
//! A policer drops without a queue, a measurement can be wrong, and ACKs can be forged. A loss takes nothing from what is free ([`super`]), so the free
//! rate itself must have a bound that does not come from the measurement: what arrived.

use crate::{Bytes, Instant, Rate, Span};

/// Random losses to be borne (RFC 9743 §5.1).
const BORNE: f64 = 0.05;
/// What a loss by chance leaves of a window in slow start: as CUBIC's (RFC 9438 §4.6). Beside one in each round trip the window still grows, by 2 · 0.7; a half
/// would undo what the round trip has doubled.
pub const CHANCE_LEAVES: f64 = crate::cubic::BETA;
/// Where more than this part of the packets is lost the path is overloaded, whatever the reason: the next power of two over twice what is borne leaves
/// chance its room.
const MOST_LOST: f64 = 0.125;
/// Of fewer packets a loss more or less decides: of 64, in which 5 % are lost, more than an eighth are in 1 of 400 turns.
const FEWEST: u64 = 64;
/// The ceiling rises by e in so many smoothed round-trip times: by an eighth in one, so that what is lost at a policer is no more than is borne,
/// and from a packet a round trip to a thousand in 55.
const RISES: f64 = 8.0;

/// Counts what arrives and what is lost, turn by turn.
#[derive(Clone, Debug, Default)]
pub struct Ceiling {
    begun: Option<Instant>,
    acked: Bytes,
    arrived: u64,
    lost: u64,
    /// In bytes a second.
    rate: Option<f64>,
    last: Instant,
}

impl Ceiling {
    /// A packet is presumed lost.
    pub fn lost(&mut self) {
        self.lost += 1;
    }

    /// A packet arrived. A turn is a smoothed round-trip time, or longer.
    pub fn acked(&mut self, now: Instant, bytes: Bytes, smoothed: Span) {
        let begun = *self.begun.get_or_insert(now);
        // While anything arrives it does within a round trip; a pause raises nothing.
        let since = (now - self.last).min(smoothed).secs();
        self.last = now;
        if let Some(rate) = &mut self.rate {
            *rate *= libm::exp(since / (RISES * smoothed.secs()).max(f64::MIN_POSITIVE));
        }
        self.acked = Bytes(self.acked.0.saturating_add(bytes.0));
        self.arrived += 1;
        if now - begun < smoothed || self.arrived + self.lost < FEWEST {
            return;
        }
        let part = self.lost as f64 / (self.arrived + self.lost) as f64;
        let delivered = Rate::of(self.acked, now - begun).bytes_per_s();
        if part > MOST_LOST && delivered.is_finite() {
            self.rate = Some(delivered.min(self.rate.unwrap_or(f64::INFINITY)));
        }
        self.restart();
        self.begun = Some(now);
    }

    /// A new turn: what was lost in a silence was lost in no turn, and a timeout has an answer of its own.
    pub fn restart(&mut self) {
        (self.begun, self.acked, self.arrived, self.lost) = (None, Bytes::ZERO, 0, 0);
    }

    /// Whether no more is lost in this turn than is to be borne, or one packet, and the path was never overloaded.
    pub fn bears(&self) -> bool {
        self.rate.is_none() && self.lost as f64 <= (BORNE * self.arrived as f64).max(1.0)
    }

    /// The ceiling, if there is one.
    pub fn rate(&self) -> Option<Rate> {
        self.rate.map(Rate::from_bytes_per_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRTT: Span = Span::from_millis(50);

    /// Sends `rate` packets a second through a policer of `passes`, for a second; what it may send then \[packets/s\].
    fn second(ceiling: &mut Ceiling, from: u64, rate: u64, passes: u64) -> Option<f64> {
        for i in 0..rate {
            let now = Instant::from_millis(from).saturating_add(Span(i * 1_000_000_000 / rate));
            if i * passes / rate == (i + 1) * passes / rate { ceiling.lost() } else { ceiling.acked(now, Bytes(1500), SRTT) }
        }
        ceiling.rate().map(|rate| rate.bytes_per_s() / 1500.0)
    }

    #[test]
    fn who_loses_much_may_send_what_arrives() {
        let mut ceiling = Ceiling::default();
        assert_eq!(second(&mut ceiling, 0, 8_000, 7_100), None, "a ninth lost is borne");
        // A tenth arrives: 800 packets/s, and an eighth more a round trip later.
        let after = second(&mut ceiling, 1_000, 8_000, 800).unwrap();
        assert!((700.0..1_000.0).contains(&after), "{after}");
        // Nothing lost: e^(20/8) in a second of 20 round trips. And back at once.
        let later = second(&mut ceiling, 2_000, 800, 800).unwrap();
        assert!((10.0..14.0).contains(&(later / after)), "{later}");
        let again = second(&mut ceiling, 3_000, 2_000, 800).unwrap();
        assert!((700.0..1_000.0).contains(&again), "{again}");
    }

    #[test]
    fn a_silence_is_no_turn() {
        let mut ceiling = Ceiling::default();
        second(&mut ceiling, 0, 8_000, 8_000);
        (0..500).for_each(|_| ceiling.lost());
        ceiling.restart();
        assert_eq!(second(&mut ceiling, 9_000, 8_000, 8_000), None);
    }

    #[test]
    fn a_few_losses_of_a_small_window_are_chance() {
        let mut ceiling = Ceiling::default();
        for i in 0..10 {
            ceiling.lost();
            ceiling.acked(Instant::from_millis(i), Bytes(1500), SRTT);
        }
        assert_eq!(ceiling.rate(), None);
    }
}
