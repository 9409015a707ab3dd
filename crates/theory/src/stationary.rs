//! Where the model rests under self-induced oscillation (T Eq 17): not at a window but in a distribution of windows.
//!
//! `dw = ε(c − w/(Kτ)) w dt + m w dB` is the stochastic logistic equation. Read after Itô, as a step per ACK does, its stationary density
//! follows from the Fokker-Planck equation: a gamma distribution. With `s² = m²/(2εc)` its shape is `1/s² − 1` and its mean `(1 − s²)w*`.
//! T says that the mean does not change "since the oscillation is equally injected in both of increase and decrease directions"; that is
//! right of the injection, but where w is high the model pulls it down by more than it pulls it up where w is low.

/// The stationary distribution of a window: gamma.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stationary {
    /// Mean, as a part of the resting window w\*.
    pub mean: f64,
    /// Shape of the gamma distribution.
    pub shape: f64,
}

impl Stationary {
    /// Of the model with growth rate `epsilon` \[1/s\] and competition `c` (see [`symbiosis_control::lotka_volterra::LotkaVolterra::competition`]) under oscillation of
    /// degree `m` \[1/√s\]. None where the noise overcomes growth, `m² ≥ 2εc`: the window then dies out.
    pub fn of(epsilon: f64, c: f64, m: f64) -> Option<Stationary> {
        let s2 = m * m / (2.0 * epsilon * c);
        (s2 < 1.0).then(|| Stationary { mean: 1.0 - s2, shape: 1.0 / s2 - 1.0 })
    }

    /// Standard deviation over mean: `m/√(2εc − m²)`, which for a small m is `m/√(2εc)`.
    pub fn spread(&self) -> f64 {
        libm::sqrt(1.0 / self.shape)
    }
}

#[cfg(test)]
mod tests;
