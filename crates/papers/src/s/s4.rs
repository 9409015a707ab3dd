//! S Fig 4: how Reno and Symbiosis share a link, over ε and the buffer.

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, claim, derived, exact};
use crate::toolkit::rivalry::*;
use symbiosis_report::outcome::Outcome;

/// S Fig 4: buffers from a quarter to four times the bandwidth-delay product, at 10 Mbit/s.
pub fn run(lab: &Lab) -> Outcome {
    let cases: Vec<(String, Case)> =
        [0.25, 0.5, 1.0, 2.0, 4.0].iter().map(|bdp| (format!("B = {bdp} BDP"), Case::of_bdp(10.0, *bdp))).collect();
    let mut found = sweep(lab, "S4", &cases);
    // Kτ is 41.7 packets, so Eq 25's limit for ε → ∞ is ¾B/Kτ.
    for (name, case) in &cases[3..] {
        let least = exact(case.rivalry(1.0).least_lambda());
        found.claims.push(claim(
            format!("{name}: no ε makes the two equal (formula, corrected)"),
            derived("S §III-D, Eqs 25, 26 with Reno's area corrected", "λ > 1 for every ε"),
            least,
            "least λ",
            above(1.0),
            "",
        ));
    }
    found
}
