use super::*;
use crate::test_path::{self, Path};
use crate::{Bytes, Instant, Span};

fn vegas(initial_window: u64) -> Vegas {
    Vegas::new(&test_path::setup(initial_window), 1.0, 3.0, 1.0)
}

/// ns-2.35's Vegas alone on 100 Mbit/s and 70 ms: its window at the end of a second.
///
/// Its packets have 1000 bytes on the wire there: ns-2's Vegas agent adds no header, unlike its other agents. And its window, though it is
/// set to start at 2, is 1 for the first round trip, becomes 2 and at once 3 with the second ACK, and is 3·2^k then: a start from 3 packets,
/// two round trips late.
const NS2: [(usize, f64); 12] = [
    (1, 84.00),
    (2, 97.87),
    (3, 111.76),
    (5, 140.60),
    (10, 211.40),
    (20, 353.30),
    (30, 496.13),
    (40, 638.21),
    (50, 780.76),
    (56, 866.19),
    (57, 880.10),
    (100, 880.10),
];

#[test]
fn the_window_is_ns2s_all_the_way() {
    let setup = test_path::setup(3);
    // A round trip: 70 ms of propagation, 1000 bytes and 40 back over 200, 100 and 200 Mbit/s.
    let round_trip = Span::from_micros(70_166);
    let trace = Path::default().run_sampled(&mut vegas(3), &setup, Instant::from_millis(101_000), round_trip * 2);
    for (second, cwnd) in NS2 {
        let ours = trace[second - 1].cwnd;
        // ns-2 printed two digits.
        assert!((ours - cwnd).abs() < 0.006, "at {second} s: {ours}, ns-2 {cwnd}");
    }
}

#[test]
fn alone_it_keeps_three_packets_in_the_queue() {
    let trace = Path::default().run(&mut vegas(2), &test_path::setup(2), Instant::from_millis(70_000));
    // BDP 877.08 packets of 1000 bytes. Growth stops at diff ≥ 0.5, and the last two round trips of growth are seen late.
    let last = trace.last().unwrap();
    assert!((last.cwnd - 880.1).abs() < 0.2, "{last:?}");
    assert!((last.queue - 2.92).abs() < 0.1, "{last:?}");
}

#[test]
fn slow_start_ends_where_the_burst_says() {
    // A doubling from W shows as W²/BDP: 32²/877 = 1.17 rounds to 1, not above gamma; 64²/877 = 4.67 ends it, at 128 · 7/8.
    let trace = Path::default().run(&mut vegas(2), &test_path::setup(2), Instant::from_millis(1_100));
    assert_eq!(trace[0].cwnd, 112.0);
}

/// A connection in congestion avoidance with a base RTT of 100 ms.
fn avoiding(cwnd: f64) -> Vegas {
    let mut vegas = vegas(10);
    (vegas.window.cwnd, vegas.window.ssthresh) = (cwnd, 2.0);
    vegas.base.sample(0.1);
    vegas
}

fn after_decision(rtt: f64) -> (f64, f64, Growth) {
    let mut vegas = avoiding(100.0);
    vegas.sent = 100.0;
    vegas.decide(100.0, rtt);
    (vegas.diff, vegas.window.cwnd, vegas.growth)
}

#[test]
fn a_decision_keeps_diff_between_alpha_and_beta() {
    // diff = 100·(1 − 100/RTT), rounded.
    assert_eq!(after_decision(0.1004), (0.0, 100.0, Growth::Linear(0.01))); // 0.40
    assert_eq!(after_decision(0.1006), (1.0, 100.0, Growth::Hold)); // 0.60
    assert_eq!(after_decision(0.1035), (3.0, 100.0, Growth::Hold)); // 3.38
    assert_eq!(after_decision(0.1037), (4.0, 99.0, Growth::Hold)); // 3.57
}

#[test]
fn a_lone_packet_resets_the_base() {
    let mut vegas = avoiding(10.0);
    vegas.sent = 1.0;
    vegas.decide(1.0, 0.2);
    assert_eq!((vegas.base.get(), vegas.diff), (Some(0.2), 0.0));
}

#[test]
fn a_loss_leaves_three_quarters_and_a_timeout_one_packet() {
    let lose = |kind, cwnd| {
        let mut vegas = avoiding(cwnd);
        vegas.lost(&Lost::new(Instant::START, kind, Bytes(0)));
        (vegas.window.cwnd, vegas.window.ssthresh)
    };
    assert_eq!(lose(LossKind::FastRetransmit, 100.0), (75.0, 2.0));
    assert_eq!(lose(LossKind::FastRetransmit, 2.0), (2.0, 2.0));
    assert_eq!(lose(LossKind::Ecn, 100.0), (50.0, 50.0));
    assert_eq!(lose(LossKind::Timeout, 100.0), (1.0, 50.0));
}
