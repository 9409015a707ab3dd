//! B Figs 8 and 9: Osaka to Tokyo.

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, over, within};
use crate::toolkit::kernel::{InTurns, checked, without_timer};
use crate::toolkit::kinds::{Kind, PAPER, RENO, SYMBIOSIS};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::series;
use crate::toolkit::steps::{Played, READING, THROUGHPUT};
use symbiosis_report::outcome::{Measured, Outcome};

/// Mean of a kind's readings less what is available \[Mbit/s\], in the second half of a stage.
fn bias(played: &Played, kind: &Kind, (from, to, available): (f64, f64, f64)) -> Measured {
    over(played.of(kind), |run| series::mean(&series::gauge(run, 0, "A_mbps"), (from + to) / 2.0, to) - available)
}

/// B Figs 8 and 9.
pub fn run(lab: &Lab) -> Outcome {
    let steps = to_tokyo();
    let played = steps.play(lab, &on_linux());
    let mut found = Outcome::default();
    figures(&mut found, &played, "B9", "Osaka to Tokyo", &[("reading", &READING), ("throughput", &THROUGHPUT)]);
    for kind in &SYMBIOSIS {
        let ratio = played.ratio(kind, &RENO, 20.0, 60.0);
        let why = "with a buffer of two BDPs Reno keeps the link full, and who follows a step of UDP late or drains the queue gets less";
        found.claims.push(claim(
            format!("{}: level with Reno where A is 20 and 10", kind.name),
            "level",
            ratio,
            "times Reno's throughput",
            within(ratio, 1.0, 0.05),
            why,
        ));
    }
    let bias = bias(&played, &PAPER, played.steps.stages()[0]);
    found.claims.push(claim(
        "symbiosis-paper: ImTCP reads too little where A is 40",
        "less than A",
        bias,
        "Mbit/s beside A",
        bias.mean < -0.5,
        "here A is K, and no reading is above K. Gaps of 300 µs on a clock of 50 µs are uneven, but right in the mean",
    ));
    found
}

/// The same with the kernel's TCP.
pub fn in_kernel(lab: &Lab) -> Outcome {
    let part = if lab.quick { 0.25 } else { 1.0 };
    let played = InTurns::new(lab, &without_timer(to_tokyo()).quicker(part));
    let mut found = Outcome::default();
    played.show(&mut found, "B9", "Osaka to Tokyo");
    let why = "with a buffer of two BDPs Reno keeps the link full, and who follows a step of UDP late or drains the queue gets less";
    let ratio = played.ratio(20.0 * part, 60.0 * part);
    let text = "symbiosis: level with Linux' Reno where A is 20 and 10";
    found.claims.push(checked(text, "level", ratio, "times Reno's throughput", |ratio| within(ratio, 1.0, 0.05), why));
    found
}
