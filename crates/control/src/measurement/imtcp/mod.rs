//! Inline measurement of capacity K and available bandwidth A with the data packets themselves.
//!
//! The idea is ImTCP's (S §II-B, T §2.2.1): no probe packets; data leaves at chosen times and the ACKs tell how it arrived. How A is
//! found is not: the published streams and trends read A too high at every load, because five to twenty packets with skewed noise look
//! as if nothing were in their way. Here every gap between neighbours that met the same busy period counts, by the identity that a busy
//! link obeys (`cross_traffic`), and packets are moved only when too few do (`streams`).
//!
//! Small files: `gaps` makes gaps of ACKs, `capacity` K and `cross_traffic` A of gaps, `trains` and `streams` decide departures.

mod capacity;
mod clock;
mod cost;
mod cross_traffic;
mod gaps;
mod streams;
mod trains;

use alloc::boxed::Box;

use super::{Measurement, Reading};
use crate::lotka_volterra::Bandwidth;
use crate::rtt::Smoothed;
use crate::{Acked, Bytes, Departure, Instant, PacketLost, Rate, Report, Sent, Setup, Span, Unknown};

pub use capacity::WIDEST_INTERVAL;
use capacity::{Capacity, LITTLE};
use clock::Clock;
use cost::Cost;
use cross_traffic::CrossTraffic;
use gaps::{Gap, Gaps, Links};
use streams::Streams;
pub use trains::LONG_BURST;
use trains::{Spacing, Trains};

/// Results come this often in a smoothed round-trip time.
const RESULTS: f64 = 4.0;
/// Gaps of one busy period must cover this part of the time that is remembered, or a stream is sent; and without a narrow interval there is no result.
const LEAST_COVERED: f64 = 0.1;
/// Whether they do of late is seen over this part of a smoothed round-trip time.
const OF_LATE: f64 = 0.25;
/// An interval of A wider than this part of K to either side lengthens the memory, from one smoothed round-trip time to at most so many.
const DOUBT: f64 = 0.05;
const MOST_MEMORY: f64 = 4.0;
/// And not less than this \[s\]: what Poisson traffic sends in less time tells little of its rate.
const LEAST_MEMORY: f64 = 0.1;
/// The first result may be as doubtful as this: a small window never covers much, and to know little is better than nothing.
const FIRST_DOUBT: f64 = 0.25;
/// What covers less is a result all the same if it differs from the last by so many halves of its confidence interval: A has jumped.
const JUMP: f64 = 2.0;
/// By fewer gaps an interval is not to be trusted: more often than not nothing came in between.
const FEWEST_GAPS: f64 = 10.0;
/// Packets that left back to back follow one another on the narrowest link too. If so many in a row seem not to, what is known of the links is wrong.
const MOST_APART: u32 = 10;
/// Arrivals that were merged for so long are the network card's ways, and not a host's that paused: what was measured before holds no more.
const MERGED_FOR: Span = Span::from_millis(1000);
/// Where arrivals are merged K is believed for so long without a pair that confirms it, as the least round-trip time is for so long without another: the path
/// may be another by then.
const CONFIRMED_FOR: Span = Span::from_millis(10_000);
/// Least part of a smoothed round-trip time between two streams.
const STREAM_SPACING: f64 = 1.0 / 3.0;

/// The measurement.
#[derive(Clone, Debug)]
pub struct ImTcp {
    packet: Bytes,
    /// Distances shorter than this the host cannot keep.
    timer: Span,
    clock: Clock,
    gaps: Gaps,
    capacity: Capacity,
    cross_traffic: CrossTraffic,
    trains: Trains,
    streams: Streams,
    /// After the first result streams leave only where too few packets are in flight for a train.
    for_window: bool,
    /// Time covered by gaps of one busy period of late, faded \[s\].
    covered: f64,
    /// In seconds.
    smoothed: Smoothed,
    last_ack: Option<Instant>,
    /// Arrivals are merged since then.
    merged: Option<Instant>,
    last_result: Option<Instant>,
    /// When a pair told K last, and how many arrivals had been merged by then.
    confirmed: (Instant, u64),
    /// K and half the width of its interval.
    known_capacity: Option<(Rate, Rate)>,
    /// It is told by packets that were held back, and may be more by so much.
    spread: Option<Rate>,
    /// K, its interval, and a packet's time on the shared link, as they were before arrivals were held back.
    settled: Option<((Rate, Rate), Span)>,
    /// How long the link that competitors share, and the access link before it, take for a packet.
    tight: Option<Span>,
    access: Span,
    /// The last result that was sure, and how many were not.
    result: Option<Reading>,
    unsure: u64,
    /// Packets that left back to back and seem not to have followed one another, in a row.
    apart: u32,
    /// What it has cost.
    cost: Cost,
}

