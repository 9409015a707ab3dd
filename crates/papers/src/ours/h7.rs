//! Pairs by round trips: H §9 names it as future work.

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, at_most, below, claim, difference, ours, over};
use crate::toolkit::hcc::{Dumbbell, Flows, curve, flows, total};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::{Measured, Outcome};

/// Least distance of pairs in round trips.
const RTTS: [f64; 5] = [0.0, 0.1, 0.25, 0.5, 1.0];
const FLOWS: [u32; 3] = [2, 5, 20];
const DURATION: u32 = 60;

fn text(rtts: f64, n: u32) -> String {
    let about = "Flows of XMTP alone, pairs at least a part of a round trip apart.";
    let name = format!("H7-{rtts}-{n}-flows");
    let dumbbell = Dumbbell {
        name,
        about,
        duration: DURATION,
        mbps: 10.0,
        delay: 50.0,
        queue: 100,
        loss: 0.0,
        more: "[measure]\nfrom_s = 20\n".into(),
    };
    let params = format!("probe_rtts = {rtts}");
    dumbbell.text(&[Flows { params: &params, ..flows("hcc", n) }])
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let (mut fair, mut used, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    for n in FLOWS {
        let (mut jain, mut use_, mut loss) = (Vec::new(), Vec::new(), Vec::new());
        for rtts in RTTS {
            let scenario = lab.scenario(&text(rtts, n));
            let runs = lab.over_seeds(&scenario);
            jain.push((rtts, over(&runs, |run| run.summary.jain)));
            use_.push((rtts, over(&runs, |run| total(run) / 10.0)));
            loss.push((rtts, over(&runs, |run| run.summary.flows.iter().map(|flow| flow.packets_lost).sum::<u64>() as f64)));
            found.scenarios.push((scenario.name, scenario.text));
        }
        fair.push(jain);
        used.push(use_);
        lost.push(loss);
    }
    let better = |points: &[(f64, Measured)]| difference(points[2].1, points[0].1);
    for (n, (jain, loss)) in FLOWS.iter().zip(fair.iter().zip(&lost)) {
        found.claims.extend([
            claim(
                format!("{n} flows: fairer with a pair in a quarter of a round trip than with every fifth packet"),
                ours("an improvement (H §9)"),
                better(jain),
                "more of Jain's index",
                above(0.0),
                "it is fair without",
            ),
            claim(
                format!("{n} flows: no more loss"),
                ours("an improvement (H §9)"),
                better(loss),
                "packets more",
                at_most(0.0),
                "both lose in slow start, and little after it",
            ),
        ]);
    }
    found.claims.push(claim(
        "5 flows: but less of the link",
        ours("the price (ours)"),
        better(&used[1]),
        "more of the link",
        below(0.0),
        "fewer pairs win back less",
    ));
    let figure = |id: &str, title: &str, label: &str, axis: (f64, f64), curves: &[Vec<(f64, Measured)>]| Figure {
        id: format!("H7-{id}"),
        title: title.into(),
        caption: "XMTP alone over 10 Mbit/s, delay 50 ms, flows' links ten times as fast; 0 is H: by packets alone.".into(),
        x: Axis::linear("least distance of pairs [RTT]"),
        y: Axis::linear(label).range(axis.0, axis.1),
        series: FLOWS.iter().zip(curves).map(|(n, points)| curve(&format!("{n} flows"), points)).collect(),
    };
    found.figures.extend([
        figure("fairness", "Pairs by round trips: fairness", "Jain's index", (0.5, 1.0), &fair),
        figure("use", "Pairs by round trips: what is used", "part of the link", (0.0, 1.05), &used),
    ]);
    found.notes.push(
        "By packets a fast flow sends more pairs than a slow one, and its way back after a doubling takes P·5/α of time: the slow flow's takes \
         longer by more than it is slower. Two flows whose pairs enter the bottleneck together so end with one of them far ahead. By time all \
         win back the same part of their period."
            .into(),
    );
    found
}
