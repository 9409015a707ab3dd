use proptest::prelude::*;

use super::*;
use crate::ode::rk4;

/// S Fig 4: 10 Mbit/s, 50 ms, buffer in bandwidth-delay products.
fn fig4(epsilon: f64, bdps: f64) -> Rivalry {
    let (capacity, tau) = (Rate::from_mbps(10.0), Span::from_millis(50));
    let buffer = Bytes::from_f64(bdps * capacity.times(tau));
    Rivalry { capacity, tau, mean_rtt: tau, buffer, epsilon, packet: Bytes(1500) }
}

proptest! {
    #[test]
    fn the_cycle_satisfies_eqs_22_and_24(
        epsilon in 0.5..50.0f64, mbps in 10.0..1000.0f64, bdps in 0.1..4.0f64, tau in 20u64..200, late in 1.0..2.0f64,
    ) {
        let (capacity, tau) = (Rate::from_mbps(mbps), Span::from_millis(tau));
        let buffer = Bytes::from_f64(bdps * capacity.times(tau));
        let rivalry = Rivalry { capacity, tau, mean_rtt: tau.scale(late), buffer, epsilon, packet: Bytes(1500) };
        if let Some(cycle) = rivalry.cycle() {
            let (rho, t) = (cycle.rho(), cycle.settled.seconds);
            let peak = ((1.0 - rho) * capacity.times(tau) + buffer.as_f64()) / 1500.0;
            prop_assert!((t / (peak / 2.0 * rivalry.mean_rtt.secs()) - 1.0).abs() < 1e-9);
            // Eq 24 by way of e^x: its logarithm says nothing once ρ rounds to one.
            prop_assert!(((1.0 - rho) * libm::exp(epsilon * t) - (2.0 - rho)).abs() < 1e-9 || rho > 1.0 - 1e-6, "ρ {rho} T {t}");
            prop_assert!(rho > 0.0 && rho <= 1.0);
        } else {
            let longest = (capacity.times(tau) + buffer.as_f64()) / 1500.0 * rivalry.mean_rtt.secs() / 2.0;
            prop_assert!(longest <= core::f64::consts::LN_2 / epsilon);
        }
    }
}

#[test]
fn the_areas_are_those_of_the_windows() {
    for (epsilon, bdps) in [(0.8, 1.0), (1.95, 0.25), (1.95, 4.0), (5.0, 1.0)] {
        let rivalry = fig4(epsilon, bdps);
        let cycle = rivalry.cycle().unwrap();
        let (room, rtt) = (10e6 / 8.0 * 0.05 / 1500.0, 0.05);
        // Windows of Reno and Symbiosis and the areas under both; Symbiosis by Eq 9 with A = K.
        let mut state = [cycle.reno_peak() / 2.0, cycle.symbiosis_peak() / 2.0, 0.0, 0.0];
        for _ in 0..10_000 {
            rk4(&mut state, cycle.length().secs() / 10_000.0, |s, d| {
                d.copy_from_slice(&[1.0 / rtt, epsilon * (1.0 - s[1] / room) * s[1], s[0], s[1]]);
            });
        }
        let [reno, symbiosis, reno_area, symbiosis_area] = state;
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-7;
        assert!(close(reno, cycle.reno_peak()) && close(symbiosis, cycle.symbiosis_peak()), "both are back where they were: {state:?}");
        assert!(close(reno_area, cycle.reno_area()) && close(symbiosis_area, cycle.symbiosis_area()), "{state:?}");
        assert!(close(reno_area / symbiosis_area, cycle.lambda_corrected()));
        assert!(close(2.0 * reno_area / symbiosis_area, cycle.lambda_paper()), "S counts Reno twice");
        assert!((reno + symbiosis - (1.0 + bdps) * room).abs() < 0.01, "the link and its buffer are full");
    }
}

#[test]
fn lambda_falls_with_epsilon_to_its_limit() {
    for bdps in [0.25, 0.5, 1.0, 2.0, 4.0] {
        let lambda = |epsilon| fig4(epsilon, bdps).cycle().unwrap().lambda_corrected();
        let mut last = f64::INFINITY;
        for k in 0..40 {
            let next = lambda(1.5 + 0.5 * f64::from(k));
            assert!(next < last && next > fig4(1.0, bdps).least_lambda());
            last = next;
        }
        // Far out only the halvings of Symbiosis cost it anything: T/(T − ln 2/ε).
        assert!((lambda(1e4) / fig4(1.0, bdps).least_lambda() - 1.0).abs() < 1e-3);
    }
    // One is within reach below 4/3 of the bandwidth-delay product and not above.
    assert!(fig4(20.0, 1.0).cycle().unwrap().lambda_corrected() < 1.0);
    assert!(fig4(1e6, 2.0).cycle().unwrap().lambda_corrected() > 1.0);
    // As printed, without τ̄, it would be out of reach for the smallest buffer of Fig 4 too, which is not what S says of it.
    assert!(fig4(1e6, 0.25).cycle().unwrap().lambda_paper() / 0.05 > 1.0);
    assert!(fig4(1e6, 0.25).cycle().unwrap().lambda_paper() < 1.0);
}

#[test]
fn too_slow_a_flow_is_halved_to_nothing() {
    // (Kτ + B)τ̄/2 = 41.67 packets · 1.25 · 25 ms = 1.302 s; doubling takes ln 2/ε: the border is ε = 0.5323.
    assert!(fig4(0.53, 0.25).cycle().is_none());
    let cycle = fig4(0.535, 0.25).cycle().unwrap();
    assert!(cycle.rho() < 0.05 && cycle.lambda_corrected() > 20.0, "{cycle:?}");
}
