//! T Fig 16: how probable a timeout is when what is available drops, over the buffer.

use rayon::prelude::*;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, against, at_least, at_most, below, check, claim, exact};
use crate::toolkit::drop::*;
use crate::toolkit::kinds::{Kind, OURS, PAPER};
use crate::toolkit::step::{BDP, Rest, Step, borne, curve};
use symbiosis_report::figure::{Axis, Figure, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};

/// Seeds of each point of Fig 16.
const SEEDS_OVER_BUFFERS: u64 = 20;
/// Where the first half of them agree they are enough, as in Fig 15.
const FEW: u64 = SEEDS_OVER_BUFFERS / 2;

/// The least buffer \[BDP\].
const LEAST: f64 = 0.25;
/// The largest \[BDP\].
const LARGEST: f64 = 2.0;

/// T Fig 16.
pub fn run(lab: &Lab) -> Outcome {
    let buffers = if lab.quick { vec![LEAST, LARGEST] } else { vec![LEAST, 0.5, 0.75, 1.0, 1.5, LARGEST] };
    let degrees = if lab.quick { vec![0.0, 0.3] } else { vec![0.0, 0.1, 0.3, 0.5] };
    let seeds = lab.seeds.max(if lab.quick { 5 } else { SEEDS_OVER_BUFFERS });
    let mut found = Outcome::default();
    for kind in [PAPER, OURS] {
        // In a quick run with SACK the paper's.
        let sack = (!lab.quick || kind.is_published()).then_some(("sack", 20.0));
        for (recovery, to) in drops(lab).iter().map(|to| ("reno", *to)).chain(sack) {
            let steps: Vec<Step> =
                degrees.iter().flat_map(|m| buffers.iter().map(|buffer| drop_to("T16", kind, recovery, to, *m, *buffer, 5.0))).collect();
            let results: Vec<Measured> = steps.par_iter().map(|step| step.found_until_sure(lab, FEW, seeds).timeouts()).collect();
            let rows: Vec<&[Measured]> = results.chunks(buffers.len()).collect();
            let mut series: Vec<Series> = degrees.iter().zip(&rows).map(|(m, row)| curve(&format!("m = {m}"), &buffers, row)).collect();
            for m in [0.0, 0.3] {
                let xs = (0..=70).map(|i| 0.25 + 0.025 * i as f64);
                series.push(theory(&format!("overflow, m = {m} (theory)"), xs, |buffer| (m, buffer), to));
            }
            found.figures.push(Figure {
                id: format!("T16-{}-{recovery}-to-{to}", kind.slug()),
                title: format!("A timeout over the buffer, 80 → {to} Mbit/s: {}, {recovery} recovery", kind.name),
                caption: "Probability of a timeout within 5 s of the drop. Theory: the window before is more than the buffer bears.".into(),
                x: Axis::linear("buffer [BDP]"),
                y: Axis::linear("P(timeout)"),
                series,
            });
            found.claims.extend(buffer_claims(kind, recovery, to, &degrees, &rows));
            let (_, text) = steps[0].shown(lab);
            found.scenarios.push((format!("T16-{}-{recovery}-to-{to}", kind.slug()), text));
        }
    }
    let crossing = |to: f64| Rest::of(BEFORE, 0.0).w / (to / 100.0 * BDP) - 1.0;
    found.notes.push(format!(
        "Theory: without oscillation P falls from 1 to 0 where the buffer bears w* = 820 packets, at B = (w*/(A'τ) − 1) BDP: {:.1}, {:.2}, {:.2}, \
         {:.2} BDP for A' = 20, 30, 40, 50 Mbit/s. Below, oscillation avoids some overflows; above, it makes some. This is the reversal that T \
         sees where P(m = 0) changes.",
        crossing(20.0),
        crossing(30.0),
        crossing(40.0),
        crossing(50.0)
    ));
    found
}

fn buffer_claims(kind: Kind, recovery: &str, to: f64, degrees: &[f64], rows: &[&[Measured]]) -> Vec<Claim> {
    let name = format!("{}, {recovery} recovery, 80 → {to}", kind.name);
    let still = rows[0];
    let moving = rows[degrees.iter().position(|m| *m == 0.3).expect("every version has it")];
    let (first, last) = (still[0], still[still.len() - 1]);
    let reach = out_of_reach(to, LEAST);
    let none = nothing_to_avoid(kind, recovery, to, first);
    vec![
        claim(
            format!("{name}: a timeout is no more probable with the largest buffer than with the least (m = 0)"),
            kind.states("T §4.3, Fig 16", format!("decreases as the buffer increases (least: {:.2})", first.mean)),
            against(last, first),
            "of the seeds",
            at_most(first.mean),
            "a larger buffer loses later, but more at a time",
        ),
        claim(
            format!("{name}: in the smallest buffer m = 0.3 lowers it"),
            kind.states("T §4.3, Fig 16", format!("more effective (m = 0: {:.2})", first.mean)),
            against(moving[0], first),
            "of the seeds",
            below(first.mean),
            "what is left is chance",
        )
        .because(none.0, none.1)
        .because(reach.0, reach.1),
        claim(
            format!("{name}: in the largest buffer m = 0.3 does not lower it"),
            kind.states("T §4.3, Fig 16", format!("works negatively (m = 0: {:.2})", last.mean)),
            against(moving[moving.len() - 1], last),
            "of the seeds",
            at_least(last.mean),
            "twice the BDP is below the crossing of this drop, so there is something to avoid still",
        )
        .because(
            check("w* [packets], which the largest buffer does not bear", exact(Rest::of(BEFORE, 0.0).w), above(borne(to, LARGEST))),
            "twice the BDP is below the crossing of this drop, so there is something to avoid still",
        ),
    ]
}
