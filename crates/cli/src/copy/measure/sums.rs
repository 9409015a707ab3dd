//! What was seen of a path, put together.

use std::time::{SystemTime, UNIX_EPOCH};

use symbiosis_quic::exchange::Moved;
use symbiosis_quic::node::View;

use super::load::IDLE;
use crate::copy::handshake::Measured;

/// A look is taken so often \[s\]: as often as a ping leaves.
pub const EVERY_S: f64 = 0.1;

/// What was seen at one moment.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Since the stream began \[s\].
    pub at: f64,
    /// By the calendar \[ns\].
    pub wall: u64,
    /// Bytes of the stream that this end sent and the other acknowledged, and that it received.
    pub forth: u64,
    pub back: u64,
    /// The latest round-trip time \[ms\]; none where no new one was measured.
    pub rtt_ms: Option<f64>,
    pub rtts: u64,
    pub lost: u64,
    pub here: Measured,
}

impl Sample {
    pub fn new(at: f64, moved: &Moved, view: &View) -> Sample {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let (rtts, rtt) = view.latest_rtt;
        let rtt_ms = (rtts > 0).then(|| rtt.millis());
        let here = Measured::of(view);
        Sample { at, wall, forth: moved.acknowledged, back: moved.read, rtt_ms, rtts, lost: view.lost, here }
    }
}

/// One stream.
#[derive(Debug, Default)]
pub struct Stream {
    pub samples: Vec<Sample>,
    pub over: bool,
    /// What the other end measured of what it sent.
    pub other: Option<Measured>,
}

/// From when to when a sum is \[s after the load began\].
#[derive(Clone, Copy, Debug)]
pub struct Between(pub f64, pub f64);

impl Between {
    /// On a stream's own time.
    fn on_stream(self) -> (f64, f64) {
        (IDLE.as_secs_f64() + self.0, IDLE.as_secs_f64() + self.1)
    }
}

/// What moved in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    pub seconds: f64,
    pub forth: f64,
    pub back: f64,
    pub lost: f64,
}

impl Sum {
    pub fn mbps(bytes: f64, seconds: f64) -> f64 {
        if seconds > 0.0 { bytes * 8e-6 / seconds } else { 0.0 }
    }
}

impl Stream {
    /// Whether everything before then was seen.
    pub fn reaches(&self, at: f64) -> bool {
        let (_, end) = Between(0.0, at).on_stream();
        self.over || self.samples.last().is_some_and(|last| last.at >= end)
    }

    /// A counter at some time, between two looks as if it rose evenly.
    fn count(&self, at: f64, of: impl Fn(&Sample) -> u64) -> f64 {
        let after = self.samples.partition_point(|sample| sample.at < at);
        let value = |index: usize| self.samples.get(index).map(|sample| (sample.at, of(sample) as f64));
        match (after.checked_sub(1).and_then(value), value(after)) {
            (Some((t0, v0)), Some((t1, v1))) if t1 > t0 => v0 + (v1 - v0) * (at - t0) / (t1 - t0),
            (_, Some((_, v))) | (Some((_, v)), None) => v,
            (None, None) => 0.0,
        }
    }

    fn sum(&self, between: Between) -> Sum {
        let (from, to) = between.on_stream();
        let of = |of: fn(&Sample) -> u64| self.count(to, of) - self.count(from, of);
        Sum { seconds: between.1 - between.0, forth: of(|s| s.forth), back: of(|s| s.back), lost: of(|s| s.lost) }
    }

    /// Round-trip times that were measured in some time \[ms\].
    fn rtts(&self, between: Between) -> impl Iterator<Item = f64> {
        let (from, to) = between.on_stream();
        self.fresh().filter(move |(sample, _)| sample.at >= from && sample.at < to).map(|(_, rtt)| rtt)
    }

    /// Looks at which a new round-trip time was there.
    pub fn fresh(&self) -> impl Iterator<Item = (&Sample, f64)> {
        let before = std::iter::once(0).chain(self.samples.iter().map(|sample| sample.rtts));
        self.samples
            .iter()
            .zip(before)
            .filter(|(sample, before)| sample.rtts > *before)
            .filter_map(|(sample, _)| Some((sample, sample.rtt_ms?)))
    }
}

/// All streams together.
pub fn sum(streams: &[Stream], between: Between) -> Sum {
    streams.iter().map(|stream| stream.sum(between)).fold(Sum { seconds: between.1 - between.0, ..Sum::default() }, |all, one| Sum {
        seconds: all.seconds,
        forth: all.forth + one.forth,
        back: all.back + one.back,
        lost: all.lost + one.lost,
    })
}

/// Quantiles of what was measured.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Spread {
    pub min: f64,
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
    pub max: f64,
}

impl Spread {
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Spread> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |part: f64| values.get(((values.len() as f64 * part) as usize).min(values.len().saturating_sub(1))).copied();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Spread { min: at(0.0)?, mean, median: at(0.5)?, p95: at(0.95)?, max: at(1.0)? })
    }
}

/// Round-trip times of all streams in some time \[ms\].
pub fn rtts(streams: &[Stream], between: Between) -> Option<Spread> {
    Spread::of(streams.iter().flat_map(|stream| stream.rtts(between)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(rates: &[u64]) -> Stream {
        let mut forth = 0;
        let samples = rates.iter().enumerate().map(|(index, rate)| {
            forth += rate;
            let rtt_ms = Some(10.0 + index as f64);
            Sample { at: index as f64, wall: 0, forth, back: 2 * forth, rtt_ms, rtts: index as u64 / 2, lost: 0, here: Measured::default() }
        });
        Stream { samples: samples.collect(), over: false, other: None }
    }

    #[test]
    fn sums_are_of_the_load_alone() {
        let streams = [stream(&[0, 5, 100, 100, 100]), stream(&[0, 5, 300, 100, 0])];
        let all = sum(&streams, Between(0.0, 2.0));
        assert_eq!((all.forth, all.back, all.seconds), (600.0, 1200.0, 2.0));
        assert_eq!(sum(&streams, Between(0.5, 1.0)).forth, 200.0, "half of what came in the second");
        assert!(streams[0].reaches(3.0) && !streams[0].reaches(3.1));
    }

    #[test]
    fn a_round_trip_counts_once() {
        let one = stream(&[0; 6]);
        assert_eq!(one.fresh().map(|(_, rtt)| rtt).collect::<Vec<_>>(), [12.0, 14.0]);
        let spread = rtts(&[one], Between(0.0, 9.0)).unwrap();
        assert_eq!((spread.min, spread.median, spread.max), (12.0, 14.0, 14.0));
        assert_eq!(Spread::of(std::iter::empty()), None);
    }
}
