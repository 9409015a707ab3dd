//! UDP: sources that nobody answers.

use symbiosis_base::{Bytes, Instant};
use symbiosis_path::{Fate, Traffic};

use crate::agenda::Slot;
use crate::conveyor::{Cargo, Conveyor, Fabric};

/// A packet of cross traffic is its size.
#[derive(Clone, Copy)]
pub(crate) struct Datagram(u32);

impl Cargo for Datagram {
    const YIELDS: bool = false;

    #[inline]
    fn size(&self) -> Bytes {
        Bytes(self.0 as u64)
    }
}

/// A source and its packets on the way.
pub(crate) struct Cross {
    traffic: Traffic,
    conveyor: Conveyor<Datagram>,
    slot: Slot,
    next: Datagram,
}

impl Cross {
    pub(crate) fn new(traffic: Traffic, conveyor: Conveyor<Datagram>, slot: Slot) -> Cross {
        Cross { traffic, conveyor, slot, next: Datagram(0) }
    }

    /// Puts the next packet on the agenda.
    pub(crate) fn schedule(&mut self, net: &mut Fabric<'_>) {
        let at = match self.traffic.next() {
            Some((at, size)) => {
                self.next = Datagram(size.0 as u32);
                at
            }
            None => Instant::NEVER,
        };
        net.agenda.set(self.slot, at);
    }

    /// The packet that was scheduled leaves.
    pub(crate) fn leaves(&mut self, net: &mut Fabric<'_>, now: Instant) {
        self.conveyor.enter(net, now, self.next);
        self.schedule(net);
    }

    /// It is this source's turn before a shared link.
    pub(crate) fn turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) {
        self.conveyor.turn(net, hop, now);
    }

    /// A managed link has decided on a packet.
    pub(crate) fn decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) {
        self.conveyor.decided(net, hop, now, fate);
    }
}
