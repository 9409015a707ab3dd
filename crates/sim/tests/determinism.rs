//! The same plan gives the same outcome, bit for bit: again, in debug and in release, on every machine.

mod common;

use std::fmt::Write;

use common::Dumbbell;
use symbiosis_base::{Instant, Rate, Span};
use symbiosis_control::registry;
use symbiosis_path::{CoDelSpec, Discipline, FqCoDelSpec, Gaps, LinkSpec, RateSpec, Sizes, Steps, Trace, TrafficSpec};
use symbiosis_run::{CrossPlan, Outcome, Plan, PlannedLink, Recovery};
use symbiosis_sim::{Simulation, run};

const RECOVERIES: [Recovery; 5] = [Recovery::Sack, Recovery::NewReno, Recovery::Reno, Recovery::RateHalving, Recovery::Rack];

/// Two flows of a controller and a path on which everything that draws at random draws.
fn restless(cc: &str, recovery: Recovery) -> Plan {
    let mut dumbbell = Dumbbell::new(10.0, 20, 40, 10);
    dumbbell.plan.seed = 7;
    dumbbell.plan.sample_every = Some(Span::from_millis(50));
    dumbbell.udp(Sizes::Internet, Gaps::Exponential, &[(0, 2.0), (5, 5.0)]);
    dumbbell.bottleneck().loss = 0.002;
    dumbbell.bottleneck().jitter = Span::from_millis(1);
    dumbbell.flow(cc, recovery);
    let second = dumbbell.flow(cc, recovery);
    (second.start, second.delayed_ack, second.receiver_times) = (Instant::from_millis(1500), true, true);
    dumbbell.plan
}

fn with_rate(rate: RateSpec) -> Plan {
    let mut plan = restless("cubic", Recovery::Sack);
    plan.links[0].spec.rate = rate;
    plan
}

fn plans() -> Vec<(String, Plan)> {
    let mut plans = Vec::new();
    for (at, entry) in registry::ALL.iter().enumerate() {
        let recovery = RECOVERIES[at % RECOVERIES.len()];
        plans.push((format!("{} {recovery:?}", entry.name), restless(entry.name, recovery)));
    }
    let step = |s: u64, mbps| (Instant::from_millis(1000 * s), Rate::from_mbps(mbps));
    plans.push(("rate in steps".into(), with_rate(RateSpec::Steps(Steps::new(&[step(0, 10.0), step(3, 0.0), step(4, 7.0)])))));
    for (name, discipline) in
        [("codel", Discipline::CoDel(CoDelSpec::default())), ("fq-codel", Discipline::FqCoDel(FqCoDelSpec::default()))]
    {
        let mut plan = restless("cubic", Recovery::Sack);
        plan.links[0].spec.discipline = discipline;
        plans.push((name.into(), plan));
    }
    plans.push(("rate of a trace".into(), with_rate(RateSpec::Trace(Trace::parse("1\n2\n2\n5\n9\n9\n12\n").unwrap()))));
    plans
}

