//! The simulator against what theory says of it: S's model with perfect measurement, and Reno's sawtooth.

mod common;

use common::Dumbbell;
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};
use symbiosis_control::params::Value;
use symbiosis_control::symbiosis::law::{THETA, logarithmic_queue};
use symbiosis_path::{Gaps, Sizes};
use symbiosis_run::{FlowPlan, FlowSample, Recovery};
use symbiosis_sim::run;
use symbiosis_theory::competing;
use symbiosis_theory::facts::{EqualFlows, convergence_time};

const MODEL: LotkaVolterra = LotkaVolterra { epsilon: 1.95, gamma: 0.9 };
const PACKET: f64 = 1040.0;
/// Of the dumbbell below, propagation alone.
const TAU: Span = Span::from_millis(120);
/// Of a packet over three links there, and of an ACK over three back.
const TRANSMISSION: Span = Span::from_micros(2 * 83 + 7);

/// 100 Mbit/s and 120 ms, with one `Kτ` of room.
fn dumbbell(seconds: u64) -> Dumbbell {
    let mut dumbbell = Dumbbell::new(100.0, 50, (100e6 / 8.0 * 0.12 / PACKET) as u64, seconds);
    dumbbell.plan.sample_every = Some(Span::from_millis(10));
    dumbbell
}

fn gauge(sample: &FlowSample, name: &str) -> f64 {
    sample.gauges.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no gauge {name}")).1
}

/// S Eqs 11 and 12 for one flow against constant UDP.
#[test]
fn one_flow_ends_where_eq_11_says_when_eq_12_says() {
    for free in [20.0, 40.0, 60.0, 80.0, 100.0] {
        let mut dumbbell = dumbbell(40);
        if free < 100.0 {
            dumbbell.udp(Sizes::Fixed(Bytes(1040)), Gaps::Constant, &[(0, 100.0 - free)]);
        }
        dumbbell.flow("symbiosis-paper", Recovery::Sack);
        let outcome = run(&dumbbell.measure_from(30));
        let flow = &outcome.summary.flows[0];
        let bandwidth = Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(free) };
        assert_eq!(outcome.summary.links[0].drops, 0);
        let limit = MODEL.equilibrium(&bandwidth, TAU + TRANSMISSION) / PACKET;
        let off = flow.cwnd_packets.mean / limit - 1.0;
        // From the first sample at which the model rules.
        let trace = &outcome.flow_traces[0];
        let begin = trace.iter().find(|s| s.gauges.iter().any(|(name, _)| *name == "A_mbps")).unwrap();
        let arrival = trace.iter().find(|s| s.cwnd_packets >= 0.9 * limit).unwrap();
        let wanted = convergence_time(&MODEL, &bandwidth, TAU, begin.cwnd_packets * PACKET, 0.9).secs();
        let took = (arrival.at - begin.at).secs();
        println!("A = {free}: window {off:+.4} of Eq 11, {took:.2} s, Eq 12 {wanted:.2} s");
        assert!(off.abs() < 0.02, "A = {free}: window {:?}, Eq 11 {limit:.1}", flow.cwnd_packets);
        assert!((took / wanted - 1.0).abs() < 0.02, "A = {free}: {took} s, Eq 12 {wanted} s");
    }
}

/// The law of the papers as it is, or with pacing, which makes a window the steady stream that the theory takes it for.
fn law(flow: &mut FlowPlan, correction: bool, pacing: f64) {
    let number = |name: &str, value| (name.to_string(), Value::Number(value));
    let given = [
        number("probe_rtt_interval_s", 0.0),
        number("slow_start_target", 0.0),
        number("pacing", pacing),
        ("correction".into(), Value::Flag(correction)),
    ];
    let papers = ("law".to_string(), Value::Word("lotka-volterra".into()));
    flow.params = common::told(flow.cc, &[given.as_slice(), &[papers]].concat());
}

/// Mean queue \[packets\] and Jain's index late in a run of `n` flows, which start together.
fn equal(cc: &str, n: u32, correction: bool) -> (f64, f64) {
    let mut dumbbell = dumbbell(80);
    for _ in 0..n {
        let flow = dumbbell.flow(cc, Recovery::Sack);
        if cc == "symbiosis" {
            law(flow, correction, 1.25);
        }
    }
    let outcome = run(&dumbbell.measure_from(60));
    assert_eq!(outcome.summary.links[0].drops, 0);
    (outcome.summary.links[0].queue_packets.mean, outcome.summary.jain)
}

