//! One stream: what left, what arrived, and whether it may be believed.

use alloc::vec::Vec;

use super::capacity::Pair;
use crate::{Acked, Bytes, Instant, ReceiverInstant, Sent, SignedSpan, Span};

/// A packet may leave by so much of its gap before or after its time, or by what the host's timer can do, if that is more: then the rates
/// that can be tried are coarse (B §4.1.2), but a stream is evaluated by when its packets really left.
const OFF_TIME: f64 = 0.1;
/// A packet that should follow the one before it at once may be so late: the published host's timer (B §3.1).
const AT_ONCE: Span = Span::from_micros(50);
/// Packets that arrive closer than this part of a service time `M/K` were not sent one by one by the narrowest link: their ACKs were merged
/// or bunched on the way back. Half, because K is read too high by less than twice.
const BUNCHED: f64 = 0.5;

/// Why a stream is neither a low nor a high reading but none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A packet was lost, sent again, or came in another order.
    Missing,
    /// A packet left after its time.
    Late,
    /// A packet left before its time.
    Early,
    /// ACKs were merged, or bunched closer than the narrowest link can have sent the packets.
    Merged,
    /// A packet was not of full size.
    Size,
}

/// How many streams were invalid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Invalid {
    /// See [`Cause::Missing`].
    pub missing: u64,
    /// See [`Cause::Late`].
    pub late: u64,
    /// See [`Cause::Early`].
    pub early: u64,
    /// See [`Cause::Merged`].
    pub merged: u64,
    /// See [`Cause::Size`].
    pub size: u64,
}

impl Invalid {
    /// One more.
    pub fn count(&mut self, cause: Cause) {
        let counter = match cause {
            Cause::Missing => &mut self.missing,
            Cause::Late => &mut self.late,
            Cause::Early => &mut self.early,
            Cause::Merged => &mut self.merged,
            Cause::Size => &mut self.size,
        };
        *counter += 1;
    }
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    number: u64,
    sent_at: Instant,
    arrived_at: ReceiverInstant,
}

/// The packets of a stream, and one more that follows the last at once and makes a pair with it.
#[derive(Clone, Debug)]
pub struct Stream {
    packets: Vec<Packet>,
    /// How many make it whole, the pair's second included.
    whole: usize,
    size: Bytes,
    /// What the host's timer can do.
    timer: Span,
    arrived: usize,
    /// Arrivals are by the receiver's clock.
    by_receiver: bool,
}

impl Stream {
    /// Room for a stream of `n` packets of `size`, which leave at multiples of `timer`.
    pub fn new(n: usize, size: Bytes, timer: Span) -> Stream {
        Stream { packets: Vec::with_capacity(n + 1), whole: n + 1, size, timer, arrived: 0, by_receiver: false }
    }

