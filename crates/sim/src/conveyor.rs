//! A stream's way through the network.
//!
//! A link that only one stream uses needs no event: what leaves it follows from what entered, so a packet crosses it in the same call.
//! Only before a shared link must packets of different streams be merged in the order of time; there each stream has a pipe, and the
//! pipe's head is on the agenda.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Nanos};
use symbiosis_path::{Drop, Link};

use crate::agenda::{Agenda, Slot};
use crate::plan::LinkId;
use crate::tap::Tap;

/// Links, what happens next, and who watches.
pub(crate) struct Network<'t> {
    pub(crate) tap: Option<&'t mut dyn Tap>,
    pub(crate) links: Vec<Link>,
    /// Bytes of TCP flows, data and ACKs, that each link took in since the start.
    pub(crate) taken: Vec<u64>,
    pub(crate) agenda: Agenda,
    /// The end of the run. What would happen after it does not happen: links see nothing of it.
    pub(crate) end: Nanos,
}

/// What travels: small, and it knows its size.
pub(crate) trait Cargo: Copy {
    /// Whether it belongs to a flow that yields, which the oracle counts; UDP it knows by its schedule.
    const TCP: bool = true;
    fn size(&self) -> Bytes;
}

/// Packets on their way to one place, in the order in which they get there.
#[derive(Debug)]
pub(crate) struct Pipe<P> {
    slot: Slot,
    queue: VecDeque<(Nanos, P)>,
}

impl<P: Copy> Pipe<P> {
    pub(crate) fn new(slot: Slot) -> Pipe<P> {
        Pipe { slot, queue: VecDeque::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, agenda: &mut Agenda, at: Nanos, packet: P) {
        if self.queue.is_empty() {
            agenda.set(self.slot, at);
        }
        self.queue.push_back((at, packet));
    }

    /// The packet whose time has come.
    #[inline]
    pub(crate) fn pop(&mut self, agenda: &mut Agenda) -> P {
        let (_, packet) = self.queue.pop_front().expect("a slot is on the agenda only while its pipe holds a packet");
        agenda.set(self.slot, self.queue.front().map_or(Nanos::MAX, |(at, _)| *at));
        packet
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}

/// What became of a packet that was set on its way.
pub(crate) enum Carried<P> {
    /// It comes out at the end of the route.
    Arrives(Nanos, P),
    /// It waits for its turn before a shared link.
    OnTheWay,
    /// It gets to its next link, or out, only after the end.
    TooLate,
    /// A link dropped it.
    Dropped(Nanos),
}

#[derive(Debug)]
struct Hop<P> {
    link: LinkId,
    /// Before a link that others use too.
    pipe: Option<Pipe<P>>,
    /// Bytes of this stream that the link took in.
    taken: u64,
}

/// A route with the packets on it.
#[derive(Debug)]
pub(crate) struct Conveyor<P> {
    hops: Vec<Hop<P>>,
}

impl<P: Cargo> Conveyor<P> {
    /// `slot` gives a slot for the pipe before the hop of that index.
    pub(crate) fn new(route: &[LinkId], shared: &[bool], mut slot: impl FnMut(usize) -> Slot) -> Conveyor<P> {
        let hop = |(at, &link): (usize, &LinkId)| Hop { link, pipe: shared[link].then(|| Pipe::new(slot(at))), taken: 0 };
        Conveyor { hops: route.iter().enumerate().map(hop).collect() }
    }

    /// A packet sets out at `now`.
    #[inline]
    pub(crate) fn enter(&mut self, net: &mut Network<'_>, now: Nanos, packet: P) -> Carried<P> {
        self.reach(net, 0, now, packet)
    }

    /// The turn of the first packet before `hop` has come.
    #[inline]
    pub(crate) fn turn(&mut self, net: &mut Network<'_>, hop: usize, now: Nanos) -> Carried<P> {
        let pipe = self.hops[hop].pipe.as_mut().expect("only shared links have turns");
        let packet = pipe.pop(&mut net.agenda);
        match self.cross(net, hop, now, packet) {
            Ok(out) => self.reach(net, hop + 1, out, packet),
            Err(dropped) => dropped,
        }
    }

    #[inline]
    fn reach(&mut self, net: &mut Network<'_>, mut hop: usize, mut now: Nanos, packet: P) -> Carried<P> {
        loop {
            if now > net.end {
                return Carried::TooLate;
            }
            let Some(next) = self.hops.get_mut(hop) else {
                return Carried::Arrives(now, packet);
            };
            if let Some(pipe) = &mut next.pipe {
                pipe.push(&mut net.agenda, now, packet);
                return Carried::OnTheWay;
            }
            match self.cross(net, hop, now, packet) {
                Ok(out) => now = out,
                Err(dropped) => return dropped,
            }
            hop += 1;
        }
    }

    #[inline]
    fn cross(&mut self, net: &mut Network<'_>, hop: usize, now: Nanos, packet: P) -> Result<Nanos, Carried<P>> {
        let hop = &mut self.hops[hop];
        let offered = net.links[hop.link].offer(now, packet.size());
        // What is lost on the wire has been sent.
        if P::TCP && offered != Err(Drop::Queue) {
            hop.taken += packet.size().0;
            net.taken[hop.link] += packet.size().0;
        }
        offered.map_err(|_| Carried::Dropped(now))
    }

    /// Packets that wait for a turn.
    pub(crate) fn on_the_way(&self) -> u64 {
        self.hops.iter().filter_map(|hop| hop.pipe.as_ref()).map(|pipe| pipe.len() as u64).sum()
    }

    /// Each link of the route with the bytes of this stream that it took in.
    pub(crate) fn taken(&self) -> impl Iterator<Item = (LinkId, u64)> {
        self.hops.iter().map(|hop| (hop.link, hop.taken))
    }
}
