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
    /// That of the turns before the first link, if others use that, too: the source then stands before it, and a packet leaves when it has its turn.
    slot: Slot,
    before_shared: bool,
    next: Datagram,
}

impl Cross {
    /// `own` gives a slot for departures, if they need one.
    pub(crate) fn new(traffic: Traffic, conveyor: Conveyor<Datagram>, own: impl FnOnce() -> Slot) -> Cross {
        let entrance = conveyor.entrance();
        Cross { traffic, conveyor, slot: entrance.unwrap_or_else(own), before_shared: entrance.is_some(), next: Datagram(0) }
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
        self.conveyor.enter(net, now, &self.next);
        self.schedule(net);
    }

    /// It is this source's turn before a shared link. How many events that is: a packet that leaves in it makes two, as one does whose departure
    /// has a slot of its own.
    pub(crate) fn turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) -> u64 {
        if hop == 0 && self.before_shared {
            self.conveyor.pass(net, 0, now, &self.next);
            self.schedule(net);
            return 2;
        }
        self.conveyor.turn(net, hop, now);
        1
    }

    /// A managed link has decided on a packet.
    pub(crate) fn decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) {
        self.conveyor.decided(net, hop, now, fate);
    }
}
