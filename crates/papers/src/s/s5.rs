//! S Fig 5: how Reno and Symbiosis share a link, over ε and the capacity.

use symbiosis_theory::reno_rivalry::Cycle;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, claim, derived, exact};
use crate::toolkit::rivalry::*;
use symbiosis_report::outcome::Outcome;

/// Packets of Fig 5's buffer, one bandwidth-delay product at 10 Mbit/s.
const FIG_5_BUFFER: f64 = 41.0;

/// S Fig 5: capacities from 10 Mbit/s to 1 Gbit/s, with a buffer of 41 packets.
pub fn run(lab: &Lab) -> Outcome {
    let rates = if lab.quick { vec![10.0, 100.0] } else { vec![10.0, 50.0, 100.0, 500.0, 1000.0] };
    let cases: Vec<(String, Case)> =
        rates.iter().map(|mbps| (format!("K = {mbps} Mbit/s"), Case { mbps: *mbps, buffer: FIG_5_BUFFER })).collect();
    let mut found = sweep(lab, "S5", &cases);
    // The paper's point: the ε that is fair depends on K.
    let fair = |case: &Case| {
        let curve = curve("", case, Cycle::lambda_corrected).points;
        curve.iter().min_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs())).map_or(f64::NAN, |(epsilon, _)| *epsilon)
    };
    let spread = exact(fair(&cases[0].1) / fair(&cases[cases.len() - 1].1));
    found.claims.push(claim(
        "the ε that is fair changes with K (formula, corrected)",
        derived("S §III-D, Eqs 25, 26 with Reno's area corrected", "drastically"),
        spread,
        "times, from the least K to the greatest",
        above(3.0),
        "",
    ));
    found
}
