//! From what was seen of a run to its numbers, and from those of several runs to one row.

use serde::Serialize;
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_quic::node::View;
use symbiosis_quic::socket::settings_for;

use super::scene::{Scene, payload};

/// The client at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub at: Instant,
    rtt: Span,
    lost: u64,
    /// What the controller takes K and A for.
    capacity: Option<f64>,
    available: Option<f64>,
}

impl Sample {
    pub fn of(at: Instant, view: &View) -> Sample {
        let gauge = |wanted| view.gauges.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
        Sample { at, rtt: view.rtt, lost: view.lost, capacity: gauge("K_mbps"), available: gauge("A_mbps") }
    }
}

/// What was seen of a run, since the connection's begin.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub samples: Vec<Sample>,
    /// Bytes that the server had.
    pub drained: Vec<(Instant, u64)>,
    /// How long a packet would have waited before the emulated link.
    pub waits: Vec<(Instant, Span)>,
}

/// What a run took of the machine.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cost {
    /// Part of the relay's datagrams, or without one of the client's departures, that were more than 200 µs late.
    pub late: f64,
    /// Processor time for each packet sent, of either end \[µs\].
    pub sender_us: f64,
    pub receiver_us: f64,
}

/// How far a measurement is from the truth, in percent of the link's capacity: mean, and standard deviation around it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Error {
    pub bias_percent: f64,
    pub deviation_percent: f64,
}

/// The numbers of one run, of the time after start-up.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Numbers {
    pub goodput_mbps: f64,
    /// Of what others leave of the link, headers taken off.
    pub of_free_percent: Option<f64>,
    pub rtt_mean_ms: f64,
    pub wait_p95_ms: Option<f64>,
    /// The same as part of a full buffer's wait.
    pub wait_p95_percent: Option<f64>,
    /// Packets that the sender gave up as lost.
    pub lost: f64,
    pub available: Option<Error>,
    pub capacity: Option<Error>,
    pub cost: Option<Cost>,
}

impl Numbers {
    /// Of a run; none if nothing was seen at its end.
    pub fn new(scene: &Scene, seen: &Seen, cost: Option<Cost>) -> Option<Numbers> {
        let within = |at: Instant| (scene.from..=scene.to).contains(&at);
        let samples: Vec<&Sample> = seen.samples.iter().filter(|sample| within(sample.at)).collect();
        let drained: Vec<&(Instant, u64)> = seen.drained.iter().filter(|(at, _)| within(*at)).collect();
        let ((begin, first), (end, last)) = (drained.first()?, drained.last()?);
        let goodput = Rate::of(Bytes(last - first), *end - *begin);
        let mut waits: Vec<f64> = seen.waits.iter().filter(|(at, _)| within(*at)).map(|(_, wait)| wait.millis()).collect();
        waits.sort_by(f64::total_cmp);
        let wait_p95_ms = waits.get(waits.len() * 95 / 100).copied();
        let emulated = scene.emulated;
        let error = |truth: Rate, value: fn(&Sample) -> Option<f64>| {
            let k = emulated?.capacity.mbps();
            let values: Vec<f64> =
                samples.iter().filter_map(|sample| value(sample)).map(|value| (value - truth.mbps()) / k * 100.0).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
            (n > 0.0).then(|| Error { bias_percent: mean, deviation_percent: square.sqrt() })
        };
        let of_free = |free: Rate| 100.0 * goodput.mbps() / (free.mbps() * payload(&settings_for(([127, 0, 0, 1], 0).into())));
        Some(Numbers {
            goodput_mbps: goodput.mbps(),
            of_free_percent: emulated.map(|emulated| of_free(emulated.free())),
            rtt_mean_ms: samples.iter().map(|sample| sample.rtt.millis()).sum::<f64>() / samples.len().max(1) as f64,
            wait_p95_ms,
            // A buffer of one BDP takes an RTT to be sent.
            wait_p95_percent: emulated.and_then(|emulated| Some(100.0 * wait_p95_ms? / emulated.rtt.millis())),
            lost: (samples.last()?.lost - samples.first()?.lost) as f64,
            available: emulated.and_then(|emulated| error(emulated.free(), |sample| sample.available)),
            capacity: emulated.and_then(|emulated| error(emulated.capacity, |sample| sample.capacity)),
            cost,
        })
    }

