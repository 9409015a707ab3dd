//! A controller of ours under noq.
//!
//! noq asks its controller for a window and paces by itself; ours answers with a window *and* the departure of the next packet, which is
//! how a measurement spaces packets. So the window that noq sees is a gate: zero until the departure, then the true window; and noq's
//! pacer is given a rate at which it never waits. The world keeps a [`ControllerHandle`] beside the controller: through it the controller learns the
//! time before noq looks for packets, and the world learns when to look again.

mod core;
mod flight;
mod passing;

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller as NoqController, ControllerFactory, ControllerMetrics};
use symbiosis_base::{Bytes, Instant, Random, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry::Entry;
use symbiosis_control::{Migration, Setup};

use symbiosis_control::observer::Findings;

use self::core::{Core, Gate};
pub(crate) use self::passing::Pass;
use crate::clock::Clock;
use crate::feedback::wire::{Arrived, Left};

/// A rate at which noq's pacer never waits for longer than a nanosecond \[bytes/s\]: departures are ours.
const UNPACED: u64 = 1_000_000_000_000;

/// What a controller of ours needs to start with.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) entry: &'static Entry,
    pub(crate) params: Values,
    pub(crate) seed: u64,
    pub(crate) clock: Clock,
    /// What UDP and IP add to a datagram.
    pub(crate) overhead: Bytes,
    /// Window before the first ACK \[packets\].
    pub(crate) initial_window: u64,
    /// What the host's timer can do.
    pub(crate) timer: Span,
}

/// The world's side of a controller under noq.
#[derive(Clone, Default)]
pub struct ControllerHandle(Arc<Mutex<Option<Core>>>);

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControllerHandle")
    }
}

impl ControllerHandle {
    fn with<T>(&self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        lock(&self.0).as_mut().map(act)
    }

    /// The handshake is complete.
    pub(crate) fn establish(&self, now: Instant) {
        self.with(|core| core.establish(now));
    }

    /// The world is about to look for packets to send.
    pub(crate) fn on_transmit_start(&self, now: Instant) {
        self.with(|core| core.on_transmit_start(now));
    }

    /// It found no more. When to look again, if the controller holds a packet back.
    pub(crate) fn on_transmit_end(&self) -> Option<Instant> {
        self.with(Core::on_transmit_end).flatten()
    }

    /// The controller hears what happened.
    pub(crate) fn tell(&self) {
        self.with(Core::tell);
    }

    /// The receiver says when packets arrived.
    pub(crate) fn arrived(&self, arrivals: &[Arrived]) {
        self.with(|core| core.arrived(arrivals));
    }

    /// The receiver's half of the controller found something.
    pub(crate) fn found(&self, now: Instant, findings: Findings) {
        self.with(|core| core.found(now, findings));
    }

    /// The last full packet that left, once.
    pub(crate) fn take_left(&self) -> Option<Left> {
        self.with(Core::take_left).flatten()
    }

    /// Whether the controller wants the receiver's word for arrivals.
    pub(crate) fn wants_arrivals(&self) -> bool {
        self.with(|core| core.controller.wants_arrivals()).unwrap_or(false)
    }

    /// The window, and what is in flight, both on the wire.
    pub fn window(&self) -> (Bytes, Bytes) {
        self.with(|core| (core.permit().window, core.in_flight())).unwrap_or_default()
    }

    /// Times that congestion was persistent, and that recovery began without.
    pub(crate) fn episodes(&self) -> (u64, u64) {
        self.with(|core| (core.timeouts, core.recoveries)).unwrap_or_default()
    }

    /// The controller's gauges.
    pub fn gauges(&self) -> Vec<(&'static str, f64)> {
        let mut gauges = Vec::new();
        self.with(|core| core.controller.gauges(&mut |name, value| gauges.push((name, value))));
        gauges
    }
}

