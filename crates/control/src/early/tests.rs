use alloc::boxed::Box;

use super::*;
use crate::LossKind;
use crate::measurement::oracle::{Errors, Oracle};
use crate::{Bytes, Instant, test_path};

const K: Rate = Rate::from_mbps(100.0);

fn early(initial_window: u64, noise: f64) -> Early {
    Early::new(&test_path::setup(initial_window), 1.95, 0.9, Host::new(Box::new(Oracle::new(Errors { noise, ..Errors::default() }, 1))))
}

fn report(available: Rate) -> Report {
    Report::Path { now: Instant::START, capacity: K, available }
}

#[test]
fn an_ack_adds_what_the_model_says() {
    // Kτ = 1000, (K − A)τ = 200, w = 100: 1.95·(1 − (100 + 0.9·200)/1000) = 1.404.
    assert!((increment(100.0, 1000.0, 200.0, 1.95, 0.9) - 1.404).abs() < 1e-12);
    // Rests at w* = 0.1·1000 + 0.9·800 = 820.
    assert!(increment(820.0, 1000.0, 200.0, 1.95, 0.9).abs() < 1e-12);
    // Kτ = 100 Mbit/s · 50 ms = 625 packets of 1000 bytes: the same through an ACK. A = 80: (K − A)τ = 125.
    let mut early = early(100, 0.0);
    early.report(&report(Rate::from_mbps(80.0)));
    early.acked(&test_path::ack());
    let step = 1.95 * (1.0 - (100.0 + 0.9 * 125.0) / 625.0);
    assert!((early.window.cwnd - 100.0 - step).abs() < 1e-9, "{}", early.window.cwnd);
}

#[test]
fn alone_it_fills_the_path_and_no_more() {
    let mut early = early(2, 0.0);
    early.report(&report(K));
    let trace = test_path::Path::default().run(&mut early, &test_path::setup(2), Instant::from_millis(10_000));
    // w* = Kτ = 877.08 packets.
    let last = trace.last().unwrap();
    assert!((last.cwnd - 877.1).abs() < 0.5, "{last:?}");
    assert!(last.queue < 1.0, "{last:?}");
}

#[test]
fn without_a_report_it_is_reno() {
    let mut early = early(2, 0.0);
    early.acked(&test_path::ack());
    assert_eq!(early.window.cwnd, 3.0);
    early.lost(&Lost::new(Instant::START, LossKind::FastRetransmit, Bytes(0)));
    assert_eq!((early.window.cwnd, early.window.ssthresh), (2.0, 2.0));
    early.acked(&test_path::ack());
    assert_eq!(early.window.cwnd, 2.5);
}

#[test]
fn a_timeout_discards_what_was_measured() {
    let mut early = early(100, 0.0);
    early.report(&report(K));
    early.lost(&Lost::new(Instant::START, LossKind::FastRetransmit, Bytes(0)));
    assert!(early.window.cwnd == 50.0 && early.host.reading().is_some());
    early.lost(&Lost::new(Instant::START, LossKind::Timeout, Bytes(0)));
    assert!(early.window.cwnd == 1.0 && early.host.reading().is_none());
    early.acked(&test_path::ack());
    assert_eq!(early.window.cwnd, 2.0);
}
