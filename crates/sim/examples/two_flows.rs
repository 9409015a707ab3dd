//! A plan made by hand: CUBIC for twenty seconds on a link of 20 Mbit/s, and Reno, which joins after ten.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry;
use symbiosis_path::{LinkSpec, QueueLimit};
use symbiosis_run::{FlowPlan, Hosts, Plan, PlannedLink, Recovery};

fn flow(name: &str, start_s: f64) -> FlowPlan {
    let cc = registry::find(name).expect("it is in the registry");
    FlowPlan {
        id: name.into(),
        cc,
        params: Values::resolve(cc.params, &[]).expect("defaults are valid"),
        start: Instant::from_secs(start_s),
        stop: Instant::NEVER,
        bytes: None,
        packet: Bytes(1500),
        header: Bytes(40),
        ack: Bytes(40),
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
    }
}

fn main() {
    let link = |name: &str, queue| {
        let ideal = LinkSpec::ideal(Rate::from_mbps(20.0), Span::from_millis(20));
        PlannedLink { name: name.into(), listed: true, spec: LinkSpec { queue, ..ideal } }
    };
    let plan = Plan {
        name: "two flows".into(),
        duration: Span::from_secs(20.0),
        seed: 1,
        measure_from: Instant::from_secs(15.0),
        measure_to: Instant::from_secs(20.0),
        sample_every: None,
        links: vec![link("forth", QueueLimit::Packets(70)), link("back", QueueLimit::Unlimited)],
        flows: vec![flow("cubic", 0.0), flow("reno", 10.0)],
        cross: Vec::new(),
    };
    let outcome = symbiosis_sim::run(&plan);
    for flow in &outcome.summary.flows {
        println!("{}: {:.2} Mbit/s, {} packets lost", flow.id, flow.throughput_mbps, flow.packets_lost);
    }
    let sum: f64 = outcome.summary.flows.iter().map(|flow| flow.throughput_mbps).sum();
    assert!(sum > 19.0, "the link is full");
}
