use std::vec::Vec;

use super::*;
use crate::{Bytes, test_path};

const TARGET: Span = Span::from_millis(60);

fn at_rest(base_ms: u64, cwnd: f64) -> LedbatPlusPlus {
    let mut ledbat = LedbatPlusPlus::new(&test_path::setup(10), TARGET);
    ledbat.measure(Instant::START, Span::from_millis(base_ms));
    (ledbat.window.cwnd, ledbat.window.ssthresh) = (cwnd, cwnd);
    ledbat
}

#[test]
fn gain_is_one_over_twice_the_target_in_round_trips() {
    // §4.2: ⌈120/50⌉ = 3, ⌈120/100⌉ = 2, and 16 at the most; 1 where the way is long.
    for (base, gain) in [(50, 1.0 / 3.0), (100, 0.5), (5, 1.0 / 16.0), (200, 1.0)] {
        assert!((at_rest(base, 100.0).gain() - gain).abs() < 1e-12, "{base} ms");
    }
}

#[test]
fn a_round_trip_adds_gain_below_the_target_and_takes_in_proportion_above() {
    let ledbat = at_rest(100, 40.0);
    assert_eq!(ledbat.round(Span::from_millis(30)), 0.5);
    // §4.3: 0.5 − 40·(66/60 − 1) = −3.5; half of the window at the most.
    assert!((ledbat.round(Span::from_millis(66)) + 3.5).abs() < 1e-9);
    assert_eq!(ledbat.round(Span::from_millis(180)), -20.0);
}

#[test]
fn a_loss_halves_and_a_timeout_starts_over() {
    let mut ledbat = at_rest(100, 40.0);
    ledbat.lost(&Lost::new(Instant::from_millis(1), LossKind::FastRetransmit, Bytes(0)));
    assert_eq!(ledbat.window.cwnd, 20.0);
    ledbat.lost(&Lost::new(Instant::from_millis(2), LossKind::Timeout, Bytes(0)));
    assert_eq!(ledbat.window.cwnd, 1.0);
}

#[test]
fn alone_it_fills_the_link_below_the_target_and_slows_down_in_a_tenth_of_the_time() {
    let setup = test_path::setup(10);
    let trace = test_path::Path::default().run(&mut LedbatPlusPlus::new(&setup, TARGET), &setup, Instant::from_millis(300_000));
    let rest = &trace[60..];
    // 60 ms of 100 Mbit/s in packets of 1000 bytes are 750.
    let queues: Vec<f64> = rest.iter().map(|second| second.queue).collect();
    assert!(queues.iter().all(|queue| *queue < 750.0 * 1.05), "{queues:?}");
    // The link's 877 packets are there but for the slowdowns.
    let slow = rest.iter().filter(|second| second.cwnd < 877.0).count() as f64 / rest.len() as f64;
    assert!(slow < 0.13 && slow > 0.01, "{slow}");
}
