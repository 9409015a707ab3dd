use proptest::prelude::*;

use super::*;
use symbiosis_base::{Rate, Span};
use symbiosis_control::lotka_volterra::logistic;
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};

fn late(epsilon: f64) -> Vec<f64> {
    logistic_map(epsilon, 100.0, 1.0, 2000).split_off(1000)
}

#[test]
fn below_two_the_map_settles_at_the_capacity() {
    for epsilon in [0.6, 1.8] {
        assert!(late(epsilon).iter().all(|n| (n - 100.0).abs() < 1e-9), "ε {epsilon}");
    }
    let most = |epsilon| logistic_map(epsilon, 100.0, 1.0, 2000).into_iter().fold(0.0, f64::max);
    assert!(most(0.6) < 100.0 + 1e-9, "below one it climbs without overshoot");
    assert!(most(1.8) > 103.0, "above one it overshoots");
}

#[test]
fn at_2_4_the_map_alternates_between_two_values() {
    // Fixed points of the map's second iterate: N/K = (ε + 2 ± √(ε² − 4))/(2ε) = (4.4 ± 1.32665)/4.8.
    let seen = late(2.4);
    for pair in seen.chunks_exact(2) {
        assert!((pair[0].min(pair[1]) - 64.0281).abs() < 1e-3 && (pair[0].max(pair[1]) - 119.3052).abs() < 1e-3, "{pair:?}");
    }
}

/// Mean logarithm of the factor by which a small difference grows in a step.
fn lyapunov(epsilon: f64) -> f64 {
    let orbit = logistic_map(epsilon, 100.0, 1.0, 200_000);
    orbit.iter().map(|n| libm::log((1.0 + epsilon - 2.0 * epsilon * n / 100.0).abs())).sum::<f64>() / orbit.len() as f64
}

#[test]
fn at_3_the_map_is_chaotic() {
    // ε = 3 is the logistic map 4y(1 − y), whose exponent is ln 2.
    assert!((lyapunov(3.0) - core::f64::consts::LN_2).abs() < 0.01, "{}", lyapunov(3.0));
    assert!(lyapunov(1.8) < -0.1 && lyapunov(2.4) < -0.1);
    let seen = late(3.0);
    assert!(seen.iter().all(|n| (0.0..=400.0 / 3.0).contains(n)), "and stays bounded");
    assert!(logistic_map(3.01, 100.0, 1.0, 2000).pop().unwrap() < -1e100, "above, it does not");
    for period in 1..20 {
        assert!((0..100).any(|i| (seen[i] - seen[i + period]).abs() > 1.0), "period {period}");
    }
}

fn alike(start: f64) -> Species {
    Species { start, initial: 1.0, epsilon: 1.95, capacity: 100.0 }
}

#[test]
fn the_second_species_halves_the_room_of_the_first() {
    // I Fig 2, S Fig 1: one alone until 10, then both to K/(1 + γ) = 52.6.
    let series = competition(&[alike(0.0), alike(10.0)], 0.9, 200.0, 0.01);
    let before = series[0].iter().find(|(t, _)| *t > 9.99).unwrap().1;
    assert!((before - 100.0).abs() < 1e-3, "{before}");
    assert_eq!(series[1][0], (10.0, 1.0));
    for one in &series {
        let (t, n) = *one.last().unwrap();
        assert!((t - 200.0).abs() < 1e-9 && (n - 100.0 / 1.9).abs() < 1e-3, "{t} {n}");
    }
}

#[test]
fn eq_4_tells_who_dies_out() {
    let ends = |second: f64, gamma| {
        let species = [alike(0.0), Species { capacity: second, ..alike(0.0) }];
        competition(&species, gamma, 2000.0, 0.1).iter().map(|one| one.last().unwrap().1).collect::<Vec<f64>>()
    };
    // γ 0.9 > 80/100: the smaller dies out. γ 0.9 < 95/100: both live, N_1 + γN_2 = 100, γN_1 + N_2 = 95.
    let dead = ends(80.0, 0.9);
    assert!((dead[0] - 100.0).abs() < 1e-6 && dead[1] < 1e-6, "{dead:?}");
    let alive = ends(95.0, 0.9);
    assert!((alive[0] - 14.5 / 0.19).abs() < 1e-6 && (alive[1] - 5.0 / 0.19).abs() < 1e-6, "{alive:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_species_alone_follows_the_closed_form(epsilon in 0.1..3.0f64, capacity in 1.0..1e4f64, start in 0.01..2.0f64) {
        let alone = Species { start: 0.0, initial: start * capacity, epsilon, capacity };
        for (t, n) in &competition(&[alone], 0.9, 5.0, 0.01)[0] {
            let closed = logistic(alone.initial, epsilon, epsilon / capacity, Span::from_secs(*t));
            prop_assert!((n / closed - 1.0).abs() < 1e-7, "{t}: {n} {closed}");
        }
    }

    #[test]
    fn two_flows_step_by_step_follow_the_two_species(second in 0.05..1.0f64, gamma in 0.1..0.95f64) {
        // The controller's step in turns with S Eq 17 for what is available: first order in the step, so 1e-3 of it is close.
        let (model, tau) = (LotkaVolterra { epsilon: 1.95, gamma }, Span::from_millis(1000));
        let species = [Species { initial: 10.0, ..alike(0.0) }, Species { initial: 100.0 * second, ..alike(0.0) }];
        let series = competition(&species, gamma, 5.0, 0.001);
        let mut w = species.map(|s| s.initial);
        for k in 0..5000 {
            let seen = |others: f64| Bandwidth {
                capacity: Rate::from_bytes_per_s(100.0), available: Rate::from_bytes_per_s(100.0 - others),
            };
            w = [0, 1].map(|i: usize| model.step(w[i], &seen(w[1 - i]), tau, Span::from_millis(1)));
            for i in 0..2 {
                prop_assert!((w[i] / series[i][k + 1].1 - 1.0).abs() < 5e-3, "{k}: {w:?}");
            }
        }
    }
}
