use super::*;
use crate::crowded::{share_of_all, share_of_truth};
use crate::ode::rk4;
use symbiosis_base::{Bytes, Rate, Span};

fn rivalry(mbps: f64, epsilon: f64, bdps: f64) -> Rivalry {
    let (capacity, tau) = (Rate::from_mbps(mbps), Span::from_millis(50));
    let buffer = Bytes::from_f64(bdps * capacity.times(tau));
    Rivalry { capacity, tau, mean_rtt: tau, buffer, epsilon, packet: Bytes(1500) }
}

#[test]
fn a_large_window_returns_along_the_cubic_and_a_small_one_along_renos_estimate() {
    // k = ∛(0.3·1000/0.4) = 9.086 s; Reno's estimate needs 300/0.529 = 567 round trips, 28 s.
    let large = Saw::new(1000.0, 0.05);
    assert!((large.length() - 9.0856).abs() < 1e-3 && (large.mean() - 925.0).abs() < 0.1, "{large:?} {}", large.mean());
    assert!((large.window(0.0) - 700.0).abs() < 1e-6 && (large.window(large.length()) - 1000.0).abs() < 1e-6);
    // Of 10 packets: ∛7.5 = 1.957 s, but 3/0.529 = 5.67 round trips are 0.283 s.
    let small = Saw::new(10.0, 0.05);
    assert!((small.length() - 0.2833).abs() < 1e-3, "{}", small.length());
    // The cubic's 4.6 packets a second at the beginning are fewer than the estimate's 10.6, and so it is to the end.
    assert!((small.mean() - 8.5).abs() < 1e-6, "{}", small.mean());
    // Of 60 packets the cubic begins faster, with 15.2 a second, and the estimate is back first, after 1.70 s instead of 3.56.
    let middle = Saw::new(60.0, 0.05);
    assert!((middle.length() - 1.7).abs() < 0.01 && (0.85..0.925).contains(&(middle.mean() / 60.0)), "{middle:?}");
}

#[test]
fn both_are_back_when_both_lose() {
    for (mbps, epsilon, bdps) in [(10.0, 1.0, 1.0), (100.0, 1.95, 0.25), (100.0, 0.5, 4.0), (1000.0, 1.0, 1.0)] {
        let rivalry = rivalry(mbps, epsilon, bdps);
        let cycle = rivalry.cubic_cycle().unwrap();
        let room = rivalry.room();
        let saw = Saw::new(cycle.cubic_peak, 0.05);
        // Symbiosis' window by S Eq 9 with A = K, and the areas under both.
        let mut state = [cycle.symbiosis_peak / 2.0, 0.0, 0.0, 0.0];
        for _ in 0..20_000 {
            rk4(&mut state, cycle.seconds / 20_000.0, |s, d| {
                d.copy_from_slice(&[epsilon * (1.0 - s[0] / room) * s[0], s[0], saw.window(s[3]), 1.0]);
            });
        }
        let [window, own, cubic, t] = state;
        assert!((window / cycle.symbiosis_peak - 1.0).abs() < 1e-6, "{cycle:?}");
        assert!((saw.window(t) / cycle.cubic_peak - 1.0).abs() < 1e-6);
        assert!((cubic / own / cycle.lambda - 1.0).abs() < 1e-3, "{} {cycle:?}", cubic / own);
        assert!((window + cycle.cubic_peak - (1.0 + bdps) * room).abs() < 1e-3 * room, "the link and its buffer are full");
    }
    assert!(rivalry(10.0, 0.1, 0.25).cubic_cycle().is_none(), "CUBIC is back in 2 s, Symbiosis doubles in 7");
}

#[test]
fn if_cubic_alone_loses_its_mean_window_stands_in_the_queue() {
    // Symbiosis at Kτ: λ is the mean of the saw over Kτ, 0.925 B at 1 Gbit/s, where the cubic is always faster.
    for bdps in [0.25, 1.0, 4.0] {
        let rivalry = rivalry(1000.0, 1.0, bdps);
        let lambda = rivalry.lambda_if_cubic_alone_loses(|queue| share_of_all(rivalry.tau, queue));
        // λ is a ratio of rates, and a rate is a window over an RTT that is longer when the window is large.
        let mean = Saw::new(bdps * rivalry.room(), 0.05).mean() / rivalry.room();
        assert!((lambda / mean - 1.0).abs() < 0.02 && (mean / (0.925 * bdps) - 1.0).abs() < 0.02, "{lambda} {mean}");
    }
    // A flow that knows the true A has s = (1−γ)τ/((1−γ)τ + q): in a queue between 0.7 and 1 of a τ, λ is 7 to 10.
    let deep = rivalry(100.0, 1.0, 1.0);
    let lambda = deep.lambda_if_cubic_alone_loses(|queue| share_of_truth(0.9, deep.tau, queue));
    assert!((6.0..10.0).contains(&lambda), "{lambda}");
}
