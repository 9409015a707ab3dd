//! I Fig 2 and S Fig 1: two species, the second joins at 10.

use symbiosis_theory::populations::{Species, competition};

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, exact, near, published};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;

const CAPACITY: f64 = 100.0;
const EPSILON: f64 = 1.95;
const GAMMA: f64 = 0.9;
/// The papers do not give it.
const FIRST: f64 = 1.0;
const UNTIL: f64 = 100.0;

pub fn run(_lab: &Lab) -> Outcome {
    let species = |start| Species { start, initial: FIRST, epsilon: EPSILON, capacity: CAPACITY };
    let runs = competition(&[species(0.0), species(10.0)], GAMMA, UNTIL, 0.01);
    let names = ["species 1", "species 2"];
    let shown = |run: &Vec<(f64, f64)>| run.iter().copied().filter(|(t, _)| *t <= 50.0).collect();
    let figure = Figure {
        id: "S1".into(),
        title: "Lotka-Volterra competition, K = 100, ε = 1.95, γ = 0.9".into(),
        caption: "The second species joins at 10; both end at K/(1+γ).".into(),
        x: Axis::linear("time"),
        y: Axis::linear("population").range(0.0, 110.0),
        series: names.iter().zip(&runs).map(|(name, run)| Series::new(name, Mark::Line, shown(run))).collect(),
    };
    let wanted = CAPACITY / (1.0 + GAMMA);
    let claims = names
        .iter()
        .zip(&runs)
        .map(|(name, run)| {
            let end = exact(run.last().map_or(f64::NAN, |(_, n)| *n));
            claim(format!("{name} ends at K/(1+γ)"), published("S Fig 1, I Fig 2", "52.6"), end, "", near(wanted, 0.001), "")
        })
        .collect();
    Outcome { figures: vec![figure], claims, ..Outcome::default() }
}
