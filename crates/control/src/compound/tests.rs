use super::*;
use crate::LossKind;
use crate::test_path::{self, Path};
use crate::{Bytes, Instant, Span};

const PAPER: Constants = Constants { alpha: 0.125, k: 0.75, beta: 0.5, gamma: 30.0, zeta: 1.0 };

/// In congestion avoidance with a base RTT of 100 ms, `dwnd` of the window delay-based.
fn avoiding(win: f64, dwnd: f64) -> Compound {
    let mut compound = Compound::new(&test_path::setup(10), PAPER);
    (compound.window.cwnd, compound.window.ssthresh, compound.dwnd) = (win, 2.0, dwnd);
    compound.base.sample(0.1);
    compound
}

/// One full window acknowledged, all sent at `sent_at` and acknowledged at `now`.
fn round_trip(compound: &mut Compound, sent_at: Instant, now: Instant, rtt: Span) {
    for _ in 0..compound.window.cwnd as u64 {
        compound.acked(&Acked { sent_at, now, rtt: Some(rtt), ..test_path::ack() });
    }
}

#[test]
fn the_law_is_the_papers() {
    // 256^¾ = 64, and an eighth of it 8: seven more than Reno's one. From 16 packets down (16^¾ = 8) there is nothing to add.
    assert_eq!(PAPER.growth(256.0), 7.0);
    assert_eq!(PAPER.growth(16.0), 0.0);
    assert_eq!(PAPER.growth(2.0), 0.0);
    // 100 packets at 125 ms instead of 100: a fifth of them waits.
    assert!((queued(100.0, 0.1, 0.125) - 20.0).abs() < 1e-12);
    // 100 packets, 40 of them delay-based: half of each is left. With β = 0.3 the sum keeps 70, of which Reno's half of 60 are 30.
    assert_eq!(PAPER.after_loss(100.0, 40.0), 20.0);
    assert_eq!(Constants { beta: 0.3, ..PAPER }.after_loss(100.0, 40.0), 40.0);
    assert_eq!(Constants { beta: 0.8, ..PAPER }.after_loss(100.0, 40.0), 0.0);
}

#[test]
fn an_idle_path_is_filled_by_alpha_win_to_the_k() {
    let mut compound = avoiding(256.0, 0.0);
    round_trip(&mut compound, Instant::START, Instant::from_millis(100), Span::from_millis(100));
    // One of Reno, seven of the other; as the window grows within the round trip, a hundredth less or more.
    assert!((compound.dwnd - 7.0).abs() < 0.05 && (compound.window.cwnd - 264.0).abs() < 0.05, "{}", compound.window.cwnd);
}

#[test]
fn queued_packets_take_the_delay_based_window_down() {
    let mut compound = avoiding(200.0, 80.0);
    // 200·(1 − 100/125) = 40 wait, more than 30.
    compound.decide(0.125);
    assert!((compound.dwnd - 40.0).abs() < 1e-9 && (compound.window.cwnd - 160.0).abs() < 1e-9 && !compound.idle);
    // 160·0.2 = 32 more, and 25.6 the next time are too few to go on.
    compound.decide(0.125);
    assert!((compound.dwnd - 8.0).abs() < 1e-9 && (compound.window.cwnd - 128.0).abs() < 1e-9);
    compound.decide(0.125);
    assert!(compound.idle && (compound.dwnd - 8.0).abs() < 1e-9);
    // Reno's part is not touched, however long the queue.
    compound.decide(1.0);
    assert!(compound.dwnd == 0.0 && (compound.window.cwnd - 120.0).abs() < 1e-9);
}

#[test]
fn losses_halve_both_and_a_timeout_starts_over() {
    let lose = |kind, win, dwnd| {
        let mut compound = avoiding(win, dwnd);
        compound.lost(&Lost::new(Instant::START, kind, Bytes(0)));
        (compound.window.cwnd, compound.dwnd)
    };
    assert_eq!(lose(LossKind::FastRetransmit, 100.0, 40.0), (50.0, 20.0));
    assert_eq!(lose(LossKind::Ecn, 100.0, 0.0), (50.0, 0.0));
    assert_eq!(lose(LossKind::Timeout, 100.0, 40.0), (1.0, 0.0));
}

#[test]
fn alone_it_fills_the_path_faster_than_reno_and_then_grows_as_reno() {
    let mut compound = Compound::new(&test_path::setup(2), PAPER);
    (compound.window.cwnd, compound.window.ssthresh) = (200.0, 200.0);
    let trace = Path::default().run(&mut compound, &test_path::setup(2), Instant::from_millis(60_000));
    // d win/dt = α·win^¾ a round trip from 200 on: win^¼ grows by 1/32 in each of 70 ms. 877 packets fill the path: (877^¼ − 200^¼)·32 = 53.8
    // round trips, 3.8 s; Reno takes 677 of them, 47 s.
    let full = trace.iter().position(|second| second.cwnd > 877.0).expect("it fills the path") + 1;
    assert!((4..=5).contains(&full), "after {full} s");
    // From γ queued packets on dwnd gives way by as many as wait: the window is near where the queue begins.
    let held = &trace[20];
    assert!(held.queue < 60.0 && held.cwnd > 840.0, "{held:?}");
    // After 677 round trips Reno's part fills the path alone, and nothing is left of the other.
    let last = trace.last().expect("a minute");
    assert!(compound.dwnd == 0.0 && last.queue > 60.0, "{last:?}");
}
