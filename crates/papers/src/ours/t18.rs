//! What T §5 leaves to do: self-induced oscillation around controllers other than TCP Symbiosis, and noise-aware γ when A drops.
//!
//! Oscillation asks nothing of a controller but a window. Noise-aware γ asks for a measurement that a law trusts to a degree: Reno and CUBIC
//! measure nothing, FAST's base RTT has no noise, so it is TCP Symbiosis' alone.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, against, at_least, below, claim, derived, ours, over};
use crate::toolkit::crowd::Crowd;
use crate::toolkit::drop::{self, drop_to};
use crate::toolkit::kinds::{Kind, OURS_PAPERS_LAW, PAPER};
use crate::toolkit::step::{Found, Step, curve};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::{Claim, Measured, Outcome};

const OTHERS: [Kind; 3] = [Kind::of("reno"), Kind::of("cubic"), Kind::of("fast")];
/// A drops to this \[Mbit/s\].
const TO: f64 = 20.0;
/// Seeds of each point.
const SEEDS: u64 = 20;

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    for kind in OTHERS {
        let steps = [0.0, drop::M].map(|m| drop::there_and_back("T18", kind, "sack", m));
        let runs = steps.each_ref().map(|step| lab.run(&lab.scenario(&step.text(1))));
        found.figures.push(drop::windows(&steps[0], [&runs[0], &runs[1]]));
        found.scenarios.extend(steps.map(|step| step.shown(lab)));
    }
    drops(lab, &mut found);
    crowds(lab, &mut found);
    noise_aware(lab, &mut found);
    found
}

/// T Fig 15 around others.
fn drops(lab: &Lab, found: &mut Outcome) {
    let degrees = if lab.quick { vec![0.0, 0.3] } else { vec![0.0, 0.1, 0.3, 0.5] };
    let seeds = if lab.quick { lab.seeds } else { lab.seeds.max(SEEDS) };
    let recoveries = if lab.quick { &["reno"][..] } else { &["reno", "sack"] };
    for recovery in recoveries.iter().copied() {
        let (mut probability, mut used) = (Vec::new(), Vec::new());
        for kind in OTHERS {
            // 30 s: a sawtooth of Reno's takes longer than that, and the jump finds it anywhere.
            let steps: Vec<Step> = degrees.iter().map(|m| drop_to("T18-drop", kind, recovery, TO, *m, 1.0, 20.0)).collect();
            let results: Vec<Found> = steps.par_iter().map(|step| step.found(lab, seeds)).collect();
            let timeouts: Vec<Measured> = results.iter().map(Found::timeouts).collect();
            let utilization: Vec<Measured> = results.iter().map(|found| found.over(|run| run.utilization)).collect();
            let at = degrees.iter().position(|m| *m == 0.3).expect("every version has it");
            found.claims.push(claim(
                format!("{}, {recovery} recovery, 80 → {TO}: a timeout is rarer with m = 0.3 than with 0", kind.cc),
                ours(format!("future work (m = 0: {:.2})", timeouts[0].mean)),
                against(timeouts[at], timeouts[0]),
                "of the seeds",
                below(timeouts[0].mean),
                "in a round trip of 240 ms the oscillation moves a window by m√RTT = 15 %: at the 400 packets that the buffer bears by 60 at a time, \
                 where Reno's law adds one. So each overflow loses dozens of packets, and retransmissions with them. And without a resting \
                 window to come back to, it is a random walk until the next loss",
            ));
            probability.push(curve(kind.cc, &degrees, &timeouts));
            used.push(curve(kind.cc, &degrees, &utilization));
            found.scenarios.push(steps[at].shown(lab));
        }
        for (part, y, series) in [("timeout", "P(timeout)", probability), ("utilization", "utilisation", used)] {
            found.figures.push(Figure {
                id: format!("T18-{recovery}-{part}"),
                title: format!("Oscillation around others when A drops, {recovery} recovery"),
                caption: format!("A drops from 80 to {TO} Mbit/s; over the 20 s from then on. A buffer of one BDP."),
                x: Axis::linear("m [1/√s]"),
                y: Axis::linear(y),
                series,
            });
        }
    }
}

/// T Figs 11 and 17 around others: FAST, too, lives by a base RTT.
fn crowds(lab: &Lab, found: &mut Outcome) {
    let stage = if lab.quick { 10.0 } else { 40.0 };
    // In a quick run those that live by a base RTT.
    let others = OTHERS.iter().filter(|kind| !lab.quick || kind.cc == "fast");
    let crowds: Vec<Crowd> =
        others.flat_map(|kind| [0.0, drop::M].map(|m| Crowd { id: "T18-ten", kind: *kind, m, stage, leave: false })).collect();
    let runs: Vec<Vec<Run>> = crowds
        .par_iter()
        .map(|crowd| {
            let scenario = lab.scenario(&crowd.text());
            if crowd.m > 0.0 { lab.over_seeds(&scenario) } else { vec![lab.run(&scenario)] }
        })
        .collect();
    for (pair, runs) in crowds.chunks(2).zip(runs.chunks(2)) {
        let [still, moving] = [0, 1].map(|i| over(&runs[i], |run| pair[i].jain(run, 9)));
        found.claims.push(claim(
            format!("{}: ten flows share more fairly with m = {}", pair[0].kind.cc, drop::M),
            ours(format!("future work (m = 0: {:.3})", still.mean)),
            against(moving, still),
            "Jain",
            above(still.mean),
            "the noise of each window spreads the shares; the law has only losses to bring them together again",
        ));
        if pair[0].kind.cc == "fast" {
            let [still, moving] = [0, 1].map(|i| over(&runs[i], |run| 100.0 * pair[i].over_read(run, "base_rtt_ms")));
            found.claims.push(claim(
                "fast: oscillation lets flows that join read the base RTT",
                ours(format!("future work (m = 0: {:.0} % too long)", still.mean)),
                against(moving, still),
                "% too long",
                below(0.5 * still.mean),
                "n flows keep n·α packets in the queue, and the sum of their windows oscillates by m/√n: the queue is not emptied",
            ));
        }
        found.scenarios.extend(pair.iter().map(|crowd| (format!("T18-ten-{}-m{}", crowd.kind.cc, crowd.m), crowd.text())));
    }
}

/// Noise-aware γ takes a drop of A for noise, for a while.
fn noise_aware(lab: &Lab, found: &mut Outcome) {
    let mut claims: Vec<Claim> = Vec::new();
    for kind in [PAPER, OURS_PAPERS_LAW] {
        let step = |more| Step { more, ..drop_to("T18-gamma", kind, "reno", TO, 0.0, 1.0, 20.0) };
        let seeds = if lab.quick { lab.seeds } else { lab.seeds.max(SEEDS) };
        let [fixed, aware] = [step(""), step(", gamma_rule = \"noise-aware\"")].map(|step| step.found(lab, seeds));
        let (before, after) = (fixed.timeouts(), aware.timeouts());
        claims.push(claim(
            format!("{}, reno recovery, 80 → {TO}: a timeout is no rarer with noise-aware γ", kind.name),
            derived("docs/algorithms.md, γ", format!("no rarer (fixed: {:.2})", before.mean)),
            against(after, before),
            "of the seeds",
            at_least(before.mean),
            "noise of the measurement itself had lowered γ before",
        ));
    }
    found.claims.extend(claims);
    found.notes.push(
        "Noise-aware γ answers to a drop of A as to noise: γ falls, and with it the weight of the very news that the window should shrink. \
         Against drops it is no help; its window is larger than with a fixed γ."
            .into(),
    );
}
