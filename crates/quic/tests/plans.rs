//! Whole plans over QUIC in virtual time.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::{Value, Values};
use symbiosis_control::registry;
use symbiosis_path::{CoDelSpec, Discipline, Gaps, LinkSpec, QueueLimit, Sizes, Steps, TrafficSpec};
use symbiosis_quic::virtual_time::Quic;
use symbiosis_run::{CrossPlan, FlowPlan, Hosts, Outcome, Plan, PlannedLink, Recovery, Runner};

const MBPS: f64 = 10.0;

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn flow(cc: &str, given: &[(String, Value)]) -> FlowPlan {
    let entry = registry::find(cc).unwrap();
    FlowPlan {
        id: cc.into(),
        cc: entry,
        params: Values::resolve(entry.params, given).unwrap(),
        start: Instant::START,
        stop: Instant::NEVER,
        bytes: None,
        packet: Bytes(1500),
        header: Bytes(64),
        ack: Bytes(64),
        initial_window: 10,
        recovery: Recovery::Sack,
        delayed_ack: false,
        ack_delay: ms(25),
        min_rto: ms(200),
        receiver_times: false,
        send_timer: Span::ZERO,
        coalesce: Span::ZERO,
        hosts: Hosts::default(),
        route: vec![0],
        ack_route: vec![1],
    }
}

/// A bottleneck of 10 Mbit/s with room for 40 packets, 20 ms there and back.
fn plan(flows: Vec<FlowPlan>) -> Plan {
    let ideal = LinkSpec::ideal(Rate::from_mbps(MBPS), ms(10));
    let there = LinkSpec { queue: QueueLimit::Packets(40), ..ideal.clone() };
    let link = |name: &str, spec| PlannedLink { name: name.into(), listed: true, spec };
    Plan {
        name: "plan".into(),
        duration: ms(4000),
        seed: 1,
        measure_from: Instant::START,
        measure_to: Instant::from_millis(4000),
        sample_every: Some(ms(100)),
        links: vec![link("there", there), link("back", ideal)],
        flows,
        cross: Vec::new(),
    }
}

fn run(plan: &Plan) -> Outcome {
    let outcome = Quic.run(plan).unwrap();
    let ledger = outcome.ledger;
    assert_eq!(ledger.sent, ledger.delivered + ledger.dropped + ledger.in_flight, "{ledger:?}");
    outcome
}

#[test]
fn a_flow_starts_completes_and_stops_when_the_plan_says() {
    let short = FlowPlan { start: Instant::from_millis(500), bytes: Some(Bytes(500_000)), ..flow("reno", &[]) };
    let stopped = FlowPlan { stop: Instant::from_millis(2000), ..flow("cubic", &[]) };
    let outcome = run(&plan(vec![short, stopped]));
    let [short, stopped] = &outcome.summary.flows[..] else { panic!("two flows") };
    // 0.4 s at the whole rate; it shares, and shakes hands first.
    assert!((0.44..1.6).contains(&short.completion_s.unwrap()), "{short:?}");
    assert!((short.goodput_mbps - 4.0 / 3.5).abs() < 1e-9, "500 kB in the 3.5 s that it is there: {short:?}");
    assert!(short.loss_events > 0 && short.loss_events < short.packets_lost, "several are lost in a round trip: {short:?}");
    assert_eq!((short.cc.as_str(), stopped.completion_s), ("reno", None));
    let rtt = short.rtt_ms.as_ref().unwrap();
    assert!(rtt.min >= 20.0 && rtt.max < 20.0 + 41.0 * 1.2 + 3.0, "a queue of 40 packets: {rtt:?}");
    let bytes = |flow: usize, at: usize| outcome.flow_traces[flow][at].delivered_bytes;
    assert_eq!((outcome.flow_traces[0].len(), bytes(0, 5)), (41, 0));
    assert!(bytes(0, 7) > 0, "after the handshake");
    assert!(bytes(1, 19) > 1_000_000 && bytes(1, 21) - bytes(1, 20) < 60_000 && bytes(1, 40) == bytes(1, 22), "it closed at 2 s");
    assert!(outcome.flow_traces[1][10].cwnd_packets > 10.0);
    let link = &outcome.summary.links[0];
    assert!(link.utilization > 0.45 && link.queue_packets.max <= 40.0, "{link:?}");
}

#[test]
fn the_same_plan_is_the_same_outcome_with_others_and_a_managed_queue() {
    let rate = Steps::constant(Rate::from_mbps(2.0));
    let others = TrafficSpec { sizes: Sizes::Fixed(Bytes(500)), gaps: Gaps::Exponential, rate };
    let mut plan = plan(vec![flow("symbiosis", &[]), flow("newreno", &[])]);
    plan.cross = vec![CrossPlan { traffic: others, route: vec![0] }];
    plan.links[0].spec.discipline = Discipline::CoDel(CoDelSpec::default());
    plan.duration = ms(2000);
    let first = run(&plan);
    assert_eq!(run(&plan).summary, first.summary);
    assert_ne!(run(&Plan { seed: 2, ..plan }).summary.packets_delivered, first.summary.packets_delivered);
    assert!(first.summary.flows.iter().all(|flow| flow.throughput_mbps > 0.5), "{:?}", first.summary.flows);
}

#[test]
fn what_quic_cannot_do_is_said() {
    let oracle = [("measurement".to_string(), Value::Word("oracle".into()))];
    let usual = flow("reno", &[]);
    for (flow, what) in [
        (flow("symbiosis", &oracle), "flow `symbiosis`: `measurement` is oracle"),
        (FlowPlan { send_timer: ms(1), ..usual.clone() }, "flow `reno`: `send_timer_us` is not emulated"),
        (FlowPlan { coalesce: ms(1), ..usual.clone() }, "flow `reno`: `coalesce_us` is not emulated"),
        (FlowPlan { packet: Bytes(1000), ..usual }, "flow `reno`: a packet of 1000 bytes"),
    ] {
        let error = Quic.run(&plan(vec![flow])).unwrap_err().to_string();
        assert!(error.starts_with(what), "{error}");
    }
}
