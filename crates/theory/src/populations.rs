//! The textbook models that the papers borrow, in the textbook's own terms: a population `N` in units of whatever lives there, time in
//! the model's unit (I, S: seconds or round trips, as one likes).
//!
//! I prints the differential equation (S Eq 1; I leaves it without a number), but what I Fig 1 draws overshoots and turns chaotic, which
//! no solution of it does: it is the difference equation with step one. A controller must step by the closed form instead, and then has no
//! bound on ε (S §III-C).

use alloc::vec::Vec;

use super::ode::rk4;

/// `N_0 … N_steps` of `N_{t+1} = N_t + ε(1 − N_t/K)N_t` (S Eq 1 with step one, I Fig 1). Above ε = 2 it does not settle at K,
/// above ε = 3 it leaves every bound.
pub fn logistic_map(epsilon: f64, capacity: f64, initial: f64, steps: usize) -> Vec<f64> {
    core::iter::successors(Some(initial), |n| Some(n + epsilon * (1.0 - n / capacity) * n)).take(steps + 1).collect()
}

/// A species in competition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Species {
    /// When it joins.
    pub start: f64,
    /// Its population then.
    pub initial: f64,
    /// Its growth rate when alone (`ε_i`).
    pub epsilon: f64,
    /// Its carrying capacity (`K_i`).
    pub capacity: f64,
}

/// `dN_i/dt = ε_i (1 − (N_i + γ Σ_{j≠i} N_j)/K_i) N_i` for each species (S Eqs 2, 3, 7; I Eqs 1, 3, 4), with one γ for all.
///
/// Gives each species' `(t, N)` from its start to `until` at every `step`; integrated by Runge-Kutta of fourth order with
/// that step, which is above zero. A species joins at the first step that is not before its start. Two live on together when γ is below
/// both `K_1/K_2` and `K_2/K_1` (S Eq 4).
pub fn competition(species: &[Species], gamma: f64, until: f64, step: f64) -> Vec<Vec<(f64, f64)>> {
    let mut series: Vec<Vec<(f64, f64)>> = species.iter().map(|_| Vec::new()).collect();
    let mut population: Vec<f64> = species.iter().map(|_| 0.0).collect();
    let rate = |n: &[f64], d: &mut [f64]| {
        let all: f64 = n.iter().sum();
        for (i, s) in species.iter().enumerate() {
            d[i] = s.epsilon * (1.0 - (n[i] + gamma * (all - n[i])) / s.capacity) * n[i];
        }
    };
    // A little tolerance: a start at 10 is the thousandth step of 0.01, however that rounds.
    let reached = |t: f64, at: f64| t > at - step * 1e-6;
    for k in 0.. {
        let t = k as f64 * step;
        for (i, s) in species.iter().enumerate() {
            if reached(t, s.start) {
                if series[i].is_empty() {
                    population[i] = s.initial;
                }
                series[i].push((t, population[i]));
            }
        }
        if reached(t, until) {
            break;
        }
        rk4(&mut population, step, rate);
    }
    series
}

#[cfg(test)]
mod tests;
