//! The published ImTCP (T §2.2.1, B §2.1; Man, Hasegawa, Murata: *ImTCP: TCP with an inline measurement mechanism for available bandwidth*,
//! Computer Communications 29, 2006), to the letter, to stand beside ours.
//!
//! One measurement: a back-to-back train gives the first range to search for A ([`range`]). The range is cut into `k` sub-ranges, and for each
//! a stream of `n` packets leaves, whose rate rises packet by packet through the sub-range ([`departures`], [`stream`]), from the fastest stream to the
//! slowest. Streams faster than A arrive with rising delays ([`trend`]); the verdicts choose the sub-range that holds A ([`choice`]), and the
//! stream that scanned it tells where in it A lies ([`fit`]). The next range is the confidence interval of what was found. Pairs, corrected
//! by A, tell K ([`capacity`]).
//!
//! Where the papers leave it open:
//! - A stream that is not valid is sent again before the measurement ends: a sub-range without a verdict would be guessed.
//! - The range ends at what a stream can scan within one round trip, `nM/srtt`, and at 1.5 K. A that is beyond such an end reads as the end.
//! - A chosen stream without two lines in it reads as the middle of its sub-range.
//! - One packet follows each stream at once, so that there is a pair to tell K also when all streams are slow.

pub mod capacity;
pub mod choice;
pub mod departures;
pub mod fit;
pub mod range;
pub mod stream;
pub mod trend;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::rtt::BaseRtt;
use crate::{Acked, Bytes, Departure, Rate, Report, Sent, Setup, SignedSpan, Span, Unknown};

use capacity::Capacity;
use choice::{Choice, choose};
use departures::Departures;
use range::{Range, Search, Side};
use stream::{Invalid, Stream};
use trend::{Verdict, verdict};

/// Least width of a range, B_m, as a part of K.
const LEAST_WIDTH: f64 = 0.1;
/// No rate above this multiple of K is tried: pairs may read K too low by a third.
const MOST: f64 = 1.5;

/// The measurement.
#[derive(Clone, Debug)]
pub struct PublishedImTcp {
    packet: Bytes,
    /// Packets of a stream.
    n: usize,
    /// One for each sub-range, from the lowest; the train takes the first one's place.
    streams: Vec<Stream>,
    verdicts: Vec<Option<Verdict>>,
    departures: Departures,
    /// None before the train.
    search: Option<Search>,
    capacity: Capacity,
    rtt: BaseRtt,
    /// The least time from departure to arrival in a valid stream.
    least_delay: Option<SignedSpan>,
    available: Option<Rate>,
    /// The chosen stream's rates.
    points: Vec<(f64, f64)>,
    valid: u64,
    invalid: Invalid,
}

impl PublishedImTcp {
    /// For a new connection: `k` sub-ranges, streams of `n` packets, at least two and five.
    pub fn new(setup: &Setup, k: usize, n: usize) -> PublishedImTcp {
        let n = n.max(5);
        let streams: Vec<_> = (0..k.max(2)).map(|_| Stream::new(n, setup.packet, setup.timer)).collect();
        PublishedImTcp {
            packet: setup.packet,
            n,
            verdicts: streams.iter().map(|_| None).collect(),
            streams,
            departures: Departures::new(Bytes((n as u64 + 1) * setup.packet.0)),
            search: None,
            capacity: Capacity::default(),
            rtt: BaseRtt::default(),
            least_delay: None,
            available: None,
            points: Vec::with_capacity(n),
            valid: 0,
            invalid: Invalid::default(),
        }
    }

    /// The rates that may be tried.
    fn bounds(&self) -> Range {
        let low = (self.n as u64 * self.packet.0) as f64 / self.rtt.smoothed().secs().max(1e-9);
        let high = self.capacity.estimate().map_or(f64::INFINITY, |(k, _)| MOST * k.bytes_per_s());
        Range { low, high: high.max(low) }
    }

    /// The stream to send next: the fastest that has not left. Before the search begins there is only the train.
    fn next(&self) -> Option<usize> {
        let places = if self.search.is_some() { self.streams.len() } else { 1 };
        self.streams[..places].iter().rposition(|stream| stream.left() == 0)
    }

    /// Between the packet of the stream at `place` that leaves next and the one before it; zero at once.
    fn gap(&self, place: usize) -> Span {
        let j = self.streams[place].left();
        match &self.search {
            Some(search) if j < self.n => {
                Rate::from_bytes_per_s(search.range().part(place, self.streams.len()).rate(j, self.n)).time_for(self.packet)
            }
            _ => Span::ZERO,
        }
    }

    /// Begins a new measurement.
    fn clear(&mut self) {
        self.streams.iter_mut().for_each(Stream::clear);
        self.verdicts.fill(None);
        self.departures.pass();
    }

