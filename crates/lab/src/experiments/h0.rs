//! The weight of a pair, α, on which H is silent: what it does to five flows of XMTP, and beside TCP.

use super::Lab;
use super::claims::{claim, over};
use super::hcc::{Dumbbell, Flows, QUEUE, curve, flows, mean_of, total};
use crate::figure::{Axis, Figure};
use crate::outcome::{Measured, Outcome};

const ALPHAS: [f64; 7] = [0.02, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3];
/// Index of the default.
const CHOSEN: usize = 3;

fn text(alpha: f64, xmtp: u32, duration: u32) -> String {
    let about = "The setting of H Table 1 with another weight of a pair.";
    let name = format!("H0-{alpha}-{xmtp}-xmtp");
    let dumbbell =
        Dumbbell { name, about, duration, mbps: 10.0, delay: 50.0, queue: QUEUE, loss: 0.0, more: "[measure]\nfrom_s = 1\n".into() };
    let params = format!("alpha = {alpha}");
    dumbbell.text(&[Flows { params: &params, ..flows("hcc", xmtp) }, flows("newreno", 5 - xmtp)])
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 26 } else { 101 };
    let mut found = Outcome::default();
    let (mut used, mut alone, mut mixed, mut share, mut lost) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for alpha in ALPHAS {
        let five = lab.scenario(&text(alpha, 5, duration));
        let two = lab.scenario(&text(alpha, 2, duration));
        let (five_runs, two_runs) = (lab.over_seeds(&five), lab.over_seeds(&two));
        used.push((alpha, over(&five_runs, |run| total(run) / 10.0)));
        alone.push((alpha, over(&five_runs, |run| run.summary.jain)));
        mixed.push((alpha, over(&two_runs, |run| run.summary.jain)));
        share.push((alpha, over(&two_runs, |run| mean_of(run, "hcc") / mean_of(run, "newreno"))));
        let packets = |run: &symbiosis_sim::Outcome, count: fn(&symbiosis_sim::FlowSummary) -> u64| {
            run.summary.flows.iter().map(count).sum::<u64>() as f64
        };
        lost.push((alpha, over(&five_runs, |run| packets(run, |flow| flow.packets_lost) / packets(run, |flow| flow.packets_sent))));
        found.scenarios.extend([five, two].map(|scenario| (scenario.name, scenario.text)));
    }
    let of = |points: &[(f64, Measured)], at: usize| points[at].1;
    let last = ALPHAS.len() - 1;
    let fairest = (0..=last).max_by(|a, b| mixed[*a].1.mean.total_cmp(&mixed[*b].1.mean)).expect("there are weights");
    found.claims.extend([
        claim(
            "a small weight leaves what H's five flows leave, 17 %",
            "0.83 (H Table 1)",
            of(&used, 1),
            "of the link at α = 0.05",
            (0.76..=0.90).contains(&of(&used, 1).mean),
            "more, or less",
        ),
        claim(
            "α = 0.1: beside TCP as fair as H's flows",
            "Jain ≥ 0.9 (H Table 1)",
            of(&mixed, CHOSEN),
            "Jain of 2 XMTP, 3 TCP",
            of(&mixed, CHOSEN).mean >= 0.9,
            "less",
        ),
        claim(
            "α = 0.1: five flows are still fair to each other",
            "0.990 (H Table 1)",
            of(&alone, CHOSEN),
            "Jain of 5 XMTP",
            of(&alone, CHOSEN).mean >= 0.98,
            "less",
        ),
        claim(
            "a large weight drives out TCP, and loses",
            "overshoot and oscillation (H §5.1)",
            of(&lost, last),
            "of the packets of five XMTP at α = 0.3",
            of(&lost, last).mean > 0.01 && of(&share, last).mean > 1.5,
            "it does not",
        ),
        claim(
            "no weight in between is much fairer to TCP than the one chosen",
            "our choice",
            of(&mixed, fairest),
            "Jain of 2 XMTP, 3 TCP, the greatest",
            of(&mixed, fairest).mean - of(&mixed, CHOSEN).mean <= 0.05,
            "one is",
        ),
    ]);
    found.figures.push(Figure {
        id: "H0".into(),
        title: "The weight of a pair".into(),
        caption:
            "Five flows over 10 Mbit/s, delay 50 ms: five of XMTP, or two of XMTP beside three of NewReno. Pairs pull the rate up by α of \
                  the way, jitter and loss push it down: the weight says who wins."
                .into(),
        x: Axis::log("weight α"),
        y: Axis::linear("part, index or ratio").range(0.0, 2.0),
        series: vec![
            curve("5 XMTP: part of the link", &used),
            curve("5 XMTP: Jain's index", &alone),
            curve("5 XMTP: part lost", &lost),
            curve("2 XMTP, 3 TCP: Jain's index", &mixed),
            curve("2 XMTP, 3 TCP: XMTP over TCP", &share),
        ],
    });
    found
}