/// The queue that equal flows leave: S Eq 20 with the corrected input, `(n−1)(1−γ)Kτ` where each reads its own rate as available.
#[test]
fn equal_flows_share_and_leave_the_queue_that_theory_says() {
    for n in [2, 3, 4] {
        let theory = EqualFlows { n, gamma: 0.9, room: 100e6 / 8.0 * 0.12 / PACKET };
        for (correction, wanted) in [(true, theory.queue()), (false, theory.measured_queue())] {
            let (queue, jain) = equal("symbiosis", n, correction);
            println!("{n} flows, correction {correction}: queue {queue:.1}, theory {wanted:.1}, Jain {jain:.4}");
            assert!((queue / wanted - 1.0).abs() < 0.03, "{n} flows, correction {correction}: queue {queue}, theory {wanted}");
            assert!(jain > 0.99);
        }
    }
}

/// Unpaced, as published, two flows keep near the theory. From three on they travel in clusters: each reads what is available when its own
/// cluster returns, and that is not the mean. They read too much and the queue is up to half as long again; pacing alone repairs it (above).
#[test]
fn unpaced_flows_leave_a_longer_queue_than_theory_says() {
    for (n, most) in [(2, 1.15), (3, 1.6), (4, 1.6)] {
        let wanted = EqualFlows { n, gamma: 0.9, room: 100e6 / 8.0 * 0.12 / PACKET }.measured_queue();
        let (queue, jain) = equal("symbiosis-paper", n, false);
        println!("{n} × symbiosis-paper: queue {:.3} of theory, Jain {jain:.4}", queue / wanted);
        assert!((0.97..most).contains(&(queue / wanted)), "{n} flows: queue {queue}, theory {wanted}");
        assert!(jain > 0.98);
    }
}

/// A flow that joins a full link reads `A ≈ 0`. So it grows by `εc`, `c = 1 − γ(1 − A/K)`, which is hardly more than `ε(1−γ)`; and by the
/// same rate the last differences die out ([`EqualFlows::measured_fairness_time`]).
#[test]
fn a_flow_that_joins_grows_and_settles_by_one_rate() {
    let mut dumbbell = dumbbell(60);
    for start in [0, 10_000] {
        let flow = dumbbell.flow("symbiosis", Recovery::Sack);
        law(flow, false, 1.25);
        flow.start = Instant::from_millis(start);
    }
    let outcome = run(&dumbbell.plan);
    let at = |second: usize| [0, 1].map(|flow: usize| outcome.flow_traces[flow][100 * second].cwnd_packets);
    let grows = (at(26)[1] / at(14)[1]).ln() / 12.0;
    let mean = |of: fn(&FlowSample) -> f64| outcome.flow_traces[1][1400..2600].iter().map(of).sum::<f64>() / 1200.0;
    let c = 1.0 - 0.9 * (1.0 - mean(|s| gauge(s, "A_mbps")) / 100.0);
    // Its own window crowds it a little already (S Eq 9).
    let wanted = 1.95 * (c - mean(|s| s.cwnd_packets) * PACKET / Rate::from_mbps(100.0).times(TAU));
    println!("c = {c:.4}, grows by {grows:.4}/s, S Eq 9 says {wanted:.4}/s");
    assert!((0.1..0.12).contains(&c) && (grows / wanted - 1.0).abs() < 0.02, "grows by {grows}/s, S Eq 9 {wanted}/s");
    let settles = ((at(50)[0] - at(50)[1]) / (at(58)[0] - at(58)[1])).ln() / 8.0;
    let wanted = 1.0 / EqualFlows { n: 2, gamma: 0.9, room: 1.0 }.measured_fairness_time(1.95).secs();
    assert!((settles / wanted - 1.0).abs() < 0.1, "settles by {settles}/s, theory {wanted}/s");
}

