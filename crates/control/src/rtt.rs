//! The base round-trip time τ and the smoothed one, of whatever an ACK measures.

use crate::{Acked, Span};

/// Round-trip times: least and smoothed.
#[derive(Clone, Debug, Default)]
pub struct BaseRtt {
    least: Option<Span>,
    smoothed: f64,
}

impl BaseRtt {
    /// Takes in a measurement of a round-trip time, if the ACK brings one.
    pub fn acked(&mut self, ack: &Acked) {
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.smoothed = match self.least {
                None => rtt.0 as f64,
                // RFC 6298's weight.
                Some(_) => self.smoothed + (rtt.0 as f64 - self.smoothed) / 8.0,
            };
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// The base round-trip time τ; none before the first measurement.
    pub fn tau(&self) -> Option<Span> {
        self.least
    }

    /// The smoothed round-trip time; zero before the first measurement.
    pub fn smoothed(&self) -> Span {
        Span(self.smoothed as u64)
    }
}
