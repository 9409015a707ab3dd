//! What no run may break: every packet is accounted for, no link sends more than it can, no ACK outruns light. And what recovery owes.

#[path = "../common/mod.rs"]
mod common;
mod plans;
mod queueing;
mod recovery;

use proptest::prelude::*;
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_path::{QueueLimit, RateSpec, Trace};
use symbiosis_run::{FlowPlan, FlowSummary, LinkId, LinkSummary, Outcome, Plan, PlannedLink};
use symbiosis_sim::run;

/// The least time in which `size` can be sent; a trace may send at the very instant.
fn transmission(rate: &RateSpec, size: Bytes) -> Span {
    match rate {
        RateSpec::Constant(rate) => rate.time_for(size),
        RateSpec::Steps(steps) => steps.max().time_for(size),
        RateSpec::Trace(_) => Span::ZERO,
        RateSpec::Wifi(wifi) => wifi.phy.time_for(size),
    }
}

/// The least time in which `size` can cross a route, less half a nanosecond of rounding for each link.
fn crossing(plan: &Plan, route: &[LinkId], size: Bytes) -> Span {
    route.iter().fold(Span::ZERO, |sum, link| {
        let spec = &plan.links[*link].spec;
        sum.saturating_add(spec.delay).saturating_add(transmission(&spec.rate, size) - Span(1))
    })
}

fn balances(plan: &Plan, outcome: &Outcome) {
    let ledger = outcome.ledger;
    assert_eq!(ledger.sent + ledger.duplicated, ledger.delivered + ledger.dropped + ledger.in_flight, "{ledger:?}");
    assert_eq!(outcome.summary.packets_delivered, ledger.delivered);
    if whole(plan) {
        let sum = |count: fn(&FlowSummary) -> u64| outcome.summary.flows.iter().map(count).sum::<u64>();
        assert_eq!(sum(|flow| flow.packets_sent), ledger.sent);
        assert_eq!(sum(|flow| flow.packets_lost), ledger.dropped);
    }
}

/// Everything is measured.
fn whole(plan: &Plan) -> bool {
    plan.measure_from == Instant::START && plan.measure_to == plan.end()
}

fn link_holds(plan: &Plan, planned: &PlannedLink, link: &LinkSummary) {
    let queue = &link.queue_packets;
    assert!(queue.mean <= queue.max && queue.p95 <= queue.max && queue.mean >= 0.0, "{queue:?}");
    match planned.spec.queue {
        QueueLimit::Unlimited => {}
        QueueLimit::Packets(limit) => assert!(queue.max <= limit as f64, "{queue:?} for {limit} packets"),
        QueueLimit::Bytes(limit) => assert!(queue.max <= (limit.0 / 40) as f64, "{queue:?} for {limit}"),
    }
    // At each edge of the window a packet, or in a trace the opportunities of one millisecond, may be on either side.
    let edge = match &planned.spec.rate {
        RateSpec::Trace(_) => 61.0 * Trace::OPPORTUNITY.as_f64(),
        _ => 1500.0,
    };
    let volume = planned.spec.rate.volume(plan.measure_from, plan.measure_to);
    // A station that is lucky with the medium sends more than its mean.
    let most = match &planned.spec.rate {
        RateSpec::Wifi(wifi) => wifi.phy.times(plan.measure_to - plan.measure_from),
        _ => volume,
    };
    assert!(link.utilization * volume <= most * (1.0 + 1e-6) + 2.0 * edge, "{link:?} of {volume} bytes");
}

/// How often an amount comes.
fn bursts(plan: &Plan, planned: &FlowPlan) -> u64 {
    let until = planned.stop.min(plan.end());
    planned.hosts.every.map_or(1, |every| 1 + until.0.saturating_sub(planned.start.0 + 1) / every.0)
}

fn flow_holds(plan: &Plan, planned: &FlowPlan, flow: &FlowSummary) {
    if let Some(rtt) = &flow.rtt_ms {
        // The last packet of a finite flow may be as small as one byte of payload.
        let size = if planned.bytes.is_some() { planned.header + Bytes(1) } else { planned.packet };
        let least = crossing(plan, &planned.route, size) + crossing(plan, &planned.ack_route, planned.ack);
        assert!(rtt.min >= least.millis() - 1e-6, "{rtt:?}, but light takes {least}");
        assert!([rtt.min, rtt.p50, rtt.p95, rtt.p99, rtt.max].is_sorted(), "{rtt:?}");
    }
    assert!(flow.retransmissions <= flow.packets_sent && flow.goodput_mbps <= flow.throughput_mbps + 1e-9, "{flow:?}");
    if !whole(plan) {
        return;
    }
    let span = plan.end() - planned.start;
    let payload = flow.goodput_mbps * 1e6 / 8.0 * span.secs();
    if let Some(burst) = planned.bytes {
        let bursts = bursts(plan, planned);
        let bytes = bursts as f64 * burst.as_f64();
        let done = flow.bursts_s.len() as f64 * burst.as_f64();
        assert!(done - 0.5 <= payload && payload <= bytes + 0.5, "{payload} of {bytes} arrived, of which {done} are said to be done");
        if flow.completion_s.is_some() {
            assert!((payload - bytes).abs() < 0.5, "complete, but {payload} of {bytes} arrived");
            let packets = bursts * burst.0.div_ceil((planned.packet - planned.header).0);
            assert_eq!(flow.packets_sent - flow.retransmissions, packets);
        }
    }
}

/// A run with samples: the same result, and samples that fit it.
fn sampling_only_looks(plan: &Plan, plain: &Outcome, every: Span) {
    let sampled = run(&Plan { sample_every: Some(every), ..plan.clone() });
    assert_eq!(sampled.summary, plain.summary);
    assert_eq!(sampled.ledger, plain.ledger);
    let count = (plan.duration.0 / every.0 + 1) as usize;
    for trace in &sampled.flow_traces {
        assert_eq!(trace.len(), count);
        let grows = |what: fn(&symbiosis_run::FlowSample) -> u64| trace.is_sorted_by_key(what);
        assert!(grows(|s| s.at.0) && grows(|s| s.delivered_bytes) && grows(|s| s.retransmissions) && grows(|s| s.timeouts));
    }
    for trace in &sampled.link_traces {
        assert_eq!(trace.len(), count);
        assert!(trace.is_sorted_by_key(|s| s.drops) && trace.is_sorted_by_key(|s| s.bytes_begun));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn whatever_the_plan(plan in plans::plan(), every in 3u64..700) {
        let outcome = run(&plan);
        balances(&plan, &outcome);
        for (planned, link) in plan.links.iter().filter(|link| link.listed).zip(&outcome.summary.links) {
            link_holds(&plan, planned, link);
        }
        for (planned, flow) in plan.flows.iter().zip(&outcome.summary.flows) {
            flow_holds(&plan, planned, flow);
        }
        sampling_only_looks(&plan, &outcome, Span::from_millis(every));
    }
}