/// What is lost on the wire has taken its part of the link: the oracle reads the link's rate less all that the other flow sent.
#[test]
fn the_oracle_counts_what_the_wire_loses() {
    let mut dumbbell = Dumbbell::new(10.0, 20, u64::MAX, 60);
    dumbbell.plan.sample_every = Some(Span::from_millis(60));
    dumbbell.bottleneck().loss = 0.1;
    dumbbell.flow("reno", Recovery::Sack).initial_window = 10;
    dumbbell.flow("symbiosis-paper", Recovery::Sack).bytes = Some(Bytes(1));
    let outcome = run(&dumbbell.measure_from(1));
    // From here on the reader is done, but its oracle is not; its gauges go with a timeout only.
    let free: Vec<f64> = outcome.flow_traces[1].iter().filter(|s| s.at.secs() > 1.0).map(|s| gauge(s, "A_mbps")).collect();
    let others = 10.0 - free.iter().sum::<f64>() / free.len() as f64;
    let sent = outcome.summary.flows[0].packets_sent as f64 * PACKET * 8.0 / 59e6;
    assert!(outcome.summary.flows[0].packets_lost > 50);
    println!("the oracle saw {others:.4} Mbit/s, {sent:.4} were sent");
    assert!((others / sent - 1.0).abs() < 0.02, "the oracle saw {others} Mbit/s, {sent} were sent");
}

/// Reno between `W/2` and `W` at one packet a round trip: mean window, and seconds from loss to loss.
fn sawtooth(queue: u64) -> (f64, f64) {
    let mut dumbbell = Dumbbell::new(20.0, 20, queue, 240);
    dumbbell.plan.sample_every = Some(Span::from_millis(20));
    dumbbell.flow("reno", Recovery::Sack);
    let outcome = run(&dumbbell.measure_from(40));
    let trace = &outcome.flow_traces[0][2000..];
    let falls: Vec<f64> = trace.windows(2).filter(|w| w[1].cwnd_packets < 0.7 * w[0].cwnd_packets).map(|w| w[1].at.secs()).collect();
    let periods = falls.len() - 1;
    let (first, last) = (falls[0], falls[periods]);
    // Mean over whole periods.
    let whole = trace.iter().filter(|s| s.at.secs() >= first && s.at.secs() < last);
    let (sum, count) = whole.fold((0.0, 0), |(sum, count), s| (sum + s.cwnd_packets, count + 1));
    (sum / count as f64, (last - first) / periods as f64)
}

#[test]
fn renos_sawtooth_has_its_period_and_mean() {
    let packets_per_s = 20e6 / 8.0 / PACKET;
    let pipe = packets_per_s * 0.060 + 2.0;
    let rtt = pipe / packets_per_s;
    // Two round trips come on top of each period: one until a loss is noticed, one in recovery.
    let pause = 2.0 * rtt;
    // With as much room as the pipe holds the link is always busy: ACKs come at its rate, so dw/dt = C/w, the period is 3W²/8C and the
    // mean 7/9 W.
    let room = pipe.round() as u64;
    let most = pipe + room as f64;
    let (mean, period) = sawtooth(room);
    let wanted = (7.0 / 9.0 * most, 3.0 * most * most / (8.0 * packets_per_s) + pause);
    println!("full buffer: mean {mean:.1} ({:.1}), period {period:.2} s ({:.2})", wanted.0, wanted.1);
    assert!((mean / wanted.0 - 1.0).abs() < 0.02 && (period / wanted.1 - 1.0).abs() < 0.04, "{mean}, {period}: theory {wanted:?}");
    // With hardly any room the round-trip time never changes: W/2 of them, and 3/4 W.
    let (mean, period) = sawtooth(2);
    let most = pipe + 2.0;
    let wanted = (0.75 * most, most / 2.0 * rtt + pause);
    println!("no buffer: mean {mean:.1} ({:.1}), period {period:.2} s ({:.2})", wanted.0, wanted.1);
    assert!((mean / wanted.0 - 1.0).abs() < 0.03 && (period / wanted.1 - 1.0).abs() < 0.04, "{mean}, {period}: theory {wanted:?}");
}