impl ImTcp {
    /// For a new connection whose window goes by the measurement. Its own packets fill the link, and tell A; a stream is of use to it until the first result, which
    /// says where slow start ends, and where too few packets are in flight for a train. Elsewhere streams are packets too many, as in the windows of a crowd.
    pub fn for_window(setup: &Setup) -> ImTcp {
        ImTcp { for_window: true, ..ImTcp::new(setup) }
    }

    /// For a new connection, whatever it sends.
    pub fn new(setup: &Setup) -> ImTcp {
        ImTcp {
            packet: setup.packet,
            timer: setup.timer,
            clock: Clock::new(setup.clock),
            gaps: Gaps::default(),
            capacity: Capacity::default(),
            cross_traffic: CrossTraffic::default(),
            trains: Trains::new(setup.seed),
            streams: Streams::default(),
            for_window: false,
            covered: 0.0,
            smoothed: Smoothed::default(),
            last_ack: None,
            merged: None,
            last_result: None,
            confirmed: (Instant::START, 0),
            known_capacity: None,
            spread: None,
            settled: None,
            tight: None,
            access: Span::ZERO,
            result: None,
            unsure: 0,
            apart: 0,
            cost: Cost::default(),
        }
    }

    /// Nothing is known of K and A.
    fn start_anew(&mut self) {
        (self.cross_traffic, self.capacity) = (CrossTraffic::default(), Capacity::default());
        (self.last_result, self.known_capacity, self.result) = (None, None, None);
        (self.settled, self.tight, self.access, self.apart) = (None, None, Span::ZERO, 0);
        self.cost.forget();
        self.clock.forget();
    }

    /// The part of K that competitors use, as far as is known.
    fn others(&self) -> f64 {
        self.result.map_or(0.0, |result| 1.0 - result.bandwidth.free())
    }

    /// Whether a stream may go out where the flow's own packets meet too little of a busy link: so few in flight have no trains either.
    fn may_stream(&self, flight: Bytes) -> bool {
        let few = flight.0 < trains::FLIGHT * self.packet.0;
        let wanted = !self.for_window || self.result.is_none() || few;
        wanted && self.keeps_distances() && !self.rests()
    }

    /// Whether the host can keep the distances of packets on the shared link: each that it cannot keep costs a tick of its timer.
    fn keeps_distances(&self) -> bool {
        self.cost.allows_distances() && self.tight.is_some_and(|tight| tight > self.timer)
    }

    /// What is known has to do until losses have been made up for; as long as nothing is known it costs what it must.
    fn rests(&self) -> bool {
        self.result.is_some() && !self.cost.allows_bursts()
    }

    /// Arrivals are merged so that pairs tell little of K, or nothing.
    fn wants_long_bursts(&self) -> bool {
        self.capacity.is_held_back() || self.gaps.hides_arrivals()
    }

    fn is_too_fast(&self) -> bool {
        self.tight.is_some_and(|tight| self.clock.is_too_fast(tight.scale(self.gaps.burst())))
    }

    /// How far apart two packets arrived, and none between them.
    fn answer(&mut self, gap: &Gap) {
        // Where packets are held back only those that left together at any phase of what holds them back are a sample: what an ACK sets free leaves at one.
        let sample = || Spacing::is_back_to_back(gap, self.trains.may_be_long(self.packet));
        if self.clock.is_close(gap.sent, self.tight) && (!self.capacity.is_held_back() || sample()) {
            if self.tight.is_none() {
                self.clock.first(gap.sent);
            }
            self.confirmed = (self.last_ack.unwrap_or_default(), self.gaps.merged());
            self.capacity.close(gap, self.packet.as_f64(), self.result.map(|result| result.bandwidth.available));
            self.know();
        }
    }

