//! A link before which a managed queue stands.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Random, Span};

use super::ecn::Ecn;
use super::packet::Packet;
use super::queue::Queue;
use crate::record::Record;
use crate::wire::Wire;
use crate::{Drop, LinkSample, LinkSpec, LinkStats, Offered, QueueLimit};

/// A full packet: what the idle time of a queue is counted in.
const PACKET: Bytes = Bytes(1500);

/// What became of a stream's oldest packet that waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Whose packet.
    pub stream: usize,
    /// When it comes out, or why it does not.
    pub offered: Offered,
    /// It was marked (ECN).
    pub marked: bool,
    /// When its copy comes out, if the link made one.
    pub copy: Option<Instant>,
}

/// A packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Whose it is.
    pub stream: usize,
    /// From which host, for a queue that shares between hosts.
    pub host: usize,
    /// Its size on the wire.
    pub size: Bytes,
    /// What its ECN field says.
    pub ecn: Ecn,
}

/// A link whose queue decides when a packet's turn comes, not when it arrives.
///
/// Streams are numbered by whoever drives it, from 0. Packets of one stream keep their order, so a fate names only the stream. It must be
/// told of time: of arrivals in order, and of each instant of [`ManagedLink::turn_at`]. After both, its fates are to be taken.
#[derive(Debug)]
pub struct ManagedLink {
    wire: Wire,
    limit: QueueLimit,
    queue: Queue,
    record: Record,
    fates: VecDeque<Fate>,
}

impl ManagedLink {
    /// A link with statistics over the window `from..to`, and samples at every multiple of `sample_every` if given.
    ///
    /// # Panics
    /// When the queue is drop-tail: a [`Link`](crate::Link) does that.
    pub fn new(spec: &LinkSpec, mut random: Random, (from, to): (Instant, Instant), sample_every: Option<Span>) -> ManagedLink {
        let hash = Random::new(random.seed(), 0);
        ManagedLink {
            wire: Wire::new(spec, random),
            limit: spec.queue,
            queue: Queue::new(&spec.discipline, spec.rate.nominal(Instant::START).time_for(PACKET), hash),
            record: Record::new(from, to, sample_every),
            fates: VecDeque::new(),
        }
    }

    /// A packet arrives at `now`, which must not lie before any instant that the link was told of.
    ///
    /// # Errors
    /// When there is no room for it. Otherwise it waits, and its fate follows.
    pub fn arrive(&mut self, now: Instant, stream: usize, size: Bytes) -> Result<(), Drop> {
        self.offer(now, Offer { stream, host: stream, size, ecn: Ecn::NotCapable })
    }

    /// The same for a packet of which more is known.
    ///
    /// # Errors
    /// As [`ManagedLink::arrive`].
    pub fn offer(&mut self, now: Instant, offer: Offer) -> Result<(), Drop> {
        self.advance(now);
        let (record, fates) = (&mut self.record, &mut self.fates);
        let Offer { stream, host, size, ecn } = offer;
        let joined = self
            .queue
            .join(Packet { stream, host, size, ecn, marked: false, at: now }, self.limit, |packet| give_up(record, fates, now, packet));
        if !joined {
            self.record.queue_drop(now);
            return Err(Drop::Queue);
        }
        if self.wire.free_at <= now {
            self.begin(now);
        } else {
            self.record.meter.queue(now, self.queue.packets());
        }
        Ok(())
    }

    /// When the next packet's turn comes; never when none waits.
    pub fn turn_at(&self) -> Instant {
        if self.queue.packets() == 0 { Instant::NEVER } else { self.wire.free_at }
    }

    /// Time has passed: `now` has come.
    pub fn advance(&mut self, now: Instant) {
        while self.turn_at() <= now {
            let at = self.wire.free_at;
            while self.record.next_sample < at {
                self.record.sample(self.queue.packets());
            }
            self.begin(at);
        }
        while self.record.next_sample <= now {
            self.record.sample(self.queue.packets());
        }
    }

    /// The link is free: the next packet's transmission begins.
    fn begin(&mut self, now: Instant) {
        let (record, fates) = (&mut self.record, &mut self.fates);
        if let Some(packet) = self.queue.next(now, |packet| give_up(record, fates, now, packet)) {
            let offered = self.wire.send(now, packet.size);
            record.sent(now, self.wire.free_at, packet.size, offered);
            record.bytes_begun += packet.size.0;
            record.marked(now, packet.marked);
            fates.push_back(Fate { stream: packet.stream, offered, marked: packet.marked, copy: self.wire.copy.take() });
        }
        record.meter.queue(now, self.queue.packets());
    }

    /// The next fate that nobody has been told of yet.
    pub fn fate(&mut self) -> Option<Fate> {
        self.fates.pop_front()
    }

    /// Whether there is a fate that nobody has been told of yet.
    pub fn has_news(&self) -> bool {
        !self.fates.is_empty()
    }

    /// Packets that wait, the one being sent not counted.
    pub fn queue_packets(&self) -> u64 {
        self.queue.packets()
    }

    /// Samples taken so far.
    pub fn samples(&self) -> &[LinkSample] {
        self.record.samples()
    }

    /// Ends the run at `end`: statistics and samples up to there.
    pub fn finish(mut self, end: Instant) -> (LinkStats, Vec<LinkSample>) {
        self.advance(end);
        let packets = self.queue.packets();
        self.record.finish(end, packets)
    }
}

/// A packet that waited is dropped.
fn give_up(record: &mut Record, fates: &mut VecDeque<Fate>, now: Instant, packet: Packet) {
    record.queue_drop(now);
    fates.push_back(Fate { stream: packet.stream, offered: Err(Drop::Queue), marked: false, copy: None });
}
