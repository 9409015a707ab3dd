//! What is left to one flow in a queue that somebody else keeps standing: the flow's share of the link where its law rests, given the queue.
//!
//! In a queue of `q` seconds a window `w` is a rate `x = w/(τ + q)`, and a correct A is that rate, whatever the others do. Put into where a
//! law's window ends, each law has a share `s = x/K` at which it rests.

use symbiosis_base::Span;
use symbiosis_control::lotka_volterra::Bandwidth;

/// S Eq 11 told that A = K (S §III-D): the window stays at `Kτ`, so `s = τ/(τ + q)`.
pub fn share_of_all(tau: Span, queue: f64) -> f64 {
    share_by_reading(1.0, 1.0, tau, queue)
}

/// S Eq 11 told K and the true A, `x(τ + q) = {(1−γ)K + γx}τ`: `s = (1−γ)τ/((1−γ)τ + q)`.
pub fn share_of_truth(gamma: f64, tau: Span, queue: f64) -> f64 {
    let own = (1.0 - gamma) * tau.secs();
    own / (own + queue)
}

/// S Eq 11 told that A is this part of K whatever happens, as a measurement that errs does: `s = {(1−γ) + γA/K}τ/(τ + q)`.
pub fn share_by_reading(gamma: f64, available: f64, tau: Span, queue: f64) -> f64 {
    (1.0 - gamma + gamma * available) * tau.secs() / (tau.secs() + queue)
}

/// The logarithmic law, `q = θ·ln(K/x)`: `s = e^(−q/θ)`, θ in seconds.
pub fn share_of_logarithm(theta: f64, queue: f64) -> f64 {
    libm::exp(-queue / theta)
}

/// Where one flow's window rests under the corrected input beside traffic that does not yield, `AKτ/(A + γ(K − A))` \[bytes\].
///
/// The link is full, so the flow gets A and its window is `A·srtt`; put that and [`symbiosis_control::symbiosis::law::corrected`] into S Eq 11 and solve for `srtt`. It lies
/// between `Aτ`, which leaves no queue, and S Eq 11's window.
pub fn corrected_rest(b: &Bandwidth, gamma: f64, tau: Span) -> f64 {
    let (k, a) = (b.capacity.bytes_per_s(), b.available.bytes_per_s());
    a * b.capacity.times(tau) / (a + gamma * (k - a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use symbiosis_base::{Bytes, Rate};
    use symbiosis_control::lotka_volterra::LotkaVolterra;
    use symbiosis_control::symbiosis::law::{Law, Path, corrected, theta};

    const K: Rate = Rate::from_mbps(100.0);
    const TAU: Span = Span::from_millis(100);

    #[test]
    fn the_laws_rest_at_these_shares() {
        let model = LotkaVolterra { epsilon: 1.95, gamma: 0.9 };
        for queue in [0.01, 0.05, 0.2] {
            let window = |share: f64| share * K.bytes_per_s() * (TAU.secs() + queue);
            let rest = |available: Rate| model.equilibrium(&Bandwidth { capacity: K, available }, TAU);
            let told = share_of_truth(0.9, TAU, queue);
            assert!((rest(K * told) / window(told) - 1.0).abs() < 1e-9);
            assert!((rest(K) / window(share_of_all(TAU, queue)) - 1.0).abs() < 1e-9);
            assert!((rest(K * 0.6) / window(share_by_reading(0.9, 0.6, TAU, queue)) - 1.0).abs() < 1e-9);

            let (time, packet) = (Span::from_millis(60), Bytes(1500));
            let law = Law::Logarithmic { theta: time, packet };
            let share = share_of_logarithm(theta(time, K, packet), queue);
            let measured = Bandwidth { capacity: K, available: K * share };
            let path = Path {
                measured,
                tau: TAU,
                smoothed: TAU + Span::from_secs(queue),
                mean: TAU + Span::from_secs(queue),
                delivered: K * share,
                theta: law.theta(K),
                eased: 1.0,
            };
            assert!((law.equilibrium(&path) / window(share) - 1.0).abs() < 1e-6, "{queue}");
        }
        // A queue of one τ leaves a half, an eleventh, and, with θ = τ/5, e^−5.
        assert_eq!(share_of_all(TAU, 0.1), 0.5);
        assert!((share_of_truth(0.9, TAU, 0.1) - 1.0 / 11.0).abs() < 1e-12);
        assert!((share_of_logarithm(0.02, 0.1) - libm::exp(-5.0)).abs() < 1e-12);
    }

    #[test]
    fn the_corrected_rest_is_the_models_equilibrium_in_the_queue_that_it_leaves() {
        let gamma = 0.9;
        let b = Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(50.0) };
        let w = corrected_rest(&b, gamma, TAU);
        let srtt = Span::from_secs(w / b.available.bytes_per_s());
        let model = LotkaVolterra { epsilon: 1.95, gamma };
        assert!((model.equilibrium(&corrected(&b, srtt, TAU), TAU) / w - 1.0).abs() < 1e-6);
        assert!(w > b.available.times(TAU) && w < model.equilibrium(&b, TAU));
    }
}
