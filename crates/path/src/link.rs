//! A link: a rate, a queue before it, a delay behind it.

use symbiosis_base::{Bytes, Nanos, Random, Rate};

use crate::meter::Meter;
use crate::queue::Waiting;
use crate::rate::Server;
use crate::{LinkSample, LinkStats, QueueLimit, RateSpec};

/// What a link is.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// How fast it sends.
    pub rate: RateSpec,
    /// How long a bit travels, one way.
    pub delay: Nanos,
    /// How much may wait before it.
    pub queue: QueueLimit,
    /// Probability that a packet is lost on the wire, after its transmission.
    pub loss: f64,
    /// Mean of an exponential delay added to each packet's. Packets stay in order: one that would overtake arrives with the one before.
    pub jitter: Nanos,
}

impl LinkSpec {
    /// A link that neither loses nor disturbs, with room for whatever comes.
    pub fn ideal(rate: Rate, delay: Nanos) -> LinkSpec {
        LinkSpec { rate: RateSpec::Constant(rate), delay, queue: QueueLimit::Unlimited, loss: 0.0, jitter: Nanos::ZERO }
    }
}

/// Why a packet does not come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// The queue was full.
    Queue,
    /// Lost on the wire.
    Wire,
}

/// When an offered packet comes out at the far end, or why it does not.
pub type Offered = Result<Nanos, Drop>;

/// A link that serves in order of arrival.
///
/// Because it does, a packet's fate is known when it is offered: its transmission starts when the one before it ends (Lindley 1952). So
/// a link needs no events of its own; it must only be offered packets in the order of time.
#[derive(Debug)]
pub struct Link {
    server: Server,
    delay: Nanos,
    limit: QueueLimit,
    loss: f64,
    jitter: Nanos,
    random: Random,
    free_at: Nanos,
    last_out: Nanos,
    watched: Option<Box<Watched>>,
}

/// What a link with a bounded queue, or one that results speak of, keeps beside the recursion.
#[derive(Debug)]
struct Watched {
    waiting: Waiting,
    meter: Meter,
    drops: u64,
    bytes_begun: u64,
    sample_every: Option<Nanos>,
    next_sample: Nanos,
    samples: Vec<LinkSample>,
}

impl Link {
    /// A link that only carries: statistics are not kept, and the queue's limit must be none.
    pub fn plain(spec: &LinkSpec, random: Random) -> Link {
        assert_eq!(spec.queue, QueueLimit::Unlimited, "a bounded queue must be watched");
        Link {
            server: Server::new(&spec.rate),
            delay: spec.delay,
            limit: spec.queue,
            loss: spec.loss,
            jitter: spec.jitter,
            random,
            free_at: Nanos::ZERO,
            last_out: Nanos::ZERO,
            watched: None,
        }
    }

    /// A link with statistics over the window `from..to`, and samples at every multiple of `sample_every` if given.
    pub fn watched(spec: &LinkSpec, random: Random, from: Nanos, to: Nanos, sample_every: Option<Nanos>) -> Link {
        let mut link = Link::plain(&LinkSpec { queue: QueueLimit::Unlimited, ..spec.clone() }, random);
        link.limit = spec.queue;
        link.watched = Some(Box::new(Watched {
            waiting: Waiting::default(),
            meter: Meter::new(from, to),
            drops: 0,
            bytes_begun: 0,
            sample_every,
            next_sample: if sample_every.is_some() { Nanos::ZERO } else { Nanos::MAX },
            samples: Vec::new(),
        }));
        link
    }

    /// Offers a packet at `now`, which must not lie before the instant of the last offer.
    #[inline]
    pub fn offer(&mut self, now: Nanos, size: Bytes) -> Offered {
        let start = self.free_at.max(now);
        let Some(watched) = &mut self.watched else {
            self.free_at = self.server.finish(start, size);
            return self.wire();
        };
        watched.advance(now);
        let (packets, bytes) = (watched.waiting.packets(), watched.waiting.bytes());
        if start > now && !self.limit.admits(packets, bytes, size) {
            watched.drops += 1;
            watched.meter.queue_drop(now);
            return Err(Drop::Queue);
        }
        self.free_at = self.server.finish(start, size);
        watched.meter.sent(start, self.free_at, size);
        if start > now {
            watched.waiting.join(start, size);
            watched.meter.queue(now, packets + 1);
        } else {
            watched.bytes_begun += size.0;
        }
        self.wire()
    }

    /// The way from the end of a transmission to the far end.
    #[inline]
    fn wire(&mut self) -> Offered {
        if self.loss > 0.0 && self.random.chance(self.loss) {
            if let Some(watched) = &mut self.watched {
                watched.drops += 1;
                watched.meter.wire_loss(self.free_at);
            }
            return Err(Drop::Wire);
        }
        let mut out = self.free_at.saturating_add(self.delay);
        if self.jitter > Nanos::ZERO {
            out = out.saturating_add(self.jitter.scale(self.random.exponential())).max(self.last_out);
            self.last_out = out;
        }
        Ok(out)
    }

    /// Packets that wait at `now`, the one being sent not counted. Nothing may be offered before `now` afterwards.
    pub fn queue_packets(&mut self, now: Nanos) -> u64 {
        self.watched.as_mut().map_or(0, |watched| {
            watched.advance(now);
            watched.waiting.packets()
        })
    }

    /// Ends the run at `end`: statistics and samples up to there.
    pub fn finish(mut self, end: Nanos) -> (LinkStats, Vec<LinkSample>) {
        match &mut self.watched {
            None => (LinkStats::default(), Vec::new()),
            Some(watched) => {
                watched.advance(end);
                watched.meter.queue(end, watched.waiting.packets());
                (watched.meter.stats(), std::mem::take(&mut watched.samples))
            }
        }
    }
}

impl Watched {
    #[inline]
    fn advance(&mut self, now: Nanos) {
        while self.next_sample <= now {
            self.begin_until(self.next_sample);
            self.samples.push(LinkSample {
                at: self.next_sample,
                queue_packets: self.waiting.packets(),
                drops: self.drops,
                bytes_begun: self.bytes_begun,
            });
            self.next_sample = self.sample_every.map_or(Nanos::MAX, |every| self.next_sample + every);
        }
        self.begin_until(now);
    }

    /// Takes out of the queue what is in transmission by `now`.
    #[inline]
    fn begin_until(&mut self, now: Nanos) {
        let bytes = self.waiting.bytes();
        while let Some(start) = self.waiting.started_by(now) {
            self.meter.queue(start, self.waiting.packets());
        }
        self.bytes_begun += (bytes - self.waiting.bytes()).0;
    }
}

#[cfg(test)]
mod tests;
