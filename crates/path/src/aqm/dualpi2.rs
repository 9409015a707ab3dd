//! DualPI2 (RFC 9332, appendix A): a queue for L4S, which marks by a shallow threshold, beside one for all others under PI2, coupled so that flows
//! of both kinds get the same rate.
//!
//! A stream stays in the queue of its first packet that is not marked yet: a mark from a queue before says no more of which kind it is.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Span};

use super::ecn::Ecn;
use super::packet::Packet;
use super::spec::DualPi2Spec;

/// Appendix A.1: gains of the controller [1/s], for round-trip times up to 100 ms and an update each 16 ms.
const ALPHA: f64 = 0.16;
const BETA: f64 = 3.2;
const UPDATE: Span = Span::from_millis(16);
/// The coupling factor (§2.1).
const K: f64 = 2.0;
/// Above this probability classic packets that could be marked are dropped, and L4S packets too (§2.5.1).
const OVERLOAD: f64 = 1.0 / (K * K);
/// Of ten bytes the classic queue has at least one (§2.4: a weighted turn).
const CLASSIC_SHARE: i64 = 10;

#[derive(Debug, Default)]
struct Half {
    waiting: VecDeque<Packet>,
    bytes: Bytes,
    /// Parts of marks that are due (A.1, `recur`).
    due: f64,
}

impl Half {
    fn take(&mut self) -> Option<Packet> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.size;
        Some(packet)
    }

    fn wait(&self, now: Instant) -> Span {
        self.waiting.front().map_or(Span::ZERO, |packet| now - packet.at)
    }

    /// Of many packets that part which `likelihood` says, evenly.
    fn recurs(&mut self, likelihood: f64) -> bool {
        self.due += likelihood;
        let recurs = self.due > 1.0;
        self.due -= f64::from(u8::from(recurs));
        recurs
    }
}

/// The two queues.
#[derive(Debug)]
pub(super) struct DualPi2 {
    spec: DualPi2Spec,
    l4s: Half,
    classic: Half,
    /// By stream, once it is known.
    is_l4s: Vec<Option<bool>>,
    /// What the classic queue is owed, in bytes weighted by its share.
    credit: i64,
    /// p' of A.1.
    base: f64,
    old: Span,
    update: Instant,
}

impl DualPi2 {
    pub(super) fn new(spec: DualPi2Spec) -> DualPi2 {
        let (l4s, classic) = Default::default();
        DualPi2 { spec, l4s, classic, is_l4s: Vec::new(), credit: 0, base: 0.0, old: Span::ZERO, update: Instant::START }
    }

    pub(super) fn join(&mut self, packet: Packet) {
        self.advance(packet.at);
        if self.is_l4s.len() <= packet.stream {
            self.is_l4s.resize(packet.stream + 1, None);
        }
        let known = &mut self.is_l4s[packet.stream];
        if packet.ecn != Ecn::Marked {
            known.get_or_insert(packet.ecn == Ecn::L4s);
        }
        let half = if known.unwrap_or(false) { &mut self.l4s } else { &mut self.classic };
        half.bytes += packet.size;
        half.waiting.push_back(packet);
    }

    /// The packet to send at `now`; `drop` takes those given up before it.
    pub(super) fn next(&mut self, now: Instant, mut drop: impl FnMut(Packet)) -> Option<Packet> {
        self.advance(now);
        loop {
            let (coupled, classic) = (K * self.base, self.base * self.base);
            if self.serves_l4s()? {
                let wait = self.l4s.wait(now);
                let more = self.l4s.waiting.len() > 1;
                let mut packet = self.l4s.take()?;
                self.pay(packet.size.0 as i64);
                let native = if more && wait >= self.spec.step { 1.0 } else { 0.0 };
                if classic > OVERLOAD && self.classic.recurs(classic) {
                    drop(packet);
                    continue;
                }
                if self.l4s.recurs(coupled.max(native).min(1.0)) {
                    packet.mark();
                }
                return Some(packet);
            }
            let mut packet = self.classic.take()?;
            self.pay(-(CLASSIC_SHARE - 1) * packet.size.0 as i64);
            if self.classic.recurs(classic) && !(classic <= OVERLOAD && packet.mark()) {
                drop(packet);
                continue;
            }
            return Some(packet);
        }
    }

    /// Whose turn it is; nobody's when both are empty.
    fn serves_l4s(&self) -> Option<bool> {
        match (self.l4s.waiting.is_empty(), self.classic.waiting.is_empty()) {
            (true, true) => None,
            (false, true) => Some(true),
            (true, false) => Some(false),
            (false, false) => Some(self.credit <= 0),
        }
    }

    /// Credit is kept while both wait.
    fn pay(&mut self, bytes: i64) {
        let both = !self.l4s.waiting.is_empty() && !self.classic.waiting.is_empty();
        self.credit = if both { self.credit + bytes } else { 0 };
    }

    /// The updates of the base probability that are due.
    fn advance(&mut self, now: Instant) {
        while self.update <= now {
            let wait = self.classic.wait(self.update).max(self.l4s.wait(self.update));
            let (is, was, target) = (wait.secs(), self.old.secs(), self.spec.target.secs());
            self.base = (self.base + ALPHA * (is - target) + BETA * (is - was)).clamp(0.0, 1.0);
            self.old = wait;
            self.update += UPDATE;
        }
    }

    pub(super) fn packets(&self) -> u64 {
        (self.l4s.waiting.len() + self.classic.waiting.len()) as u64
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.l4s.bytes + self.classic.bytes
    }
}