    /// All packets of the stream at `place` arrived.
    fn complete(&mut self, place: usize) -> Option<Reading> {
        self.valid += 1;
        let stream = &self.streams[place];
        let least = self.least_delay.map_or(stream.least_delay(), |least| least.min(stream.least_delay()));
        self.least_delay = Some(least);
        let available = self.available.unwrap_or_default().bytes_per_s();
        for pair in stream.pairs(least) {
            self.capacity.add(&pair, available);
        }
        if self.search.is_none() {
            self.search = Some(Search::new(Range::of_train(stream.arrival_rate()).within(&self.bounds())));
            self.clear();
            return None;
        }
        self.verdicts[place] = Some(verdict(stream.delay_differences()));
        if self.verdicts.iter().any(Option::is_none) {
            return None;
        }
        let result = self.conclude();
        self.clear();
        result
    }

    /// Every stream has its verdict.
    fn conclude(&mut self) -> Option<Reading> {
        let (capacity, capacity_error) = self.capacity.estimate()?;
        let bounds = self.bounds();
        let search = self.search.as_mut()?;
        let range = search.range();
        let found = match choose(self.verdicts.iter().map(|verdict| verdict.unwrap_or(Verdict::Unclear))) {
            Choice::Within(place) => {
                self.points.clear();
                self.points.extend(self.streams[place].rates());
                let part = range.part(place, self.streams.len());
                fit::parting(&self.points).unwrap_or(part.low.midpoint(part.high))
            }
            Choice::Below if range.low <= bounds.low => range.low,
            Choice::Above if range.high >= bounds.high => range.high,
            Choice::Below => {
                search.missed(Side::Below, &bounds);
                return None;
            }
            Choice::Above => {
                search.missed(Side::Above, &bounds);
                return None;
            }
        };
        let found = Rate::from_bytes_per_s(found);
        search.found(found, capacity * LEAST_WIDTH, &bounds);
        // The next range: where the recipe itself expects A.
        let available_error = Rate::from_bytes_per_s(search.range().width() / 2.0);
        let available = found.clamp(Rate::ZERO, capacity);
        self.available = Some(available);
        Some(Reading {
            bandwidth: Bandwidth { capacity, available },
            error: Bandwidth { capacity: capacity_error, available: available_error },
        })
    }
}

impl Measurement for PublishedImTcp {
    fn sent(&mut self, packet: &Sent) {
        self.departures.sent(packet.now, self.rtt.smoothed());
        let Some(place) = self.departures.leaving() else { return };
        let gap = self.gap(place);
        let stream = &mut self.streams[place];
        match stream.sent(packet, gap) {
            Ok(()) if !stream.is_sent() => {}
            Ok(()) => self.departures.pass(),
            Err(cause) => {
                self.invalid.count(cause);
                stream.clear();
                self.departures.pass();
            }
        }
    }

    fn acked(&mut self, ack: &Acked) -> Option<Reading> {
        self.rtt.acked(ack);
        let service = self.capacity.estimate().map_or(Span::ZERO, |(k, _)| k.time_for(self.packet));
        let mut result = None;
        for place in 0..self.streams.len() {
            if self.verdicts[place].is_some() {
                continue;
            }
            match self.streams[place].acked(ack, service) {
                Ok(false) => {}
                Ok(true) => result = self.complete(place),
                Err(cause) => {
                    self.invalid.count(cause);
                    self.streams[place].clear();
                    if self.departures.leaving() == Some(place) {
                        self.departures.pass();
                    }
                }
            }
        }
        let next = self.next();
        if ack.recovering {
            // Nothing is held back from recovery.
            if self.departures.leaving().is_none() {
                self.departures.pass();
            }
        } else if next.is_some() && self.rtt.tau().is_some() && self.departures.may_gather(ack.now, ack.in_flight) {
            self.departures.gather(ack.now, self.rtt.smoothed());
        } else {
            self.departures.acked(ack.now, ack.bytes, next);
        }
        result
    }

    fn report(&mut self, _report: &Report) -> Option<Reading> {
        None
    }

    fn departure(&self) -> Departure {
        let next = self.departures.leaving().and_then(|place| {
            let last = self.streams[place].last_sent()?;
            Some(last.saturating_add(self.gap(place)))
        });
        self.departures.next(next)
    }

    fn holds(&self) -> bool {
        true
    }

    fn forget(&mut self) {
        self.clear();
        self.search = None;
        self.capacity.clear();
        (self.least_delay, self.available) = (None, None);
    }

    fn unknown(&self) -> Unknown {
        Unknown::Measuring
    }

    fn wants_arrivals(&self) -> bool {
        true
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some(search) = &self.search {
            let mbps = |rate: f64| Rate::from_bytes_per_s(rate).mbps();
            plot("range_low_mbps", mbps(search.range().low));
            plot("range_high_mbps", mbps(search.range().high));
        }
        plot("streams", self.valid as f64);
        for (name, count) in [
            ("streams_missing", self.invalid.missing),
            ("streams_late", self.invalid.late),
            ("streams_early", self.invalid.early),
            ("streams_merged", self.invalid.merged),
            ("streams_size", self.invalid.size),
            ("gathered_in_vain", self.departures.in_vain()),
        ] {
            plot(name, count as f64);
        }
    }

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