/// Everything that a run found, to the last bit: `Debug` prints the shortest digits that give a float back.
fn everything(outcome: &Outcome) -> String {
    format!("{outcome:?}")
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

/// The snapshot was taken once; debug and release are held to the same one.
#[test]
fn every_machine_finds_the_same() {
    let mut out = format!("{:26} {:>9} {:>9} {:>8}  everything\n", "", "events", "delivered", "dropped");
    for (name, plan) in plans() {
        let outcome = run(&plan);
        let (summary, ledger) = (&outcome.summary, outcome.ledger);
        let hash = hash(&everything(&outcome));
        writeln!(out, "{name:26} {:9} {:9} {:8}  {hash:016x}", summary.events, ledger.delivered, ledger.dropped).unwrap();
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_second_run_finds_the_same() {
    for (name, plan) in plans() {
        assert!(everything(&run(&plan)) == everything(&run(&plan)), "{name}");
    }
}

#[test]
fn another_seed_is_another_run() {
    for (name, plan) in plans() {
        let other = Plan { seed: plan.seed + 1, ..plan.clone() };
        assert!(run(&plan).summary.flows != run(&other).summary.flows, "{name}");
    }
}

/// Whoever is elsewhere matters to nobody: neither UDP nor a flow on links of their own.
#[test]
fn what_happens_elsewhere_changes_nothing_here() {
    for (name, plan) in plans() {
        let alone = run(&plan);
        let mut crowded = plan.clone();
        let spec = LinkSpec { loss: 0.1, jitter: Span::from_millis(2), ..LinkSpec::ideal(Rate::from_mbps(5.0), Span::from_millis(3)) };
        let elsewhere = crowded.links.len();
        crowded.links.extend([spec.clone(), spec].map(|spec| PlannedLink { name: "elsewhere".into(), listed: true, spec }));
        let rate = Steps::constant(Rate::from_mbps(3.0));
        let traffic = TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate };
        crowded.cross.push(CrossPlan { traffic, route: vec![elsewhere] });
        let stranger = symbiosis_run::FlowPlan { route: vec![elsewhere], ack_route: vec![elsewhere + 1], ..plan.flows[0].clone() };
        crowded.flows.push(stranger);
        let crowded = run(&crowded);
        assert!(crowded.ledger.sent > alone.ledger.sent, "{name}: the stranger sends");
        assert_eq!(crowded.summary.flows[..2], alone.summary.flows[..], "{name}");
        assert_eq!(crowded.flow_traces[..2], alone.flow_traces[..], "{name}");
        assert_eq!(crowded.summary.links[0], alone.summary.links[0], "{name}");
        assert_eq!(crowded.link_traces[0], alone.link_traces[0], "{name}");
    }
}

#[test]
fn looking_on_changes_nothing_and_shows_what_the_outcome_has() {
    for (name, plan) in plans() {
        let whole = run(&plan);
        let mut simulation = Simulation::new(plan.clone());
        simulation.watch(0);
        let mut seen = vec![Vec::new(); plan.flows.len()];
        let mut queue = Vec::new();
        for step in 1..=700 {
            // Past the end there is nothing more, and nothing breaks.
            let now = Instant::from_millis(17 * step).min(plan.end());
            simulation.advance(now);
            let sources = plan.flows.len() + plan.cross.len();
            assert!(simulation.waiting().iter().all(|owner| *owner < sources), "{name}");
            for (flow, seen) in seen.iter_mut().enumerate() {
                seen.extend(simulation.flow_samples(flow, seen.len()));
            }
            queue.extend_from_slice(simulation.link_samples(0, queue.len()));
        }
        assert_eq!(seen, whole.flow_traces, "{name}");
        assert_eq!(queue, whole.link_traces[0][..queue.len()], "{name}");
        assert!(queue.len() + 10 > whole.link_traces[0].len(), "{name}: {} of {} samples", queue.len(), whole.link_traces[0].len());
        assert_eq!(everything(&simulation.finish()), everything(&whole), "{name}");
    }
}

#[test]
fn who_waits_is_who_the_queue_counts() {
    for queue in [Discipline::DropTail, Discipline::CoDel(CoDelSpec::default()), Discipline::FqCoDel(FqCoDelSpec::default())] {
        let mut dumbbell = Dumbbell::new(10.0, 20, 60, 10);
        dumbbell.bottleneck().discipline = queue;
        dumbbell.plan.sample_every = Some(Span::from_millis(100));
        dumbbell.flow("cubic", Recovery::Sack);
        dumbbell.flow("reno", Recovery::Sack).start = Instant::from_millis(2000);
        let mut simulation = Simulation::new(dumbbell.plan);
        simulation.watch(0);
        let at = |step: u64| Instant::from_millis(100 * step);
        let waiting: Vec<usize> = (0..100)
            .map(|step| {
                simulation.advance(at(step));
                simulation.waiting().len()
            })
            .collect();
        let outcome = simulation.finish();
        assert!(waiting.iter().any(|many| *many > 10), "{queue:?}: {waiting:?}");
        for (sample, there) in outcome.link_traces[0].iter().zip(waiting) {
            // But for the packet in transmission, and one that comes or goes at this instant.
            let counted = sample.queue_packets as usize;
            assert!((counted..=counted + 2).contains(&there), "{queue:?} at {:?}: {there} and {counted}", sample.at);
        }
    }
}
