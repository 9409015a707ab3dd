//! For tests: a measurement whose reading stops to hold at a known time.

use alloc::boxed::Box;

use super::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::{Acked, Departure, Instant, PacketLost, Rate, Report, Sent, Unknown};

/// K of 100 Mbit/s, of which as much is available.
pub(crate) fn path(available: f64) -> Bandwidth {
    Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(available) }
}

/// Reads the same path with every ACK until its end; then, if asked to, another one from a later time on.
#[derive(Clone)]
pub(crate) struct Until {
    end: Instant,
    path: Bandwidth,
    later: Option<(Instant, Bandwidth)>,
    now: Instant,
}

impl Until {
    pub(crate) fn new(end: Instant, path: Bandwidth) -> Until {
        Until { end, path, later: None, now: Instant::START }
    }

    pub(crate) fn then(self, from: Instant, path: Bandwidth) -> Until {
        Until { later: Some((from, path)), ..self }
    }

    fn read(&self) -> Option<Bandwidth> {
        let later = self.later.filter(|(from, _)| self.now >= *from).map(|(_, path)| path);
        later.or((self.now < self.end).then_some(self.path))
    }
}

impl Measurement for Until {
    fn sent(&mut self, _packet: &Sent) {}

    fn packet_lost(&mut self, _packet: &PacketLost) {}

    fn acked(&mut self, ack: &Acked) -> Option<Reading> {
        self.now = ack.now;
        self.read().map(Reading::certain)
    }

    fn report(&mut self, _report: &Report) -> Option<Reading> {
        None
    }

    fn departure(&self) -> Departure {
        Departure::Now
    }

    fn holds(&self) -> bool {
        self.read().is_some()
    }

    fn unknown(&self) -> Unknown {
        Unknown::Measuring
    }

    fn wants_arrivals(&self) -> bool {
        true
    }

    fn is_held_back(&self) -> bool {
        false
    }

    fn forget(&mut self) {}

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }
}