    fn gap(&mut self, gap: &Gap) {
        let close = self.clock.is_close(gap.sent, self.tight);
        if !gap.same_busy_period {
            self.apart += u32::from(close);
            if self.apart >= MOST_APART {
                self.start_anew();
            }
            return;
        }
        self.apart = 0;
        self.cross_traffic.add(gap);
        self.covered += gap.entered;
        if let (Spacing::ServiceTime, Some(result)) = (Spacing::of_gap(gap), self.result.filter(|_| !close && self.others() > LITTLE)) {
            self.capacity.wide(gap, self.packet.as_f64(), (result.bandwidth.available, result.error.available));
            self.know();
        }
    }

    /// K has been measured.
    fn know(&mut self) {
        let packet = self.packet.as_f64();
        let (known, tight) = (self.capacity.estimate(packet), self.capacity.of_tight().map(Span::from_secs));
        let doubted = self.capacity.is_held_back();
        if !doubted && self.capacity.is_settled() {
            self.settled = known.zip(tight);
        }
        // In doubt it is what it was: a host that began to hold packets up contradicts the pairs before, and the link need not be another.
        let before = self.settled.filter(|_| doubted && known.is_none());
        self.spread = (doubted && known.is_some()).then(|| self.capacity.spread(packet));
        self.known_capacity = known.or(before.map(|(known, _)| known));
        self.tight = before.map(|(_, tight)| tight).or(tight);
        self.access = Span::from_secs(self.result.map_or(0.0, |result| self.capacity.access(packet, result.bandwidth.available)));
    }
}

