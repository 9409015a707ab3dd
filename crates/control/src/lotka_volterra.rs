//! The Lotka-Volterra competition model as a congestion controller's law, in closed form (S Eqs 9–11, T Eqs 9, 10).
//!
//! A connection's window is the population of a species; the path is its habitat with carrying capacity `Kτ`, and everybody else's
//! traffic, `K − A`, is the competitor:
//!
//! ```text
//! dw/dt = ε (1 − (w + γ(K − A)τ) / (Kτ)) w                                        S Eq 9, T Eq 9
//! ```
//!
//! `w` window \[bytes\], `τ` base round-trip time, `K` capacity of the narrowest link, `A` what others leave free, `ε` growth rate
//! \[1/s\], `γ` competition coefficient. The unit of `ε` is per second, so that convergence does not depend on the round-trip time.
//!
//! Papers: **S** Hasegawa, Murata: TCP Symbiosis (2006). **T** Kodama: Increasing robustness to environmental changes for congestion control
//! mechanisms (master's thesis, 2009). S prints Eq 10 with a stray factor, `K − γ(K−A)τ` for `{K − γ(K−A)}τ`; T Eq 10 is right and is what
//! [`LotkaVolterra::step`] computes.

use crate::{Rate, Span};

/// What was measured of a path. A negative or NaN capacity counts as zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// Capacity of the narrowest link (`K`).
    pub capacity: Rate,
    /// What everybody else leaves free (`A`). The model holds it within zero and the capacity.
    pub available: Rate,
}

impl Bandwidth {
    /// `A/K` in \[0, 1\]; zero where there is no capacity.
    pub fn free(&self) -> f64 {
        let free = self.available / self.capacity;
        // Not above zero: zero, NaN, or no capacity.
        if self.capacity > Rate::ZERO && free > 0.0 { free.min(1.0) } else { 0.0 }
    }

    /// `Kτ` \[bytes\].
    fn room(&self, tau: Span) -> f64 {
        self.capacity.times(tau).max(0.0)
    }
}

/// The model's two constants. The papers' are ε = 1.95, γ = 0.9 (S, B, I) or 0.95 (T §3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LotkaVolterra {
    /// Growth rate of a population that is alone (`ε`) \[1/s\], above zero.
    pub epsilon: f64,
    /// Competition coefficient (`γ`), within (0, 1): from 1 on the weaker flow dies out (S Eq 4).
    pub gamma: f64,
}

impl LotkaVolterra {
    /// `c = 1 − γ(1 − A/K)`: the share of the room that the competitors leave, and of ε that is left to grow with.
    pub fn competition(&self, b: &Bandwidth) -> f64 {
        1.0 - self.gamma * (1.0 - b.free())
    }

    /// Where the window ends, `w* = {(1 − γ)K + γA}τ` \[bytes\] (S Eq 11).
    pub fn equilibrium(&self, b: &Bandwidth, tau: Span) -> f64 {
        self.competition(b) * b.room(tau)
    }

    /// `dw/dt` \[bytes/s\] at a window of `w` bytes (S Eq 9, T Eq 9). Without room a window shrinks infinitely fast.
    pub fn growth(&self, w: f64, b: &Bandwidth, tau: Span) -> f64 {
        if w > 0.0 { self.epsilon * (self.competition(b) - w / b.room(tau)) * w } else { 0.0 }
    }

    /// The window \[bytes\] after `t` with constant `b`, from `w0` bytes (T Eq 10): exact for any `t`, so the steps may be uneven.
    pub fn step(&self, w0: f64, b: &Bandwidth, tau: Span, t: Span) -> f64 {
        logistic(w0, self.epsilon * self.competition(b), self.epsilon / b.room(tau), t)
    }
}

/// `N(t)` for `dN/dt = (growth − crowding·N) N`, `N(0) = n0`: growth \[1/s\], crowding \[1/s per unit of N\].
///
/// A sum of positive terms, so nothing overflows or cancels, and growth zero (γ = 1 and nothing free) needs no case of its own.
/// A population that is zero or less is extinct and stays so.
pub fn logistic(n0: f64, growth: f64, crowding: f64, t: Span) -> f64 {
    if n0 <= 0.0 {
        return 0.0; // by the formula NaN, once e^−x is zero too
    }
    if t == Span::ZERO {
        return n0; // by the formula NaN, where crowding is infinite
    }
    let t = t.secs();
    let x = growth * t;
    // e^−x and (1 − e^−x)/x with one transcendental, each to full precision.
    let (decay, mean_decay) = if x == 0.0 {
        (1.0, 1.0)
    } else if x < 0.5 {
        let m = libm::expm1(-x);
        (1.0 + m, -m / x)
    } else {
        let e = libm::exp(-x);
        (e, (1.0 - e) / x)
    };
    n0 / (decay + crowding * n0 * (t * mean_decay))
}

#[cfg(test)]
mod tests;
