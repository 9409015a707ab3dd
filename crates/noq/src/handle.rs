//! The departure hook: the side of a controller that whoever drives a connection of noq-proto holds.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symbiosis_base::{Bytes, Instant};
use symbiosis_control::observer::Findings;
use symbiosis_quic_events::{Arrived, Left, QuicController};

/// A controller under noq, for whoever looks for the packets of its connection.
///
/// noq asks its controller for a window and paces by itself; a controller of symbiosis answers with a window *and* the departure of the next
/// packet. With a handle the window that noq sees is a gate, zero until the departure, and noq's pacer never waits: say
/// [`on_transmit_start`](ControllerHandle::on_transmit_start) before `poll_transmit`, and when it returns nothing more ask
/// [`on_transmit_end`](ControllerHandle::on_transmit_end) when to look again.
#[derive(Clone, Default)]
pub struct ControllerHandle(Arc<Mutex<Option<QuicController>>>);

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControllerHandle")
    }
}

impl ControllerHandle {
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut QuicController) -> T) -> Option<T> {
        self.lock().as_mut().map(act)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<QuicController>> {
        // A poisoned lock means that a controller panicked; the panic is on its way already.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The handshake is complete.
    pub fn establish(&self, now: Instant) {
        self.with(|quic| quic.establish(now));
    }

    /// The endpoint is about to look for packets to send.
    pub fn on_transmit_start(&self, now: Instant) {
        self.with(|quic| quic.on_transmit_start(now));
    }

    /// It found no more. When to look again, if the controller holds a packet back.
    pub fn on_transmit_end(&self) -> Option<Instant> {
        self.with(QuicController::on_transmit_end).flatten()
    }

    /// The controller hears what happened since this was last called: after each datagram that arrived, and each timeout.
    pub fn tell(&self) {
        self.with(QuicController::tell);
    }

    /// The receiver says when packets arrived.
    pub fn arrived(&self, arrivals: &[Arrived]) {
        self.with(|quic| quic.arrived(arrivals));
    }

    /// The receiver's half of the controller found something.
    pub fn found(&self, now: Instant, findings: Findings) {
        self.with(|quic| quic.found(now, findings));
    }

    /// The last full packet that left, once.
    pub fn take_left(&self) -> Option<Left> {
        self.with(QuicController::take_left).flatten()
    }

    /// Whether the controller makes use of arrival times.
    pub fn wants_arrivals(&self) -> bool {
        self.with(|quic| quic.controller().wants_arrivals()).unwrap_or(false)
    }

    /// The window, and what is in flight, both on the wire.
    pub fn window(&self) -> (Bytes, Bytes) {
        self.with(|quic| (quic.permit().window, quic.in_flight())).unwrap_or_default()
    }

    /// Times that congestion was persistent, and that recovery began without.
    pub fn episodes(&self) -> (u64, u64) {
        self.with(|quic| quic.episodes()).unwrap_or_default()
    }

    /// The controller's gauges.
    pub fn gauges(&self) -> Vec<(&'static str, f64)> {
        let mut gauges = Vec::new();
        self.with(|quic| quic.controller().gauges(&mut |name, value| gauges.push((name, value))));
        gauges
    }
}
