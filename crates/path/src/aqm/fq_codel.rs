//! FQ-CoDel: a queue for each stream, served in turns, those with little to send first, each under CoDel (RFC 8290).

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Random};

use super::codel::CoDel;
use super::packet::Packet;
use super::spec::FqCoDelSpec;
use crate::QueueLimit;

/// Queues of streams, and whose turn it is.
#[derive(Debug)]
pub(super) struct FqCoDel {
    quantum: i64,
    /// The queue of each stream, drawn when it is first heard of. Streams that were hashed to one queue share it.
    queue_of: Vec<usize>,
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
    queue: CoDel,
    /// Bytes that it may still send in its turn; below zero by what its last packet was too long.
    credits: i64,
    /// In one of the two lists.
    active: bool,
}

impl FqCoDel {
    /// With the streams' hash from the generator: who shares a queue changes with the seed, as with RFC 8290's random hash (§4.1).
    pub(super) fn new(spec: FqCoDelSpec, hash: Random) -> FqCoDel {
        let stream = || Stream { queue: CoDel::new(spec.codel), credits: 0, active: false };
        FqCoDel {
            quantum: spec.quantum.0 as i64,
            queue_of: Vec::new(),
            hash,
            queues: (0..spec.flows).map(|_| stream()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: Bytes::ZERO,
        }
    }

    /// Draws in the order of streams' numbers, whichever is heard of first.
    fn queue_of(&mut self, stream: usize) -> usize {
        while self.queue_of.len() <= stream {
            self.queue_of.push((self.hash.seed() % self.queues.len() as u64) as usize);
        }
        self.queue_of[stream]
    }

    /// RFC 8290 §4.1. Beyond the limit the queue with most bytes loses its head.
    pub(super) fn join(&mut self, packet: Packet, limit: QueueLimit, mut drop: impl FnMut(Packet)) {
        let at = self.queue_of(packet.stream);
        let stream = &mut self.queues[at];
        stream.queue.join(packet);
        self.packets += 1;
        self.bytes += packet.size;
        if !stream.active {
            (stream.active, stream.credits) = (true, self.quantum);
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
    }

    /// RFC 8290 §4.2.
    pub(super) fn next(&mut self, now: Instant, mut drop: impl FnMut(Packet)) -> Option<Packet> {
        loop {
            let fresh = !self.new.is_empty();
            let list = if fresh { &mut self.new } else { &mut self.old };
            let at = *list.front()?;
            let stream = &mut self.queues[at];
            if stream.credits <= 0 {
                stream.credits += self.quantum;
                list.pop_front();
                self.old.push_back(at);
                continue;
            }
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
                        stream.active = false;
                    }
                }
            }
        }
    }

    pub(super) fn packets(&self) -> u64 {
        self.packets
    }
}
