//! What a controller needs of a measurement, once for all that carry one: the events passed on, and the last reading that holds.

use alloc::boxed::Box;

use super::{Measurement, Reading};
use crate::{Acked, Departure, PacketLost, Report, Sent, Unknown};

/// What an event meant for what is known of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum News {
    /// Nothing new.
    Nothing,
    /// A result that says something ([`Reading::is_sure`]); [`Host::reading`] is this one from now on.
    Reading(Reading),
    /// The last reading no longer holds ([`Measurement::holds`]); [`Host::reading`] is none from now on.
    Expired,
}

/// A measurement and its last valid reading.
#[derive(Clone)]
pub struct Host {
    measurement: Box<dyn Measurement>,
    reading: Option<Reading>,
    last: Option<Reading>,
}

impl Host {
    /// Nothing is known yet.
    pub fn new(measurement: Box<dyn Measurement>) -> Host {
        Host { measurement, reading: None, last: None }
    }

    /// The last result: none before the first, and none from when it no longer held.
    pub fn reading(&self) -> Option<Reading> {
        self.reading
    }

    /// The same, whether it still holds or not.
    pub fn last(&self) -> Option<Reading> {
        self.last
    }

    /// A packet left.
    pub fn sent(&mut self, packet: &Sent) {
        self.measurement.sent(packet);
    }

    /// A packet is presumed lost.
    pub fn packet_lost(&mut self, packet: &PacketLost) {
        self.measurement.packet_lost(packet);
    }

    /// A packet was acknowledged.
    pub fn acked(&mut self, ack: &Acked) -> News {
        let result = self.measurement.acked(ack);
        self.heard(result)
    }

    /// An out-of-band measurement arrived.
    pub fn report(&mut self, report: &Report) -> News {
        let result = self.measurement.report(report);
        self.heard(result)
    }

    fn heard(&mut self, result: Option<Reading>) -> News {
        let result = result.filter(Reading::is_sure);
        if !self.measurement.holds() {
            let expired = self.reading.take().is_some();
            return if expired { News::Expired } else { News::Nothing };
        }
        match result {
            Some(reading) => {
                (self.reading, self.last) = (Some(reading), Some(reading));
                News::Reading(reading)
            }
            None => News::Nothing,
        }
    }

    /// When the measurement wants the next packet to leave.
    pub fn departure(&self) -> Departure {
        self.measurement.departure()
    }

    /// Why nothing is known, where nothing is.
    pub fn unknown(&self) -> Unknown {
        self.measurement.unknown()
    }

    /// Whether the measurement goes by the receiver's times.
    pub fn wants_arrivals(&self) -> bool {
        self.measurement.wants_arrivals()
    }

    /// Whether packets are held back before they are answered.
    pub fn is_held_back(&self) -> bool {
        self.measurement.is_held_back()
    }

    /// Nothing measured so far holds (T §2.2.2: after a timeout).
    pub fn forget(&mut self) {
        (self.reading, self.last) = (None, None);
        self.measurement.forget();
    }

    /// K and A, and the measurement's own state, for the plot.
    pub fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some(reading) = &self.reading {
            reading.gauges(plot);
        }
        self.measurement.gauges(plot);
    }
}

#[cfg(test)]
mod tests;
