//! A queue of whichever kind is managed.

use symbiosis_base::{Instant, Random};

use super::codel::CoDel;
use super::fq_codel::FqCoDel;
use super::packet::Packet;
use super::spec::Discipline;
use crate::QueueLimit;

/// A queue of one of the managed kinds.
#[derive(Debug)]
pub(super) enum Queue {
    CoDel(CoDel),
    FqCoDel(FqCoDel),
}

impl Queue {
    /// # Panics
    /// For drop-tail: a queue that decides at the arrival needs none of this.
    pub(super) fn new(discipline: &Discipline, hash: Random) -> Queue {
        match discipline {
            Discipline::DropTail => panic!("a drop-tail queue is a plain link's"),
            Discipline::CoDel(spec) => Queue::CoDel(CoDel::new(*spec)),
            Discipline::FqCoDel(spec) => Queue::FqCoDel(FqCoDel::new(*spec, hash)),
        }
    }

    /// A packet arrives; `drop` takes those that must go for it. False if it is itself refused.
    pub(super) fn join(&mut self, packet: Packet, limit: QueueLimit, drop: impl FnMut(Packet)) -> bool {
        match self {
            Queue::CoDel(queue) => {
                let room = limit.admits(queue.packets(), queue.bytes(), packet.size);
                if room {
                    queue.join(packet);
                }
                room
            }
            Queue::FqCoDel(queue) => {
                queue.join(packet, limit, drop);
                true
            }
        }
    }

    /// The packet whose turn has come at `now`; `drop` takes those given up before it.
    pub(super) fn next(&mut self, now: Instant, drop: impl FnMut(Packet)) -> Option<Packet> {
        match self {
            Queue::CoDel(queue) => queue.next(now, drop),
            Queue::FqCoDel(queue) => queue.next(now, drop),
        }
    }

    pub(super) fn packets(&self) -> u64 {
        match self {
            Queue::CoDel(queue) => queue.packets(),
            Queue::FqCoDel(queue) => queue.packets(),
        }
    }
}
