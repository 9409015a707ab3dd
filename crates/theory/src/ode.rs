//! Integration of ordinary differential equations: the model once more, without its closed form.

use alloc::vec;

/// Advances `state` by one step of length `h` under `d state/dt = rate(state)`: the classical Runge-Kutta method of fourth order.
pub(crate) fn rk4(state: &mut [f64], h: f64, rate: impl Fn(&[f64], &mut [f64])) {
    let n = state.len();
    let (mut slope, mut probe, mut mean) = (vec![0.0; n], state.to_vec(), vec![0.0; n]);
    // Weight of each slope in the mean, and how far along it the next one is taken.
    for (weight, ahead) in [(1.0 / 6.0, 0.5), (1.0 / 3.0, 0.5), (1.0 / 3.0, 1.0), (1.0 / 6.0, 0.0)] {
        rate(&probe, &mut slope);
        for i in 0..n {
            mean[i] += weight * slope[i];
            probe[i] = state[i] + ahead * h * slope[i];
        }
    }
    for i in 0..n {
        state[i] += h * mean[i];
    }
}

#[cfg(test)]
mod tests {
    use super::rk4;

    /// Distance from (1, 0) after one turn of the circle x' = −y, y' = x.
    fn error_after_a_turn(steps: u32) -> f64 {
        let mut state = [1.0, 0.0];
        for _ in 0..steps {
            rk4(&mut state, core::f64::consts::TAU / f64::from(steps), |s, d| {
                d[0] = -s[1];
                d[1] = s[0];
            });
        }
        libm::hypot(state[0] - 1.0, state[1])
    }

    #[test]
    fn half_the_step_is_a_sixteenth_of_the_error() {
        let (coarse, fine) = (error_after_a_turn(100), error_after_a_turn(200));
        assert!(coarse < 1e-5);
        assert!((coarse / fine - 16.0).abs() < 1.0, "{}", coarse / fine);
    }
}
