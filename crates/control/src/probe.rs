//! An instrument, not a congestion control: a flow of constant rate or constant window that carries any measurement and ignores what it
//! says. What a measurement is worth shows without the loop in which its results change the traffic that it measures.
//!
//! Nothing slows it down: neither a loss nor a result. Its window opens as in slow start, one packet for each acknowledged, up to the one
//! asked for, because a whole window at once would be a burst that no flow sends. A stream of the measurement goes first, and the rate
//! is kept all the same: packets that it sent early are owed, and packets that it held back follow as soon as they may.

use alloc::boxed::Box;

use crate::entry::{Entry, Feedback, Recovery};
use crate::measurement::imtcp::ImTcp;
use crate::measurement::params::{MEASURED, measurement};
use crate::measurement::{Host, News};
use crate::pacer::Pacer;
use crate::params::{Param, Values, joined};
use crate::rtt::BaseRtt;
use crate::window::{Window, may_grow};
use crate::{Acked, Ask, Controller, Departure, Instant, Lost, Notice, PacketLost, Permit, Rate, Report, Sent, Setup};

const TRAFFIC: [Param; 3] = [
    Param::number("rate_mbps", 0.0, 0.0, 1e6, "packets leave at this rate [Mbit/s on the wire]; 0: as `pacing` says"),
    Param::number("window_packets", 1000.0, 2.0, 1e6, "at most this many packets are in flight"),
    Param::number("pacing", 0.0, 0.0, 100.0, "packets leave at this multiple of window/srtt; 0: when ACKs come").only_if_zero("rate_mbps"),
];

/// The instrument.
pub const ENTRY: Entry = Entry {
    name: "probe",
    about: "no congestion control: constant rate or window, measures and ignores the results",
    params: &joined::<14>(&[MEASURED, &TRAFFIC]),
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| Box::new(Probe::new(setup, values, Host::new(measurement(setup, values, ImTcp::new)))),
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
    host: Host,
    results: u64,
}

impl Probe {
    /// For a new connection, carrying the measurement of `host`.
    pub fn new(setup: &Setup, values: &Values, host: Host) -> Probe {
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
            host,
            results: 0,
        }
    }

    fn hear(&mut self, news: News) {
        self.results += u64::from(matches!(news, News::Reading(_)));
    }
}

impl Controller for Probe {
    fn sent(&mut self, packet: &Sent) {
        self.host.sent(packet);
        if self.rate > Rate::ZERO {
            // What was held back is made up for, but no more than a round trip of it.
            self.due = self.due.max(packet.now - self.rtt.smoothed()).saturating_add(self.rate.time_for(packet.bytes));
        } else if self.pacing > 0.0 {
            self.pacer.sent(packet, self.pacing, self.window.bytes(), self.rtt.smoothed());
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.host.packet_lost(packet);
    }

    fn acked(&mut self, ack: &Acked) {
        self.rtt.acked(ack);
        let news = self.host.acked(ack);
        self.hear(news);
        if may_grow(ack) {
            self.window.slow_start(self.window.packets(ack.bytes).min(self.most - self.window.cwnd));
        }
    }

    fn lost(&mut self, _loss: &Lost) {}

    fn report(&mut self, report: &Report) {
        let news = self.host.report(report);
        self.hear(news);
    }

    fn notice(&mut self, notice: &Notice) {
        if let Notice::AppLimited { .. } = notice {
            self.pacer.interrupted();
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let departure = match self.host.departure() {
            Departure::Now if self.rate > Rate::ZERO => Departure::At(self.due),
            Departure::Now => self.pacer.departure(ask.now),
            wanted => wanted,
        };
        Permit { window: self.window.bytes(), departure }
    }

    fn wants_arrivals(&self) -> bool {
        self.host.wants_arrivals()
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        plot("results", self.results as f64);
        self.host.gauges(plot);
    }
}

#[cfg(test)]
mod tests;
