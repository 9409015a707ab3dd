use alloc::string::ToString;
use alloc::vec::Vec;

use super::*;
use crate::params::Value;
use crate::{Bytes, LossKind, test_path};

/// A probe that starts with ten packets in flight.
fn probe(given: &[(&str, f64)]) -> Box<dyn Controller> {
    let numbers = given.iter().map(|(name, value)| (name.to_string(), Value::Number(*value)));
    // Of the measurements, only the oracle has no departures and gauges of its own.
    let told = ("measurement".to_string(), Value::Word("oracle".into()));
    let given: Vec<_> = numbers.chain([told]).collect();
    (ENTRY.build)(&test_path::setup(10), &Values::resolve(ENTRY.params, &given).unwrap())
}

fn ask(now: Instant) -> Ask {
    Ask { now, in_flight: Bytes::ZERO }
}

fn sent(now: Instant) -> Sent {
    Sent { now, number: 0, bytes: test_path::PACKET, in_flight: Bytes::ZERO, ready_at: now, retransmission: false, app_limited: false }
}

#[test]
fn the_window_opens_to_what_was_asked_for_and_stays() {
    let mut probe = probe(&[("window_packets", 12.5)]);
    for window in [10_000, 11_000, 12_000, 12_500, 12_500] {
        assert_eq!(probe.permit(&ask(Instant::START)).window, Bytes(window));
        probe.acked(&test_path::ack());
    }
    for kind in [LossKind::FastRetransmit, LossKind::Timeout, LossKind::Ecn] {
        probe.lost(&Lost::new(Instant::START, kind, Bytes::ZERO));
        assert_eq!(probe.permit(&ask(Instant::START)).window, Bytes(12_500), "{kind:?}");
    }
}

#[test]
fn a_rate_is_kept_whatever_the_window() {
    // 8 Mbit/s: a packet of 1000 bytes in a millisecond.
    let mut probe = probe(&[("rate_mbps", 8.0)]);
    let at_ms = Instant::from_millis;
    probe.acked(&test_path::ack());
    // Not more than the round trip of 50 ms is made up for of the 95 since the start.
    probe.sent(&sent(at_ms(95)));
    assert_eq!(probe.permit(&ask(at_ms(95))).departure, Departure::At(at_ms(46)));
    // Sent early, as a stream's packets may be: they are owed.
    for _ in 0..52 {
        probe.sent(&sent(at_ms(95)));
    }
    assert_eq!(probe.permit(&ask(at_ms(95))).departure, Departure::At(at_ms(98)));
}

#[test]
fn without_a_rate_pacing_spreads_the_window() {
    let mut probe = probe(&[("window_packets", 10.0), ("pacing", 2.0)]);
    probe.acked(&test_path::ack());
    probe.sent(&sent(Instant::START));
    // Ten packets in 50 ms, twice as fast.
    assert_eq!(probe.permit(&ask(Instant::START)).departure, Departure::At(Instant::from_micros(2500)));
}

#[test]
fn results_are_shown_and_counted_and_change_nothing() {
    let mut probe = probe(&[]);
    let before = probe.permit(&ask(Instant::START));
    let report = Report::Path { now: Instant::START, capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(30.0) };
    probe.report(&report);
    probe.report(&report);
    let mut gauges = Vec::new();
    probe.gauges(&mut |name, value| gauges.push((name, value)));
    assert_eq!(gauges, [("results", 2.0), ("K_mbps", 100.0), ("A_mbps", 30.0), ("K_ci95_mbps", 0.0), ("A_ci95_mbps", 0.0)]);
    assert_eq!(probe.permit(&ask(Instant::START)), before);
}
