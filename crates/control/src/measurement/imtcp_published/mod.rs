//! The published ImTCP (T §2.2.1, B §2.1; Man, Hasegawa, Murata: *ImTCP: TCP with an inline measurement mechanism for available bandwidth*,
//! Computer Communications 29, 2006), to stand beside ours; what they leave open is listed in docs/measurement.md.
//!
//! One measurement: a back-to-back train gives the first range to search for A (`range`). The range is cut into `k` sub-ranges, and for each
//! a stream of `n` packets leaves, whose rate rises packet by packet through the sub-range (`departures`, `stream`), from the fastest stream to the
//! slowest. Streams faster than A arrive with rising delays ([`trend`]); the verdicts choose the sub-range that holds A ([`choice`]), and the
//! stream that scanned it tells where in it A lies ([`fit`]). The next range is the confidence interval of what was found. Pairs, corrected
//! by A, tell K (`capacity`).
//!
//! Where the papers leave it open:
//! - A stream that is not valid is sent again before the measurement ends: a sub-range without a verdict would be guessed.
//! - The range ends at what a stream can scan within one round trip, `nM/srtt`, and at 1.5 K. A that is beyond such an end reads as the end.
//! - A chosen stream without two lines in it reads as the middle of its sub-range.
//! - One packet follows each stream at once, so that there is a pair to tell K also when all streams are slow.
//! - Which test finds the trend ([`Trend`]), and how many sub-ranges and packets there are.
//!
//! A host whose timer ticks can do only gaps of whole ticks, and two at least: with 50 µs it tells at most 120 Mbit/s (B §4.2.1), and what it can
//! tell is coarse (B §4.1.2: 120, 80, 60, 48, 40 …). Gaps are rounded to the tick, the search ends at `M/(2·tick)`, and what is told is the rate
//! at which the fastest level stream really left: within a stream there are no rates to fit lines to.

mod capacity;
pub mod choice;
mod departures;
pub mod fit;
mod range;
mod stream;
pub mod trend;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::rtt::BaseRtt;
use crate::{Acked, Bytes, Departure, Instant, PacketLost, Rate, Report, Sent, Setup, SignedSpan, Span, Unknown};

use capacity::Capacity;
use choice::{Choice, choose};
use departures::Departures;
use range::{Range, Search, Side};
use stream::{Invalid, Stream};
use trend::{Trend, Verdict};

/// Least width of a range, B_m, as a part of K.
const LEAST_WIDTH: f64 = 0.1;
/// A timer's shortest gap \[ticks\] (B §4.2.1: 120 Mbit/s with 50 µs).
const LEAST_TICKS: u64 = 2;
/// No rate above this multiple of K is tried: pairs may read K too low by a third.
const MOST: f64 = 1.5;

/// The measurement.
#[derive(Clone, Debug)]
pub struct PublishedImTcp {
    packet: Bytes,
    /// What the host's timer can do; zero for any time.
    tick: Span,
    /// Packets of a stream.
    n: usize,
    trend: Trend,
    /// One for each sub-range, from the lowest; the train takes the first one's place.
    streams: Vec<Stream>,
    verdicts: Vec<Option<Verdict>>,
    departures: Departures,
    /// None before the train.
    search: Option<Search>,
    capacity: Capacity,
    /// Whether K is given, and what was (I §4).
    given: Option<Option<Rate>>,
    rtt: BaseRtt,
    /// The least time from departure to arrival in a valid stream.
    least_delay: Option<SignedSpan>,
    available: Option<Rate>,
    /// The chosen stream's rates.
    points: Vec<(f64, f64)>,
    /// The stream's delays.
    delays: Vec<f64>,
    valid: u64,
    invalid: Invalid,
}

impl PublishedImTcp {
    /// For a new connection: `k` sub-ranges, streams of `n` packets, at least two and five.
    pub fn new(setup: &Setup, k: usize, n: usize, trend: Trend) -> PublishedImTcp {
        let n = n.max(5);
        let streams: Vec<_> = (0..k.max(2)).map(|_| Stream::new(n, setup.packet, setup.timer)).collect();
        PublishedImTcp {
            packet: setup.packet,
            tick: setup.timer,
            n,
            trend,
            verdicts: streams.iter().map(|_| None).collect(),
            streams,
            departures: Departures::new(Bytes((n as u64 + 1) * setup.packet.0)),
            search: None,
            capacity: Capacity::default(),
            given: None,
            rtt: BaseRtt::default(),
            least_delay: None,
            available: None,
            points: Vec::with_capacity(n),
            delays: Vec::with_capacity(n),
            valid: 0,
            invalid: Invalid::default(),
        }
    }

