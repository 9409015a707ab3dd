//! Lets what a receiver says pass beside its own congestion control.
//!
//! What is said of a packet leaves with that packet's ACK, which is not congestion controlled either: there is one for each packet that came, and
//! the sender's controller decides how many come. But noq counts a DATAGRAM frame as data. Then a window for ten packets would hold back the
//! ACKs of a thousand, and a controller that spaces data would space ACKs. So whoever has no data to send lets such packets pass, and his
//! controller never hears of them; whoever has sends them along with his data, as he does with ACKs.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use symbiosis_base::Span;

/// Of packets that pass so many may be in flight: 100 ms at 1.9 Gbit/s. Whoever does not acknowledge them is not told more than his window
/// holds.
const MOST: usize = 16_384;

/// The world's side: it says what passes, and is told of what did not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// The next packet passes.
    open: AtomicBool,
    /// The controller held a packet back since the world last began to look.
    limited: AtomicBool,
    /// UDP payload of the controller's own packets: in flight after the last ACK, and acknowledged since the start; and how many were.
    in_flight: AtomicU64,
    delivered: AtomicU64,
    packets: AtomicU64,
    /// ACKs of them that came, and the round-trip time that the last of these measured \[ns\].
    acks: AtomicU64,
    rtt: AtomicU64,
    /// When the first packet left that wants an ACK, and how much later the last \[ns\], whoever's they are.
    first: OnceLock<Instant>,
    last: AtomicU64,
}

impl Pass {
    /// The world looks for a packet to send; `open`: one that passes, if there is nothing else to send.
    pub(crate) fn on_transmit_start(&self, open: bool) {
        let dry = !self.0.limited.load(Ordering::Relaxed);
        self.0.open.store(open && dry, Ordering::Relaxed);
    }

    /// It found one, or has found all.
    pub(crate) fn on_transmit_end(&self, found: bool) {
        // What was held back is known when nothing more is found; what passes holds nothing back.
        if found {
            self.0.limited.store(false, Ordering::Relaxed);
        }
        self.0.open.store(false, Ordering::Relaxed);
    }

    /// UDP payload in flight after the last ACK; acknowledged since the start, and in how many packets.
    pub(crate) fn flight(&self) -> (u64, u64, u64) {
        let [in_flight, delivered, packets] = [&self.0.in_flight, &self.0.delivered, &self.0.packets].map(|n| n.load(Ordering::Relaxed));
        (in_flight, delivered, packets)
    }

    /// How many ACKs have measured a round-trip time, and what the last of them measured.
    pub(crate) fn latest_rtt(&self) -> (u64, Span) {
        (self.0.acks.load(Ordering::Relaxed), Span(self.0.rtt.load(Ordering::Relaxed)))
    }

    /// How long ago the last packet left that wants an ACK.
    pub(crate) fn quiet(&self, now: Instant) -> Span {
        let last = self.0.first.get().map(|first| *first + Duration::from_nanos(self.0.last.load(Ordering::Relaxed)));
        last.map_or(Span::ZERO, |last| Span(now.saturating_duration_since(last).as_nanos() as u64))
    }

    fn leaves(&self, now: Instant) {
        let first = self.0.first.get_or_init(|| now);
        self.0.last.store(now.saturating_duration_since(*first).as_nanos() as u64, Ordering::Relaxed);
    }

    fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Controllers of this factory hear nothing of what passes.
    pub(crate) fn factory(&self, inner: Arc<dyn ControllerFactory + Send + Sync>) -> Arc<dyn ControllerFactory + Send + Sync> {
        Arc::new(Factory { inner, pass: self.clone() })
    }
}

struct Factory {
    inner: Arc<dyn ControllerFactory + Send + Sync>,
    pass: Pass,
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Passing { inner: self.inner.clone().build(now, mtu), pass: self.pass.clone(), passed: Passed::default() })
    }
}

/// Packets that passed and are in flight.
#[derive(Debug, Default)]
struct Passed {
    packets: BTreeMap<u64, u16>,
    bytes: u64,
    /// Packets of the controller's own that were lost since the last congestion event.
    own_lost: bool,
    /// When the latest of the packets under the ACK under way left.
    latest: Option<Instant>,
}

impl Passed {
    fn settle(&mut self, pn: u64) -> bool {
        let found = self.packets.remove(&pn);
        self.bytes -= found.map_or(0, u64::from);
        found.is_some()
    }
}

/// A controller that hears nothing of what passes.
#[derive(Debug)]
struct Passing {
    inner: Box<dyn Controller>,
    pass: Pass,
    passed: Passed,
}

impl Passing {
    fn lets_pass(&self) -> bool {
        self.pass.is_open() && self.passed.packets.len() < MOST
    }
}

impl Controller for Passing {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        if !self.passed.packets.contains_key(&largest_pn) {
            self.inner.on_sent(now, bytes, largest_pn);
        }
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.pass.leaves(now);
        if self.lets_pass() {
            self.passed.packets.insert(pn, bytes);
            self.passed.bytes += u64::from(bytes);
        } else {
            self.inner.on_packet_sent(now, bytes, pn);
        }
    }

    fn on_cwnd_limited(&mut self) {
        self.pass.0.limited.store(true, Ordering::Relaxed);
        self.inner.on_cwnd_limited();
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, pn: u64, app_limited: bool, rtt: &RttEstimator) {
        if !self.passed.settle(pn) {
            self.pass.0.delivered.fetch_add(bytes, Ordering::Relaxed);
            self.pass.0.packets.fetch_add(1, Ordering::Relaxed);
            // The packet of the batch that left last has waited least for its ACK (RFC 9002 §5.1).
            self.passed.latest = self.passed.latest.max(Some(sent));
            self.inner.on_ack(now, sent, bytes, pn, app_limited, rtt);
        }
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        let own = in_flight.saturating_sub(self.passed.bytes);
        self.pass.0.in_flight.store(own, Ordering::Relaxed);
        if let Some(sent) = self.passed.latest.take() {
            self.pass.0.rtt.store(now.saturating_duration_since(sent).as_nanos() as u64, Ordering::Relaxed);
            self.pass.0.acks.fetch_add(1, Ordering::Relaxed);
        }
        self.inner.on_end_acks(now, own, app_limited, largest);
    }

    fn on_packet_lost(&mut self, bytes: u16, pn: u64, now: Instant) {
        if !self.passed.settle(pn) {
            self.passed.own_lost = true;
            self.inner.on_packet_lost(bytes, pn, now);
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, ecn: bool, lost_bytes: u64, largest: u64) {
        if std::mem::take(&mut self.passed.own_lost) || ecn {
            self.inner.on_congestion_event(now, sent, persistent, ecn, lost_bytes, largest);
        }
    }

    fn on_spurious_congestion_event(&mut self) {
        self.inner.on_spurious_congestion_event();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, max_ack_delay: Duration) {
        self.inner.on_ack_frequency_update(threshold, max_ack_delay);
    }

    fn window(&self) -> u64 {
        if self.lets_pass() { u64::MAX } else { self.inner.window().saturating_add(self.passed.bytes) }
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        // Only of a connection whose peer's address changed: of packets in flight nothing more is told.
        Box::new(Passing { inner: self.inner.clone_box(), pass: self.pass.clone(), passed: Passed::default() })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}

#[cfg(test)]
mod tests;
