//! What a flow has to send.

use symbiosis_base::{Bytes, Instant};
use symbiosis_control::PacketLost;
use symbiosis_run::FlowPlan;

use crate::tcp::Record;

/// Packets from 0 on, all full but perhaps the last.
#[derive(Debug)]
pub(crate) struct Load {
    /// How many.
    pub(crate) packets: u32,
    /// Size of a full one on the wire.
    pub(crate) packet: Bytes,
    /// Size of the last.
    pub(crate) last: Bytes,
    /// There is an end, which the flow completes when it gets there.
    finite: bool,
}

impl Load {
    pub(crate) fn new(plan: &FlowPlan) -> Load {
        let payload = (plan.packet - plan.header).0;
        let (packets, last) = match plan.bytes {
            None => (u32::MAX, plan.packet),
            Some(Bytes(bytes)) => {
                let packets = bytes.div_ceil(payload).min(u32::MAX as u64);
                (packets as u32, plan.header + Bytes(bytes - packets.saturating_sub(1) * payload))
            }
        };
        Load { packets, packet: plan.packet, last, finite: plan.bytes.is_some() }
    }

    #[inline]
    pub(crate) fn size(&self, number: u32) -> Bytes {
        if number + 1 == self.packets { self.last } else { self.packet }
    }

    /// So many packets on the wire, if full.
    #[inline]
    pub(crate) fn bytes(&self, packets: u32) -> Bytes {
        Bytes(packets as u64 * self.packet.0)
    }

    /// A packet's loss, as a controller hears of it.
    pub(crate) fn lost(&self, now: Instant, number: u32, record: &Record, in_flight: u32) -> PacketLost {
        PacketLost::new(now, number.into(), self.size(number), record.sent_at).with_in_flight(self.bytes(in_flight))
    }

    /// Nothing from `end` on is sent any more.
    pub(crate) fn stop(&mut self, end: u32) {
        // A flow that has sent all it had keeps its size: its last packet, when retransmitted, is as small as it was.
        if end < self.packets {
            (self.packets, self.last, self.finite) = (end, self.packet, false);
        }
    }

    /// Whether all there is has been acknowledged, that below `una`.
    #[inline]
    pub(crate) fn complete(&self, una: u32) -> bool {
        self.finite && una == self.packets
    }
}
