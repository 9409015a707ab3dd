//! Drives nodes in virtual time over emulated links: the same seed, the same run.
//!
//! TLS draws its keys from the system, so the bits on the wire differ from run to run. Their number and their times do not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{Ipv4Addr, SocketAddr};

use bytes::BytesMut;
use symbiosis_base::{Bytes, Nanos, Random};
use symbiosis_path::{Link, LinkStats, Traffic};

use crate::harm::Harm;
use crate::node::{Node, Session};

/// The way from one node to another.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// Links in order, by index.
    pub links: Vec<usize>,
    /// What happens behind the last link.
    pub harm: Harm,
}

/// A datagram that reached a node, or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passed {
    /// When it left, or came.
    pub at: Nanos,
    /// The node that sent it.
    pub from: usize,
    /// Size on the wire.
    pub bytes: Bytes,
    /// It came; otherwise it left.
    pub came: bool,
}

/// Nodes, and the links between them.
pub struct World<S> {
    now: Nanos,
    nodes: Vec<Member<S>>,
    links: Vec<Link>,
    cross: Vec<(std::iter::Peekable<Traffic>, usize)>,
    events: BinaryHeap<Reverse<(Nanos, u64, usize)>>,
    /// What is on its way; places are used again.
    travelling: Vec<Option<Travelling>>,
    free: Vec<usize>,
    ordinal: u64,
    random: Random,
    overhead: Bytes,
    /// Every datagram that left or came, if asked for.
    pub log: Option<Vec<Passed>>,
    buffer: Vec<u8>,
}

struct Member<S> {
    node: Node<S>,
    /// Where its packets go, by receiver.
    routes: Vec<Option<Route>>,
    /// It is done with everything before.
    seen: Nanos,
    address: SocketAddr,
    /// Gone: nothing reaches it and nothing leaves it any more.
    gone: bool,
}

#[derive(Clone)]
struct Travelling {
    from: usize,
    to: usize,
    /// Where each was when it left.
    addresses: [SocketAddr; 2],
    /// Links crossed; all of them: it arrives.
    hops: usize,
    datagram: BytesMut,
}

/// The address of the node of that index, until it changes.
pub fn address(node: usize) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::new(10, 0, 0, 1 + node as u8), 4433))
}

impl<S: Session> World<S> {
    /// No nodes yet. `overhead` is what UDP and IP add to a datagram.
    pub fn new(links: Vec<Link>, overhead: Bytes, seed: u64) -> World<S> {
        World {
            now: Nanos::ZERO,
            nodes: Vec::new(),
            links,
            cross: Vec::new(),
            events: BinaryHeap::new(),
            travelling: Vec::new(),
            free: Vec::new(),
            ordinal: 0,
            random: Random::new(seed, 1),
            overhead,
            log: None,
            buffer: Vec::new(),
        }
    }

    /// Adds a node; its index.
    pub fn add(&mut self, node: Node<S>) -> usize {
        let address = address(self.nodes.len());
        self.nodes.push(Member { node, routes: Vec::new(), seen: Nanos::ZERO, address, gone: false });
        self.nodes.len() - 1
    }

    /// Another node, at the address and with the routes of one that is gone: its program was started again.
    pub fn restart(&mut self, at: usize, node: Node<S>) {
        let member = &mut self.nodes[at];
        (member.node, member.gone, member.seen) = (node, false, Nanos::ZERO);
    }

    /// A node has another address from now on, of which nobody is told: somebody translates addresses on its way, and has forgotten.
    pub fn rebind(&mut self, node: usize) {
        let address = &mut self.nodes[node].address;
        address.set_port(address.port() + 1);
    }

    /// Packets of `from` reach `to` this way.
    pub fn route(&mut self, from: usize, to: usize, route: Route) {
        let routes = &mut self.nodes[from].routes;
        if routes.len() <= to {
            routes.resize(to + 1, None);
        }
        routes[to] = Some(route);
    }

    /// Others use a link, too.
    pub fn cross(&mut self, traffic: Traffic, link: usize) {
        self.cross.push((traffic.peekable(), link));
    }

    /// The time.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// A node.
    pub fn node(&mut self, node: usize) -> &mut Node<S> {
        // Whoever touches a node from outside may have made work for it.
        self.nodes[node].seen = Nanos::ZERO;
        &mut self.nodes[node].node
    }

    /// How long a packet would wait that came before a link now.
    pub fn wait(&self, link: usize) -> Nanos {
        self.links[link].wait(self.now)
    }

    /// A node is gone from now on, without a word.
    pub fn kill(&mut self, node: usize) {
        self.nodes[node].gone = true;
    }

    /// Ends the run: what the links did.
    pub fn finish(self) -> Vec<LinkStats> {
        let now = self.now;
        self.links.into_iter().map(|link| link.finish(now).0).collect()
    }

