//! What a page must know of a plan and of the controllers before anything runs.

use serde::Serialize;
use serde_json::{Value, json};
use symbiosis_base::{Instant, Rate};
use symbiosis_control::registry;
use symbiosis_path::{QueueLimit, RateSpec, Steps};
use symbiosis_run::{FlowPlan, Plan, PlannedLink};

/// A plan's description as JSON.
pub(crate) fn of(plan: &Plan) -> String {
    json!({
        "name": plan.name,
        "duration_s": plan.duration.secs(),
        "seed": plan.seed,
        "every_s": plan.sample_every.map(|every| every.secs()),
        "flows": plan.flows.iter().map(|flow| self::flow(plan, flow)).collect::<Vec<_>>(),
        "links": plan.links.iter().map(link).collect::<Vec<_>>(),
        "cross": plan.cross.iter().map(|cross| json!({
            "route": cross.route,
            "mbps": steps(&cross.traffic.rate),
        })).collect::<Vec<_>>(),
    })
    .to_string()
}

fn flow(plan: &Plan, flow: &FlowPlan) -> Value {
    let route = flow.route.iter().chain(&flow.ack_route);
    let propagation: f64 = route.map(|link| plan.links[*link].spec.delay.millis()).sum();
    let stop = flow.stop.min(plan.end());
    json!({
        "id": flow.id,
        "cc": flow.cc.name,
        "start_s": flow.start.secs(),
        "stop_s": stop.secs(),
        "packet_bytes": flow.packet.0,
        "propagation_ms": propagation,
        "route": flow.route,
    })
}

fn link(planned: &PlannedLink) -> Value {
    let rate = match &planned.spec.rate {
        RateSpec::Constant(rate) => vec![(0.0, rate.mbps())],
        RateSpec::Steps(rates) => steps(rates),
        RateSpec::Trace(_) | RateSpec::Wifi(_) => vec![(0.0, planned.spec.rate.nominal(Instant::START).mbps())],
    };
    let (packets, bytes) = match planned.spec.queue {
        QueueLimit::Packets(packets) => (Some(packets), None),
        QueueLimit::Bytes(bytes) => (None, Some(bytes.0)),
        QueueLimit::Unlimited => (None, None),
    };
    json!({
        "name": planned.name,
        "listed": planned.listed,
        "delay_ms": planned.spec.delay.millis(),
        "mbps": rate,
        "queue_packets": packets,
        "queue_bytes": bytes,
    })
}

/// Times \[s\] and rates \[Mbit/s\].
fn steps(steps: &Steps) -> Vec<(f64, f64)> {
    steps.iter().map(|(from, rate): (Instant, Rate)| (from.secs(), rate.mbps())).collect()
}

/// A controller of the registry.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    about: &'static str,
}

/// All controllers, as JSON: an array of `name` and `about`.
pub fn controllers() -> String {
    let all: Vec<Listed> = registry::ALL.iter().map(|entry| Listed { name: entry.name, about: entry.about }).collect();
    serde_json::to_string(&all).expect("texts are JSON")
}

/// Words for the management of a queue, as JSON.
pub fn queues() -> String {
    serde_json::to_string(symbiosis_scenario::words("bottleneck.queue").unwrap_or_default()).expect("texts are JSON")
}
