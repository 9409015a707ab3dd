//! A scenario that is read is simulated, as far as that is cheap, and the account of its packets is in order.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use symbiosis_base::{Instant, Span};
use symbiosis_path::{RateSpec, Sizes};
use symbiosis_run::Plan;
use symbiosis_scenario::Scenario;

/// No run takes longer than this, and no run has more packets: a few milliseconds of processor time.
const LONGEST: Span = Span::from_millis(2_000);
const MOST_PACKETS: f64 = 5_000.0;
const MOST_PARTIES: usize = 12;

/// Packets that a plan moves at the most.
fn packets(plan: &Plan) -> f64 {
    let end = plan.end();
    let least = plan.flows.iter().map(|flow| flow.packet.as_f64().min(flow.ack.as_f64()).max(1.0)).fold(1500.0, f64::min);
    let links: f64 = plan.links.iter().map(|link| link.spec.rate.volume(Instant::START, end) / least).sum();
    let cross = |sizes: Sizes| sizes.mean().max(1.0);
    let others: f64 = plan.cross.iter().map(|one| one.traffic.rate.volume(Instant::START, end) / cross(one.traffic.sizes)).sum();
    let windows: f64 = plan.flows.iter().map(|flow| flow.initial_window as f64).sum();
    let samples = plan.sample_every.map_or(0.0, |every| plan.duration.secs() / every.secs().max(1e-9));
    links + others + windows + samples
}

fuzz_target!(|text: &str| -> Corpus {
    let Ok(scenario) = Scenario::parse(text, "fuzz.toml", None, &[]) else { return Corpus::Keep };
    let mut plan = scenario.plan;
    plan.duration = plan.duration.min(LONGEST);
    (plan.measure_from, plan.measure_to) = (plan.measure_from.min(plan.end()), plan.measure_to.min(plan.end()));
    // A link without an end to its rate is bounded by the windows behind it, which are not bounded.
    let endless = plan.links.iter().any(|link| matches!(link.spec.rate, RateSpec::Constant(rate) if !rate.bytes_per_s().is_finite()));
    if endless || plan.links.len() + plan.flows.len() + plan.cross.len() > MOST_PARTIES || packets(&plan) > MOST_PACKETS {
        return Corpus::Reject;
    }
    let summary = symbiosis_sim::run(&plan).summary;
    for flow in &summary.flows {
        assert!(flow.throughput_mbps >= 0.0 && flow.throughput_mbps.is_finite(), "{}: {} Mbit/s", flow.id, flow.throughput_mbps);
    }
    for link in &summary.links {
        assert!((0.0..=1.0 + 1e-6).contains(&link.utilization), "{}: {}", link.name, link.utilization);
    }
    Corpus::Keep
});
