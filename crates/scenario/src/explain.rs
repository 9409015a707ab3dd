//! Every effective value of a scenario: hidden defaults are what makes papers unrepeatable.

mod text;
mod words;

use serde::Serialize;
use serde_json::{Value, json};
use symbiosis_base::{Rate, Span};
use symbiosis_control::params;
use symbiosis_control::registry::Feedback;
use symbiosis_path::{CoDelSpec, Discipline, Gaps, OnOff, QueueLimit, RateSpec, Sizes, Steps};
use symbiosis_run::{CrossPlan, FlowPlan, LinkId, Plan, PlannedLink, Recovery};
use symbiosis_sim::{FIRST_RTO, MAX_RTO};

use super::scenario::Scenario;
use super::topology::greatest;

/// What [`Scenario::explain`] gives: [`Display`](std::fmt::Display) for people, [`Serialize`] for programs.
#[derive(Debug, Serialize)]
pub struct Explanation {
    scenario: String,
    duration_s: f64,
    seed: u64,
    measure_s: [f64; 2],
    trace_every_ms: Option<f64>,
    links: Vec<Link>,
    flows: Vec<Flow>,
    cross: Vec<Cross>,
}

#[derive(Debug, Serialize)]
struct Link {
    name: String,
    rate_mbps: Value,
    delay_ms: f64,
    queue_packets: Option<u64>,
    queue_bytes: Option<u64>,
    queue_rule: String,
    queue: Value,
    loss: f64,
    jitter_ms: f64,
    impair: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Flow {
    id: String,
    cc: &'static str,
    cc_about: &'static str,
    transport: &'static str,
    params: Vec<Param>,
    start_s: f64,
    stop_s: f64,
    bytes: Option<u64>,
    packet_bytes: u64,
    header_bytes: u64,
    ack_bytes: u64,
    initial_window_packets: u64,
    recovery: &'static str,
    delayed_ack: bool,
    ack_delay_ms: f64,
    min_rto_ms: f64,
    max_rto_ms: f64,
    first_rto_ms: f64,
    receiver_times: bool,
    send_timer_us: f64,
    coalesce_us: f64,
    hosts: Vec<String>,
    ack_impair: Vec<String>,
    base_rtt_ms: f64,
    route: Vec<Hop>,
    ack_route: Vec<Hop>,
}

#[derive(Debug, Serialize)]
struct Param {
    name: &'static str,
    value: Value,
    about: &'static str,
}

/// A link on a way: one that results list by its name, or one of the flow's own.
#[derive(Debug, Serialize)]
struct Hop {
    link: Option<String>,
    rate_mbps: f64,
    delay_ms: f64,
}

#[derive(Debug, Serialize)]
struct Cross {
    kind: &'static str,
    packet_bytes: Value,
    mean_packet_bytes: f64,
    gaps: Value,
    rate_mbps: Value,
    route: Vec<String>,
}

impl Scenario {
    /// Every effective value.
    pub fn explain(&self) -> Explanation {
        let plan = &self.plan;
        let listed = plan.links.iter().filter(|link| link.listed);
        Explanation {
            scenario: plan.name.clone(),
            duration_s: plan.duration.secs(),
            seed: plan.seed,
            measure_s: [plan.measure_from.secs(), plan.measure_to.secs()],
            trace_every_ms: plan.sample_every.map(Span::millis),
            links: listed.zip(&self.queue_rules).map(|(link, rule)| self::link(link, rule)).collect(),
            flows: plan.flows.iter().map(|flow| self::flow(plan, flow)).collect(),
            cross: plan.cross.iter().map(|cross| self::cross(plan, cross)).collect(),
        }
    }
}

fn link(link: &PlannedLink, rule: &str) -> Link {
    let (packets, bytes) = match link.spec.queue {
        QueueLimit::Unlimited => (None, None),
        QueueLimit::Packets(packets) => (Some(packets), None),
        QueueLimit::Bytes(bytes) => (None, Some(bytes.0)),
    };
    Link {
        name: link.name.clone(),
        rate_mbps: match &link.spec.rate {
            RateSpec::Constant(rate) => json!(mbps(*rate)),
            RateSpec::Steps(steps) => self::steps(steps),
            RateSpec::Trace(trace) => json!({ "trace_mean": mbps(trace.mean()) }),
            RateSpec::Wifi(wifi) => {
                let (phy, access) = (mbps(wifi.phy), wifi.access.millis() * 1e3);
                json!({ "wifi_mean": mbps(wifi.mean()), "phy_mbps": phy, "access_us": access, "aggregate_bytes": wifi.aggregate.0 })
            }
        },
        delay_ms: link.spec.delay.millis(),
        queue_packets: packets,
        queue_bytes: bytes,
        queue_rule: rule.into(),
        queue: discipline(&link.spec.discipline),
        loss: link.spec.loss,
        jitter_ms: link.spec.jitter.millis(),
        impair: link.spec.impair.iter().map(words::impairment).collect(),
    }
}

fn discipline(discipline: &Discipline) -> Value {
    let codel = |spec: &CoDelSpec| json!({ "target_ms": spec.target.millis(), "interval_ms": spec.interval.millis() });
    match discipline {
        Discipline::DropTail => json!("drop-tail"),
        Discipline::CoDel(spec) => json!({ "codel": codel(spec) }),
        Discipline::FqCoDel(spec) => {
            json!({ "fq-codel": { "flows": spec.flows, "quantum_bytes": spec.quantum.0, "codel": codel(&spec.codel) } })
        }
        other => json!({ "other": words::discipline(other) }),
    }
}

fn flow(plan: &Plan, flow: &FlowPlan) -> Flow {
    let xmtp = matches!(flow.cc.feedback, Feedback::Reports(_));
    let propagation = flow.route.iter().chain(&flow.ack_route).fold(Span::ZERO, |sum, id| sum + plan.links[*id].spec.delay);
    let own = flow.ack_route.iter().map(|id| &plan.links[*id]).filter(|link| !link.listed);
    let about = |name| flow.cc.params.iter().find(|param| param.name == name).map_or("", |param| param.about);
    let value = |value: &params::Value| match value {
        params::Value::Number(n) => json!(n),
        params::Value::Word(word) => json!(word),
        params::Value::Flag(flag) => json!(flag),
    };
    Flow {
        id: flow.id.clone(),
        cc: flow.cc.name,
        cc_about: flow.cc.about,
        transport: if xmtp { "xmtp" } else { "tcp" },
        params: flow.params.iter().map(|(name, given)| Param { name, value: value(given), about: about(name) }).collect(),
        start_s: flow.start.secs(),
        stop_s: flow.stop.secs(),
        bytes: flow.bytes.map(|bytes| bytes.0),
        packet_bytes: flow.packet.0,
        header_bytes: flow.header.0,
        ack_bytes: flow.ack.0,
        initial_window_packets: flow.initial_window,
        recovery: match flow.recovery {
            _ if xmtp => "reports",
            Recovery::Reno => "reno",
            Recovery::NewReno => "newreno",
            Recovery::Sack => "sack",
            Recovery::Rack => "rack",
            Recovery::RateHalving => "rate-halving",
        },
        delayed_ack: flow.delayed_ack && !xmtp,
        ack_delay_ms: flow.ack_delay.millis(),
        min_rto_ms: flow.min_rto.millis(),
        max_rto_ms: MAX_RTO.millis(),
        first_rto_ms: FIRST_RTO.millis(),
        receiver_times: flow.receiver_times,
        send_timer_us: flow.send_timer.millis() * 1e3,
        coalesce_us: flow.coalesce.millis() * 1e3,
        hosts: words::hosts(plan, &flow.hosts),
        ack_impair: own.flat_map(|link| &link.spec.impair).map(words::impairment).collect(),
        base_rtt_ms: propagation.millis(),
        route: way(plan, &flow.route),
        ack_route: way(plan, &flow.ack_route),
    }
}

fn way(plan: &Plan, route: &[LinkId]) -> Vec<Hop> {
    let hop = |link: &PlannedLink| Hop {
        link: link.listed.then(|| link.name.clone()),
        rate_mbps: mbps(greatest(&link.spec.rate)),
        delay_ms: link.spec.delay.millis(),
    };
    route.iter().map(|id| hop(&plan.links[*id])).collect()
}

fn cross(plan: &Plan, cross: &CrossPlan) -> Cross {
    Cross {
        kind: "udp",
        packet_bytes: match cross.traffic.sizes {
            Sizes::Fixed(size) => json!(size.0),
            Sizes::Internet => json!("internet"),
        },
        mean_packet_bytes: cross.traffic.sizes.mean(),
        gaps: match cross.traffic.gaps {
            Gaps::Constant => json!("constant"),
            Gaps::Exponential => json!("exponential"),
            Gaps::ParetoOnOff(OnOff { on, off, shape }) => {
                json!({ "pareto-on-off": { "on_s": on.secs(), "off_s": off.secs(), "shape": shape } })
            }
        },
        rate_mbps: steps(&cross.traffic.rate),
        route: cross.route.iter().map(|id| plan.links[*id].name.clone()).collect(),
    }
}

fn steps(steps: &Steps) -> Value {
    steps.iter().map(|(at, rate)| json!([at.secs(), mbps(rate)])).collect()
}

/// To the last digit that a person gave: the way to bytes per second and back leaves dust.
fn mbps(rate: Rate) -> f64 {
    (rate.mbps() * 1e9).round() / 1e9
}
