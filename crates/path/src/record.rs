//! What is written down of a link: its meter, and samples for the traces.

use symbiosis_base::{Bytes, Instant, Span};

use crate::link_spec::{Drop, Offered};
use crate::meter::{LinkSample, LinkStats, Meter};

/// Of a link that results speak of, or whose queue is bounded.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) meter: Meter,
    pub(crate) bytes_begun: u64,
    drops: u64,
    sample_every: Option<Span>,
    pub(crate) next_sample: Instant,
    samples: Vec<LinkSample>,
}

impl Record {
    /// Statistics over the window `from..to`, and samples at every multiple of `sample_every` if given.
    pub(crate) fn new(from: Instant, to: Instant, sample_every: Option<Span>) -> Record {
        Record {
            meter: Meter::new(from, to),
            bytes_begun: 0,
            drops: 0,
            sample_every,
            next_sample: if sample_every.is_some() { Instant::START } else { Instant::NEVER },
            samples: Vec::new(),
        }
    }

    /// Takes the sample that is due, with so many packets that wait.
    pub(crate) fn sample(&mut self, queue_packets: u64) {
        let (at, drops, bytes_begun) = (self.next_sample, self.drops, self.bytes_begun);
        self.samples.push(LinkSample { at, queue_packets, drops, bytes_begun });
        self.next_sample = self.sample_every.map_or(Instant::NEVER, |every| at + every);
    }

    /// Samples taken so far.
    pub(crate) fn samples(&self) -> &[LinkSample] {
        &self.samples
    }

    /// A packet is sent that was marked, or was not.
    pub(crate) fn marked(&mut self, now: Instant, marked: bool) {
        if marked {
            self.meter.mark(now);
        }
    }

    /// The queue did not take a packet, or gave one up.
    pub(crate) fn queue_drop(&mut self, now: Instant) {
        self.drops += 1;
        self.meter.queue_drop(now);
    }

    /// A transmission from `start` to `end`, and what became of it.
    #[inline]
    pub(crate) fn sent(&mut self, start: Instant, end: Instant, size: Bytes, fate: Offered) {
        self.meter.sent(start, end, size);
        if fate == Err(Drop::Wire) {
            self.drops += 1;
            self.meter.wire_loss(end);
        }
    }

    /// The end of the run.
    pub(crate) fn finish(mut self, end: Instant, queue_packets: u64) -> (LinkStats, Vec<LinkSample>) {
        self.meter.queue(end, queue_packets);
        (self.meter.stats(), self.samples)
    }
}