/// `n` flows of `symbiosis` that measure for themselves, joining 15 s apart, with law `law`: Jain's index, the mean queue \[packets\] and drops.
fn sharing(n: u64, law: &str) -> (f64, f64, u64) {
    let mut dumbbell = dumbbell(250);
    for i in 0..n {
        let flow = dumbbell.flow("symbiosis", Recovery::Sack);
        flow.start = Instant::from_millis(15_000 * i);
        let word = |name: &str, value: &str| (name.to_string(), Value::Word(value.into()));
        flow.params = common::told(flow.cc, &[word("measurement", "imtcp"), word("law", law)]);
    }
    let outcome = run(&dumbbell.measure_from(150));
    let link = &outcome.summary.links[0];
    (outcome.summary.jain, link.queue_packets.mean, link.drops)
}

#[test]
fn flows_that_measure_share_alike_and_leave_the_queue_of_eq_20() {
    for n in [2, 5] {
        let (jain, queue, drops) = sharing(n, "lotka-volterra");
        let room = Rate::from_mbps(100.0).times(TAU);
        let wanted = EqualFlows { n: n as u32, gamma: 0.9, room }.queue() / PACKET;
        println!("{n} flows of the papers' law: Jain {jain:.4}, queue {queue:.1} ({wanted:.1})");
        assert!(drops == 0 && jain > 0.99, "{n} flows: {drops} drops, Jain {jain}");
        assert!((queue / wanted - 1.0).abs() < 0.15, "{n} flows: {queue} instead of {wanted}");
    }
}

/// `q = θ·ln(K/x)`, the same for all: `Kθ·ln n`. What min-RTT probes take out of it is a part of two round trips in ten seconds.
#[test]
fn flows_of_the_logarithmic_law_leave_the_queue_of_its_fixed_point() {
    for n in [2, 5] {
        let (jain, queue, drops) = sharing(n, "logarithmic");
        let wanted = logarithmic_queue(n as u32, THETA, Rate::from_mbps(100.0), Bytes(PACKET as u64)) / PACKET;
        println!("{n} flows of the logarithmic law: Jain {jain:.4}, queue {queue:.1} ({wanted:.1})");
        assert!(drops == 0 && jain > 0.99, "{n} flows: {drops} drops, Jain {jain}");
        assert!((queue / wanted - 1.0).abs() < 0.2, "{n} flows: {queue} instead of {wanted}");
    }
}

/// Beside CUBIC a flow that competes has what its probes leave it ([`competing`]), in the median of ten seeds: the shares of two to five minutes, which CUBIC's clock and
/// the probes' beat against each other by a tenth.
#[test]
fn who_competes_beside_cubic_has_the_share_that_its_probes_leave() {
    for (rtt, buffer) in [20, 60, 120].into_iter().flat_map(|rtt| [1.0, 2.0, 4.0, 8.0].map(|buffer| (rtt, buffer))) {
        let tau = Span::from_millis(rtt);
        let room = 50e6 / 8.0 * tau.secs();
        let mut shares: Vec<f64> = (1..=10)
            .map(|seed| {
                // Of the way 5 ms are the access links' on either side; 20 ms is the least.
                let mut dumbbell = Dumbbell::new(50.0, (rtt - 20) / 2, (buffer * room / PACKET) as u64, 300);
                dumbbell.plan.seed = seed;
                dumbbell.flow("symbiosis", Recovery::Rack).start = Instant::from_millis(500 + 100 * seed);
                dumbbell.flow("cubic", Recovery::Rack).start = Instant::from_millis(500);
                let outcome = run(&dumbbell.measure_from(120));
                outcome.summary.flows[0].throughput_mbps / outcome.summary.flows[1].throughput_mbps
            })
            .collect();
        shares.sort_by(f64::total_cmp);
        let wanted = competing::share_over_opponents(0.5, tau, competing::mean_queue(tau, buffer * tau.secs()));
        println!("{rtt} ms, {buffer} BDP: {shares:.3?}, theory {wanted:.3}");
        let median = (shares[4] + shares[5]) / 2.0;
        assert!(shares[0] > 0.5, "{rtt} ms, {buffer} BDP: {shares:.3?}");
        assert!((median / wanted - 1.0).abs() < 0.15, "{rtt} ms, {buffer} BDP: {shares:.3?}, theory {wanted:.3}");
    }
}

