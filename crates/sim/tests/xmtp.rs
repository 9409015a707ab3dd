//! HCC over XMTP: what theory says of its rate, and what a reliable transport owes whatever the path does.

mod common;

use common::{Dumbbell, set};
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::hcc::facts::{pairs_until, used_alone, used_under_loss};
use symbiosis_control::hcc::{ALPHA, PROBE_EVERY};
use symbiosis_control::params::Value;
use symbiosis_path::{RateSpec, Steps};
use symbiosis_run::{Outcome, Plan, Recovery, jain};
use symbiosis_sim::run;

const SEEDS: u64 = 10;

fn over_seeds(plan: &Plan) -> Vec<Outcome> {
    (1..=SEEDS).map(|seed| run(&Plan { seed, ..plan.clone() })).collect()
}

fn mean(runs: &[Outcome], value: impl Fn(&Outcome) -> f64) -> f64 {
    runs.iter().map(value).sum::<f64>() / runs.len() as f64
}

/// One packet is 8.32 ms at 1 Mbit/s.
fn alone(randomiser: f64, delay_ms: u64) -> Plan {
    let mut dumbbell = Dumbbell::new(1.0, delay_ms, 10, 120);
    set(dumbbell.flow("hcc", Recovery::Sack), "randomiser", Value::Number(randomiser));
    dumbbell.measure_from(20)
}

/// A pair arrives M/C apart, so P goes to M/C and 1 − (1−α)ⁿ of the way in n pairs; the mean of P(1 + u) is P(1 + most/2).
#[test]
fn alone_it_uses_what_the_randomiser_leaves_whatever_the_delay() {
    for (most, delay) in [(0.0, 20), (0.1, 20), (0.1, 200), (0.5, 20)] {
        let runs = over_seeds(&alone(most, delay));
        let used = mean(&runs, |run| run.summary.links[0].utilization);
        // Where a report covers several packets u is held for a time, and not for a number of packets: ln(1 + most)/most.
        let (by_packets, by_time) = (used_alone(most), if most > 0.0 { (1.0 + most).ln() / most } else { 1.0 });
        assert!(by_packets - 0.002 <= used && used <= by_time + 0.002, "{used} of {by_packets} to {by_time} at {most}, {delay} ms");
        for outcome in &runs {
            let (flow, link) = (&outcome.summary.flows[0], &outcome.summary.links[0]);
            assert_eq!((flow.packets_lost, flow.retransmissions, flow.timeouts), (0, 0, 0));
            // The second packet of a pair waits, nobody else; at P = M/C some packets meet by a rounding.
            assert!(link.queue_packets.max <= 2.0, "{link:?}");
        }
    }
}

/// P − M/C falls by 1 − α with each pair, one in five packets: from 2 M/C to 1.05 M/C in ln 20/−ln 0.9 = 29 pairs, 145 packets.
#[test]
fn the_start_is_exponential_in_pairs() {
    let mut plan = alone(0.0, 20);
    plan.sample_every = Some(Span::from_millis(10));
    let outcome = run(&plan);
    let period = |sample: &symbiosis_run::FlowSample| sample.gauges.iter().find(|(name, _)| *name == "period_ms").map(|(_, value)| *value);
    let there = outcome.flow_traces[0].iter().find(|sample| period(sample).is_some_and(|period| period < 1.05 * 8.32)).unwrap();
    let packets = there.delivered_bytes as f64 / 1040.0;
    let theory = PROBE_EVERY * pairs_until(2.0, 1.05, ALPHA);
    // Whole pairs, and what arrives while the last report is on its way: an RTT of 66 ms.
    assert!((theory..theory + PROBE_EVERY + 8.0).contains(&packets), "{packets} packets of {theory}");
}

/// Pairs bring all periods nearer to the same M/C, jitter in a common queue is a common factor: differences die, by α·M/(C·P) in a pair,
/// and the only fixed point is equal periods.
#[test]
fn flows_that_join_late_get_the_same() {
    for flows in [2, 3, 5] {
        let mut dumbbell = Dumbbell::new(10.0, 20, 100, 60);
        for at in 0..flows {
            dumbbell.flow("hcc", Recovery::Sack).start = Instant::from_millis(5000 * at);
        }
        let runs = over_seeds(&dumbbell.measure_from(30));
        let fairness = mean(&runs, |run| jain(run.summary.flows.iter().map(|flow| flow.throughput_mbps)));
        assert!(fairness > 0.99, "{flows} flows: {fairness}");
        let used = mean(&runs, |run| run.summary.links[0].utilization);
        assert!((0.8..=1.0).contains(&used), "{flows} flows: {used}");
    }
}

