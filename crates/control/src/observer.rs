//! The receiving half of a controller whose receiver measures: arrivals in, findings out.
//!
//! A transport that carries such a controller keeps one beside its receiver, tells it of every packet, and puts what it found into the
//! reports that go back. There the other half hears of it as [`Report::Receiver`](crate::Report::Receiver).

use crate::{Bytes, Instant, ReceiverInstant, Span};

/// Watches packets arrive.
///
/// It may be on another machine than the sender: of `sent_at` only differences mean anything. As a controller, it must bear whatever comes.
pub trait Observer: Send {
    /// A packet arrived. Times of arrival never go back.
    fn arrived(&mut self, arrival: &Arrival);

    /// Whether there is something that should not wait for the next report.
    fn urgent(&self) -> bool;

    /// How long a report may wait for more to report, on a path of that smoothed round-trip time; a round trip at the most.
    fn patience(&self, rtt: Span) -> Span;

    /// What was found since this was last asked: for the report that leaves now.
    fn take(&mut self) -> Findings;
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When, on the receiver's clock.
    pub now: ReceiverInstant,
    /// It was the so many-th to leave; a packet that is sent again has a new serial.
    pub serial: u64,
    /// Its size on the wire.
    pub bytes: Bytes,
    /// When it left, on the sender's clock.
    pub sent_at: Instant,
    /// It left by [`Departure::IgnoreWindow`](crate::Departure::IgnoreWindow), close behind the one before.
    pub probe: bool,
}

/// What a receiver found since its last report. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Findings {
    /// How far apart the packets of pairs arrived, newer pairs weighing more.
    pub gap: Span,
    /// Part of the old period that `gap` replaces, 0 to 1: `1 − (1 − α)ⁿ` for n pairs, nothing without pairs.
    pub weight: f64,
    /// When the last of these pairs left, on the sender's clock.
    pub left: Instant,
    /// The packets arrive more slowly than they leave.
    pub excess: Option<Excess>,
}

/// Consecutive packets, each of which took longer than the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excess {
    /// When the last of them left, on the sender's clock.
    pub sent_at: Instant,
    /// By how much longer, on average.
    pub jitter: Span,
}
