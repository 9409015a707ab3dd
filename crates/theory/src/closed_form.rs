//! The model's closed form in `symbiosis-control` against the differential equation, integrated.

use proptest::prelude::*;
use symbiosis_base::{Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};

use crate::ode::rk4;

fn path(capacity: f64, available: f64) -> Bandwidth {
    Bandwidth { capacity: Rate::from_mbps(capacity), available: Rate::from_mbps(available) }
}

/// Eq 9 written as S prints it, not as the code has it.
fn eq9(m: &LotkaVolterra, w: f64, b: &Bandwidth, tau: f64) -> f64 {
    let (k, a) = (b.capacity.bytes_per_s(), b.available.bytes_per_s());
    m.epsilon * (1.0 - (w + m.gamma * (k - a) * tau) / (k * tau)) * w
}

fn integrated(m: &LotkaVolterra, w0: f64, b: &Bandwidth, tau: f64, t: f64, steps: u32) -> f64 {
    let mut w = [w0];
    for _ in 0..steps {
        rk4(&mut w, t / f64::from(steps), |w, d| d[0] = eq9(m, w[0], b, tau));
    }
    w[0]
}

proptest! {
    #[test]
    fn the_closed_form_solves_eq_9(
        epsilon in 0.05..5.0f64, gamma in 0.01..0.99f64, k in 0.1..10_000.0f64, free in 0.0..1.0f64,
        tau in 1u64..1000, start in 0.01..3.0f64, t in 0.0..5.0f64,
    ) {
        let (m, b, rtt) = (LotkaVolterra { epsilon, gamma }, path(k, k * free), Span::from_millis(tau));
        let w0 = start * m.equilibrium(&b, rtt);
        let t = Span::from_secs(t);
        let truth = integrated(&m, w0, &b, rtt.secs(), t.secs(), 4000);
        let w = m.step(w0, &b, rtt, t);
        prop_assert!((w / truth - 1.0).abs() < 1e-8, "{w} {truth}");
        prop_assert!((m.growth(w0, &b, rtt) - eq9(&m, w0, &b, rtt.secs())).abs() < 1e-9 * epsilon * w0 * (1.0 + start));
    }
}
