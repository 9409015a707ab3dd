//! What the receiver's word on arrivals is worth to a measurement: in virtual time, where the truth is known.

mod common;

use common::{BOTTLENECK, Way};
use symbiosis_base::{Instant, Random, Rate, Span};
use symbiosis_control::params::Value;
use symbiosis_path::{Gaps, Sizes, Steps, Traffic, TrafficSpec};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::node::Settings;
use symbiosis_quic::transfer::{Nothing, Pattern, Task};
use symbiosis_quic::virtual_time::Event;

const MBPS: f64 = 20.0;
/// What others leave.
const FREE: f64 = 10.0;
/// From when on, until when, and how often readings are taken.
const FROM_S: u64 = 10;
const TO_S: u64 = 30;
const EVERY: Span = Span::from_millis(50);

/// What a flow read that sends as much as is free and ignores what it reads.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// Root mean squares of the errors of A and K, as parts of K; 1 for an instant at which nothing was known.
    a: f64,
    k: f64,
    /// Packets of the way back over those of the way there, and a mean one's size on the wire \[bytes\].
    back: f64,
    back_bytes: f64,
}

fn reads(receiver_times: bool, ack_jitter: Span, seed: u64) -> Read {
    let settings = Settings { receiver_times, ..Settings::default() };
    let way = Way { seed, ack_jitter, settings, ..Way::new(MBPS, 40, 200) };
    let params = [("rate_mbps".to_string(), Value::Number(FREE)), ("window_packets".to_string(), Value::Number(200.0))];
    let task = Task::Drain { source: Box::new(Pattern(u64::MAX)) };
    let (mut world, ids) = way.world(|| Box::new(Nothing), vec![(Choice::find("probe", &params).unwrap(), vec![task])]);
    let udp = TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate: Steps::constant(Rate::from_mbps(MBPS - FREE)) };
    world.cross(Traffic::new(udp, Random::new(seed, 200)), vec![BOTTLENECK]);
    world.log = Some(Vec::new());
    let (mut a, mut k, mut count) = (0.0, 0.0, 0.0);
    let mut at = Instant::from_millis(1000 * FROM_S);
    while at <= Instant::from_millis(1000 * TO_S) {
        world.run(at, |_| true);
        let view = world.node(1).view(ids[0]).unwrap();
        let error = |name: &str, truth: f64| {
            let gauge = view.gauges.iter().find(|(known, _)| *known == name);
            gauge.map_or(1.0, |(_, value)| (value - truth) / MBPS).powi(2)
        };
        a += error("A_mbps", FREE);
        k += error("K_mbps", MBPS);
        count += 1.0;
        at += EVERY;
    }
    let log = world.log.unwrap();
    let sent = |node| {
        let all = log.iter().filter(|passed| passed.from == node && passed.event == Event::Departed);
        (all.clone().count() as f64, all.map(|passed| passed.bytes.as_f64()).sum::<f64>())
    };
    let ((back, bytes), (there, _)) = (sent(0), sent(1));
    Read { a: (a / count).sqrt(), k: (k / count).sqrt(), back: back / there, back_bytes: bytes / back }
}

fn mean(receiver_times: bool, ack_jitter: Span) -> Read {
    let runs: Vec<Read> = (1..=10).map(|seed| reads(receiver_times, ack_jitter, seed)).collect();
    let over = |value: fn(&Read) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
    let read =
        Read { a: over(|read| read.a), k: over(|read| read.k), back: over(|read| read.back), back_bytes: over(|read| read.back_bytes) };
    println!("receiver's times: {receiver_times:5}, ACKs' jitter {:.1} ms: {read:.4?}", ack_jitter.millis());
    read
}

#[test]
fn jitter_of_acks_does_not_disturb_who_hears_of_arrivals() {
    let jitter = Span::from_millis(1);
    let [[told_calm, untold_calm], [told, untold]] = [Span::ZERO, jitter].map(|jitter| [true, false].map(|times| mean(times, jitter)));
    let same = |one: f64, other: f64| assert!((one - other).abs() < 0.003 + 0.1 * other, "{one} and {other} should differ by chance only");
    // A quiet way back: the ACKs say the same. A restless one: whoever hears of arrivals does not notice.
    for (one, other) in [(told_calm, untold_calm), (told, told_calm)] {
        same(one.a, other.a);
        same(one.k, other.k);
    }
    // Close pairs arrive apart by the jitter of their ACKs, more than a service time: bursts that were held back tell K, and not as well. A is a mean over many gaps, of which jitter takes
    // nothing away.
    assert!(untold.k > 5.0 * told.k && untold.k < 0.1, "{untold:?} {told:?}");
    assert!((untold.a - told.a).abs() < 0.01, "{untold:?} {told:?}");
    // What is said rides on ACKs.
    assert!((told_calm.back - untold_calm.back).abs() < 0.001, "{told_calm:?} {untold_calm:?}");
    assert!(told_calm.back_bytes < 1.3 * untold_calm.back_bytes, "{told_calm:?} {untold_calm:?}");
}
