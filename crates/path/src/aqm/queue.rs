//! The queue of a managed link, whichever it is.

use symbiosis_base::{Bytes, Instant, Random, Span};

use super::codel::CoDel;
use super::dualpi2::DualPi2;
use super::fair::Fair;
use super::packet::Packet;
use super::pie::Pie;
use super::red::Red;
use super::spec::Discipline;
use crate::QueueLimit;

#[derive(Debug)]
pub(super) enum Queue {
    CoDel(CoDel),
    Pie(Box<Pie>),
    Red(Red),
    DualPi2(Box<DualPi2>),
    Fair(Box<Fair>),
}

impl Queue {
    /// `packet_time` is what a full packet takes the link.
    ///
    /// # Panics
    /// When the discipline is drop-tail, which a link does without a queue of this kind.
    pub(super) fn new(discipline: &Discipline, packet_time: Span, mut random: Random) -> Queue {
        match discipline {
            Discipline::DropTail => panic!("drop-tail needs no managed link"),
            Discipline::CoDel(spec) => Queue::CoDel(CoDel::new(*spec)),
            Discipline::Pie(spec) => Queue::Pie(Box::new(Pie::new(*spec, Random::new(random.seed(), 0)))),
            Discipline::Red(spec) => Queue::Red(Red::new(*spec, packet_time, Random::new(random.seed(), 0))),
            Discipline::DualPi2(spec) => Queue::DualPi2(Box::new(DualPi2::new(*spec))),
            Discipline::FqCoDel(spec) => Queue::Fair(Box::new(Fair::fq_codel(*spec, random))),
            Discipline::FqPie(spec) => Queue::Fair(Box::new(Fair::fq_pie(*spec, random))),
            Discipline::Cake(spec) => Queue::Fair(Box::new(Fair::cake(*spec, random))),
        }
    }

    /// A packet arrives, if there is room for it within `limit` and the queue lets it in; whether it joined. `drop` takes those that had to
    /// make room.
    pub(super) fn join(&mut self, packet: Packet, limit: QueueLimit, drop: impl FnMut(Packet)) -> bool {
        if let Queue::Fair(queue) = self {
            return queue.join(packet, limit, drop);
        }
        limit.admits(self.packets(), self.bytes(), packet.size)
            && match self {
                Queue::CoDel(queue) => {
                    queue.join(packet);
                    true
                }
                Queue::DualPi2(queue) => {
                    queue.join(packet);
                    true
                }
                Queue::Pie(queue) => queue.join(packet),
                Queue::Red(queue) => queue.join(packet),
                Queue::Fair(_) => unreachable!("it makes room"),
            }
    }

    /// The packet whose turn has come at `now`; `drop` takes those given up before it.
    pub(super) fn next(&mut self, now: Instant, drop: impl FnMut(Packet)) -> Option<Packet> {
        match self {
            Queue::CoDel(queue) => queue.next(now, drop),
            Queue::Pie(queue) => queue.next(now),
            Queue::Red(queue) => queue.next(now),
            Queue::DualPi2(queue) => queue.next(now, drop),
            Queue::Fair(queue) => queue.next(now, drop),
        }
    }

    pub(super) fn packets(&self) -> u64 {
        match self {
            Queue::CoDel(queue) => queue.packets(),
            Queue::Pie(queue) => queue.packets(),
            Queue::Red(queue) => queue.packets(),
            Queue::DualPi2(queue) => queue.packets(),
            Queue::Fair(queue) => queue.packets(),
        }
    }

    fn bytes(&self) -> Bytes {
        match self {
            Queue::CoDel(queue) => queue.bytes(),
            Queue::Pie(queue) => queue.bytes(),
            Queue::Red(queue) => queue.bytes(),
            Queue::DualPi2(queue) => queue.bytes(),
            Queue::Fair(queue) => queue.bytes(),
        }
    }
}
