//! B Figs 10 and 11: Osaka to California.

use crate::toolkit::Lab;
use crate::toolkit::choices;
use crate::toolkit::claims::{at_least, claim, over, published};
use crate::toolkit::kernel::{self, InTurns, without_timer};
use crate::toolkit::kinds::{OF_B, PAPER};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::series;
use crate::toolkit::steps::{READING, THROUGHPUT, WINDOW};
use symbiosis_report::outcome::Outcome;

/// B Figs 10 and 11.
pub fn run(lab: &Lab) -> Outcome {
    let played = to_california().play(lab, &on_linux());
    let mut found = Outcome::default();
    let curves = [("reading", &READING), ("window", &WINDOW), ("throughput", &THROUGHPUT)];
    figures(&mut found, &played, "B11", "Osaka to California", &curves);
    found.claims.extend(OF_B.iter().map(|kind| ahead(&played, kind, ("B §4.2.2, Fig 11", "RTT 118 ms"))));
    // B: again and again. Losses of the flow itself, each more than a second, eight round trips, after the one before.
    let lost = over(played.of(&PAPER), |run| series::losses(run, 0, 20.0, 60.0, 1.0).len() as f64);
    found.claims.push(claim(
        "symbiosis-paper: periodic loss where ImTCP is wrong (20 to 60 s)",
        published("B §4.2.2, Figs 10, 11", "periodic loss"),
        lost,
        "losses a second apart",
        at_least(2.0),
        "",
    ));
    found.figures.extend(choices::figures(lab, &to_california(), "B11"));
    found
}

/// The same with the kernel's TCP.
pub fn in_kernel(lab: &Lab) -> Outcome {
    let steps = without_timer(to_california());
    let played = InTurns::new(lab, &if lab.quick { steps.quicker(1.0 / 3.0) } else { steps });
    let mut found = Outcome::default();
    played.show(&mut found, "B11", "Osaka to California");
    found.claims.push(kernel::ahead(&played, "RTT 118 ms"));
    found
}
