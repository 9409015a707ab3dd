//! Delivery-rate samples (draft-ietf-ccwg-bbr §4.1, before it draft-cheng-iccrg-delivery-rate-estimation): at what rate the path
//! delivered a flight, one sample for each ACK.
//!
//! A controller that wants them holds a [`DeliveryRate`] and passes on what it hears; so every world has the same samples, and a controller
//! that does not want them pays nothing. Where this deviates from the draft:
//! - a packet's record ends when it is presumed lost: if it arrives after all, its bytes count as delivered, and make no sample;
//! - a sample counts as application-limited also if the world says so with the ACK: QUIC knows only then;
//! - the RTT of a sample is the world's measurement where the packet left more than once (Karn).

mod departed;

use departed::{Departed, Ring};

use crate::{Acked, Bytes, Instant, PacketLost, Rate, Sent, Span};

/// The state of the draft's §4.1.2.1.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    /// C.delivered.
    delivered: u64,
    /// C.lost.
    lost: u64,
    /// C.delivered_time.
    delivered_time: Instant,
    /// C.first_send_time.
    first_send_time: Instant,
    /// C.app_limited: what is delivered when the bubble has left the path.
    app_limited: Option<u64>,
    /// C.min_rtt.
    min_rtt: Option<Span>,
    packets: Ring,
    /// The newest packet that the ACK under way acknowledges, and its number.
    newest: Option<(u64, Departed)>,
    rtt: Option<Span>,
    newly_acked: u64,
    newly_lost: u64,
    now_limited: bool,
}

/// What an ACK tells of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RateSample {
    /// The rate; none if nothing was delivered, or in less time than the least RTT, or in none.
    pub rate: Option<Rate>,
    /// Delivered between the newest packet's departure and now.
    pub delivered: Bytes,
    /// C.delivered when the newest packet left; none if the ACK acknowledged none whose departure is known.
    pub prior_delivered: Option<u64>,
    /// Over which `delivered` was.
    pub interval: Span,
    /// Its RTT.
    pub rtt: Option<Span>,
    /// The application, and not the path, may have been the limit.
    pub app_limited: bool,
    /// In flight when the newest packet had left, it included.
    pub tx_in_flight: Bytes,
    /// Presumed lost since.
    pub lost: Bytes,
    /// Acknowledged by this ACK.
    pub newly_acked: Bytes,
    /// Presumed lost by this ACK.
    pub newly_lost: Bytes,
}

impl RateSample {
    /// The rate \[bytes/s\]; zero without one.
    pub fn bytes_per_s(&self) -> f64 {
        self.rate.map_or(0.0, Rate::bytes_per_s)
    }
}

/// What is known of a packet that was lost (§5.5.10.2, HandleLostPacket).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostPacket {
    /// In flight when it had left, it included.
    pub tx_in_flight: Bytes,
    /// Presumed lost since then, it included.
    pub lost: Bytes,
    /// The application may have been the limit when it left.
    pub app_limited: bool,
}

impl DeliveryRate {
    /// Bytes delivered since the start.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether the application is the limit now.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited.is_some()
    }

    /// OnPacketSent (§4.1.2.2).
    pub fn sent(&mut self, packet: &Sent) {
        if packet.in_flight <= packet.bytes {
            (self.first_send_time, self.delivered_time) = (packet.now, packet.now);
        }
        self.packets.insert(
            packet.number,
            Departed {
                sent_at: packet.now,
                first_send_time: self.first_send_time,
                delivered_time: self.delivered_time,
                delivered: self.delivered,
                lost: self.lost,
                tx_in_flight: packet.in_flight,
                app_limited: self.app_limited.is_some(),
                retransmission: packet.retransmission,
            },
        );
        if packet.app_limited {
            self.limited(packet.in_flight);
        }
    }

    /// MarkConnectionAppLimited (§4.1.2.4): the application has nothing to send, with so much in flight.
    pub fn limited(&mut self, in_flight: Bytes) {
        self.app_limited = Some(self.delivered.saturating_add(in_flight.0).max(1));
    }

    /// UpdateRateSample (§4.1.2.3).
    pub fn acked(&mut self, ack: &Acked) {
        self.newly_acked = self.newly_acked.saturating_add(ack.bytes.0);
        self.delivered = self.delivered.saturating_add(ack.bytes.0);
        self.delivered_time = ack.now;
        self.rtt = ack.rtt.or(self.rtt);
        let Some(packet) = self.packets.remove(ack.number) else { return };
        let newest = self.newest.is_none_or(|(number, newest)| (packet.sent_at, ack.number) > (newest.sent_at, number));
        if newest {
            self.newest = Some((ack.number, packet));
            self.first_send_time = packet.sent_at;
            self.now_limited = ack.app_limited;
        }
    }

    /// A packet is presumed lost; what was known of it.
    pub fn lost(&mut self, packet: &PacketLost) -> Option<LostPacket> {
        self.lost = self.lost.saturating_add(packet.bytes.0);
        self.newly_lost = self.newly_lost.saturating_add(packet.bytes.0);
        let departed = self.packets.remove(packet.number)?;
        Some(LostPacket { tx_in_flight: departed.tx_in_flight, lost: Bytes(self.lost - departed.lost), app_limited: departed.app_limited })
    }

    /// GenerateRateSample (§4.1.2.3): the ACK is over.
    pub fn take(&mut self, now: Instant) -> RateSample {
        if self.app_limited.is_some_and(|end| self.delivered > end) {
            self.app_limited = None;
        }
        let measured = self.rtt.take();
        let mut sample = RateSample {
            newly_acked: Bytes(core::mem::take(&mut self.newly_acked)),
            newly_lost: Bytes(core::mem::take(&mut self.newly_lost)),
            rtt: measured,
            ..RateSample::default()
        };
        let Some((_, newest)) = self.newest.take() else { return sample };
        if !newest.retransmission {
            sample.rtt = Some(now - newest.sent_at);
        }
        if let Some(rtt) = sample.rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let send_elapsed = newest.sent_at - newest.first_send_time;
        let ack_elapsed = self.delivered_time - newest.delivered_time;
        sample.interval = send_elapsed.max(ack_elapsed);
        sample.delivered = Bytes(self.delivered - newest.delivered);
        sample.prior_delivered = Some(newest.delivered);
        sample.app_limited = newest.app_limited || self.now_limited;
        sample.tx_in_flight = newest.tx_in_flight;
        sample.lost = Bytes(self.lost - newest.lost);
        // An ambiguous ACK of a packet that left twice makes the interval too short.
        let plausible = self.min_rtt.is_none_or(|least| sample.interval >= least);
        sample.rate = (plausible && sample.interval > Span::ZERO).then(|| Rate::of(sample.delivered, sample.interval));
        sample
    }
}

#[cfg(test)]
mod tests;
