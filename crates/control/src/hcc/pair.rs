//! Packet pairs: which packets leave as pairs, and how far apart a pair arrives (H §3, §7).

use crate::observer::Arrival;
use crate::{Bytes, Instant, Span};

/// Decides which packets leave as pairs: the sender's side.
#[derive(Clone, Debug)]
pub struct Probes {
    /// The last of so many packets leaves with the one before.
    every: u32,
    /// Packets since the last pair.
    count: u32,
    /// When the first packet of a pair left whose second has not.
    open: Option<Instant>,
    last: Instant,
}

impl Probes {
    /// One packet of `every` is the second of a pair.
    pub fn new(every: u32) -> Probes {
        Probes { every, count: 0, open: None, last: Instant::START }
    }

    /// When the second packet of a pair is due: with the first.
    pub fn due(&self) -> Option<Instant> {
        self.open
    }

    /// A packet left. `at_once`: it is the first of a pair whatever the count; `spacing`: pairs are at least so far apart.
    /// Tells whether it was the second of a pair.
    pub fn sent(&mut self, now: Instant, at_once: bool, spacing: Span) -> bool {
        if self.open.take().is_some() {
            self.count = 0;
            return true;
        }
        self.count = self.count.saturating_add(1);
        if at_once || (self.count.saturating_add(1) >= self.every && now >= self.last.saturating_add(spacing)) {
            (self.open, self.last) = (Some(now), now);
        }
        false
    }

    /// Forgets a pair that was begun.
    pub fn abandon(&mut self) {
        self.open = None;
    }
}

/// Measures how far apart pairs arrive: the receiver's side.
#[derive(Clone, Debug)]
pub struct Dispersion {
    packet: Bytes,
    last: Option<Arrival>,
}

impl Dispersion {
    /// For packets of this size; smaller ones take less time and tell of nothing.
    pub fn new(packet: Bytes) -> Dispersion {
        Dispersion { packet, last: None }
    }

    /// The dispersion of a pair, if this packet completes one: its two packets arrived, the second full, further apart than they left.
    pub fn arrived(&mut self, arrival: &Arrival) -> Option<Span> {
        let last = self.last.replace(*arrival)?;
        let pair = arrival.probe && arrival.bytes == self.packet && last.serial.checked_add(1) == Some(arrival.serial);
        let dispersion = arrival.now - last.now;
        (pair && dispersion > arrival.sent_at - last.sent_at).then_some(dispersion)
    }
}
