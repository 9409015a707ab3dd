//! CoDel: a queue that drops at its head while every packet has waited longer than a target (RFC 8289 §5).
//!
//! A queue that absorbs a burst is good, one that stands is not. The sign of a standing queue is that the *least* wait over an interval
//! stays above the target. Then one packet is dropped, and the next after `interval/√count`, so that the rate of drops rises linearly in
//! time: Reno's throughput falls with the root of the loss rate. A packet that can be marked is marked and sent in its place (§4.1).

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant};

use super::packet::Packet;
use super::spec::CoDelSpec;

/// After a pause of so many intervals since the last drop was due, dropping begins anew and not where it ended (RFC 8289 §5).
const MEMORY: u64 = 16;

/// A queue under CoDel.
#[derive(Debug)]
pub(super) struct CoDel {
    spec: CoDelSpec,
    waiting: VecDeque<Packet>,
    bytes: Bytes,
    /// The largest packet ever seen: with no more than this waiting the link is hardly busy, and nothing is dropped.
    largest: Bytes,
    /// An interval after the wait rose above the target; none while it is below.
    first_above: Option<Instant>,
    /// In the dropping state.
    dropping: bool,
    /// When the next packet is dropped in the dropping state.
    drop_next: Instant,
    /// Packets dropped since the dropping state was entered.
    count: u64,
    /// What `count` began with then.
    last_count: u64,
}

impl CoDel {
    pub(super) fn new(spec: CoDelSpec) -> CoDel {
        CoDel {
            spec,
            waiting: VecDeque::new(),
            bytes: Bytes::ZERO,
            largest: Bytes::ZERO,
            first_above: None,
            dropping: false,
            drop_next: Instant::START,
            count: 0,
            last_count: 0,
        }
    }

    pub(super) fn join(&mut self, packet: Packet) {
        self.bytes += packet.size;
        self.largest = self.largest.max(packet.size);
        self.waiting.push_back(packet);
    }

    /// Takes the head out, whatever it waited.
    pub(super) fn head(&mut self) -> Option<Packet> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.size;
        Some(packet)
    }

    /// The packet to send at `now`; `drop` takes those given up before it (RFC 8289 §5, `deque`).
    pub(super) fn next(&mut self, now: Instant, mut drop: impl FnMut(Packet)) -> Option<Packet> {
        let (mut packet, mut too_long) = self.look(now);
        if self.dropping {
            self.dropping = too_long;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if packet.as_mut().is_some_and(Packet::mark) {
                    self.drop_next = self.law(self.drop_next);
                    break;
                }
                packet.into_iter().for_each(&mut drop);
                (packet, too_long) = self.look(now);
                self.dropping = too_long;
                if too_long {
                    self.drop_next = self.law(self.drop_next);
                }
            }
        } else if too_long {
            let marked = packet.as_mut().is_some_and(Packet::mark);
            if !marked {
                packet.into_iter().for_each(&mut drop);
            }
            // If the rate of drops that ruled lately was too low to end the queue, go on near where it ended.
            let grown = self.count - self.last_count;
            let lately = now - self.drop_next < self.spec.interval * MEMORY;
            self.count = if grown > 1 && lately { grown } else { 1 };
            (self.dropping, self.last_count) = (true, self.count);
            self.drop_next = self.law(now);
            if !marked {
                (packet, _) = self.look(now);
            }
        }
        packet
    }

    /// The head, and whether the wait has been above the target for an interval (RFC 8289 §5, `dodequeue`).
    fn look(&mut self, now: Instant) -> (Option<Packet>, bool) {
        let head = self.head();
        let above = head.is_some_and(|packet| now - packet.at >= self.spec.target) && self.bytes > self.largest;
        if !above {
            self.first_above = None;
            return (head, false);
        }
        let first = *self.first_above.get_or_insert(now.saturating_add(self.spec.interval));
        (head, now >= first)
    }

    /// RFC 8289 §5: the next drop is `interval/√count` after `from`.
    fn law(&self, from: Instant) -> Instant {
        from.saturating_add(self.spec.interval.scale(1.0 / (self.count as f64).sqrt()))
    }

    pub(super) fn packets(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.bytes
    }
}
