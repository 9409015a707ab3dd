//! RED: drops at arrival with a probability that rises with the mean queue (Floyd and Jacobson 1993), gently beyond its upper threshold (Floyd 2000).

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Random, Span};

use super::packet::Packet;
use super::spec::RedSpec;

/// A queue under RED.
#[derive(Debug)]
pub(super) struct Red {
    spec: RedSpec,
    random: Random,
    waiting: VecDeque<Packet>,
    bytes: Bytes,
    /// The mean queue [packets].
    mean: f64,
    /// Packets let in since the last that was not, or since the mean rose above the lower threshold.
    since: f64,
    /// Since when the queue is empty.
    idle: Option<Instant>,
    /// What a packet takes the link: by so many of them the mean decays in idle time.
    packet_time: Span,
}

impl Red {
    pub(super) fn new(spec: RedSpec, packet_time: Span, random: Random) -> Red {
        let idle = Some(Instant::START);
        Red { spec, random, waiting: VecDeque::new(), bytes: Bytes::ZERO, mean: 0.0, since: 0.0, idle, packet_time }
    }

    /// Whether a packet is let in; it may be marked.
    pub(super) fn join(&mut self, mut packet: Packet) -> bool {
        if let Some(since) = self.idle.take() {
            let slots = (packet.at - since).0 as f64 / self.packet_time.0.max(1) as f64;
            self.mean *= libm::pow(1.0 - self.spec.weight, slots);
        }
        self.mean += self.spec.weight * (self.waiting.len() as f64 - self.mean);
        let (min, max) = (self.spec.min, self.spec.max);
        let probability = match self.mean {
            mean if mean < min => 0.0,
            mean if mean < max => self.spec.probability * (mean - min) / (max - min),
            mean => (self.spec.probability + (1.0 - self.spec.probability) * (mean - max) / max).min(1.0),
        };
        self.since = if probability > 0.0 { self.since + 1.0 } else { 0.0 };
        // Evenly spaced, not as a coin falls (§4).
        let spaced = probability / (1.0 - self.since * probability).max(f64::MIN_POSITIVE);
        if probability > 0.0 && (self.since * probability >= 1.0 || self.random.chance(spaced)) {
            self.since = 0.0;
            // RFC 3168 §7: above the upper threshold marks are not enough.
            if !(self.mean < max && packet.mark()) {
                if self.waiting.is_empty() {
                    self.idle = Some(packet.at);
                }
                return false;
            }
        }
        self.bytes += packet.size;
        self.waiting.push_back(packet);
        true
    }

    /// The packet to send at `now`.
    pub(super) fn next(&mut self, now: Instant) -> Option<Packet> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.size;
        if self.waiting.is_empty() {
            self.idle = Some(now);
        }
        Some(packet)
    }

    pub(super) fn packets(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.bytes
    }
}
