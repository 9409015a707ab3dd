//! A stream's way through the network.
//!
//! A link that only one stream uses needs no event: what leaves it follows from what entered, so a packet crosses it in the same call.
//! Only before a shared link must packets of different streams be merged in the order of time; there each stream has a pipe, and the
//! pipe's head is on the agenda. A managed link keeps what has had its turn until it decides, and has a slot of its own for that.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant};
use symbiosis_path::{Drop, Ecn, Fate, Link, ManagedLink, Offer, Offered};
use symbiosis_run::LinkId;

use crate::agenda::{Agenda, Slot};
use crate::tap::Tap;
use crate::watch::Watch;

/// Links, what happens next, and who watches.
pub(crate) struct Fabric<'t> {
    pub(crate) tap: Option<&'t mut dyn Tap>,
    pub(crate) links: Vec<Line>,
    /// Bytes of flows, data and ACKs, that each link took in since the start.
    pub(crate) taken: Vec<u64>,
    pub(crate) agenda: Agenda,
    /// Who looks at a queue.
    pub(crate) watch: Option<Box<Watch>>,
    /// The end of the run. What would happen after it does not happen: links see nothing of it.
    pub(crate) end: Instant,
}

/// A link.
pub(crate) enum Line {
    /// It tells a packet's fate at once.
    Plain(Link),
    /// It decides later.
    Managed(Box<Managed>),
}

/// A managed link and those who cross it.
pub(crate) struct Managed {
    pub(crate) link: ManagedLink,
    pub(crate) slot: Slot,
    /// Slots of the streams' pipes before it, in the order of the streams' numbers.
    pub(crate) streams: Vec<Slot>,
}

impl Fabric<'_> {
    /// The slot of a managed link has come: what it decides by `now` is decided.
    pub(crate) fn advance(&mut self, link: LinkId, now: Instant) {
        let Line::Managed(managed) = &mut self.links[link] else { unreachable!("a plain link has no slot") };
        managed.link.advance(now);
        self.agenda.set(managed.slot, managed.link.turn_at());
    }

    /// The next of its decisions: the slot of the pipe through which the packet came, and what becomes of it.
    pub(crate) fn decision(&mut self, link: LinkId) -> Option<(Slot, Fate)> {
        let Line::Managed(managed) = &mut self.links[link] else { unreachable!("a plain link decides at once") };
        managed.link.fate().map(|fate| (managed.streams[fate.stream], fate))
    }
}

/// A link as routes see it.
pub(crate) struct Crossing {
    pub(crate) merge: Merge,
    /// Packets may come out in another order than they went in, or twice.
    pub(crate) breaks_order: bool,
}

/// How streams come together before a link.
pub(crate) enum Merge {
    /// Only one uses it.
    Private,
    /// In order of time.
    Shared,
    /// In order of time, and then the link's queue sees to it; slots of the streams' pipes so far.
    Managed(Vec<Slot>),
}

/// What travels: small, and it knows its size.
pub(crate) trait Cargo: Copy {
    /// Whether it belongs to a flow that yields, which the oracle counts; UDP it knows by its schedule.
    const YIELDS: bool = true;
    fn size(&self) -> Bytes;

    /// What its ECN field says.
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }

    /// A queue marks it.
    fn mark(&mut self) {}
}

/// Packets on their way to one place, in the order in which they get there.
#[derive(Debug)]
pub(crate) struct Pipe<P> {
    slot: Slot,
    queue: VecDeque<(Instant, P)>,
}

