//! The same controllers over the same path in two worlds: TCP in the simulator, QUIC in virtual time.
//!
//! The transports differ in what the controllers do not see: QUIC gives a repeated byte a new packet number and acknowledges every packet
//! by itself, TCP's ACKs are cumulative with selective blocks. What a controller makes of a path should not.

mod common;

use common::{BOTTLENECK, Way};
use symbiosis_base::{Bytes, Nanos, Random, Rate};
use symbiosis_control::params::{Value, Values};
use symbiosis_control::registry;
use symbiosis_path::{Gaps, LinkSpec, QueueLimit, Sizes, Steps, Traffic, TrafficSpec};
use symbiosis_quic::transfer::{Pattern, Task};
use symbiosis_sim::{CrossPlan, FlowPlan, Plan, PlannedLink, Recovery};

const MBPS: f64 = 20.0;
const RTT_MS: u64 = 40;
/// 1.5 times what the path holds.
const QUEUE: u64 = 100;
const FROM_S: u64 = 10;
const TO_S: u64 = 50;
/// A full packet of [`symbiosis_quic::node::Settings`] on the wire.
const PACKET: Bytes = Bytes(1480);

/// What a world made of it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Sent by the bottleneck over what it could send.
    utilization: f64,
    queue_mean: f64,
    queue_p95: f64,
    drops: f64,
}

/// Others that do not yield, in the sizes of the Internet.
fn udp(mbps: f64) -> TrafficSpec {
    TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate: Steps::constant(Rate::from_mbps(mbps)) }
}

fn quic(cc: &str, seed: u64, others: f64) -> Seen {
    let measure = (Nanos::from_millis(FROM_S * 1000), Nanos::from_millis(TO_S * 1000));
    let way = Way { seed, measure, ..Way::new(MBPS, RTT_MS, QUEUE) };
    let mut world = way.one(cc, Task::Drain { source: Box::new(Pattern(u64::MAX)) });
    if others > 0.0 {
        world.cross(Traffic::new(udp(others), Random::new(seed, 200)), BOTTLENECK);
    }
    world.run(Nanos::from_millis(TO_S * 1000), |_| true);
    let link = world.finish()[BOTTLENECK].clone();
    Seen {
        utilization: link.bytes_sent / Rate::from_mbps(MBPS).times(Nanos::from_millis((TO_S - FROM_S) * 1000)),
        queue_mean: link.queue_mean,
        queue_p95: link.queue_p95 as f64,
        drops: link.queue_drops as f64,
    }
}

fn tcp(cc: &str, seed: u64, others: f64) -> Seen {
    let delay = Nanos(RTT_MS * 500_000);
    let ideal = LinkSpec::ideal(Rate::from_mbps(MBPS), delay);
    let link = |name: &str, spec| PlannedLink { name: name.into(), listed: true, spec };
    let entry = registry::find(cc).unwrap();
    let measured = entry.params.iter().any(|param| param.name == "measurement");
    let given: Vec<_> = measured.then(|| ("measurement".to_string(), Value::Word("imtcp".into()))).into_iter().collect();
    let ms = |s| Nanos::from_millis(s * 1000);
    let plan = Plan {
        name: "agreement".into(),
        duration: ms(TO_S),
        seed,
        measure_from: ms(FROM_S),
        measure_to: ms(TO_S),
        sample_every: None,
        links: vec![link("bottleneck", LinkSpec { queue: QueueLimit::Packets(QUEUE), ..ideal.clone() }), link("back", ideal)],
        flows: vec![FlowPlan {
            id: cc.into(),
            cc: entry,
            params: Values::resolve(entry.params, &given).unwrap(),
            start: Nanos::ZERO,
            stop: Nanos::MAX,
            bytes: None,
            packet: PACKET,
            header: Bytes(64),
            ack: Bytes(64),
            initial_window: 10,
            recovery: Recovery::Sack,
            delayed_ack: false,
            ack_delay: Nanos::from_millis(25),
            min_rto: Nanos::from_millis(200),
            receiver_times: false,
            send_timer: Nanos::ZERO,
            coalesce: Nanos::ZERO,
            route: vec![0],
            ack_route: vec![1],
        }],
        cross: if others > 0.0 { vec![CrossPlan { traffic: udp(others), route: vec![0] }] } else { Vec::new() },
    };
    let outcome = symbiosis_sim::run(&plan);
    let link = &outcome.summary.links[0];
    Seen {
        utilization: link.utilization,
        queue_mean: link.queue_packets.mean,
        queue_p95: link.queue_packets.p95 as f64,
        drops: link.drops as f64,
    }
}

fn agree(cc: &str, quic: Seen, tcp: Seen) {
    println!("{cc:16} QUIC {quic:?}\n{:16} TCP  {tcp:?}", "");
    let differ = |a: f64, b: f64| (a - b).abs();
    assert!(differ(quic.utilization, tcp.utilization) < 0.002, "{cc}: {quic:?}, {tcp:?}");
    // A packet of the window is a packet in the queue.
    assert!(differ(quic.queue_mean, tcp.queue_mean) < 1.0, "{cc}: {quic:?}, {tcp:?}");
    assert!(differ(quic.queue_p95, tcp.queue_p95) <= 2.0, "{cc}: {quic:?}, {tcp:?}");
    // A cycle more or less fits between two instants, and what an overshoot costs depends on what is in flight at its packet.
    assert!(differ(quic.drops, tcp.drops) <= 2.0 + 0.1 * tcp.drops, "{cc}: {quic:?}, {tcp:?}");
}

#[test]
fn loss_and_delay_based_controllers_agree() {
    for cc in ["reno", "newreno", "highspeed", "scalable", "cubic", "vegas", "fast"] {
        agree(cc, quic(cc, 1, 0.0), tcp(cc, 1, 0.0));
    }
}

#[test]
fn symbiosis_measures_the_same_and_does_the_same() {
    // As the papers have it nothing is random on a path without others.
    for cc in ["symbiosis-paper", "symbiosis-early"] {
        agree(cc, quic(cc, 1, 0.0), tcp(cc, 1, 0.0));
    }
    // Drains come at random instants, and so do others: means of ten seeds.
    for others in [0.0, 8.0] {
        let mean = |world: fn(&str, u64, f64) -> Seen| {
            let seen: Vec<Seen> = (1..=10).map(|seed| world("symbiosis", seed, others)).collect();
            let of = |value: fn(&Seen) -> f64| seen.iter().map(value).sum::<f64>() / seen.len() as f64;
            Seen {
                utilization: of(|seen| seen.utilization),
                queue_mean: of(|seen| seen.queue_mean),
                queue_p95: of(|seen| seen.queue_p95),
                drops: of(|seen| seen.drops),
            }
        };
        agree("symbiosis", mean(quic), mean(tcp));
    }
}
