//! The same controllers over the same path in two worlds: TCP in the simulator, QUIC in virtual time.
//!
//! The transports differ in what the controllers do not see: QUIC gives a repeated byte a new packet number and acknowledges every packet
//! by itself, TCP's ACKs are cumulative with selective blocks. What a controller makes of a path should not.

mod common;

use common::{BOTTLENECK, Way};
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry;
use symbiosis_path::{Gaps, LinkSpec, QueueLimit, Sizes, Steps, TrafficSpec};
use symbiosis_quic::node::Settings;
use symbiosis_quic::noq_controllers;
use symbiosis_quic::transfer::{Pattern, Task};
use symbiosis_quic::virtual_time::Quic;
use symbiosis_run::{CrossPlan, FlowPlan, Hosts, Outcome, Plan, PlannedLink, Recovery, Runner};
use symbiosis_sim::Simulator;

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

fn seen(outcome: &Outcome) -> Seen {
    let link = &outcome.summary.links[0];
    Seen { utilization: link.utilization, queue_mean: link.queue_packets.mean, queue_p95: link.queue_packets.p95, drops: link.drops as f64 }
}

fn quic(cc: &str, seed: u64, others: f64, to_s: u64) -> Seen {
    let mut plan = plan(cc, seed, others, to_s);
    // QUIC's receivers tell of arrivals; over TCP a measurement is as good without, where nothing disturbs ACKs.
    plan.flows[0].receiver_times = true;
    let outcome = Quic.run(&plan).unwrap();
    let (ledger, flow) = (outcome.ledger, &outcome.summary.flows[0]);
    assert_eq!(ledger.sent, ledger.delivered + ledger.dropped + ledger.in_flight);
    let sent = flow.throughput_mbps / MBPS;
    let seen = seen(&outcome);
    assert!(others > 0.0 || (sent - seen.utilization).abs() < 0.003, "{cc}: {sent} of what the link sent, {seen:?}");
    // All but headers and what is sent twice is payload: 1416 of 1480 bytes, fewer where packets are lost.
    assert!((0.9..0.96).contains(&(flow.goodput_mbps / flow.throughput_mbps)), "{flow:?}");
    seen
}

fn tcp(cc: &str, seed: u64, others: f64, to_s: u64) -> Seen {
    let Ok(outcome) = Simulator.run(&plan(cc, seed, others, to_s));
    seen(&outcome)
}

fn plan(cc: &str, seed: u64, others: f64, to_s: u64) -> Plan {
    let delay = Span(RTT_MS * 500_000);
    let ideal = LinkSpec::ideal(Rate::from_mbps(MBPS), delay);
    let link = |name: &str, spec| PlannedLink { name: name.into(), listed: true, spec };
    let entry = registry::find(cc).or_else(|| noq_controllers::ALL.iter().find(|entry| entry.name == cc)).unwrap();
    let at_s = |s| Instant::from_millis(s * 1000);
    Plan {
        name: "agreement".into(),
        duration: Span::from_millis(to_s * 1000),
        seed,
        measure_from: at_s(FROM_S),
        measure_to: at_s(to_s),
        sample_every: None,
        links: vec![link("bottleneck", LinkSpec { queue: QueueLimit::Packets(QUEUE), ..ideal.clone() }), link("back", ideal)],
        flows: vec![FlowPlan {
            id: cc.into(),
            cc: entry,
            params: Values::resolve(entry.params, &[]).unwrap(),
            start: Instant::START,
            stop: Instant::NEVER,
            bytes: None,
            packet: PACKET,
            header: Bytes(64),
            ack: Bytes(64),
            initial_window: 10,
            recovery: Recovery::Sack,
            delayed_ack: false,
            ack_delay: Span::from_millis(25),
            min_rto: Span::from_millis(200),
            receiver_times: false,
            send_timer: Span::ZERO,
            coalesce: Span::ZERO,
            hosts: Hosts::default(),
            route: vec![0],
            ack_route: vec![1],
        }],
        cross: if others > 0.0 { vec![CrossPlan { traffic: udp(others), route: vec![0] }] } else { Vec::new() },
    }
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug)]
struct Mean(f64, f64);

