//! Active queue management: queues that look at a packet again when its turn comes, and may then drop it or serve another.

mod codel;
mod fq_codel;
mod link;

use symbiosis_base::{Bytes, Instant, Random, Span};

use crate::QueueLimit;
use codel::CoDel;
use fq_codel::FqCoDel;
pub use link::{Fate, ManagedLink};

/// In which order a queue is served, and what is dropped beside what finds no room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Discipline {
    /// In order of arrival; nothing else is dropped.
    #[default]
    DropTail,
    /// In order of arrival; packets are dropped when all have waited too long for too long (RFC 8289).
    CoDel(CoDelSpec),
    /// In turns between streams, those with little to send first; CoDel for each (RFC 8290).
    FqCoDel(FqCoDelSpec),
}

/// What CoDel holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelSpec {
    /// A standing wait that is acceptable.
    pub target: Span,
    /// How long the wait may stay above it before the first drop: about the longest usual round-trip time.
    pub interval: Span,
}

impl Default for CoDelSpec {
    /// RFC 8289 §4: 5 ms and 100 ms.
    fn default() -> CoDelSpec {
        CoDelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) }
    }
}

/// What FQ-CoDel holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelSpec {
    /// Of each stream's queue.
    pub codel: CoDelSpec,
    /// Queues that streams are hashed to; at least one.
    pub flows: usize,
    /// Bytes that a queue may send in its turn; at least one.
    pub quantum: Bytes,
}

impl Default for FqCoDelSpec {
    /// RFC 8290 §5.2: 1024 queues. A quantum is a full packet; there is no Ethernet header here.
    fn default() -> FqCoDelSpec {
        FqCoDelSpec { codel: CoDelSpec::default(), flows: 1024, quantum: Bytes(1500) }
    }
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet {
    stream: usize,
    size: Bytes,
    /// When it joined.
    at: Instant,
}

/// A queue of one of the managed kinds.
#[derive(Debug)]
enum Queue {
    CoDel(CoDel),
    FqCoDel(FqCoDel),
}

impl Queue {
    /// # Panics
    /// For drop-tail: a queue that decides at the arrival needs none of this.
    fn new(discipline: &Discipline, hash: Random) -> Queue {
        match discipline {
            Discipline::DropTail => panic!("a drop-tail queue is a plain link's"),
            Discipline::CoDel(spec) => Queue::CoDel(CoDel::new(*spec)),
            Discipline::FqCoDel(spec) => Queue::FqCoDel(FqCoDel::new(*spec, hash)),
        }
    }

    /// A packet arrives; `drop` takes those that must go for it. False if it is itself refused.
    fn join(&mut self, packet: Packet, limit: QueueLimit, drop: impl FnMut(Packet)) -> bool {
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
    fn next(&mut self, now: Instant, drop: impl FnMut(Packet)) -> Option<Packet> {
        match self {
            Queue::CoDel(queue) => queue.next(now, drop),
            Queue::FqCoDel(queue) => queue.next(now, drop),
        }
    }

    fn packets(&self) -> u64 {
        match self {
            Queue::CoDel(queue) => queue.packets(),
            Queue::FqCoDel(queue) => queue.packets(),
        }
    }
}

#[cfg(test)]
mod tests;
