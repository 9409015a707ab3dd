//! An instrument, not a congestion control: a flow of constant rate or constant window that carries any [`Measurement`] and ignores what it
//! says. What a measurement is worth shows without the loop in which its results change the traffic that it measures.
//!
//! Nothing slows it down: neither a loss nor a result. Its window opens as in slow start, one packet for each acknowledged, up to the one
//! asked for, because a whole window at once would be a burst that no flow sends. A stream of the measurement goes first, and the rate
//! is kept all the same: packets that it sent early are owed, and packets that it held back follow as soon as they may.

use alloc::boxed::Box;

use crate::entry::{Entry, Feedback};
use crate::measurement::filter::{FILTER, FILTER_WINDOW};
use crate::measurement::{Measurement, Reading};
use crate::pacer::Pacer;
use crate::params::{Param, Values};
use crate::rtt::BaseRtt;
use crate::symbiosis::{A_BIAS, K_BIAS, K_NOISE, MEASUREMENT, NOISE, NOISE_DOUBLES, STREAM_PACKETS, SUBRANGES, measurement};
use crate::window::{Window, may_grow};
use crate::{Acked, Ask, Controller, Departure, Instant, Lost, Permit, Rate, Report, Sent, Setup};

/// The instrument.
pub const ENTRY: Entry = Entry {
    name: "probe",
    about: "no congestion control: constant rate or window, measures and ignores the results",
    params: &[
        MEASUREMENT,
        NOISE,
        NOISE_DOUBLES,
        K_BIAS,
        K_NOISE,
        A_BIAS,
        SUBRANGES,
        STREAM_PACKETS,
        FILTER,
        FILTER_WINDOW,
        Param::number("rate_mbps", 0.0, 0.0, 1e6, "packets leave at this rate [Mbit/s on the wire]; 0: as `pacing` says"),
        Param::number("window_packets", 1000.0, 2.0, 1e6, "at most so many packets are in flight"),
        Param::number("pacing", 0.0, 0.0, 100.0, "without a rate: packets leave at this multiple of window/srtt; 0: when ACKs come"),
    ],
    feedback: Feedback::Acks,
    build: |setup, values| Box::new(Probe::new(setup, values, measurement(setup, values))),
};

/// The controller.
#[derive(Clone)]
pub struct Probe {
    window: Window,
    /// The window it opens to \[packets\].
    most: f64,
    rate: Rate,
    /// When the next packet is due at the rate.
    due: Instant,
    pacing: f64,
    pacer: Pacer,
    rtt: BaseRtt,
    measurement: Box<dyn Measurement>,
    reading: Option<Reading>,
    results: u64,
}

impl Probe {
    /// For a new connection, carrying `measurement`.
    pub fn new(setup: &Setup, values: &Values, measurement: Box<dyn Measurement>) -> Probe {
        let most = values.number("window_packets");
        let mut window = Window::new(setup);
        window.cwnd = window.cwnd.min(most);
        Probe {
            window,
            most,
            rate: Rate::from_mbps(values.number("rate_mbps")),
            due: Instant::START,
            pacing: values.number("pacing"),
            pacer: Pacer::default(),
            rtt: BaseRtt::default(),
            measurement,
            reading: None,
            results: 0,
        }
    }

    fn measured(&mut self, result: Option<Reading>) {
        self.results += u64::from(result.is_some());
        self.reading = result.or(self.reading);
    }
}

impl Controller for Probe {
    fn sent(&mut self, packet: &Sent) {
        self.measurement.sent(packet);
        if self.rate > Rate::ZERO {
            // What was held back is made up for, but no more than a round trip of it.
            self.due = self.due.max(packet.now - self.rtt.smoothed()).saturating_add(self.rate.time_for(packet.bytes));
        } else if self.pacing > 0.0 {
            self.pacer.sent(packet.now, packet.bytes, self.pacing, self.window.bytes(), self.rtt.smoothed());
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.rtt.acked(ack);
        let result = self.measurement.acked(ack);
        self.measured(result);
        if may_grow(ack) {
            self.window.slow_start(self.window.packets(ack.bytes).min(self.most - self.window.cwnd));
        }
    }

    fn lost(&mut self, _loss: &Lost) {}

    fn report(&mut self, report: &Report) {
        let result = self.measurement.report(report);
        self.measured(result);
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let departure = match self.measurement.departure() {
            Departure::Now if self.rate > Rate::ZERO => Departure::At(self.due),
            Departure::Now => self.pacer.departure(ask.now),
            wanted => wanted,
        };
        Permit { window: self.window.bytes(), departure }
    }

    fn wants_arrivals(&self) -> bool {
        self.measurement.wants_arrivals()
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some(reading) = &self.reading {
            reading.gauges(plot);
        }
        plot("results", self.results as f64);
        self.measurement.gauges(plot);
    }
}

#[cfg(test)]
mod tests;