impl Measurement for ImTcp {
    fn sent(&mut self, packet: &Sent) {
        let late = match self.departure() {
            Departure::IgnoreWindow(at) => packet.now - at.max(packet.ready_at),
            _ => Span::ZERO,
        };
        if let Some(after) = self.trains.pair(packet, self.departure()) {
            self.clock.left(after);
        }
        self.streams.sent(packet);
        self.trains.sent(packet, self.tight, self.others());
        self.gaps.sent(packet, self.trains.next());
        // What is later than a stream's head fills meets nothing of what left before it, and tells nothing.
        let most = self.tight.map_or(Span::MAX, |tight| tight * u64::from(streams::HEAD));
        self.cost.sent(packet.now, self.trains.next(), Some(late).filter(|late| *late > most));
        if !self.cost.allows_distances() {
            self.streams.end();
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        // In a queue that is longer than a stream makes it by itself it is not the stream that overflows the buffer.
        let short = self.tight.is_none_or(|tight| self.gaps.queued() <= tight * u64::from(streams::SHORTEST));
        if short && (self.streams.sent_of_late(packet.number) || Spacing::is_of_train(packet.number, self.wants_long_bursts())) {
            self.cost.lost(packet.number);
        }
    }

    fn acked(&mut self, ack: &Acked) -> Option<Reading> {
        if let Some(rtt) = ack.rtt {
            self.smoothed.sample(rtt.secs());
        }
        let since = ack.now - self.last_ack.unwrap_or(ack.now);
        self.last_ack = Some(ack.now);
        if since > Span::ZERO {
            let memory = self.smoothed.get().max(LEAST_MEMORY);
            let longer = self.result.map_or(MOST_MEMORY, |result| result.error.available / (result.bandwidth.capacity * DOUBT));
            // What has been no result for so long needs as much of the past.
            let waits = self.last_result.map_or(0.0, |last| (ack.now - last).secs() / memory);
            self.cross_traffic.fade(since.secs(), longer.max(waits).clamp(1.0, MOST_MEMORY) * memory);
            self.covered *= libm::exp(-since.secs() / (OF_LATE * self.smoothed.get()));
        }
        let links = Links { packet: self.packet, access: self.access, service: self.tight.unwrap_or(Span::ZERO) };
        let [answer, gap] = self.gaps.acked(ack, &links);
        self.merged = self.gaps.is_merged().then(|| self.merged.unwrap_or(ack.now));
        if !self.holds() && self.merged.is_some() && self.known_capacity.is_some() {
            // What was measured so far is the network card's work too.
            self.start_anew();
        }
        if let Some(answer) = answer.filter(|_| self.merged.is_none()) {
            self.answer(&answer);
        }
        self.gap(&gap?);
        let (capacity, capacity_error) = self.known_capacity.filter(|_| self.holds())?;
        if self.may_stream(ack.in_flight) && self.covered < LEAST_COVERED * OF_LATE * self.smoothed.get() {
            let known = Bandwidth { capacity, available: self.result.map_or(capacity, |result| result.bandwidth.available) };
            let spacing = Span::from_secs(STREAM_SPACING * self.smoothed.get());
            self.streams.begin(ack.now, spacing, &known, self.packet, ack.in_flight.packets(self.packet));
        }
        // Before the estimate, which costs more.
        if self.last_result.is_some_and(|last| (ack.now - last).secs() < self.smoothed.get() / RESULTS) {
            return None;
        }
        let tight = Rate::of(self.packet, self.tight?);
        let (available, available_error) = self.cross_traffic.available(tight, capacity_error, self.packet.as_f64())?;
        let available = available.clamp(Rate::ZERO, capacity);
        let jumped = |result: Reading| available.abs_diff(result.bandwidth.available) > available_error * JUMP;
        let news = self.cross_traffic.gaps() >= FEWEST_GAPS && self.result.is_some_and(jumped);
        let doubt = if self.result.is_some() { DOUBT } else { FIRST_DOUBT };
        let sure = self.cross_traffic.gaps() >= FEWEST_GAPS && available_error <= capacity * doubt;
        if self.cross_traffic.covered() < LEAST_COVERED * self.smoothed.get() && !news && !sure {
            return None;
        }
        self.last_result = Some(ack.now);
        self.streams.told();
        if news {
            // What was before the jump no longer counts.
            self.cross_traffic = CrossTraffic::default();
        }
        let reading = Reading {
            bandwidth: Bandwidth { capacity, available },
            error: Bandwidth { capacity: capacity_error + self.spread.unwrap_or(Rate::ZERO), available: available_error },
            held_back: self.spread.is_some(),
        };
        if reading.is_sure() {
            self.result = Some(reading);
        } else {
            self.unsure += 1;
            self.cross_traffic = CrossTraffic::default();
        }
        Some(reading)
    }

    fn report(&mut self, _report: &Report) -> Option<Reading> {
        None
    }

    fn departure(&self) -> Departure {
        let service = self.tight.filter(|_| self.keeps_distances());
        match self.streams.departure() {
            Departure::Now if self.rests() => Departure::Now,
            Departure::Now => self.trains.departure(self.packet, service, self.wants_long_bursts(), || self.gaps.queued()),
            wanted => wanted,
        }
    }

    /// Not where arrivals are a network card's, or are merged and nothing else has come for long, nor where the link is too fast for the host.
    fn holds(&self) -> bool {
        let merged_for = self.last_ack.unwrap_or_default() - self.merged.or(self.last_ack).unwrap_or_default();
        let in_doubt = self.known_capacity.is_none() && self.capacity.is_held_back();
        let (confirmed, merged) = self.confirmed;
        let unconfirmed = self.last_ack.unwrap_or_default() - confirmed > CONFIRMED_FOR && self.gaps.merged() - merged > FEWEST_GAPS as u64;
        merged_for < MERGED_FOR && !unconfirmed && !in_doubt && !self.is_too_fast()
    }

    fn unknown(&self) -> Unknown {
        let unused = self.gaps.unused();
        let others = unused.apart + unused.repeated + unused.disordered + unused.delayed;
        if self.merged.is_some() || (self.gaps.merged() > FEWEST_GAPS as u64 && self.gaps.merged() > others) {
            Unknown::Merged
        } else if self.is_too_fast() {
            Unknown::Timer
        } else if unused.disordered > FEWEST_GAPS as u64 && unused.disordered > unused.apart + unused.repeated + unused.merged {
            Unknown::Disordered
        } else if self.known_capacity.is_none() {
            if self.capacity.is_held_back() { Unknown::Uncertain } else { Unknown::Trains }
        } else {
            Unknown::Measuring
        }
    }

    fn forget(&mut self) {
        self.gaps.forget();
        self.confirmed.1 = 0;
        self.start_anew();
    }

    fn is_held_back(&self) -> bool {
        self.capacity.is_held_back()
    }

    fn wants_arrivals(&self) -> bool {
        true
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        let unused = self.gaps.unused();
        plot("unused_apart", unused.apart as f64);
        plot("unused_repeated", unused.repeated as f64);
        plot("unused_merged", unused.merged as f64);
        plot("unsure", self.unsure as f64);
        plot("unused_disordered", unused.disordered as f64);
        plot("unused_delayed", unused.delayed as f64);
    }

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
