//! What a flow has to send.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::PacketLost;
use symbiosis_run::FlowPlan;
use symbiosis_run::tally::Tally;

use crate::tcp::Record;

/// Packets from 0 on, all full but perhaps the last, of each burst where there are several.
#[derive(Debug)]
pub(crate) struct Load {
    /// How many there are by now.
    pub(crate) packets: u32,
    /// Size of a full one on the wire.
    pub(crate) packet: Bytes,
    /// Size of the last.
    last: Bytes,
    /// There is an end, which the flow completes when it gets there.
    finite: bool,
    bursts: Option<Bursts>,
}

/// The amount comes again and again.
#[derive(Debug)]
struct Bursts {
    /// Of how many packets each is.
    packets: u32,
    every: Span,
    /// When the next one comes; never after the last.
    due: Instant,
    /// No burst comes from here on.
    stop: Instant,
    /// When the oldest came of which not everything is acknowledged, and the packet after its last.
    oldest: (Instant, u32),
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
        let bursts = plan.hosts.every.map(|every| {
            let mut bursts = Bursts { packets, every, due: plan.start, stop: plan.stop, oldest: (plan.start, packets) };
            bursts.advance();
            bursts
        });
        Load { packets, packet: plan.packet, last, finite: plan.bytes.is_some(), bursts }
    }

    #[inline]
    pub(crate) fn size(&self, number: u32) -> Bytes {
        let last = match &self.bursts {
            None => number + 1 == self.packets,
            Some(bursts) => (number + 1).is_multiple_of(bursts.packets),
        };
        if last { self.last } else { self.packet }
    }

    /// When there will be more though nothing happens.
    #[inline]
    pub(crate) fn due(&self) -> Instant {
        self.bursts.as_ref().map_or(Instant::NEVER, |bursts| bursts.due)
    }

    /// Takes in the bursts that have come by now.
    pub(crate) fn refill(&mut self, now: Instant) {
        let Some(bursts) = &mut self.bursts else { return };
        while bursts.due <= now {
            self.packets = self.packets.saturating_add(bursts.packets);
            bursts.advance();
        }
    }

    /// All below `una` is acknowledged now: which bursts are done, and whether the flow is.
    #[inline]
    pub(crate) fn acknowledged(&mut self, now: Instant, una: u32, tally: &mut Tally) {
        if let Some(bursts) = &mut self.bursts {
            // Those that never came have not been sent either.
            while una >= bursts.oldest.1 {
                let (came, end) = bursts.oldest;
                bursts.oldest = (came.saturating_add(bursts.every), end.saturating_add(bursts.packets));
                tally.burst(now - came);
            }
        }
        if self.complete(una) {
            tally.completed(now);
        }
    }

    /// Whether the application, and not the sender, is the limit: all there is by now, up to `end`, has been sent, and more may come.
    #[inline]
    pub(crate) fn waits(&self, end: u32) -> bool {
        self.bursts.is_some() && end == self.packets
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
            (self.packets, self.finite) = (end, false);
            if self.bursts.is_none() {
                self.last = self.packet;
            }
        }
        if let Some(bursts) = &mut self.bursts {
            bursts.due = Instant::NEVER;
        }
    }

    /// Whether all there is has been acknowledged, that below `una`.
    #[inline]
    fn complete(&self, una: u32) -> bool {
        self.finite && una == self.packets && self.due() == Instant::NEVER
    }
}

impl Bursts {
    /// One has come.
    fn advance(&mut self) {
        let next = self.due.saturating_add(self.every);
        self.due = if next < self.stop { next } else { Instant::NEVER };
    }
}
