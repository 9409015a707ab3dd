//! B Figs 10 and 11: Osaka to California.

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, over};
use crate::toolkit::kernel::{self, InTurns, without_timer};
use crate::toolkit::kinds::{PAPER, SYMBIOSIS};
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
    found.claims.extend(SYMBIOSIS.iter().map(|kind| ahead(&played, kind, "RTT 118 ms", RENO_FILLS)));
    let lost = over(played.of(&PAPER), |run| series::drops(run, 20.0, 60.0));
    found.claims.push(claim(
        "symbiosis-paper: periodic loss where ImTCP is wrong (20 to 60 s)",
        "periodic loss",
        lost,
        "packets of all kinds",
        lost.mean > 0.0,
        "the buffer takes what the window has too much",
    ));
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
