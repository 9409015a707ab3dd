//! What an ACK tells of the path, and what of the receiver that sent it.

use super::{Symbiosis, law};
use crate::{Acked, Bytes, Span};

impl Symbiosis {
    /// The ACK without what the peer was late by, for the measurement; and for the law without its round-trip time, too, if the receiver may have kept the answer and one that it
    /// cannot have kept came of late.
    pub(super) fn answered(&mut self, ack: &Acked) -> [Acked; 2] {
        // What the peer is late by is in no queue; whatever it says, it is no more than the packet took over τ.
        let over = self.tau().filter(|_| self.settings.loss_floor).map_or(Span::ZERO, |tau| (ack.now - ack.sent_at) - tau);
        let late = ack.answered_late.min(over);
        let measured = ack.with_rtt(ack.rtt.map(|rtt| rtt - late));
        let (memory, smoothed) = (law::MEMORY * self.window.bytes().as_f64(), self.rtt.smoothed());
        self.held_up.answered(ack.now, late, || ack.bytes.as_f64() / memory);
        self.pacer.owes(late);
        let delayed = self.delayed.acked(&measured) && self.settings.loss_floor;
        if let Some((longer, bytes)) = self.delayed.longer() {
            // An outage is no way of a receiver's. Who answers a flight with one ACK needs two.
            self.held_up.together(longer.min(smoothed), || bytes.as_f64() / memory);
        }
        if ack.rtt.is_some() && !delayed {
            self.told = Some(ack.now);
        }
        let beside_another = self.told.is_some_and(|told| ack.now - told < smoothed);
        [measured, measured.with_rtt(measured.rtt.filter(|_| !delayed || !beside_another))]
    }

    /// The window that lets as many packets leave. Nothing leaves for its last part of one, and where ACKs answer several packets, the half of one more at the least, what waits at the
    /// receiver tells the law nothing of it: with a path of seven packets a seventh of the link would be idle.
    pub(super) fn in_packets(&self, window: Bytes) -> Bytes {
        let waits = window.as_f64() * self.held_up.answered_together().secs();
        let together = waits >= 0.5 * self.packet.as_f64() * self.rtt.smoothed().secs() && waits > 0.0;
        if together { Bytes(window.0.div_ceil(self.packet.0).saturating_mul(self.packet.0)) } else { window }
    }
}