    /// Runs until `end`, or as long as `go_on` says; whether it was `go_on` that ended it.
    pub fn run(&mut self, end: Nanos, mut go_on: impl FnMut(&mut World<S>) -> bool) -> bool {
        for node in 0..self.nodes.len() {
            self.tend(node);
        }
        while go_on(self) {
            let Some((at, what)) = self.next().filter(|(at, _)| *at <= end) else {
                self.now = end;
                return false;
            };
            self.now = at.max(self.now);
            match what {
                What::Event => self.event(),
                What::Cross(source) => {
                    let (traffic, link) = &mut self.cross[source];
                    if let Some((at, bytes)) = traffic.next() {
                        // What becomes of it does not matter; the place it took does.
                        let _ = self.links[*link].offer(at, bytes);
                    }
                }
                What::Wake(node) => self.tend(node),
            }
        }
        true
    }

    fn next(&mut self) -> Option<(Nanos, What)> {
        let event = self.events.peek().map(|Reverse((at, ..))| (*at, What::Event));
        let cross = (0..self.cross.len()).filter_map(|source| self.cross[source].0.peek().map(|(at, _)| (*at, What::Cross(source))));
        let wakes = self.nodes.iter().enumerate().filter(|(_, member)| !member.gone).filter_map(|(index, member)| {
            let at = member.node.wake_at();
            (at < Nanos::MAX).then(|| (at.max(member.seen), What::Wake(index)))
        });
        event.into_iter().chain(cross).chain(wakes).min_by_key(|(at, _)| *at)
    }

    /// Lets a node do what it wants now.
    fn tend(&mut self, node: usize) {
        let now = self.now;
        // What it wants at this instant it does now; whatever it wants at once afterwards comes a nanosecond later.
        self.nodes[node].seen = now + Nanos(1);
        if self.nodes[node].gone {
            return;
        }
        self.nodes[node].node.wake(now);
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(leaving) = self.nodes[node].node.transmit(now, &mut buffer) {
            let to = self.nodes.iter().position(|member| member.address == leaving.to);
            let to = to.filter(|to| self.nodes[node].routes.get(*to).is_some_and(Option::is_some));
            for datagram in buffer.chunks(leaving.each) {
                let bytes = Bytes(datagram.len() as u64) + self.overhead;
                if let Some(log) = &mut self.log {
                    log.push(Passed { at: now, from: node, bytes, came: false });
                }
                if let Some(to) = to {
                    self.crosses(
                        now,
                        Travelling {
                            from: node,
                            to,
                            addresses: [self.nodes[node].address, leaving.to],
                            hops: 0,
                            datagram: BytesMut::from(datagram),
                        },
                    );
                }
            }
        }
        self.buffer = buffer;
    }

    /// A datagram enters the next link of its way, or the stretch behind the last.
    fn crosses(&mut self, at: Nanos, travelling: Travelling) {
        let route = self.nodes[travelling.from].routes[travelling.to].as_ref().expect("only what has a way is sent");
        if let Some(link) = route.links.get(travelling.hops) {
            let bytes = Bytes(travelling.datagram.len() as u64) + self.overhead;
            if let Ok(out) = self.links[*link].offer(at, bytes)
                && out < Nanos::MAX
            {
                self.schedule(out, Travelling { hops: travelling.hops + 1, ..travelling });
            }
            return;
        }
        let delivered: Vec<_> = route.harm.delivers(at, travelling.datagram, &mut self.random).collect();
        for (at, datagram) in delivered {
            self.schedule(at, Travelling { hops: usize::MAX, datagram, ..travelling });
        }
    }

    fn schedule(&mut self, at: Nanos, travelling: Travelling) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.travelling.push(None);
            self.travelling.len() - 1
        });
        self.travelling[place] = Some(travelling);
        self.ordinal += 1;
        self.events.push(Reverse((at, self.ordinal, place)));
    }

    fn event(&mut self) {
        let Some(Reverse((at, _, place))) = self.events.pop() else { return };
        self.free.push(place);
        let Some(travelling) = self.travelling[place].take() else { return };
        if travelling.hops < usize::MAX {
            return self.crosses(at, travelling);
        }
        let (from, to) = (travelling.from, travelling.to);
        if let Some(log) = &mut self.log {
            let bytes = Bytes(travelling.datagram.len() as u64) + self.overhead;
            log.push(Passed { at, from, bytes, came: true });
        }
        let [came_from, whither] = travelling.addresses;
        if !self.nodes[to].gone && self.nodes[to].address == whither {
            self.nodes[to].node.receive(at, at, came_from, travelling.datagram);
            self.tend(to);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Event,
    Cross(usize),
    Wake(usize),
}
