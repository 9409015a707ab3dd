//! The competition coefficient γ: fixed, or lowered as the measurement of A grows noisy (T §3.2).
//!
//! The model stays sound while `γ'(t) = γ (K − A')/(K − A) < 1` (T Eq 14). A noisy A' breaks that for a γ near 1, and a small γ buys
//! safety with a longer queue. So γ follows the measured coefficient of variation of the competitors' rate.

use crate::lotka_volterra::Bandwidth;

/// Weight of a new value in the mean (T §3.2).
const G: f64 = 0.125;
/// Weight of a new value in the deviation (T §3.2).
const H: f64 = 0.25;
/// How strongly γ answers to noise (T §3.2).
const L: f64 = 4.0;

/// How γ is set.
#[derive(Clone, Debug)]
pub enum Gamma {
    /// To this value.
    Fixed(f64),
    /// By the noise of the measurements.
    NoiseAware(NoiseAware),
}

/// γ(t) = γ_t / (1 + l·C_v) (T Eq 15), with C_v = σ/μ of x = K − A'.
#[derive(Clone, Debug)]
pub struct NoiseAware {
    target: f64,
    /// μ and σ \[bytes/s\]; none before the first measurement.
    moments: Option<(f64, f64)>,
}

impl Gamma {
    /// γ by noise, at most `target` (γ_t).
    pub fn noise_aware(target: f64) -> Gamma {
        Gamma::NoiseAware(NoiseAware { target, moments: None })
    }

    /// A new measurement.
    pub fn measured(&mut self, b: &Bandwidth) {
        if let Gamma::NoiseAware(aware) = self {
            let x = (b.capacity - b.available).bytes_per_s();
            aware.moments = Some(match aware.moments {
                None => (x, 0.0),
                Some((mean, deviation)) => {
                    let error = x - mean;
                    (mean + G * error, deviation + H * (error.abs() - deviation))
                }
            });
        }
    }

    /// Measurements so far no longer hold.
    pub fn forget(&mut self) {
        if let Gamma::NoiseAware(aware) = self {
            aware.moments = None;
        }
    }

    /// γ now, in (0, 1).
    pub fn value(&self) -> f64 {
        match self {
            Gamma::Fixed(gamma) => *gamma,
            // Without anybody else on the path (μ = 0) there is nothing to compete with, and nothing to be careful about.
            Gamma::NoiseAware(NoiseAware { target, moments: Some((mean, deviation)) }) if *mean > 0.0 => {
                target / (1.0 + L * deviation / mean)
            }
            Gamma::NoiseAware(NoiseAware { target, .. }) => *target,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rate;

    fn b(others: f64) -> Bandwidth {
        Bandwidth { capacity: Rate::from_bytes_per_s(100.0), available: Rate::from_bytes_per_s(100.0 - others) }
    }

    #[test]
    fn gamma_follows_eq_15_by_hand() {
        let mut gamma = Gamma::noise_aware(0.95);
        assert_eq!(gamma.value(), 0.95);
        gamma.measured(&b(40.0));
        assert_eq!(gamma.value(), 0.95, "one value has no spread");
        gamma.measured(&b(48.0));
        // Err = 8, μ = 41, σ = 2: γ = 0.95 / (1 + 4·2/41).
        assert!((gamma.value() - 0.95 / (1.0 + 8.0 / 41.0)).abs() < 1e-12);
        gamma.forget();
        assert_eq!(gamma.value(), 0.95);
    }

    #[test]
    fn a_path_without_others_keeps_the_target() {
        let mut gamma = Gamma::noise_aware(0.95);
        for _ in 0..10 {
            gamma.measured(&b(0.0));
        }
        assert_eq!(gamma.value(), 0.95);
    }
}