impl<P: Copy> Pipe<P> {
    pub(crate) fn new(slot: Slot) -> Pipe<P> {
        Pipe { slot, queue: VecDeque::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, agenda: &mut Agenda, at: Instant, packet: P) {
        if self.queue.is_empty() {
            agenda.set(self.slot, at);
        }
        self.queue.push_back((at, packet));
    }

    /// A packet that may overtake others: those of one instant keep their order.
    fn insert(&mut self, agenda: &mut Agenda, at: Instant, packet: P) {
        let place = self.queue.partition_point(|(other, _)| *other <= at);
        self.queue.insert(place, (at, packet));
        if place == 0 {
            agenda.set(self.slot, at);
        }
    }

    /// The packet whose time has come.
    #[inline]
    pub(crate) fn pop(&mut self, agenda: &mut Agenda) -> P {
        let (_, packet) = self.queue.pop_front().expect("a slot is on the agenda only while its pipe holds a packet");
        agenda.set(self.slot, self.queue.front().map_or(Instant::NEVER, |(at, _)| *at));
        packet
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}

/// What became of a packet that was set on its way. The packet itself stays with the caller: ACKs are larger than all that is said of them here.
pub(crate) enum Carried {
    /// It comes out at the end of the route.
    Arrives(Instant),
    /// It waits for its turn before a shared link.
    OnTheWay,
    /// It gets to its next link, or out, only after the end.
    TooLate,
    /// A link dropped it.
    Dropped(Instant),
}

#[derive(Debug)]
struct Hop<P> {
    link: LinkId,
    /// Before a link that others use too, or a managed one.
    pipe: Option<Pipe<P>>,
    /// In the queue of a managed link.
    held: Option<Held<P>>,
    /// Behind a link that breaks the order: by their instants.
    behind: Option<Pipe<P>>,
    /// Bytes of this stream that the link took in.
    taken: u64,
}

impl<P: Cargo> Hop<P> {
    /// Notes what a link took in. What is lost on the wire has been sent.
    #[inline]
    fn note(&mut self, taken: &mut [u64], size: Bytes, offered: Offered) {
        if P::YIELDS && offered != Err(Drop::Queue) {
            self.taken += size.0;
            taken[self.link] += size.0;
        }
    }
}

/// Packets of one stream in a managed link's queue, the oldest first. The link knows the stream's number and their sizes.
#[derive(Debug)]
struct Held<P> {
    stream: usize,
    packets: VecDeque<P>,
}

/// A route with the packets on it.
#[derive(Debug)]
pub(crate) struct Conveyor<P> {
    hops: Vec<Hop<P>>,
    /// Whose packets they are: the flow's index, or behind the flows the cross traffic's.
    owner: usize,
    /// Of which host they are, for queues that share between hosts.
    host: usize,
    /// Copies that links made.
    copies: u64,
    /// Of these, those that would come out after the end.
    late: u64,
}

impl<P: Cargo> Conveyor<P> {
    /// `slot` gives a slot for the pipe before the hop of that index, or, from the number of hops on, behind it.
    pub(crate) fn new(
        route: &[LinkId],
        (owner, host): (usize, usize),
        merges: &mut [Crossing],
        mut slot: impl FnMut(usize) -> Slot,
    ) -> Conveyor<P> {
        let hop = |(at, &link): (usize, &LinkId)| {
            let behind = merges[link].breaks_order.then(|| Pipe::new(slot(route.len() + at)));
            let (pipe, held) = match &mut merges[link].merge {
                Merge::Private => (None, None),
                Merge::Shared => (Some(Pipe::new(slot(at))), None),
                Merge::Managed(streams) => {
                    let slot = slot(at);
                    streams.push(slot);
                    (Some(Pipe::new(slot)), Some(Held { stream: streams.len() - 1, packets: VecDeque::new() }))
                }
            };
            Hop { link, pipe, held, behind, taken: 0 }
        };
        Conveyor { hops: route.iter().enumerate().map(hop).collect(), owner, host, copies: 0, late: 0 }
    }

    /// A packet sets out at `now`.
    #[inline]
    pub(crate) fn enter(&mut self, net: &mut Fabric<'_>, now: Instant, packet: &P) -> Carried {
        self.reach(net, 0, now, packet)
    }

    /// The turn of the first packet before `hop` has come.
    #[inline]
    pub(crate) fn turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) -> (Carried, P) {
        if hop >= self.hops.len() {
            let hop = hop - self.hops.len();
            let pipe = self.hops[hop].behind.as_mut().expect("only links that break the order have turns behind them");
            let packet = pipe.pop(&mut net.agenda);
            return (self.reach(net, hop + 1, now, &packet), packet);
        }
        let pipe = self.hops[hop].pipe.as_mut().expect("only shared links have turns");
        let packet = pipe.pop(&mut net.agenda);
        (self.pass(net, hop, now, &packet), packet)
    }

    /// The slot of the turns before the first hop, if that is a link that others use too: what sets out there needs no other.
    pub(crate) fn entrance(&self) -> Option<Slot> {
        self.hops.first().and_then(|hop| hop.pipe.as_ref()).map(|pipe| pipe.slot)
    }

    /// A packet whose turn before `hop` has come, and which is in no pipe any more, or never was.
    #[inline]
    pub(crate) fn pass(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, packet: &P) -> Carried {
        if self.hops[hop].held.is_some() {
            return self.join(net, hop, now, packet);
        }
        match self.cross(net, hop, now, packet.size()) {
            Ok(out) if self.hops[hop].behind.is_some() => self.scatter(net, hop, out, packet),
            Ok(out) => self.reach(net, hop + 1, out, packet),
            Err(_) => Carried::Dropped(now),
        }
    }

    /// A packet comes out of a link that breaks the order.
    fn scatter(&mut self, net: &mut Fabric<'_>, hop: usize, out: Instant, packet: &P) -> Carried {
        let copy = match &mut net.links[self.hops[hop].link] {
            Line::Plain(link) => link.copy(),
            Line::Managed(_) => None,
        };
        self.spread(net, hop, out, copy, packet)
    }

    fn spread(&mut self, net: &mut Fabric<'_>, hop: usize, out: Instant, copy: Option<Instant>, packet: &P) -> Carried {
        let behind = self.hops[hop].behind.as_mut().expect("the link breaks the order");
        if let Some(at) = copy {
            self.copies += 1;
            if at > net.end {
                self.late += 1;
            } else {
                behind.insert(&mut net.agenda, at, *packet);
            }
        }
        if out > net.end {
            return Carried::TooLate;
        }
        behind.insert(&mut net.agenda, out, *packet);
        Carried::OnTheWay
    }

    #[inline]
    fn reach(&mut self, net: &mut Fabric<'_>, mut hop: usize, mut now: Instant, packet: &P) -> Carried {
        loop {
            if now > net.end {
                return Carried::TooLate;
            }
            let Some(next) = self.hops.get_mut(hop) else {
                return Carried::Arrives(now);
            };
            if let Some(pipe) = &mut next.pipe {
                pipe.push(&mut net.agenda, now, *packet);
                return Carried::OnTheWay;
            }
            match self.cross(net, hop, now, packet.size()) {
                Ok(out) if self.hops[hop].behind.is_some() => return self.scatter(net, hop, out, packet),
                Ok(out) => now = out,
                Err(_) => return Carried::Dropped(now),
            }
            hop += 1;
        }
    }

    #[inline]
    fn cross(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, size: Bytes) -> Offered {
        let hop = &mut self.hops[hop];
        let Line::Plain(link) = &mut net.links[hop.link] else { unreachable!("before a managed link is a pipe") };
        let offered = link.offer(now, size);
        if let Some(watch) = &mut net.watch {
            watch.offered(hop.link, self.owner, now, offered);
        }
        hop.note(&mut net.taken, size, offered);
        offered
    }

    /// A packet joins the queue of a managed link.
    fn join(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, packet: &P) -> Carried {
        let hop = &mut self.hops[hop];
        let (Line::Managed(managed), Some(held)) = (&mut net.links[hop.link], &mut hop.held) else {
            unreachable!("only managed links hold packets")
        };
        let offer = Offer { stream: held.stream, host: self.host, size: packet.size(), ecn: packet.ecn() };
        let joined = managed.link.offer(now, offer);
        // What it decided at once is carried out from its own slot, as everything that it decides.
        net.agenda.set(managed.slot, if managed.link.has_news() { now } else { managed.link.turn_at() });
        match joined {
            Ok(()) => {
                if let Some(watch) = &mut net.watch {
                    watch.joined(hop.link, self.owner, now);
                }
                held.packets.push_back(*packet);
                Carried::OnTheWay
            }
            Err(_) => Carried::Dropped(now),
        }
    }

    /// A managed link has decided on the oldest packet that it holds of this stream.
    pub(crate) fn decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) -> (Carried, P) {
        let held = self.hops[hop].held.as_mut().and_then(|held| held.packets.pop_front());
        let mut packet = held.expect("a link decides on what it holds");
        if let Some(watch) = &mut net.watch {
            watch.decided(self.hops[hop].link, self.owner, fate.offered);
        }
        self.hops[hop].note(&mut net.taken, packet.size(), fate.offered);
        if fate.marked {
            packet.mark();
        }
        let carried = match fate.offered {
            Ok(out) if self.hops[hop].behind.is_some() => self.spread(net, hop, out, fate.copy, &packet),
            Ok(out) => self.reach(net, hop + 1, out, &packet),
            Err(_) => Carried::Dropped(now),
        };
        (carried, packet)
    }

    /// Packets that wait for a turn, or in a managed link's queue, and copies that come too late.
    pub(crate) fn on_the_way(&self) -> u64 {
        let piped = self.hops.iter().filter_map(|hop| hop.pipe.as_ref()).map(Pipe::len);
        let held = self.hops.iter().filter_map(|hop| hop.held.as_ref()).map(|held| held.packets.len());
        let behind = self.hops.iter().filter_map(|hop| hop.behind.as_ref()).map(Pipe::len);
        piped.chain(held).chain(behind).sum::<usize>() as u64 + self.late
    }

    /// Copies that links made.
    pub(crate) fn copies(&self) -> u64 {
        self.copies
    }

    /// A link of the route, with the bytes of this stream that it took in.
    pub(crate) fn taken(&self, hop: usize) -> (LinkId, u64) {
        (self.hops[hop].link, self.hops[hop].taken)
    }
}