    /// Nothing has left.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.arrived = 0;
    }

    /// How many packets left.
    pub fn left(&self) -> usize {
        self.packets.len()
    }

    /// All have left.
    pub fn is_sent(&self) -> bool {
        self.packets.len() == self.whole
    }

    /// When the last one left.
    pub fn last_sent(&self) -> Option<Instant> {
        self.packets.last().map(|packet| packet.sent_at)
    }

    /// The next packet left, `gap` after the one before it if all went as it should.
    pub fn sent(&mut self, packet: &Sent, gap: Span) -> Result<(), Cause> {
        if let Some(last) = self.packets.last() {
            if packet.retransmission || last.number.checked_add(1) != Some(packet.number) {
                return Err(Cause::Missing);
            }
            let off = if gap == Span::ZERO { AT_ONCE } else { gap.scale(OFF_TIME) }.max(self.timer);
            let real = packet.now - last.sent_at;
            if real > gap.saturating_add(off) {
                return Err(Cause::Late);
            }
            if real.saturating_add(off) < gap {
                return Err(Cause::Early);
            }
        } else if packet.retransmission {
            return Err(Cause::Missing);
        }
        if packet.bytes != self.size {
            return Err(Cause::Size);
        }
        self.packets.push(Packet { number: packet.number, sent_at: packet.now, arrived_at: ReceiverInstant::default() });
        Ok(())
    }

    /// A packet was acknowledged, of this stream or not; whether that completes it. `service` is `M/K`, zero before K is known.
    pub fn acked(&mut self, ack: &Acked, service: Span) -> Result<bool, Cause> {
        let (Some(first), Some(last)) = (self.packets.first(), self.packets.last()) else { return Ok(false) };
        if ack.number < first.number || (ack.number > last.number && !self.is_sent()) {
            return Ok(false);
        }
        let packet = self.packets.get(self.arrived).filter(|packet| packet.number == ack.number && packet.sent_at == ack.sent_at);
        if packet.is_none() || ack.recovering {
            return Err(Cause::Missing);
        }
        let by_receiver = ack.received_at.is_some();
        let arrived_at = ack.received_at.unwrap_or(ack.now.into());
        if self.arrived == 0 {
            self.by_receiver = by_receiver;
        } else {
            let before = self.packets[self.arrived - 1].arrived_at;
            // A receiver's time is missing where an ACK covers several packets.
            if by_receiver != self.by_receiver || arrived_at <= before || arrived_at - before < service.scale(BUNCHED) {
                return Err(Cause::Merged);
            }
        }
        self.packets[self.arrived].arrived_at = arrived_at;
        self.arrived += 1;
        Ok(self.arrived == self.whole)
    }

    /// Between neighbours: departures and arrivals \[s\]; without the pair's second.
    fn gaps(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.packets[..self.whole - 1].windows(2).map(|pair| gap(&pair[0], &pair[1]))
    }

    /// How much longer each packet was on its way than the first one \[s\]; without the pair's second.
    pub fn delays(&self) -> impl Iterator<Item = f64> + '_ {
        let packets = &self.packets[..self.whole - 1];
        packets.iter().map(|packet| (delay(packet) - delay(&packets[0])).secs())
    }

    /// The rate at which it really left \[bytes/s\], `(n − 1)M/(S_n − S_1)`.
    pub fn departure_rate(&self) -> f64 {
        let n = self.whole - 1;
        (n - 1) as f64 * self.size.as_f64() / (self.packets[n - 1].sent_at - self.packets[0].sent_at).secs()
    }

    /// Rate of departure and of arrival of each packet after the first \[bytes/s\].
    pub fn rates(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.gaps().map(|(sent, arrived)| (self.size.as_f64() / sent, self.size.as_f64() / arrived))
    }

    /// The rate at which it arrived \[bytes/s\], `(n − 1)M/(R_n − R_1)`.
    pub fn arrival_rate(&self) -> f64 {
        let n = self.whole - 1;
        (n - 1) as f64 * self.size.as_f64() / (self.packets[n - 1].arrived_at - self.packets[0].arrived_at).secs()
    }

    /// The least time from departure to arrival, by whatever clocks.
    pub fn least_delay(&self) -> SignedSpan {
        self.packets.iter().map(delay).min().unwrap_or(SignedSpan::ZERO)
    }

    /// Its neighbours as pairs; `least` is the delay of a packet that did not wait.
    pub fn pairs(&self, least: SignedSpan) -> impl Iterator<Item = Pair> + '_ {
        self.packets.windows(2).map(move |pair| {
            let (sent, arrived) = gap(&pair[0], &pair[1]);
            Pair { bytes: self.size.as_f64(), sent, arrived, waited: (delay(&pair[0]) - least).secs() }
        })
    }
}

fn gap(earlier: &Packet, later: &Packet) -> (f64, f64) {
    ((later.sent_at - earlier.sent_at).secs(), (later.arrived_at - earlier.arrived_at).secs())
}

fn delay(packet: &Packet) -> SignedSpan {
    packet.arrived_at.delay_since(packet.sent_at)
}

#[cfg(test)]
mod tests;
