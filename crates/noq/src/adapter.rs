//! noq's side of a controller.

use std::any::Any;
use std::time::{Duration, Instant};

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller as NoqController, ControllerMetrics};
use symbiosis_base::Span;
use symbiosis_quic_events::{Clock, Gate, QuicController};

use crate::handle::ControllerHandle;

/// A rate at which noq's pacer never waits for longer than a nanosecond \[bytes/s\].
const UNPACED: u64 = 1_000_000_000_000;

/// What noq has for a controller.
#[derive(Debug)]
pub(crate) struct Adapter {
    handle: ControllerHandle,
    clock: Clock,
    /// The endpoint asks for departures and says when events are complete.
    hooked: bool,
}

impl Adapter {
    pub(crate) fn new(handle: ControllerHandle, clock: Clock, hooked: bool) -> Adapter {
        Adapter { handle, clock, hooked }
    }

    /// Where no endpoint says that the datagram is done, the end of its ACKs or losses is.
    fn tell(&self) {
        if !self.hooked {
            self.handle.tell();
        }
    }
}

impl NoqController for Adapter {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.handle.with(|quic| quic.sent(self.clock.nanos(now), bytes.into(), pn));
    }

    fn on_cwnd_limited(&mut self) {
        self.handle.with(QuicController::on_cwnd_limited);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, _bytes: u64, pn: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.handle.with(|quic| quic.acked(self.clock.nanos(now), self.clock.nanos(sent), pn));
    }

    fn on_end_acks(&mut self, now: Instant, _in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        self.handle.with(|quic| {
            if !self.hooked && app_limited {
                quic.ran_dry();
            }
            quic.ack_ends();
            if !self.hooked {
                quic.on_transmit_start(self.clock.nanos(now));
            }
        });
        self.tell();
    }

    fn on_packet_lost(&mut self, _bytes: u16, pn: u64, now: Instant) {
        self.handle.with(|quic| quic.gave_up(self.clock.nanos(now), pn));
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, ecn: bool, _lost_bytes: u64, _largest: u64) {
        self.handle.with(|quic| quic.congested(self.clock.nanos(now), self.clock.nanos(sent), persistent, ecn));
        self.tell();
    }

    fn on_spurious_congestion_event(&mut self) {
        self.handle.with(QuicController::spurious);
        self.tell();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.handle.with(|quic| quic.resized(new_mtu));
        self.tell();
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, max_ack_delay: Duration) {
        self.handle.with(|quic| quic.answers(threshold, Span::from_secs(max_ack_delay.as_secs_f64())));
        self.tell();
    }

    fn window(&self) -> u64 {
        let window = |quic: &mut QuicController| match quic.gate() {
            // noq's pacer waits for the departure; a window of zero would wait for an ACK.
            _ if !self.hooked => quic.payload(quic.permit().window),
            Gate::Until(_) => 0,
            Gate::Window(window) => window,
        };
        self.handle.with(window).unwrap_or(0)
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        self.handle.with(|quic| {
            metrics.congestion_window = quic.payload(quic.permit().window);
            let rate = (!self.hooked).then(|| quic.pacing_rate()).flatten();
            metrics.pacing_rate = Some(rate.map_or(UNPACED, |rate| (rate as u64).max(1)));
        });
        metrics
    }

    fn clone_box(&self) -> Box<dyn NoqController> {
        // Only of a connection whose peer's address changed: noq begins to count anew.
        self.handle.with(QuicController::moved);
        Box::new(Adapter::new(self.handle.clone(), self.clock, self.hooked))
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
