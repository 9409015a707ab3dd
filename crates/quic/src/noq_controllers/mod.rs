//! noq's own controllers as controllers of this project, for the TCP simulator: opponents that somebody else wrote.
//!
//! The other way round than `symbiosis-noq`: what a world tells a controller of ours is told to one of noq's. They go by windows, and
//! noq's pacer is part of what they do to a path, so its rule is kept here (`Bucket`). noq hands them its estimate of the round-trip
//! time, which only noq can make: see `estimator`.
//!
//! Every call of noq's trait has an event here, so nothing is lost on the way: `on_packet_sent` is `sent`, `on_ack` `acked`,
//! `on_packet_lost` `packet_lost`, `on_congestion_event` `lost`, `on_end_acks` and `on_cwnd_limited` `ack_processed`, and the three
//! rare ones are notices.
//!
//! Not among them is noq's BBR: it draws at random from a generator that only the system seeds, and a simulation is to be repeatable.

pub(crate) mod estimator;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use noq_proto::congestion::{Controller as NoqController, ControllerFactory, CubicConfig, NewRenoConfig};
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::registry::{Entry, Feedback, Recovery};
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Departure, LossKind, Lost, Notice, PacketLost, Permit, Sent, Setup};

use crate::clock::Clock;

/// noq's controllers, by the names that they have over QUIC.
pub const ALL: &[Entry] = &[
    Entry {
        name: "quic-cubic",
        about: "CUBIC as noq has it (RFC 9438), with noq's pacer",
        params: &[],
        recovery: Recovery::Rack,
        feedback: Feedback::Acks,
        build: |setup, _| {
            let mut config = CubicConfig::default();
            config.initial_window(setup.initial_window.0);
            Box::new(FromNoq::new(setup, Arc::new(config)))
        },
    },
    Entry {
        name: "quic-newreno",
        about: "NewReno as noq has it (RFC 9002 appendix B), with noq's pacer",
        params: &[],
        recovery: Recovery::Rack,
        feedback: Feedback::Acks,
        build: |setup, _| {
            let mut config = NewRenoConfig::default();
            config.initial_window(setup.initial_window.0);
            Box::new(FromNoq::new(setup, Arc::new(config)))
        },
    },
];

/// noq's round-trip time before the first sample (RFC 9002 §6.2.2).
const INITIAL_RTT: Span = Span::from_millis(333);
/// Time passes for noq's controllers from before the first packet on, by the least that a clock tells: what left when they began is not theirs.
const BEFORE: Span = Span(1);

struct FromNoq {
    noq: Box<dyn NoqController>,
    clock: Clock,
    packet: Bytes,
    /// Smoothed round-trip time (RFC 9002 §5.3); none before the first sample.
    rtt: Option<Span>,
    /// Of the latest packet of the ACK under way: its number, and whether the application was the limit when it left.
    latest: Option<(u64, bool)>,
    /// The greatest number presumed lost since the last congestion event.
    largest_lost: u64,
    bucket: Bucket,
}

impl FromNoq {
    fn new(setup: &Setup, config: Arc<dyn ControllerFactory>) -> FromNoq {
        let clock = Clock::start();
        let noq = config.build(clock.instant(Instant::START), setup.packet.0.try_into().unwrap_or(u16::MAX));
        let bucket = Bucket::new(setup.packet);
        FromNoq { noq, clock, packet: setup.packet, rtt: None, latest: None, largest_lost: 0, bucket }
    }

    fn instant(&self, at: Instant) -> std::time::Instant {
        self.clock.instant(at.saturating_add(BEFORE))
    }

    fn smoothed(&self) -> Span {
        self.rtt.unwrap_or(INITIAL_RTT)
    }
}

// noq's own trait object is no `Clone`, but it copies itself.
impl Clone for FromNoq {
    fn clone(&self) -> Self {
        let FromNoq { noq, clock, packet, rtt, latest, largest_lost, bucket } = self;
        let (latest, largest_lost) = (*latest, *largest_lost);
        FromNoq { noq: noq.clone_box(), clock: *clock, packet: *packet, rtt: *rtt, latest, largest_lost, bucket: *bucket }
    }
}

