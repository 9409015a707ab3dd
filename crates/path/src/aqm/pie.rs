//! PIE: drops at arrival with a probability that a controller of the wait sets (RFC 8033). The wait is that of the packet last taken out (§5.3
//! allows time stamps). Without de-randomisation (§5.4, optional).

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Random, Span};

use super::packet::Packet;
use super::spec::PieSpec;

/// §4.2: gains of the controller [1/s].
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// §4.1: what is lower in probability than this is spared while the wait is below half of the target.
const SAFE: f64 = 0.2;
/// §5.1: above this probability packets are dropped though they could be marked.
const MARKS_BELOW: f64 = 0.1;
/// §4.1: with no more than two packets of mean size waiting nothing is dropped.
const FEW: Bytes = Bytes(2 * 1024);
/// §4.4: what passes unhurt after an idle time.
const BURST: Span = Span::from_millis(150);
/// §4.2: below each probability the step is divided by its divisor.
const TUNING: [(f64, f64); 6] = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// §5.5: above a probability of a tenth it rises by no more than this at a time.
const STEEPEST: f64 = 0.02;
/// §4.2: an empty queue lets the probability decay so at each update.
const DECAY: f64 = 0.98;

/// A queue under PIE.
#[derive(Debug)]
pub(super) struct Pie {
    spec: PieSpec,
    random: Random,
    waiting: VecDeque<Packet>,
    bytes: Bytes,
    probability: f64,
    burst: Span,
    /// The wait of the packet last taken out, and at the last update.
    wait: Span,
    old: Span,
    update: Instant,
}

impl Pie {
    pub(super) fn new(spec: PieSpec, random: Random) -> Pie {
        let (wait, old) = (Span::ZERO, Span::ZERO);
        let waiting = VecDeque::new();
        Pie { spec, random, waiting, bytes: Bytes::ZERO, probability: 0.0, burst: BURST, wait, old, update: Instant::START }
    }

    /// Whether a packet is let in (§4.1); it may be marked.
    pub(super) fn join(&mut self, mut packet: Packet) -> bool {
        self.advance(packet.at);
        let spared = self.burst > Span::ZERO || (self.probability < SAFE && self.old.0 < self.spec.target.0 / 2) || self.bytes <= FEW;
        if !spared && self.random.chance(self.probability) && !(self.probability < MARKS_BELOW && packet.mark()) {
            return false;
        }
        self.bytes += packet.size;
        self.waiting.push_back(packet);
        true
    }

    /// Takes the head out.
    pub(super) fn head(&mut self) -> Option<Packet> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.size;
        Some(packet)
    }

    /// The packet to send at `now`.
    pub(super) fn next(&mut self, now: Instant) -> Option<Packet> {
        self.advance(now);
        let packet = self.head()?;
        self.wait = now - packet.at;
        Some(packet)
    }

    /// The updates of the probability that are due (§4.2).
    fn advance(&mut self, now: Instant) {
        while self.update <= now {
            self.step();
            self.update += self.spec.update;
        }
    }

    fn step(&mut self) {
        let wait = if self.waiting.is_empty() { Span::ZERO } else { self.wait };
        let (now, old, target) = (wait.secs(), self.old.secs(), self.spec.target.secs());
        let mut step = ALPHA * (now - target) + BETA * (now - old);
        if let Some((_, divisor)) = TUNING.iter().find(|(below, _)| self.probability < *below) {
            step /= divisor;
        } else {
            step = step.min(STEEPEST);
        }
        self.probability += step;
        if wait == Span::ZERO && self.old == Span::ZERO {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst = self.burst - self.spec.update.min(self.burst);
        let half = Span(self.spec.target.0 / 2);
        if self.probability == 0.0 && wait < half && self.old < half {
            self.burst = BURST;
        }
        self.old = wait;
    }

    pub(super) fn packets(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.bytes
    }
}
