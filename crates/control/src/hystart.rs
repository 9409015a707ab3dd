//! HyStart++ (RFC 9406): slow start ends when round-trip times rise, by way of a slower start that ends only if they stay so.
//!
//! RTTs are those of ACKs; rounds are told by departures. Where ACKs come in bursts a window grows for as many packets of one as the host says
//! ([`Acked::grows`](crate::Acked)), in the place of the RFC's L.

use crate::round::Round;
use crate::{Acked, Span};

/// §4.3: what RTTs must rise by, an eighth of the least, is held between these.
const LEAST_RISE: Span = Span::from_millis(4);
const MOST_RISE: Span = Span::from_millis(16);
const RISE_DIVISOR: u64 = 8;
/// §4.3: so many RTTs of a round say what it is.
const SAMPLES: u32 = 8;
/// §4.3: conservative slow start grows by this part, for so many rounds.
const SLOWER: f64 = 4.0;
const ROUNDS: u32 = 5;

/// By so much more than the least a round-trip time tells that slow start has filled the path.
pub fn rise(least: Span) -> Span {
    Span(least.0 / RISE_DIVISOR).clamp(LEAST_RISE, MOST_RISE)
}

/// What slow start knows of round-trip times.
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    round: Round,
    /// Least RTT of the round before, and of this one, and how many make it.
    last: Option<Span>,
    current: Option<Span>,
    samples: u32,
    /// Conservative slow start: the least RTT with which it began, and its rounds so far.
    conservative: Option<(Span, u32)>,
}

impl HyStart {
    /// How much a window of slow start grows for `acked` packets; none when slow start is over.
    pub fn growth(&mut self, acked: f64, ack: &Acked) -> Option<f64> {
        if self.round.ends_with(ack) {
            (self.last, self.current, self.samples) = (self.current, None, 0);
            if let Some((_, rounds)) = &mut self.conservative {
                *rounds += 1;
                if *rounds > ROUNDS {
                    return None;
                }
            }
        }
        if let Some(rtt) = ack.rtt {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        if let (true, Some(last), Some(current)) = (self.samples >= SAMPLES, self.last, self.current) {
            match self.conservative {
                None => {
                    if current >= last.saturating_add(rise(last)) {
                        self.conservative = Some((current, 0));
                    }
                }
                Some((baseline, _)) if current < baseline => self.conservative = None,
                Some(_) => {}
            }
        }
        Some(if self.conservative.is_some() { acked / SLOWER } else { acked })
    }
}

#[cfg(test)]
mod tests;
