use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::ode::rk4;

const PAPER: LotkaVolterra = LotkaVolterra { epsilon: 1.95, gamma: 0.9 };
const PACKET: Bytes = Bytes(1500);

fn path(capacity: f64, available: f64) -> Bandwidth {
    Bandwidth { capacity: Rate::from_mbps(capacity), available: Rate::from_mbps(available) }
}

/// The first time at which the integrated window reaches `goal` \[s\].
fn first_time(model: &LotkaVolterra, b: &Bandwidth, tau: Span, w0: f64, goal: f64) -> f64 {
    let h = 1e-3;
    let (mut w, mut t) = ([w0], 0.0);
    loop {
        let before = w[0];
        rk4(&mut w, h, |w, d| d[0] = model.growth(w[0], b, tau));
        if w[0] >= goal {
            return t + h * (goal - before) / (w[0] - before);
        }
        t += h;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn eq_12_is_when_the_integrated_window_arrives(
        epsilon in 0.5..4.0f64, gamma in 0.1..0.95f64, k in 1.0..1000.0f64,
        free in 0.1..1.0f64, start in 0.001..0.5f64, rho in 0.6..0.99f64,
    ) {
        let (model, b, tau) = (LotkaVolterra { epsilon, gamma }, path(k, k * free), Span::from_millis(70));
        let limit = model.equilibrium(&b, tau);
        let exact = convergence_time(&model, &b, tau, start * limit, rho).secs();
        let seen = first_time(&model, &b, tau, start * limit, rho * limit);
        prop_assert!((exact - seen).abs() < 1e-5, "{exact} {seen}");
        let bound = convergence_bound(&model, &b, tau, start * limit, rho).secs();
        let slack = model.competition(&b) / (1.0 - gamma);
        prop_assert!(bound > exact && (bound / exact - slack).abs() < 1e-6, "{bound} {exact}");
    }
}

#[test]
fn convergence_has_its_edges() {
    let (b, tau) = (path(100.0, 80.0), Span::from_millis(100));
    let limit = PAPER.equilibrium(&b, tau);
    assert_eq!(convergence_time(&PAPER, &b, tau, 0.0, 0.99), Span::MAX);
    assert_eq!(convergence_time(&PAPER, &b, tau, 1500.0, 1.0), Span::MAX);
    assert_eq!(convergence_time(&PAPER, &b, tau, 0.99 * limit, 0.99), Span::ZERO);
    assert_eq!(convergence_time(&PAPER, &b, tau, 2.0 * limit, 0.99), Span::ZERO);
    // The bound is the time itself when nothing is free.
    let full = path(100.0, 0.0);
    assert_eq!(convergence_time(&PAPER, &full, tau, 1500.0, 0.99), convergence_bound(&PAPER, &full, tau, 1500.0, 0.99));
}

/// Round trips until a window of packets that grows by `a(w)` a round trip gets from `w` to `to`.
fn round_trips(mut w: f64, to: f64, a: impl Fn(f64) -> f64) -> f64 {
    let mut count = 0.0;
    while w < to {
        let step = a(w);
        count += ((to - w) / step).min(1.0);
        w += step;
    }
    count
}

/// RFC 3649 §5: a(w).
fn high_speed_growth(w: f64) -> f64 {
    let b = (0.1 - 0.5) * libm::log(w / 38.0) / libm::log(83000.0 / 38.0) + 0.5;
    w * w * 0.078 / libm::pow(w, 1.2) * 2.0 * b / (2.0 - b)
}

#[test]
fn the_other_laws_need_the_round_trips_that_s_says() {
    let climb = Climb { from: 150_000.0, to: 1_500_000.0, packet: PACKET, rtt: Span::from_millis(50) };
    // Reno, by hand: 900 packets at one in 50 ms.
    assert_eq!(climb.reno(), Span::from_millis(45_000));
    // Reno ACK by ACK: cwnd grows by 1/cwnd for each of the packets of a round trip.
    let acked = round_trips(100.0, 1000.0, |w| (0..w as u32).fold(w, |grown, _| grown + 1.0 / grown) - w);
    assert!((acked * 0.05 / climb.reno().secs() - 1.0).abs() < 0.02, "{acked}");

    let scalable = round_trips(100.0, 1000.0, |w| 0.01 * w) * 0.05;
    let longer = 0.01 / libm::log1p(0.01);
    assert!((scalable / climb.scalable(0.01).secs() - longer).abs() < 1e-3);

    let high_speed = round_trips(100.0, 1000.0, high_speed_growth) * 0.05;
    let bound = climb.high_speed(high_speed_growth(1000.0)).secs();
    assert!(bound < high_speed && high_speed < 2.0 * bound, "{bound} {high_speed}");
}

#[derive(Clone, Copy)]
enum Reading {
    /// S Eq 17.
    Others,
    /// The flow's own rate out of a standing queue, what is left of the link while none stands.
    Delivered,
}

/// Eq 9 for flows on one link, in units of `Kτ` and seconds.
fn flows(model: LotkaVolterra, reading: Reading) -> impl Fn(&[f64], &mut [f64]) {
    move |w, d| {
        let sum: f64 = w.iter().sum();
        for (d, w) in d.iter_mut().zip(w) {
            let available = match reading {
                Reading::Delivered if sum > 1.0 => w / sum,
                _ => 1.0 - (sum - w),
            };
            *d = model.epsilon * (1.0 - w - model.gamma * (1.0 - available)) * w;
        }
    }
}

fn settled(model: LotkaVolterra, reading: Reading, n: u32) -> Vec<f64> {
    let mut w: Vec<f64> = (1..=n).map(|i| 0.01 * f64::from(i)).collect();
    for _ in 0..100_000 {
        rk4(&mut w, 0.01, flows(model, reading));
    }
    w
}

#[test]
fn flows_settle_where_the_fixed_points_say() {
    for (gamma, n) in [(0.9, 2), (0.9, 10), (0.5, 3), (0.95, 5)] {
        let (model, equal) = (LotkaVolterra { epsilon: 1.95, gamma }, EqualFlows { n, gamma, room: 1.0 });
        for (reading, windows, queue) in
            [(Reading::Others, equal.windows(), equal.queue()), (Reading::Delivered, equal.measured_windows(), equal.measured_queue())]
        {
            let w = settled(model, reading, n);
            let sum: f64 = w.iter().sum();
            assert!((sum - windows).abs() < 1e-6, "γ {gamma} n {n}: {sum} {windows}");
            assert!((sum - 1.0 - queue).abs() < 1e-6, "γ {gamma} n {n}: {sum} {queue}");
            assert!(w.iter().all(|w| (w - sum / f64::from(n)).abs() < 1e-6), "{w:?}");
        }
    }
}

#[test]
fn one_flow_leaves_no_queue_and_many_reach_the_limit_of_eq_21() {
    let flows = |n| EqualFlows { n, gamma: 0.9, room: 1_500_000.0 };
    assert_eq!((flows(1).queue(), flows(1).measured_queue()), (0.0, 0.0));
    assert!((flows(1).windows() - 1.5e6).abs() < 1e-6 && (flows(1).measured_windows() - 1.5e6).abs() < 1e-6);
    assert!((flows(4).measured_windows() / 1.5e6 - 1.3).abs() < 1e-12);
    let limit = flows(1).queue_limit();
    assert!((limit - 1.5e6 / 9.0).abs() < 1e-6);
    for n in 2..1000 {
        assert!(flows(n).queue() > flows(n - 1).queue() && flows(n).queue() < limit);
    }
    assert!((flows(1_000_000).queue() / limit - 1.0).abs() < 2e-6);
    assert!(flows(1_000_000).measured_queue() > 1000.0 * limit);
}

#[test]
fn small_differences_die_with_the_stated_time_constants() {
    for n in [2, 5, 10] {
        let equal = EqualFlows { n, gamma: 0.9, room: 1.0 };
        for (reading, windows, time) in [
            (Reading::Others, equal.windows(), equal.fairness_time(1.95)),
            (Reading::Delivered, equal.measured_windows(), equal.measured_fairness_time(1.95)),
        ] {
            let mut w: Vec<f64> = core::iter::repeat_n(windows / f64::from(n), n as usize).collect();
            w[0] += 1e-6;
            w[1] -= 1e-6;
            for _ in 0..1000 {
                rk4(&mut w, time.secs() / 1000.0, flows(PAPER, reading));
            }
            let left = (w[0] - w[1]) / 2e-6;
            assert!((left * core::f64::consts::E - 1.0).abs() < 1e-4, "n {n}: {left}");
        }
    }
    let two = EqualFlows { n: 2, gamma: 0.9, room: 1.0 };
    assert_eq!((two.fairness_time(1.95).millis() / 100.0) as u32, 97, "1.9/0.195 = 9.74 s");
}

const MARKET: Market = Market { capacity: Rate::from_mbps(100.0), gamma: 0.9, price: 3e-9 };

fn mbps(rate: f64) -> Rate {
    Rate::from_mbps(rate)
}

#[test]
fn the_derivatives_are_those_of_the_utility_and_the_cost() {
    let h = 0.5;
    for x in [1.0, 20.0, 52.6, 99.0] {
        let (low, high, width) = (mbps(x - h), mbps(x + h), 2.0 * mbps(h).bytes_per_s());
        // Central differences of a parabola are exact.
        let slope = (MARKET.utility(high) - MARKET.utility(low)) / width;
        assert!((slope / MARKET.marginal_utility(mbps(x)) - 1.0).abs() < 1e-9);
        let bend = (MARKET.marginal_utility(high) - MARKET.marginal_utility(low)) / width;
        assert!((bend / MARKET.utility_curvature() - 1.0).abs() < 1e-9);
        let cost = (MARKET.link_cost(high) - MARKET.link_cost(low)) / width;
        assert!((cost / MARKET.marginal_link_cost(mbps(x)) - 1.0).abs() < 1e-9);
    }
}

proptest! {
    #[test]
    fn utility_is_strictly_concave(a in 0.0..100.0f64, gap in 1.0..100.0f64, lambda in 0.05..0.95f64) {
        let u = |x| MARKET.utility(mbps(x));
        let b = a + gap;
        prop_assert!(u(lambda * a + (1.0 - lambda) * b) > lambda * u(a) + (1.0 - lambda) * u(b));
    }

    #[test]
    fn eq_18_is_eq_9(x in 1.0..200.0f64, others in 0.0..100.0f64, price in 1e-12..1e3f64, tau in 1u64..500) {
        let tau = Span::from_millis(tau);
        let market = Market { price, ..MARKET };
        let window = PAPER.growth(mbps(x).times(tau), &path(100.0, 100.0 - others), tau) / tau.secs();
        let rate = market.growth(mbps(x), mbps(x + others), PAPER.epsilon);
        prop_assert!((window - rate).abs() < 1e-9 * PAPER.epsilon * mbps(x).bytes_per_s() * (1.0 + x / 100.0), "{window} {rate}");
    }

    #[test]
    fn no_other_shares_are_worth_more_than_those_of_eq_19(
        n in 1usize..6, moves in proptest::collection::vec(-0.2..0.2f64, 6),
    ) {
        let welfare = |rates: &[f64]| {
            let total: f64 = rates.iter().sum();
            rates.iter().map(|x| MARKET.utility(mbps(*x))).sum::<f64>() - MARKET.link_cost(mbps(total))
        };
        let share = EqualFlows { n: n as u32, gamma: 0.9, room: 100.0 }.windows() / n as f64;
        let best = std::vec![share; n];
        let moved: Vec<f64> = (0..n).map(|i| share * (1.0 + moves[i])).collect();
        prop_assume!(moves[..n].iter().any(|m| m.abs() > 1e-3));
        prop_assert!(welfare(&moved) < welfare(&best));
    }
}