impl Mean {
    fn of(values: &[f64]) -> Mean {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Mean(mean, (variance / n).sqrt())
    }

    /// Whether both can be the same but for chance (three standard errors) and for `apart`, which the transports explain.
    fn agrees(self, other: Mean, apart: f64) -> bool {
        (self.0 - other.0).abs() <= apart + 3.0 * self.1.hypot(other.1)
    }
}

fn agree(cc: &str, quic: &[Seen], tcp: &[Seen]) {
    let both = |value: fn(&Seen) -> f64| [quic, tcp].map(|seen| Mean::of(&seen.iter().map(value).collect::<Vec<_>>()));
    let check = |what: &str, [quic, tcp]: [Mean; 2], apart: f64| {
        println!("{cc:16} {what:12} QUIC {:.4} ± {:.4}, TCP {:.4} ± {:.4}", quic.0, quic.1, tcp.0, tcp.1);
        assert!(quic.agrees(tcp, apart), "{cc}: {what} {quic:?} with QUIC, {tcp:?} with TCP");
    };
    // A min-RTT probe gives half of the rate away for up to four round trips in 10 s; which of the two must probe hangs on who sees τ without.
    let probes = if cc.starts_with("symbiosis") { 0.5 * 4.0 * RTT_MS as f64 / 10_000.0 } else { 0.0 };
    check("utilization", both(|seen| seen.utilization), 0.002 + probes);
    // A packet of the window is a packet in the queue.
    check("queue mean", both(|seen| seen.queue_mean), 1.0);
    check("queue p95", both(|seen| seen.queue_p95), 2.0);
    // A cycle more or less fits between two instants, and what an overshoot costs depends on what is in flight at its packet.
    let drops = both(|seen| seen.drops);
    check("drops", drops, 2.0 + 0.1 * drops[1].0);
}

#[test]
fn loss_and_delay_based_controllers_agree() {
    for cc in ["reno", "newreno", "highspeed", "scalable", "cubic", "vegas", "fast"] {
        agree(cc, &[quic(cc, 1, 0.0, TO_S)], &[tcp(cc, 1, 0.0, TO_S)]);
    }
}

#[test]
fn noqs_controllers_do_the_same_under_tcp() {
    for entry in noq_controllers::ALL {
        // Forty cycles and more: where the last of a few is cut off moves the mean queue by a packet or two.
        agree(entry.name, &[quic(entry.name, 1, 0.0, 330)], &[tcp(entry.name, 1, 0.0, 330)]);
    }
}

#[test]
fn symbiosis_measures_the_same_and_does_the_same() {
    // Drains and trains come at random instants, and so do others.
    for (cc, others) in [("symbiosis", 0.0), ("symbiosis", 8.0), ("symbiosis-paper", 0.0)] {
        let seen = |world: fn(&str, u64, f64, u64) -> Seen| (1..=10).map(|seed| world(cc, seed, others, TO_S)).collect::<Vec<Seen>>();
        agree(cc, &seen(quic), &seen(tcp));
    }
}

#[test]
fn hcc_hears_the_same_of_its_receiver_and_does_the_same() {
    // In the simulator over XMTP, whose packets carry when they left; here that is told a packet later.
    for others in [0.0, 8.0] {
        let seen = |world: fn(&str, u64, f64, u64) -> Seen| (1..=10).map(|seed| world("hcc", seed, others, TO_S)).collect::<Vec<Seen>>();
        agree("hcc", &seen(quic), &seen(tcp));
    }
}

#[test]
fn hcc_tells_of_each_packet_also_where_several_may_leave_in_one_call() {
    let delivered = |together| {
        let settings = Settings { together, ..Settings::default() };
        let mut world = Way { settings, ..Way::new(MBPS, RTT_MS, QUEUE) }.one("hcc", Task::Drain { source: Box::new(Pattern(u64::MAX)) });
        world.run(Instant::from_millis(2000), |_| true);
        world.finish()[BOTTLENECK].0.bytes_sent
    };
    assert_eq!(delivered(16), delivered(1));
    assert!(delivered(1) > 0.8 * Rate::from_mbps(MBPS).times(Span::from_millis(2000)));
}
