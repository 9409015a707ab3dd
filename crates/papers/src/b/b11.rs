//! B Figs 10 and 11: Osaka to California.

use crate::toolkit::Lab;
use crate::toolkit::choices::{self, Demand};
use crate::toolkit::claims::{at_least, claim, over, published};
use crate::toolkit::kernel::{self, InTurns, without_timer};
use crate::toolkit::kinds::{OF_B, PAPER, asked};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::series;
use crate::toolkit::steps::{READING, THROUGHPUT, WINDOW};
use symbiosis_report::outcome::{Bar, Measured, Outcome};
use symbiosis_run::Outcome as Run;

/// B: again and again. Losses of the flow itself, each more than a second, eight round trips, after the one before.
fn losses(runs: &[Run]) -> Measured {
    over(runs, |run| series::losses(run, 0, 20.0, 60.0, 1.0).len() as f64)
}

/// What B shows of it.
const DEMANDS: [Demand; 2] = [
    Demand { what: "the ratio to Reno", value: |point| point.ratio(0.0, 60.0), bar: Bar { least: 1.01, most: f64::INFINITY } },
    Demand { what: "losses from 20 to 60 s", value: |point| losses(&point.paper), bar: Bar { least: 2.0, most: f64::INFINITY } },
];

/// B Figs 10 and 11.
pub fn run(lab: &Lab) -> Outcome {
    let played = to_california().play(lab, &on_linux(lab));
    let mut found = Outcome::default();
    let curves = [("reading", &READING), ("window", &WINDOW), ("throughput", &THROUGHPUT)];
    figures(&mut found, &played, "B11", "Osaka to California", &curves);
    found.claims.extend(asked(lab, &OF_B).iter().map(|kind| ahead(&played, kind, ("B §4.2.2, Fig 11", "RTT 118 ms"))));
    let lost = losses(played.of(&PAPER));
    found.claims.push(claim(
        "symbiosis-paper: periodic loss where ImTCP is wrong (20 to 60 s)",
        published("B §4.2.2, Figs 10, 11", "periodic loss"),
        lost,
        "losses a second apart",
        at_least(2.0),
        "windows of S Eq 11 with what is read there fit link and buffer",
    ));
    let until = played.steps.until;
    let points = choices::sweep(lab, &played, &choices::of_medians(lab));
    found.figures.extend(choices::figures(&points, "B11", until));
    let stated = "ahead of Reno, with periodic loss from 20 to 60 s";
    let (claim, note) = choices::fitting(&points, &DEMANDS, "B §4.2.2, Figs 10, 11", stated, until);
    found.claims.push(claim);
    found.notes.push(note);
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
