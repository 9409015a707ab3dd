//! A link: a rate, a queue before it, a delay behind it.

use symbiosis_base::{Bytes, Instant, Random, Span};

use crate::link_spec::{Drop, LinkSpec, Offered};
use crate::queue::Waiting;
use crate::record::Record;
use crate::wire::Wire;
use crate::{Discipline, LinkSample, LinkStats, QueueLimit};

/// A link that serves in order of arrival.
///
/// Because it does, a packet's fate is known when it is offered: its transmission starts when the one before it ends (Lindley 1952). So
/// a link needs no events of its own; it must only be offered packets in the order of time.
#[derive(Debug)]
pub struct Link {
    wire: Wire,
    limit: QueueLimit,
    watched: Option<Box<Watched>>,
}

/// What a link with a bounded queue, or one that results speak of, keeps beside the recursion.
#[derive(Debug)]
struct Watched {
    waiting: Waiting,
    record: Record,
}

impl Link {
    /// A link that only carries: statistics are not kept, and the queue's limit must be none.
    ///
    /// # Panics
    /// When the queue is bounded or managed.
    pub fn plain(spec: &LinkSpec, random: Random) -> Link {
        assert_eq!(spec.queue, QueueLimit::Unlimited, "a bounded queue must be watched");
        assert_eq!(spec.discipline, Discipline::DropTail, "a managed queue needs a managed link");
        Link { wire: Wire::new(spec, random), limit: spec.queue, watched: None }
    }

    /// A link with statistics over the window `from..to`, and samples at every multiple of `sample_every` if given.
    ///
    /// # Panics
    /// When the queue is managed.
    pub fn watched(spec: &LinkSpec, random: Random, from: Instant, to: Instant, sample_every: Option<Span>) -> Link {
        let mut link = Link::plain(&LinkSpec { queue: QueueLimit::Unlimited, ..spec.clone() }, random);
        link.limit = spec.queue;
        link.watched = Some(Box::new(Watched { waiting: Waiting::default(), record: Record::new(from, to, sample_every) }));
        link
    }

    /// Offers a packet at `now`, which must not lie before the instant of the last offer.
    #[inline]
    pub fn offer(&mut self, now: Instant, size: Bytes) -> Offered {
        if self.watched.is_some() {
            return self.offer_watched(now, size);
        }
        self.wire.send(self.wire.free_at.max(now), size)
    }

    /// Not in line, so that links which only carry are: of the six that a packet and its ACK cross on a dumbbell all but one.
    #[inline(never)]
    fn offer_watched(&mut self, now: Instant, size: Bytes) -> Offered {
        let start = self.wire.free_at.max(now);
        let Some(watched) = &mut self.watched else { unreachable!("only watched links come here") };
        watched.advance(now);
        let (packets, bytes) = (watched.waiting.packets(), watched.waiting.bytes());
        if start > now && !self.limit.admits(packets, bytes, size) {
            watched.record.queue_drop(now);
            return Err(Drop::Queue);
        }
        let fate = self.wire.send(start, size);
        watched.record.sent(start, self.wire.free_at, size, fate);
        if start > now {
            watched.waiting.join(start, size);
            watched.record.meter.queue(now, packets + 1);
        } else {
            watched.record.bytes_begun += size.0;
        }
        fate
    }

    /// When the copy comes out that the link made of the packet offered last, if it did; once.
    #[inline]
    pub fn copy(&mut self) -> Option<Instant> {
        self.wire.copy.take()
    }

    /// Packets that wait at `now`, the one being sent not counted. Nothing may be offered before `now` afterwards.
    pub fn queue_packets(&mut self, now: Instant) -> u64 {
        self.watched.as_mut().map_or(0, |watched| {
            watched.advance(now);
            watched.waiting.packets()
        })
    }

    /// How long a packet would wait that came at `now`.
    pub fn wait(&self, now: Instant) -> Span {
        self.wire.free_at - now
    }

    /// Samples taken so far.
    pub fn samples(&self) -> &[LinkSample] {
        self.watched.as_ref().map_or(&[], |watched| watched.record.samples())
    }

    /// Ends the run at `end`: statistics and samples up to there.
    pub fn finish(self, end: Instant) -> (LinkStats, Vec<LinkSample>) {
        match self.watched {
            None => (LinkStats::default(), Vec::new()),
            Some(mut watched) => {
                watched.advance(end);
                let packets = watched.waiting.packets();
                watched.record.finish(end, packets)
            }
        }
    }
}

impl Watched {
    #[inline]
    fn advance(&mut self, now: Instant) {
        while self.record.next_sample <= now {
            self.begin_until(self.record.next_sample);
            self.record.sample(self.waiting.packets());
        }
        self.begin_until(now);
    }

    /// Takes out of the queue what is in transmission by `now`.
    #[inline]
    fn begin_until(&mut self, now: Instant) {
        let bytes = self.waiting.bytes();
        while let Some(start) = self.waiting.started_by(now) {
            self.record.meter.queue(start, self.waiting.packets());
        }
        self.record.bytes_begun += (bytes - self.waiting.bytes()).0;
    }
}

#[cfg(test)]
mod tests;