fn lock(core: &Mutex<Option<Core>>) -> MutexGuard<'_, Option<Core>> {
    // A poisoned lock means that a controller panicked; the panic is on its way already.
    core.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Makes controllers of ours for noq: one for each connection, and a new one when a connection moves to another path.
pub(crate) struct Factory {
    start: Start,
    handle: ControllerHandle,
    random: Mutex<Random>,
}

impl Factory {
    pub(crate) fn new(start: Start, handle: ControllerHandle) -> Factory {
        let random = Mutex::new(Random::new(start.seed, 0));
        Factory { start, handle, random }
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: std::time::Instant, mtu: u16) -> Box<dyn NoqController> {
        let start = &self.start;
        let packet = Bytes(mtu.into()) + start.overhead;
        let initial_window = Bytes(start.initial_window * packet.0);
        let seed = self.random.lock().unwrap_or_else(std::sync::PoisonError::into_inner).seed();
        let now = start.clock.nanos(now);
        let mut handle = lock(&self.handle.0);
        let before = handle.take().filter(Core::established).map(|mut core| (core.migrates(now), core.controller));
        let established = before.is_some();
        let controller = match before {
            Some((Migration::Keep, controller)) => controller,
            _ => {
                let setup = Setup::new(packet).with_initial_window(initial_window).with_timer(start.timer).with_seed(seed);
                (start.entry.build)(&setup, &start.params)
            }
        };
        let mut core = Core::new(controller, packet, start.overhead, initial_window, start.timer, now);
        if established {
            core.establish(now);
        }
        *handle = Some(core);
        Box::new(Adapter { handle: self.handle.clone(), clock: start.clock })
    }
}

/// noq's side of a controller of ours.
#[derive(Clone, Debug)]
struct Adapter {
    handle: ControllerHandle,
    clock: Clock,
}

impl NoqController for Adapter {
    fn on_packet_sent(&mut self, now: std::time::Instant, bytes: u16, pn: u64) {
        self.handle.with(|core| core.sent(self.clock.nanos(now), bytes.into(), pn));
    }

    fn on_cwnd_limited(&mut self) {
        self.handle.with(Core::on_cwnd_limited);
    }

    fn on_ack(&mut self, now: std::time::Instant, sent: std::time::Instant, _bytes: u64, pn: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.handle.with(|core| core.acked(self.clock.nanos(now), self.clock.nanos(sent), pn));
    }

    fn on_end_acks(&mut self, _now: std::time::Instant, _in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        self.handle.with(Core::ack_ends);
    }

    fn on_packet_lost(&mut self, _bytes: u16, pn: u64, now: std::time::Instant) {
        self.handle.with(|core| core.gave_up(self.clock.nanos(now), pn));
    }

    fn on_congestion_event(
        &mut self,
        now: std::time::Instant,
        sent: std::time::Instant,
        persistent: bool,
        ecn: bool,
        _lost_bytes: u64,
        _largest: u64,
    ) {
        self.handle.with(|core| core.congested(self.clock.nanos(now), self.clock.nanos(sent), persistent, ecn));
    }

    fn on_spurious_congestion_event(&mut self) {
        self.handle.with(Core::spurious);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.handle.with(|core| core.resized(new_mtu));
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, max_ack_delay: Duration) {
        self.handle.with(|core| core.answers(threshold, Span::from_secs(max_ack_delay.as_secs_f64())));
    }

    fn window(&self) -> u64 {
        self.handle
            .with(|core| match core.gate() {
                Gate::Until(_) => 0,
                Gate::Window(window) => window,
            })
            .unwrap_or(0)
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.handle.with(|core| core.payload(core.permit().window)).unwrap_or(1);
        metrics.pacing_rate = Some(UNPACED);
        metrics
    }

    fn clone_box(&self) -> Box<dyn NoqController> {
        // Only of a connection whose peer's address changed: noq begins to count anew.
        self.handle.with(Core::moved);
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests;
