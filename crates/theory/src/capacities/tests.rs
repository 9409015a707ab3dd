use proptest::prelude::*;

use super::*;
use crate::ode::rk4;

fn shared(bottleneck: f64, access: &[f64], gamma: f64) -> Shared {
    Shared { bottleneck: Rate::from_mbps(bottleneck), access: access.iter().map(|bw| Rate::from_mbps(*bw)).collect(), gamma }
}

fn mbps(rates: &[Rate]) -> Vec<f64> {
    rates.iter().map(|r| r.mbps()).collect()
}

fn near(rates: &[Rate], wanted: &[f64], error: f64) {
    let rates = mbps(rates);
    assert!(rates.len() == wanted.len() && rates.iter().zip(wanted).all(|(a, b)| (a - b).abs() < error), "{rates:?}, not {wanted:?}");
}

#[test]
fn s_fig_14_by_hand() {
    // bw 10 and 20, γ = 0.9. Fluid: N_i = K_i − 0.9(ΣK − BW)/1.9. Delivered: BW · N_i/ΣN. Claimed: BW · K_i/ΣK.
    for (bw, offered, delivered, claimed) in [
        (5.0, [2.6316, 2.6316], [2.5, 2.5], [2.5, 2.5]),
        (15.0, [5.2632, 10.2632], [5.0847, 9.9153], [6.0, 9.0]),
        (25.0, [7.6316, 17.6316], [7.5521, 17.4479], [8.3333, 16.6667]),
        (30.0, [10.0, 20.0], [10.0, 20.0], [10.0, 20.0]),
    ] {
        let link = shared(bw, &[10.0, 20.0], 0.9);
        near(&link.fluid().offered, &offered, 1e-4);
        near(&link.fluid().delivered, &delivered, 1e-4);
        near(&link.claimed(), &claimed, 1e-4);
        assert!((link.fluid().excess.mbps() - (offered[0] + offered[1] - bw)).abs() < 2e-4);
        near(&link.measured().delivered, &claimed, 1e-4);
    }
    // ΣN by hand at 15: 0.9·15 + 0.1·25 = 16, a queue of 1 Mbit/s · τ.
    assert!((shared(15.0, &[10.0, 20.0], 0.9).measured().excess.mbps() - 1.0).abs() < 1e-9);
}

#[test]
fn a_narrow_flow_among_wide_ones_is_left_with_its_floor() {
    // Nine of 20 leave the flow of 1 nothing (A = 0): it keeps (1 − γ)K = 0.1. S Eq 27 would give 20/181 = 0.11.
    let mut access = std::vec![20.0; 9];
    access.push(1.0);
    let link = shared(20.0, &access, 0.9);
    assert!((link.fluid().offered[9].mbps() - 0.1).abs() < 1e-9);
    assert!((link.claimed()[9].mbps() - 20.0 / 181.0).abs() < 1e-9);
}

/// Where Eq 8 comes to rest, by following it.
fn relaxed(link: &Shared, available: impl Fn(&[f64], usize) -> f64) -> Vec<f64> {
    let capacities = mbps(&link.capacities());
    let mut n: Vec<f64> = capacities.iter().map(|k| 0.3 * k).collect();
    for _ in 0..20_000 {
        rk4(&mut n, 0.02, |n, d| {
            for (i, k) in capacities.iter().enumerate() {
                // Eq 8 over εN_i/K_i, which is above zero and moves no rest.
                d[i] = k - n[i] - link.gamma * (k - available(n, i));
            }
        });
    }
    n
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn both_rests_are_where_eq_8_comes_to_rest(
        bw in 1.0..100.0f64, access in proptest::collection::vec(1.0..100.0f64, 1..6), gamma in 0.05..0.93f64,
    ) {
        let link = shared(bw, &access, gamma);
        let others = relaxed(&link, |n, i| {
            let rest: f64 = n.iter().sum::<f64>() - n[i];
            access[i].min(bw - rest).max(0.0)
        });
        near(&link.fluid().offered, &others, 1e-6 * bw);
        let own = relaxed(&link, |n, i| {
            let all: f64 = n.iter().sum();
            if all > bw { bw * n[i] / all } else { access[i].min(bw - all + n[i]) }
        });
        near(&link.measured().offered, &own, 1e-6 * bw);
        for rest in [link.fluid(), link.measured()] {
            let delivered: f64 = mbps(&rest.delivered).iter().sum();
            let wanted = mbps(&link.capacities()).iter().sum::<f64>().min(bw);
            prop_assert!((delivered - wanted).abs() < 1e-6 * bw, "the link is full, or every flow has all it can use");
        }
    }
}

#[test]
fn a_dead_link_carries_nothing() {
    let link = shared(0.0, &[10.0, 20.0], 0.9);
    for rates in [link.claimed(), link.fluid().offered, link.fluid().delivered, link.measured().delivered] {
        near(&rates, &[0.0, 0.0], 1e-12);
    }
}
