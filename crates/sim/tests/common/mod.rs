//! Plans for tests and benches: a dumbbell in a few words.
#![allow(dead_code)]

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::{Value, Values};

use symbiosis_control::registry::{self, Entry};
use symbiosis_path::{Gaps, LinkSpec, QueueLimit, Sizes, Steps, TrafficSpec};
use symbiosis_run::{CrossPlan, FlowPlan, Hosts, LinkId, Plan, PlannedLink, Recovery};

/// A bottleneck of `mbps` and `delay_ms` one way with room for `queue` packets; flows are added with [`Dumbbell::flow`].
pub struct Dumbbell {
    pub plan: Plan,
}

impl Dumbbell {
    pub fn new(mbps: f64, delay_ms: u64, queue: u64, duration_s: u64) -> Dumbbell {
        let duration = Span::from_millis(duration_s * 1000);
        let spec = LinkSpec { queue: QueueLimit::Packets(queue), ..LinkSpec::ideal(Rate::from_mbps(mbps), Span::from_millis(delay_ms)) };
        let bottleneck = PlannedLink { name: "bottleneck".into(), listed: true, spec };
        Dumbbell {
            plan: Plan {
                name: "test".into(),
                duration,
                seed: 1,
                measure_from: Instant::START,
                measure_to: Instant::after(duration),
                sample_every: None,
                links: vec![bottleneck],
                flows: Vec::new(),
                cross: Vec::new(),
            },
        }
    }

    fn access(&mut self, mbps: f64, delay_ms: u64) -> LinkId {
        let spec = LinkSpec::ideal(Rate::from_mbps(mbps), Span::from_millis(delay_ms));
        self.plan.links.push(PlannedLink { name: "access".into(), listed: false, spec });
        self.plan.links.len() - 1
    }

    /// Adds a flow from 0 to the end over access links of twice the bottleneck's rate and 5 ms; returns it for changes.
    pub fn flow(&mut self, cc: &str, recovery: Recovery) -> &mut FlowPlan {
        let symbiosis_path::RateSpec::Constant(rate) = self.plan.links[0].spec.rate.clone() else { unreachable!() };
        let mbps = rate.mbps();
        let delay = self.plan.links[0].spec.delay.0 / 1_000_000;
        let route = vec![self.access(2.0 * mbps, 5), 0, self.access(2.0 * mbps, 5)];
        let ack_route = vec![self.access(2.0 * mbps, 5), self.access(mbps, delay), self.access(2.0 * mbps, 5)];
        let entry = registry::find(cc).expect("a controller of the registry");
        self.plan.flows.push(FlowPlan {
            id: format!("{cc}-{}", self.plan.flows.len()),
            cc: entry,
            params: told(entry, &[]),
            start: Instant::START,
            stop: Instant::NEVER,
            bytes: None,
            packet: Bytes(1040),
            header: Bytes(40),
            ack: Bytes(40),
            initial_window: 2,
            recovery,
            delayed_ack: false,
            ack_delay: Span::from_millis(40),
            min_rto: Span::from_millis(200),
            receiver_times: false,
            send_timer: Span::ZERO,
            coalesce: Span::ZERO,
            hosts: Hosts::default(),
            route,
            ack_route,
        });
        self.plan.flows.last_mut().unwrap()
    }

    /// Adds UDP of `(second, Mbit/s from then on)` across the bottleneck.
    pub fn udp(&mut self, sizes: Sizes, gaps: Gaps, rate: &[(u64, f64)]) {
        let rate: Vec<_> = rate.iter().map(|(s, mbps)| (Instant::from_millis(s * 1000), Rate::from_mbps(*mbps))).collect();
        let traffic = TrafficSpec { sizes, gaps, rate: Steps::new(&rate) };
        self.plan.cross.push(CrossPlan { traffic, route: vec![0] });
    }

    /// What the bottleneck is.
    pub fn bottleneck(&mut self) -> &mut LinkSpec {
        &mut self.plan.links[0].spec
    }

    /// Statistics from `s` seconds on.
    pub fn measure_from(mut self, s: u64) -> Plan {
        self.plan.measure_from = Instant::from_millis(s * 1000);
        self.plan
    }
}

/// Sets a parameter of a flow's controller.
pub fn set(flow: &mut FlowPlan, name: &str, value: Value) {
    flow.params = told(flow.cc, &[(name.to_string(), value)]);
}

/// Parameters of a controller that is told K and A by the oracle, if it has use for them, unless `given` says otherwise.
pub fn told(entry: &'static Entry, given: &[(String, Value)]) -> Values {
    let measures = entry.params.iter().any(|param| param.name == "measurement") && !given.iter().any(|(name, _)| name == "measurement");
    let oracle = measures.then(|| ("measurement".to_string(), Value::Word("oracle".into())));
    Values::resolve(entry.params, &given.iter().cloned().chain(oracle).collect::<Vec<_>>()).unwrap()
}
