//! Drives nodes in virtual time over emulated links: the same seed, the same run. A whole plan is carried out by [`Quic`].
//!
//! TLS draws its keys from the system, so the bits on the wire differ from run to run. Their number and their times do not,
//! unless noq's BBR is among the controllers: it draws the times of its probes from the system, too, and nothing seeds it.

mod flow;
mod runner;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use bytes::BytesMut;
use symbiosis_base::{Bytes, Instant, Random, Span};
use symbiosis_path::{LinkSample, LinkStats, Network, NetworkLink, Traffic};

use crate::impairments::Impairments;
use crate::node::{Node, Session};

pub use runner::{PlanError, Quic};

/// The way from one node to another.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// Links in order, by index.
    pub links: Vec<usize>,
    /// What happens behind the last link.
    pub impairments: Impairments,
}

/// What is seen of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// It left its node.
    Departed,
    /// It came to a node.
    Arrived,
    /// A link dropped it, or an impairment did.
    Dropped,
}

/// A datagram that left a node, came to one, or was dropped between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passed {
    /// When.
    pub at: Instant,
    /// The node that sent it.
    pub from: usize,
    /// Size on the wire.
    pub bytes: Bytes,
    /// What happened to it.
    pub event: Event,
}

/// Nodes, and the links between them.
pub struct Emulation<S> {
    now: Instant,
    nodes: Vec<Member<S>>,
    network: Network<Travelling>,
    /// By the network's number; the traffic of others has none.
    streams: BTreeMap<usize, Stream>,
    /// Behind the last link: by when it arrives, and in which order.
    arriving: BTreeMap<(Instant, u64), (usize, Travelling)>,
    ordinal: u64,
    random: Random,
    overhead: Bytes,
    /// Every datagram that left, came or was dropped, if asked for.
    pub log: Option<Vec<Passed>>,
    buffer: Vec<u8>,
}

/// Packets of one node for another.
struct Stream {
    from: usize,
    to: usize,
    impairments: Impairments,
}

struct Member<S> {
    node: Node<S>,
    /// The stream of its packets to each receiver.
    streams: BTreeMap<usize, usize>,
    /// It is done with everything before.
    seen: Instant,
    address: SocketAddr,
    /// Gone: nothing reaches it and nothing leaves it any more.
    gone: bool,
    /// Of each so long its host does nothing for so long.
    aside: Option<(Span, Span)>,
    /// What came while it did nothing: when, from where.
    waiting: Vec<(Instant, SocketAddr, BytesMut)>,
}

impl<S> Member<S> {
    /// When its host does something again.
    fn back(&self, at: Instant) -> Instant {
        let Some((every, lasts)) = self.aside else { return at };
        let into = Span(at.0 % every.0.max(1));
        if into < lasts { at + (lasts - into) } else { at }
    }
}

struct Travelling {
    /// Where its sender and its receiver were when it left.
    addresses: [SocketAddr; 2],
    datagram: BytesMut,
}

/// The address of the node of that index, until it changes.
pub fn address(node: usize) -> SocketAddr {
    let [_, high, middle, low] = (1 + node as u32).to_be_bytes();
    SocketAddr::from((Ipv4Addr::new(10, high, middle, low), 4433))
}