impl Controller for FromNoq {
    fn sent(&mut self, packet: &Sent) {
        let now = self.instant(packet.now);
        self.noq.on_packet_sent(now, packet.bytes.0.try_into().unwrap_or(u16::MAX), packet.number);
        self.bucket.takes(packet.now, packet.bytes, self.noq.window(), self.smoothed());
    }

    fn acked(&mut self, ack: &Acked) {
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.rtt = Some(self.rtt.map_or(rtt, |smoothed| Span((7 * u128::from(smoothed.0) + u128::from(rtt.0)) as u64 / 8)));
        }
        let (now, sent) = (self.instant(ack.now), self.instant(ack.sent_at));
        let estimate = estimator::of(Duration::from_nanos(self.smoothed().0));
        self.noq.on_ack(now, sent, ack.bytes.0, ack.number, ack.app_limited, &estimate);
        self.latest = self.latest.max(Some((ack.number, ack.app_limited)));
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.largest_lost = self.largest_lost.max(packet.number);
        self.noq.on_packet_lost(packet.bytes.0.try_into().unwrap_or(u16::MAX), packet.number, self.instant(packet.now));
    }

    fn lost(&mut self, loss: &Lost) {
        // An episode is told of once, so the packet that it is about left after the last began.
        let now = self.instant(loss.now);
        let (persistent, marked) = (loss.kind.collapses(), loss.kind == LossKind::Ecn);
        self.noq.on_congestion_event(now, now, persistent, marked, loss.bytes.0, std::mem::take(&mut self.largest_lost));
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        if ack.cwnd_limited {
            self.noq.on_cwnd_limited();
        }
        if let Some((largest, app_limited)) = self.latest.take() {
            self.noq.on_end_acks(self.instant(ack.now), ack.in_flight.0, app_limited, Some(largest));
        }
    }

    fn notice(&mut self, notice: &Notice) {
        match *notice {
            Notice::Spurious { .. } => self.noq.on_spurious_congestion_event(),
            Notice::PacketSize { packet, .. } => self.noq.on_mtu_update(packet.0.try_into().unwrap_or(u16::MAX)),
            Notice::AckFrequency { packets, delay, .. } => self.noq.on_ack_frequency_update(packets, Duration::from_nanos(delay.0)),
            // With each ACK it says whether the application was the limit.
            _ => {}
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let window = self.noq.window();
        Permit::paced(Bytes(window).max(self.packet), self.bucket.departure(ask.now, window, self.smoothed()))
    }
}

/// noq's pacer (its `connection/pacing.rs`): a token bucket that is filled at 5/4 of a window in a round trip (RFC 9002 §7.7), and holds what
/// is sent in 2 ms at a window in a round trip, or ten packets, if those are no more than 10 ms.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    packet: f64,
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn new(packet: Bytes) -> Bucket {
        // More than it holds: full.
        Bucket { packet: packet.as_f64(), tokens: f64::INFINITY, filled: Instant::START }
    }

    /// What it holds \[bytes\].
    fn capacity(&self, rate: f64) -> f64 {
        (rate * 2e-3).clamp(10.0 * self.packet, 256.0 * self.packet).min((rate * 10e-3).max(self.packet))
    }

    /// What is in it \[bytes\]; `rate` is a window in a round trip \[bytes/s\].
    fn tokens(&self, now: Instant, rate: f64) -> f64 {
        (self.tokens + 1.25 * rate * (now - self.filled).secs()).min(self.capacity(rate))
    }

    fn takes(&mut self, now: Instant, bytes: Bytes, window: u64, rtt: Span) {
        self.tokens = (self.tokens(now, window as f64 / rtt.secs()) - bytes.as_f64()).max(0.0);
        self.filled = now;
    }

    fn departure(&self, now: Instant, window: u64, rtt: Span) -> Departure {
        let rate = window as f64 / rtt.secs();
        let tokens = self.tokens(now, rate);
        if tokens >= self.packet {
            return Departure::Now;
        }
        // It waits until the bucket is full, unless something else makes noq look before.
        Departure::At(now.saturating_add(Span::from_secs((self.capacity(rate) - tokens) / (1.25 * rate))))
    }
}
