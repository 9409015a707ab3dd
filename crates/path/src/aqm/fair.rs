//! A queue for each stream, served in turns, those with little to send first, each under a management of its own: FQ-CoDel (RFC 8290), FQ-PIE, and
//! what CAKE does of it (Høiland-Jørgensen et al. 2018): no stream shares a queue, and hosts share alike before their streams do.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Random};

use super::codel::CoDel;
use super::packet::Packet;
use super::pie::Pie;
use super::spec::{CakeSpec, FqCoDelSpec, FqPieSpec, InnerSpec};
use crate::QueueLimit;

/// Queues of streams, and whose turn it is.
#[derive(Debug)]
pub(super) struct Fair {
    inner: InnerSpec,
    quantum: i64,
    /// Queues that wait, by host; only where hosts share alike.
    hosts: Option<Vec<i64>>,
    /// The queue of each stream, drawn when it is first heard of. Streams that were hashed to one queue share it.
    queue_of: Vec<usize>,
    /// How many queues there are to draw from; none where each stream has its own.
    hashed: Option<usize>,
    hash: Random,
    queues: Vec<Stream>,
    /// Queues that have become active lately: they go first, once.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    packets: u64,
    bytes: Bytes,
}

#[derive(Debug)]
struct Stream {
    queue: Inner,
    host: usize,
    /// Bytes that it may still send in its turn; below zero by what its last packet was too long.
    credits: i64,
    /// In one of the two lists.
    active: bool,
}

/// A stream's queue.
#[derive(Debug)]
enum Inner {
    CoDel(CoDel),
    Pie(Box<Pie>),
}

impl Inner {
    fn join(&mut self, packet: Packet) -> bool {
        match self {
            Inner::CoDel(queue) => {
                queue.join(packet);
                true
            }
            Inner::Pie(queue) => queue.join(packet),
        }
    }

    fn head(&mut self) -> Option<Packet> {
        match self {
            Inner::CoDel(queue) => queue.head(),
            Inner::Pie(queue) => queue.head(),
        }
    }

    fn next(&mut self, now: Instant, drop: impl FnMut(Packet)) -> Option<Packet> {
        match self {
            Inner::CoDel(queue) => queue.next(now, drop),
            Inner::Pie(queue) => queue.next(now),
        }
    }

    fn bytes(&self) -> Bytes {
        match self {
            Inner::CoDel(queue) => queue.bytes(),
            Inner::Pie(queue) => queue.bytes(),
        }
    }
}

impl Fair {
    /// With the streams' hash from the generator: who shares a queue changes with the seed, as with RFC 8290's random hash (§4.1).
    pub(super) fn fq_codel(spec: FqCoDelSpec, hash: Random) -> Fair {
        Fair::new(InnerSpec::CoDel(spec.codel), spec.quantum, Some(spec.flows), hash)
    }

    pub(super) fn fq_pie(spec: FqPieSpec, hash: Random) -> Fair {
        Fair::new(InnerSpec::Pie(spec.pie), spec.quantum, Some(spec.flows), hash)
    }

    pub(super) fn cake(spec: CakeSpec, hash: Random) -> Fair {
        Fair::new(InnerSpec::CoDel(spec.codel), spec.quantum, None, hash)
    }

    fn new(inner: InnerSpec, quantum: Bytes, hashed: Option<usize>, hash: Random) -> Fair {
        let mut fair = Fair {
            inner,
            quantum: quantum.0 as i64,
            hosts: hashed.is_none().then(Vec::new),
            queue_of: Vec::new(),
            hashed,
            hash,
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: Bytes::ZERO,
        };
        (0..hashed.unwrap_or(0)).for_each(|_| fair.add());
        fair
    }

    fn add(&mut self) {
        let queue = match self.inner {
            InnerSpec::CoDel(spec) => Inner::CoDel(CoDel::new(spec)),
            InnerSpec::Pie(spec) => Inner::Pie(Box::new(Pie::new(spec, Random::new(self.hash.seed(), 0)))),
        };
        self.queues.push(Stream { queue, host: 0, credits: 0, active: false });
    }

    /// Draws in the order of streams' numbers, whichever is heard of first.
    fn queue_of(&mut self, stream: usize) -> usize {
        while self.queue_of.len() <= stream {
            let queue = match self.hashed {
                Some(queues) => (self.hash.seed() % queues as u64) as usize,
                None => {
                    self.add();
                    self.queues.len() - 1
                }
            };
            self.queue_of.push(queue);
        }
        self.queue_of[stream]
    }

    /// What a queue may send in its turn: where hosts share alike, its part of what its host may.
    fn quantum(&self, at: usize) -> i64 {
        let active = self.hosts.as_ref().and_then(|hosts| hosts.get(self.queues[at].host)).copied();
        (self.quantum / active.unwrap_or(1).max(1)).max(1)
    }

    /// A queue becomes active, or ceases to be.
    fn activate(&mut self, at: usize, active: bool) {
        let stream = &mut self.queues[at];
        stream.active = active;
        if let Some(hosts) = &mut self.hosts {
            if hosts.len() <= stream.host {
                hosts.resize(stream.host + 1, 0);
            }
            hosts[stream.host] += if active { 1 } else { -1 };
        }
    }

    /// RFC 8290 §4.1. Beyond the limit the queue with most bytes loses its head. Whether the packet is let in.
    pub(super) fn join(&mut self, packet: Packet, limit: QueueLimit, mut drop: impl FnMut(Packet)) -> bool {
        let at = self.queue_of(packet.stream);
        let stream = &mut self.queues[at];
        if !stream.queue.join(packet) {
            return false;
        }
        self.packets += 1;
        self.bytes += packet.size;
        if !stream.active {
            stream.host = packet.host;
            self.activate(at, true);
            self.queues[at].credits = self.quantum(at);
            self.new.push_back(at);
        }
        while !limit.holds(self.packets, self.bytes) {
            // The first of several: lists are in a fixed order, so the choice is too.
            let active = self.new.iter().chain(&self.old).copied();
            let fattest = active.rev().max_by_key(|at| self.queues[*at].queue.bytes()).expect("what waits is in a list");
            let head = self.queues[fattest].queue.head().expect("the fattest queue is not empty");
            self.packets -= 1;
            self.bytes -= head.size;
            drop(head);
        }
        true
    }

    /// RFC 8290 §4.2.
    pub(super) fn next(&mut self, now: Instant, mut drop: impl FnMut(Packet)) -> Option<Packet> {
        loop {
            let fresh = !self.new.is_empty();
            let list = if fresh { &mut self.new } else { &mut self.old };
            let at = *list.front()?;
            if self.queues[at].credits <= 0 {
                list.pop_front();
                self.queues[at].credits += self.quantum(at);
                self.old.push_back(at);
                continue;
            }
            let stream = &mut self.queues[at];
            let (packets, bytes) = (&mut self.packets, &mut self.bytes);
            let mut gone = |packet: Packet| {
                *packets -= 1;
                *bytes -= packet.size;
            };
            let next = stream.queue.next(now, |packet| {
                gone(packet);
                drop(packet);
            });
            match next {
                Some(packet) => {
                    gone(packet);
                    stream.credits -= packet.size.0 as i64;
                    return Some(packet);
                }
                None => {
                    list.pop_front();
                    // A new queue that is empty waits a round among the old, or its next packet would go before theirs for ever.
                    if fresh {
                        self.old.push_back(at);
                    } else {
                        self.activate(at, false);
                    }
                }
            }
        }
    }

    pub(super) fn packets(&self) -> u64 {
        self.packets
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.bytes
    }
}