    /// Each number's median over runs. There must be one at least.
    pub fn median(runs: &[Numbers]) -> Numbers {
        let of = |value: &dyn Fn(&Numbers) -> f64| median(runs.iter().map(value).collect());
        let may = |value: &dyn Fn(&Numbers) -> Option<f64>| {
            let values: Vec<f64> = runs.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| median(values))
        };
        let error = |value: fn(&Numbers) -> Option<Error>| {
            Some(Error {
                bias_percent: may(&|run| Some(value(run)?.bias_percent))?,
                deviation_percent: may(&|run| Some(value(run)?.deviation_percent))?,
            })
        };
        let cost = || {
            Some(Cost {
                late: may(&|run| Some(run.cost?.late))?,
                sender_us: may(&|run| Some(run.cost?.sender_us))?,
                receiver_us: may(&|run| Some(run.cost?.receiver_us))?,
            })
        };
        Numbers {
            goodput_mbps: of(&|run| run.goodput_mbps),
            of_free_percent: may(&|run| run.of_free_percent),
            rtt_mean_ms: of(&|run| run.rtt_mean_ms),
            wait_p95_ms: may(&|run| run.wait_p95_ms),
            wait_p95_percent: may(&|run| run.wait_p95_percent),
            lost: of(&|run| run.lost),
            available: error(|run| run.available),
            capacity: error(|run| run.capacity),
            cost: cost(),
        }
    }
}

/// The middle one; of an even number the upper of two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::scene::Emulated;

    #[test]
    fn numbers_are_of_the_time_after_start_up() {
        let (capacity, others, rtt) = (Rate::from_mbps(100.0), Rate::from_mbps(20.0), Span::from_millis(40));
        let scene = Scene::new(Some(Emulated { rtt, capacity, others }), 2, 1);
        assert_eq!((scene.from, scene.to), (Instant::from_millis(3000), Instant::from_millis(5000)));
        let mut seen = Seen::default();
        for ms in 0..=600 {
            let at = Instant::from_millis(10 * ms);
            // Everything was otherwise before 3 s and is after 5 s.
            let counts = (300..=500).contains(&ms);
            let moved = at.clamp(scene.from, scene.to) - scene.from;
            seen.drained.push((at, (8e6 * moved.secs()) as u64));
            seen.waits.push((at, Span::from_millis(if counts { 2 } else { 30 })));
            let a = if counts { 79.0 + 2.0 * (ms % 2) as f64 } else { 50.0 };
            seen.samples.push(Sample { at, rtt, lost: if ms < 250 { 0 } else { 7 }, capacity: Some(99.0), available: Some(a) });
        }
        let numbers = Numbers::new(&scene, &seen, None).unwrap();
        assert!((numbers.goodput_mbps - 64.0).abs() < 1e-9);
        // 64 of 80·1416/1480.
        assert!((numbers.of_free_percent.unwrap() - 83.616).abs() < 1e-3, "{numbers:?}");
        assert_eq!((numbers.wait_p95_percent, numbers.lost), (Some(5.0), 0.0));
        let (available, capacity) = (numbers.available.unwrap(), numbers.capacity.unwrap());
        assert!(available.bias_percent.abs() < 0.01 && (available.deviation_percent - 1.0).abs() < 0.01, "{available:?}");
        assert!((capacity.bias_percent + 1.0).abs() < 1e-9 && capacity.deviation_percent < 1e-6, "{capacity:?}");
        let others = [numbers, Numbers { goodput_mbps: 1.0, ..numbers }, Numbers { goodput_mbps: 70.0, available: None, ..numbers }];
        assert_eq!(Numbers::median(&others).goodput_mbps, numbers.goodput_mbps);
    }
}