impl<S: Session> Emulation<S> {
    /// No nodes yet. `overhead` is what UDP and IP add to a datagram.
    pub fn new(links: Vec<NetworkLink>, overhead: Bytes, seed: u64) -> Emulation<S> {
        Emulation {
            now: Instant::START,
            nodes: Vec::new(),
            network: Network::open(links),
            streams: BTreeMap::new(),
            arriving: BTreeMap::new(),
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
        self.nodes.push(Member {
            node,
            streams: BTreeMap::new(),
            seen: Instant::START,
            address,
            gone: false,
            aside: None,
            waiting: Vec::new(),
        });
        self.nodes.len() - 1
    }

    /// Another node, at the address and with the routes of one that is gone: its program was started again.
    pub fn restart(&mut self, at: usize, node: Node<S>) {
        let member = &mut self.nodes[at];
        (member.node, member.gone, member.seen) = (node, false, Instant::START);
    }

    /// A node has another address from now on, of which nobody is told: somebody translates addresses on its way, and has forgotten.
    pub fn rebind(&mut self, node: usize) {
        let address = &mut self.nodes[node].address;
        address.set_port(address.port() + 1);
    }

    /// Packets of `from` reach `to` this way.
    pub fn route(&mut self, from: usize, to: usize, route: Route) {
        let stream = self.network.join(route.links);
        self.streams.insert(stream, Stream { from, to, impairments: route.impairments });
        self.nodes[from].streams.insert(to, stream);
    }

    /// Others send over these links, too: from the start.
    pub fn cross(&mut self, traffic: Traffic, links: Vec<usize>) {
        self.network.join_traffic(traffic, links);
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// A node to look at, which makes no work for it.
    pub fn look(&mut self, node: usize) -> &mut Node<S> {
        &mut self.nodes[node].node
    }

    /// A node.
    pub fn node(&mut self, node: usize) -> &mut Node<S> {
        // Whoever touches a node from outside may have made work for it.
        self.nodes[node].seen = Instant::START;
        &mut self.nodes[node].node
    }

    /// How long a packet would wait that came before a link now. None where a managed queue decides.
    pub fn wait(&self, link: usize) -> Option<Span> {
        self.network.wait(link)
    }

    /// A node's host is put aside for the first part of each `every`, as by a scheduler: what arrives waits, and nothing leaves.
    pub fn put_aside(&mut self, node: usize, every: Span, lasts: Span) {
        self.nodes[node].aside = Some((every, lasts));
    }

    /// A node is gone from now on, without a word.
    pub fn kill(&mut self, node: usize) {
        self.nodes[node].gone = true;
    }

    /// Datagrams that left and have neither come nor been dropped, by the node that sent them.
    pub fn under_way(&self) -> impl Iterator<Item = usize> {
        let behind = self.arriving.values().map(|(stream, _)| *stream);
        self.network.under_way().map(|(stream, _)| stream).chain(behind).map(|stream| self.streams[&stream].from)
    }

    /// Ends the run: what the links did.
    pub fn finish(self) -> Vec<(LinkStats, Vec<LinkSample>)> {
        self.network.finish(self.now)
    }

    /// Runs until `end`, or as long as `go_on` says; whether it was `go_on` that ended it.
    pub fn run(&mut self, end: Instant, mut go_on: impl FnMut(&mut Emulation<S>) -> bool) -> bool {
        for node in 0..self.nodes.len() {
            self.tend(node);
        }
        while go_on(self) {
            let (at, turn) = self.next();
            if at > end || at == Instant::NEVER {
                self.now = end;
                self.network.advance(end);
                return false;
            }
            self.now = at.max(self.now);
            match turn {
                Turn::Network => self.cross_links(),
                Turn::Arrival => self.arrive(),
                Turn::Wake(node) => self.tend(node),
            }
        }
        true
    }

    /// Whose turn is next, and when. The first of equals: what is on its way goes before what a node wants.
    fn next(&self) -> (Instant, Turn) {
        let arrival = self.arriving.first_key_value().map_or(Instant::NEVER, |((at, _), _)| *at);
        let wakes = self.nodes.iter().enumerate().filter(|(_, member)| !member.gone).map(|(index, member)| {
            let wanted = member.waiting.first().map_or(member.node.wake_at(), |(came, ..)| member.node.wake_at().min(*came));
            (if wanted < Instant::NEVER { member.back(wanted.max(member.seen)) } else { wanted }, Turn::Wake(index))
        });
        let turns = [(self.network.wake_at(), Turn::Network), (arrival, Turn::Arrival)];
        turns.into_iter().chain(wakes).min_by_key(|(at, _)| *at).expect("there are two turns at least")
    }

    /// The links' time has come: what is behind the last of its way meets the impairments.
    fn cross_links(&mut self) {
        self.network.advance(self.now);
        while let Some(left) = self.network.pop() {
            let stream = &self.streams[&left.stream];
            let passed = Passed { at: left.at, from: stream.from, bytes: left.size, event: Event::Dropped };
            if left.dropped.is_some() {
                self.log.iter_mut().for_each(|log| log.push(passed));
                continue;
            }
            let Travelling { addresses, datagram } = left.cargo;
            let mut dropped = true;
            for (at, datagram) in stream.impairments.delivers(left.at, datagram, &mut self.random) {
                self.ordinal += 1;
                self.arriving.insert((at, self.ordinal), (left.stream, Travelling { addresses, datagram }));
                dropped = false;
            }
            if dropped {
                self.log.iter_mut().for_each(|log| log.push(passed));
            }
        }
    }

    /// A datagram comes to its node, if that is still there.
    fn arrive(&mut self) {
        let Some(((at, _), (stream, Travelling { addresses: [sender, destination], datagram }))) = self.arriving.pop_first() else {
            return;
        };
        let Stream { from, to, .. } = self.streams[&stream];
        if let Some(log) = &mut self.log {
            let bytes = Bytes(datagram.len() as u64) + self.overhead;
            log.push(Passed { at, from, bytes, event: Event::Arrived });
        }
        if !self.nodes[to].gone && self.nodes[to].address == destination {
            if self.nodes[to].back(at) > at {
                self.nodes[to].waiting.push((at, sender, datagram));
                return;
            }
            self.nodes[to].node.receive(at, at, sender, datagram);
            self.tend(to);
        }
    }

    /// Lets a node do what it wants now.
    fn tend(&mut self, node: usize) {
        let now = self.now;
        // What it wants at this instant it does now; whatever it wants at once afterwards comes a nanosecond later.
        self.nodes[node].seen = now + Span(1);
        if self.nodes[node].gone {
            return;
        }
        for (at, sender, datagram) in std::mem::take(&mut self.nodes[node].waiting) {
            // As over sockets: with the time at which the kernel had it.
            self.nodes[node].node.receive(at, at, sender, datagram);
        }
        self.nodes[node].node.wake(now);
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(leaving) = self.nodes[node].node.transmit(now, &mut buffer) {
            let to = self.nodes.iter().position(|member| member.address == leaving.to);
            let stream = to.and_then(|to| self.nodes[node].streams.get(&to).copied());
            for datagram in buffer.chunks(leaving.each) {
                let bytes = Bytes(datagram.len() as u64) + self.overhead;
                if let Some(log) = &mut self.log {
                    log.push(Passed { at: now, from: node, bytes, event: Event::Departed });
                }
                if let Some(stream) = stream {
                    let addresses = [self.nodes[node].address, leaving.to];
                    self.network.enter(now, stream, bytes, Travelling { addresses, datagram: BytesMut::from(datagram) });
                }
            }
        }
        self.buffer = buffer;
    }
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    Network,
    Arrival,
    Wake(usize),
}
