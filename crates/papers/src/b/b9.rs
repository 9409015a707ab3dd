//! B Figs 8 and 9: Osaka to Tokyo.

use crate::toolkit::Lab;
use crate::toolkit::choices::{self, Demand};
use crate::toolkit::claims::{after, below, between, check, claim, near, over, published};
use crate::toolkit::kernel::{InTurns, checked, without_timer};
use crate::toolkit::kinds::{Kind, OF_B, PAPER, RENO, asked};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::series;
use crate::toolkit::steps::{Played, READING, THROUGHPUT};
use symbiosis_report::outcome::{Bar, Measured, Outcome};

/// Mean of a kind's readings less what is available \[Mbit/s\], in the second half of a stage.
fn bias(played: &Played, kind: &Kind, (from, to, available): (f64, f64, f64)) -> Measured {
    over(played.of(kind), |run| series::mean(&series::gauge(run, 0, "A_mbps"), (from + to) / 2.0, to) - available)
}

/// What B shows of it.
const DEMANDS: [Demand; 3] = [
    Demand { what: "the ratio to Reno from 20 to 60 s", value: |point| point.ratio(20.0, 60.0), bar: Bar { least: 0.95, most: 1.05 } },
    Demand { what: "the ratio to Reno from 0 to 20 s", value: |point| point.ratio(0.0, 20.0), bar: Bar { least: 0.0, most: 0.99 } },
    Demand { what: "the ratio to Reno from 60 to 100 s", value: |point| point.ratio(60.0, 100.0), bar: Bar { least: 0.0, most: 0.99 } },
];

/// B Figs 8 and 9.
pub fn run(lab: &Lab) -> Outcome {
    let steps = to_tokyo();
    let played = steps.play(lab, &on_linux(lab));
    let mut found = Outcome::default();
    figures(&mut found, &played, "B9", "Osaka to Tokyo", &[("reading", &READING), ("throughput", &THROUGHPUT)]);
    for kind in &asked(lab, &OF_B) {
        let ratio = played.ratio(kind, &RENO, 20.0, 60.0);
        let why = "with a buffer of two BDPs Reno keeps the link full, and who follows a step of UDP late or drains the queue gets less";
        found.claims.push(claim(
            format!("{}: level with Reno where A is 20 and 10", kind.name),
            kind.states("B §4.1.2, Figs 8, 9", "level"),
            ratio,
            "times Reno's throughput",
            near(1.0, 0.05),
            why,
        ));
    }
    let bias = bias(&played, &PAPER, played.steps.stages()[0]);
    found.claims.push(
        claim(
            "symbiosis-paper: ImTCP reads too little where A is 40",
            published("B §4.1.2, Figs 8, 9", "less than A"),
            bias,
            "Mbit/s beside A",
            below(-0.5),
            "B's hosts read less than the fastest level stream that left",
        )
        .because(
            check("what is read beside 40 [Mbit/s]", bias, between(-0.1, 0.1)),
            "the timer tells 40 Mbit/s exactly, a packet in six ticks of 50 µs, and a stream of that rate is level on an idle link of 40",
        ),
    );
    let points = choices::sweep(lab, &played, &choices::of_medians(lab));
    found.figures.extend(choices::figures(&points, "B9", steps.until));
    let stated = "level with Reno from 20 to 60 s; less than Reno before and after, where less than A is read";
    let (claim, note) = choices::fitting(&points, &DEMANDS, "B §4.1.2, Figs 8, 9", stated, steps.until);
    found.claims.push(claim);
    found.notes.push(note);
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
    found.claims.push(checked(text, after("B §4.1.2, Fig 9", "level"), ratio, "times Reno's throughput", near(1.0, 0.05), why));
    found
}