    /// The same with K given by whoever knows it, as in I §4: no pair is needed.
    pub fn with_capacity_given(self) -> PublishedImTcp {
        PublishedImTcp { given: Some(None), ..self }
    }

    /// K and half its interval, measured or given.
    fn capacity(&self) -> Option<(Rate, Rate)> {
        match self.given {
            None => self.capacity.estimate(),
            Some(given) => given.map(|k| (k, Rate::ZERO)),
        }
    }

    /// The rates that may be tried.
    fn bounds(&self) -> Range {
        let low = (self.n as u64 * self.packet.0) as f64 / self.rtt.smoothed().secs().max(1e-9);
        let high = self.capacity().map_or(f64::INFINITY, |(k, _)| MOST * k.bytes_per_s());
        let high = if self.tick == Span::ZERO { high } else { high.min(self.packet.as_f64() / (self.tick * LEAST_TICKS).secs()) };
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
                let rate = Rate::from_bytes_per_s(search.range().part(place, self.streams.len()).rate(j, self.n));
                self.ticks(rate.time_for(self.packet))
            }
            _ => Span::ZERO,
        }
    }

    /// The gap that the host's timer can do.
    fn ticks(&self, gap: Span) -> Span {
        match self.tick {
            Span::ZERO => gap,
            tick => tick * ((gap.0 + tick.0 / 2) / tick.0).max(LEAST_TICKS),
        }
    }

    /// The next instant at which the host's timer expires.
    fn tick_after(&self, at: Instant) -> Instant {
        match self.tick {
            Span::ZERO => at,
            tick => Instant(at.0.checked_next_multiple_of(tick.0).unwrap_or(u64::MAX)),
        }
    }

    /// The rate at which the fastest of these streams that are level really left; of all of them where none is clearly level.
    fn fastest_level(&self, streams: core::ops::Range<usize>) -> f64 {
        let rate = |place: usize| self.streams[place].departure_rate();
        let level = streams.clone().filter(|place| self.verdicts[*place] == Some(Verdict::Level)).map(rate).reduce(f64::max);
        level.or_else(|| streams.map(rate).reduce(f64::max)).unwrap_or_default()
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
        self.delays.clear();
        self.delays.extend(stream.delays());
        self.verdicts[place] = Some(self.trend.verdict(&self.delays));
        if self.verdicts.iter().any(Option::is_none) {
            return None;
        }
        let result = self.conclude();
        self.clear();
        result
    }

    /// Every stream has its verdict.
    fn conclude(&mut self) -> Option<Reading> {
        let (capacity, capacity_error) = self.capacity()?;
        let bounds = self.bounds();
        let range = self.search.as_ref()?.range();
        let choice = choose(self.verdicts.iter().map(|verdict| verdict.unwrap_or(Verdict::Unclear)));
        let told = match choice {
            _ if self.tick == Span::ZERO => None,
            Choice::Within(place) => Some(self.fastest_level(0..place)),
            Choice::Above => Some(self.fastest_level(0..self.streams.len())),
            Choice::Below => None,
        };
        let search = self.search.as_mut()?;
        let found = match choice {
            Choice::Within(_) if told.is_some() => told?,
            Choice::Within(place) => {
                self.points.clear();
                self.points.extend(self.streams[place].rates());
                let part = range.part(place, self.streams.len());
                fit::parting(&self.points).unwrap_or(part.low.midpoint(part.high))
            }
            Choice::Below if range.low <= bounds.low => range.low,
            Choice::Above if range.high >= bounds.high => told.unwrap_or(range.high),
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
            held_back: false,
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

    fn packet_lost(&mut self, _packet: &PacketLost) {}

    fn acked(&mut self, ack: &Acked) -> Option<Reading> {
        self.rtt.acked(ack);
        let service = self.capacity().map_or(Span::ZERO, |(k, _)| k.time_for(self.packet));
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

    fn report(&mut self, report: &Report) -> Option<Reading> {
        if let (Some(given), Report::Path { capacity, .. }) = (&mut self.given, report) {
            *given = Some(*capacity).filter(|k| *k > Rate::ZERO && k.bytes_per_s().is_finite());
        }
        None
    }

    fn departure(&self) -> Departure {
        let next = self.departures.leaving().and_then(|place| {
            let last = self.streams[place].last_sent()?;
            Some(last.saturating_add(self.gap(place)))
        });
        match self.departures.next(next) {
            // A stream begins at a tick, so that its first gap, too, is one of whole ticks.
            Departure::IgnoreWindow(at) if next.is_none() => Departure::IgnoreWindow(self.tick_after(at)),
            departure => departure,
        }
    }

    fn holds(&self) -> bool {
        true
    }

    fn is_held_back(&self) -> bool {
        false
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
