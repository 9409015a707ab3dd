use proptest::prelude::*;

use super::*;

fn path(capacity: f64, available: f64) -> Bandwidth {
    Bandwidth { capacity: Rate::from_mbps(capacity), available: Rate::from_mbps(available) }
}

const PAPER: LotkaVolterra = LotkaVolterra { epsilon: 1.95, gamma: 0.9 };
const RTT: Span = Span::from_millis(100);

proptest! {
    #[test]
    fn two_steps_are_one(w0 in 1.0..1e8f64, free in 0.0..1.0f64, first in 0u64..10_000_000_000, second in 0u64..10_000_000_000) {
        let b = path(100.0, 100.0 * free);
        let once = PAPER.step(w0, &b, RTT, Span(first + second));
        let twice = PAPER.step(PAPER.step(w0, &b, RTT, Span(first)), &b, RTT, Span(second));
        prop_assert!((once / twice - 1.0).abs() < 1e-13);
    }

    #[test]
    fn a_step_never_passes_the_equilibrium(w0 in 0.0..1e9f64, k in 0.0..1e6f64, a in -1e6..2e6f64, t in any::<u64>()) {
        let b = path(k, a);
        let limit = PAPER.equilibrium(&b, RTT);
        let w = PAPER.step(w0, &b, RTT, Span(t));
        let slack = 1e-12 * limit.max(w0);
        prop_assert!(w >= w0.min(limit) - slack && w <= w0.max(limit) + slack, "{w0} {w} {limit}");
    }
}

#[test]
fn the_equilibrium_is_s_eq_11() {
    // {(1 − 0.9)·100 + 0.9·80} Mbit/s · 100 ms = 82 Mbit/s · 0.1 s = 1.025 MB.
    let b = path(100.0, 80.0);
    assert!((PAPER.competition(&b) - 0.82).abs() < 1e-15);
    assert!((PAPER.equilibrium(&b, RTT) - 1_025_000.0).abs() < 1e-6);
    assert!(PAPER.growth(1_025_000.0, &b, RTT).abs() < 1e-6);
}

#[test]
fn the_available_bandwidth_is_held_within_the_capacity() {
    for (wild, tame) in [(150.0, 100.0), (-5.0, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 100.0)] {
        assert_eq!(PAPER.equilibrium(&path(100.0, wild), RTT), PAPER.equilibrium(&path(100.0, tame), RTT));
    }
}

#[test]
fn the_edges_have_values() {
    let b = path(100.0, 80.0);
    let limit = PAPER.equilibrium(&b, RTT);
    assert_eq!(PAPER.step(0.0, &b, RTT, Span::MAX), 0.0);
    assert_eq!(PAPER.step(0.1 + 0.2, &b, RTT, Span::ZERO), 0.1 + 0.2, "no time, no change, to the last bit");
    for w0 in [1e-300, 1.0, 1e300] {
        assert!((PAPER.step(w0, &b, RTT, Span::MAX) / limit - 1.0).abs() < 1e-15);
    }
    for nothing in [path(0.0, 0.0), path(0.0, 5.0), path(-1.0, 5.0), path(f64::NAN, 5.0)] {
        assert_eq!(PAPER.equilibrium(&nothing, RTT), 0.0);
        assert_eq!(PAPER.step(1500.0, &nothing, RTT, Span(1)), 0.0);
        assert_eq!(PAPER.step(1500.0, &nothing, RTT, Span::ZERO), 1500.0);
        assert_eq!(PAPER.growth(1500.0, &nothing, RTT), f64::NEG_INFINITY);
        assert_eq!(PAPER.growth(0.0, &nothing, RTT), 0.0);
    }
    assert_eq!(PAPER.step(1500.0, &b, Span::ZERO, Span(1)), 0.0, "no round-trip time, no room");
}

#[test]
fn full_competition_without_free_bandwidth_decays_like_one_over_t() {
    // γ = 1, A = 0: dw/dt = −(ε/Kτ) w², w = w0 / (1 + ε t w0/(Kτ)). From w0 = Kτ at ε = 2 after 2 s: a fifth.
    let m = LotkaVolterra { epsilon: 2.0, gamma: 1.0 };
    let b = path(80.0, 0.0);
    assert!((m.step(1e6, &b, RTT, Span::from_millis(2000)) - 2e5).abs() < 1e-6);
}

#[test]
fn almost_no_growth_is_like_none() {
    // 1 − e^−x would keep four digits here.
    assert!((logistic(1.0, 1e-12, 1.0, Span::from_millis(1000)) - 0.5).abs() < 1e-11);
}

#[test]
fn tiny_steps_keep_their_precision() {
    // A million ACKs in 10 s land where one step of 10 s does: no bias of rounding in the hot path.
    let b = path(1000.0, 700.0);
    let (mut w, w0) = (30_000.0, 30_000.0);
    for _ in 0..1_000_000 {
        w = PAPER.step(w, &b, RTT, Span(10_000));
    }
    let once = PAPER.step(w0, &b, RTT, Span::from_millis(10_000));
    assert!((w / once - 1.0).abs() < 1e-9, "{w} {once}");
}
