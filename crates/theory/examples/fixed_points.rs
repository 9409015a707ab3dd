//! How long a window takes from two packets to 90 % of its equilibrium, by S Eq 12, over what is free of 100 Mbit/s.

use symbiosis_base::{Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};
use symbiosis_theory::facts::{convergence_bound, convergence_time};

fn main() {
    let model = LotkaVolterra { epsilon: 1.95, gamma: 0.9 };
    let tau = Span::from_millis(100);
    let bandwidth = |free| Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(free) };
    let time = |free| convergence_time(&model, &bandwidth(free), tau, 3000.0, 0.9);
    for free in [20.0, 50.0, 80.0, 100.0] {
        let bound = convergence_bound(&model, &bandwidth(free), tau, 3000.0, 0.9);
        println!("{free:>5} Mbit/s free: {:.1} s, at most {:.1} s", time(free).secs(), bound.secs());
        assert!(time(free) <= bound);
    }
    assert!(time(100.0) < time(20.0), "where more is free the model is faster");
}