/// In 8 BDP a round trip beside CUBIC's slow start is nine times τ. The flow knows whose the queue is before a third of a minute is over, and takes τ for no more than it
/// is, whatever CUBIC puts into the queue while it probes.
#[test]
fn who_is_beside_cubic_in_a_deep_buffer_competes_soon_and_keeps_tau() {
    for seed in 1..=5 {
        let mut dumbbell = Dumbbell::new(50.0, 50, (8.0 * 50e6 / 8.0 * 0.12 / PACKET) as u64, 80);
        dumbbell.plan.seed = seed;
        dumbbell.plan.sample_every = Some(Span::from_millis(100));
        dumbbell.flow("symbiosis", Recovery::Rack).start = Instant::from_millis(500 + 20 * seed);
        dumbbell.flow("cubic", Recovery::Rack).start = Instant::from_millis(500);
        let outcome = run(&dumbbell.measure_from(20));
        let known = outcome.flow_traces[0].iter().filter(|sample| sample.gauges.iter().any(|(name, _)| *name == "tau_ms"));
        let begins = known.clone().find(|sample| gauge(sample, "rivalry") >= 1.0).map(|sample| (sample.at - Instant::START).secs());
        let most = known.map(|sample| gauge(sample, "tau_ms")).fold(0.0, f64::max);
        println!("seed {seed}: competes from {begins:?} s on, τ at most {most:.1} ms");
        assert!(begins.is_some_and(|s| s < 20.0), "seed {seed}: {begins:?}");
        assert!(most < 1.1 * TAU.millis(), "seed {seed}: {most}");
    }
}

/// Where every dip of the queue is an opponent's loss no probe tells anything: what the opponent has in flight does. With probes alone the flow had .18 of a CUBIC's share and .15 of a Reno's in
/// the median. Buffers vary by a tenth, since with one buffer the runs are nearly the same. A loss of the flow's own halves its window, and what it takes of θ comes back in 10 s: one seed of ten, .47.
#[test]
fn who_is_beside_a_sawtooth_competes_where_no_probe_tells() {
    for (opponent, buffer) in [("cubic", 0.5), ("reno", 1.0)] {
        let mut shares: Vec<f64> = (1..=10)
            .map(|seed| {
                let buffer = buffer * (0.89 + 0.02 * seed as f64);
                let mut dumbbell = Dumbbell::new(50.0, 0, (buffer * 50e6 / 8.0 * 0.02 / PACKET) as u64, 80);
                dumbbell.plan.seed = seed;
                dumbbell.flow("symbiosis", Recovery::Sack).start = Instant::from_millis(500 + 37 * seed);
                dumbbell.flow(opponent, Recovery::Sack).start = Instant::from_millis(500);
                let flows = run(&dumbbell.measure_from(20)).summary.flows;
                flows[0].throughput_mbps / flows[1].throughput_mbps
            })
            .collect();
        shares.sort_by(f64::total_cmp);
        println!("{opponent}, {buffer} BDP: {shares:.2?}");
        assert!(shares[0] > 0.4 && shares[1] > 0.5, "{opponent}: {shares:.2?}");
        assert!((shares[4] + shares[5]) / 2.0 > 0.6, "{opponent}: {shares:.2?}");
    }
}

/// Four flows that start within half a minute overflow a buffer of one BDP at 20 ms by their slow starts. A probe that the others do not see finds their queue then, and beside an
/// overflow that is an opponent's by all appearance: while dips were held against what the last ACK brought, one flow competed in four of these six runs.
#[test]
fn newcomers_of_the_kind_are_no_opponents_on_a_short_path() {
    for seed in 1..=6 {
        let mut dumbbell = Dumbbell::new(100.0, 0, (100e6 / 8.0 * 0.02 / PACKET) as u64, 60);
        dumbbell.plan.seed = seed;
        dumbbell.plan.sample_every = Some(Span::from_millis(100));
        for flow in 0..4 {
            dumbbell.flow("symbiosis", Recovery::Rack).start = Instant::from_millis(300 + flow * (7_000 + 331 * seed));
        }
        let outcome = run(&dumbbell.measure_from(40));
        let competed = outcome.flow_traces.iter().filter(|trace| trace.iter().any(|sample| gauge(sample, "rivalry") >= 1.0)).count();
        println!("seed {seed}: {competed} competed");
        assert_eq!(competed, 0, "seed {seed}");
    }
}
