//! I Fig 1: the discrete logistic equation for four growth rates.

use symbiosis_theory::populations::logistic_map;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, below, between, claim, exact, published};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;

/// Carrying capacity (I Fig 1).
const CAPACITY: f64 = 100.0;
/// I does not give the first population; small, so that the growth is seen.
const FIRST: f64 = 1.0;
/// Steps that are drawn.
const SHOWN: usize = 50;
/// Steps after which what remains is taken for what stays.
const SETTLED: usize = 2_000;

pub fn run(_lab: &Lab) -> Outcome {
    let rates = [0.6, 1.8, 2.4, 3.0];
    let runs = rates.map(|epsilon| logistic_map(epsilon, CAPACITY, FIRST, SETTLED + 1_000));
    let series = rates.iter().zip(&runs).map(|(epsilon, run)| {
        let points = run.iter().take(SHOWN).enumerate().map(|(t, n)| (t as f64, *n)).collect();
        Series::new(&format!("ε = {epsilon}"), Mark::Line, points)
    });
    let figure = Figure {
        id: "I1".into(),
        title: "Logistic equation, K = 100".into(),
        caption: "A population under the difference equation of the logistic model. Below ε = 2 it settles, above it does not.".into(),
        x: Axis::linear("time"),
        y: Axis::linear("population"),
        series: series.collect(),
    };
    // What is left of the movement, and how many values the population visits, once all has settled that will.
    let spread = |run: &[f64]| {
        let (low, high) = run[SETTLED..].iter().fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
        high - low
    };
    let visited = |run: &[f64]| {
        let mut values: Vec<i64> = run[SETTLED..].iter().map(|n| (n * 1e4).round() as i64).collect();
        values.sort_unstable();
        values.dedup();
        values.len() as f64
    };
    let mut claims: Vec<_> = rates[..2]
        .iter()
        .zip(&runs)
        .map(|(epsilon, run)| {
            let left = spread(run) + (run[SETTLED] - CAPACITY).abs();
            claim(
                format!("ε = {epsilon} settles at K"),
                published("I Fig 1", "converges for ε < 2"),
                exact(left),
                "away from K",
                below(1e-6),
                "",
            )
        })
        .collect();
    claims.push(claim(
        "ε = 2.4 keeps oscillating",
        published("I Fig 1", "remains unstable"),
        exact(visited(&runs[2])),
        "values visited",
        between(2.0, 8.0),
        "",
    ));
    claims.push(claim(
        "ε = 3.0 never repeats",
        published("I Fig 1", "remains unstable"),
        exact(visited(&runs[3])),
        "values visited in 1000 steps",
        above(500.0),
        "",
    ));
    let notes = vec![
        "I's text prints the differential equation, which converges for every ε; its figure draws the difference equation \
         N + ε(1 − N/K)N. The window of TCP Symbiosis follows the closed form and has no such bound (S §III-C)."
            .into(),
    ];
    Outcome { figures: vec![figure], claims, notes, ..Outcome::default() }
}