/// A loss probability p costs 5p doublings for each pair, and a pair wins back α(P − M/C): P = M/C / (1 − 5p/α) while losses come further
/// apart than an RTT and two periods. At p = α/5 there is no rest.
#[test]
fn random_loss_costs_what_pairs_cannot_win_back() {
    for p in [0.0025, 0.005] {
        let mut plan = alone(0.0, 20);
        plan.links[0].spec.loss = p;
        plan.duration = Span::from_millis(400_000);
        plan.measure_to = plan.end();
        let runs = over_seeds(&plan);
        let used = mean(&runs, |run| run.summary.links[0].utilization);
        let theory = used_under_loss(p, ALPHA, PROBE_EVERY);
        // The theory is of the mean period; the mean of a rate is greater. And some losses follow another within an RTT and two periods.
        assert!((-0.01..0.07).contains(&(used / theory - 1.0)), "p = {p}: {used} of {theory}");
    }
}

#[test]
fn whatever_is_lost_on_both_ways_arrives_in_the_end() {
    for (data, reports) in [(0.0, 0.0), (0.2, 0.0), (0.0, 0.3), (0.1, 0.1)] {
        let mut dumbbell = Dumbbell::new(10.0, 20, 50, 3000);
        let flow = dumbbell.flow("hcc", Recovery::Sack);
        flow.bytes = Some(Bytes(100_000));
        let back = flow.ack_route[1];
        dumbbell.bottleneck().loss = data;
        dumbbell.plan.links[back].spec.loss = reports;
        for outcome in over_seeds(&dumbbell.plan) {
            let flow = &outcome.summary.flows[0];
            assert!(flow.completion_s.is_some(), "{data}, {reports}: {flow:?}");
            let payload = flow.goodput_mbps * 1e6 / 8.0 * 3000.0;
            assert!((payload - 100_000.0).abs() < 0.5, "{payload}");
            let ledger = outcome.ledger;
            assert_eq!(ledger.sent, ledger.delivered + ledger.dropped + ledger.in_flight);
            // With its own serial a lost retransmission is known as one: without a tail there is nothing to time out for.
            if data == 0.0 && reports == 0.0 {
                assert_eq!((flow.packets_sent, flow.timeouts), (100, 0));
            }
        }
    }
}

#[test]
fn after_a_blackout_it_is_back_within_the_timer_s_pause() {
    let mut dumbbell = Dumbbell::new(10.0, 20, 50, 40);
    dumbbell.flow("hcc", Recovery::Sack);
    let at = |s: u64, mbps| (Instant::from_millis(1000 * s), Rate::from_mbps(mbps));
    dumbbell.bottleneck().rate = RateSpec::Steps(Steps::new(&[at(0, 10.0), at(10, 0.0), at(20, 10.0)]));
    let before = run(&Dumbbell { plan: dumbbell.plan.clone() }.measure_from(5));
    for outcome in over_seeds(&dumbbell.measure_from(25)) {
        let flow = &outcome.summary.flows[0];
        assert!(flow.throughput_mbps > 9.0, "{flow:?}");
        assert_eq!(flow.timeouts, 0);
    }
    // A backing off from 0.3 s fits five times into ten seconds; each sends a pair and not more.
    let flow = &before.summary.flows[0];
    assert!((4..=6).contains(&flow.timeouts), "{flow:?}");
}

/// Another transport beside it, delayed reports, a stop: the rest of a scenario's keys.
#[test]
fn a_flow_that_stops_is_seen_through() {
    let mut dumbbell = Dumbbell::new(10.0, 20, 50, 20);
    dumbbell.flow("hcc", Recovery::Sack).stop = Instant::from_millis(10_003);
    dumbbell.flow("reno", Recovery::Sack).start = Instant::from_millis(11_000);
    dumbbell.bottleneck().loss = 0.01;
    let outcome = run(&dumbbell.plan);
    let flow = &outcome.summary.flows[0];
    assert_eq!(flow.packets_sent - flow.retransmissions, (flow.goodput_mbps * 1e6 / 8.0 * 20.0 / 1000.0).round() as u64, "{flow:?}");
    assert_eq!(flow.completion_s, None);
}
