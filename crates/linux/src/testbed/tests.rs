//! What the testbed's parts share in their tests, and the logic of void runs.

use symbiosis_base::{Instant, Rate, Span};
use symbiosis_control::params::Values;
use symbiosis_path::LinkSpec;
use symbiosis_run::{Hosts, Ledger, PlannedLink, Recovery};

use super::*;

/// One flow for a second over a link of 12 Mbit/s and 10 ms, and back over another.
pub fn plan() -> Plan {
    let link =
        |name: &str, listed| PlannedLink { name: name.into(), listed, spec: LinkSpec::ideal(Rate::from_mbps(12.0), Span::from_millis(10)) };
    let flow = FlowPlan {
        id: "flow".into(),
        cc: &NATIVE[0],
        params: Values::resolve(&[], &[]).expect("it has none"),
        start: Instant::START,
        stop: Instant::from_millis(1000),
        bytes: None,
        packet: Bytes(1500),
        header: Bytes(40),
        ack: Bytes(40),
        initial_window: 10,
        recovery: Recovery::Sack,
        delayed_ack: false,
        ack_delay: Span::from_millis(40),
        min_rto: Span::from_millis(200),
        receiver_times: false,
        send_timer: Span::ZERO,
        coalesce: Span::ZERO,
        hosts: Hosts::default(),
        route: vec![0],
        ack_route: vec![1],
    };
    Plan {
        name: "test".into(),
        duration: Span::from_millis(1000),
        seed: 1,
        measure_from: Instant::START,
        measure_to: Instant::from_millis(1000),
        sample_every: Some(Span::from_millis(100)),
        links: vec![link("bottleneck", true), link("back", false)],
        flows: vec![flow],
        cross: Vec::new(),
    }
}

/// A run on a machine that was busy, or not.
fn ran(void: bool) -> Ran {
    let lateness = LatenessSummary::default();
    let outcome = Outcome::of(&Plan { flows: Vec::new(), ..plan() }, 0, Vec::new(), Vec::new(), Ledger::default());
    Ran {
        outcome,
        machine: Machine { lateness, realtime: true, refused: 0, attempts: 1, void: void.then(|| "busy".into()) },
        began: std::time::Instant::now(),
    }
}

#[test]
fn a_void_run_is_repeated_and_not_for_ever() {
    let mut voids = [true, true, false, false].into_iter();
    let third = until_valid(5, || Ok::<_, TestbedError>(ran(voids.next().unwrap()))).unwrap().machine;
    assert_eq!((third.attempts, third.void), (3, None));
    let mut runs = 0;
    let last = until_valid(4, || {
        runs += 1;
        Ok::<_, TestbedError>(ran(true))
    });
    assert_eq!((last.unwrap().machine.void.as_deref(), runs), (Some("busy"), 4));
}

#[test]
fn what_cannot_be_is_said_before_anything_is_made() {
    let none = Plan { flows: Vec::new(), ..plan() };
    assert!(matches!(run(&none, &AtomicBool::new(false)), Err(TestbedError::Plan(_))));
}
