//! T Figs 11 and 17: ten flows join one after another and leave again. A flow that joins a standing queue reads τ too long.

use rayon::prelude::*;
use symbiosis_control::symbiosis::{EPSILON, GAMMA};
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, at_least, below, check, claim, over};
use crate::toolkit::crowd::*;
use crate::toolkit::kinds::{LAWS, OURS, PAPER_ORACLE};
use crate::toolkit::series;
use crate::toolkit::step::TAU;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Outcome};
use symbiosis_scenario::Scenario;

/// T's degree of oscillation.
const M: f64 = 0.3;

/// What oscillation does to shares: noise of degree m on both, and differences that die at `ε(1−γ)`. The relative spread of a share.
fn share_spread() -> f64 {
    M / (2.0 * EPSILON * (1.0 - GAMMA)).sqrt()
}

/// T's stages \[s\].
fn stage(lab: &Lab) -> f64 {
    if lab.quick { 8.0 } else { 200.0 }
}

/// With T's stages so many seeds are enough: the half of one that counts is twenty times what shares remember, `1/(ε(1−γ))` = 5 s.
const SEEDS: u64 = 5;

pub fn run(lab: &Lab) -> Outcome {
    let lab = &lab.of_seeds(if lab.quick { lab.seeds } else { lab.seeds.min(SEEDS) });
    let kinds = if lab.quick { vec![PAPER_ORACLE, OURS] } else { LAWS.to_vec() };
    // No claim is about those who leave: the first seed shows them.
    let leave = !lab.quick;
    let stages = if leave { 2 * FLOWS - 1 } else { FLOWS };
    let mut found = Outcome::default();
    let crowds: Vec<Crowd> =
        kinds.iter().flat_map(|kind| [0.0, M].map(|m| Crowd { id: "T11", kind: *kind, m, stage: stage(lab), leave })).collect();
    let scenarios: Vec<_> = crowds.iter().map(|crowd| lab.scenario(&crowd.text())).collect();
    let runs: Vec<Vec<Run>> = crowds.par_iter().zip(&scenarios).map(|(crowd, scenario)| play(lab, crowd, scenario)).collect();
    let mut jain = Vec::new();
    for (crowd, runs) in crowds.iter().zip(&runs) {
        found.figures.extend(crowd.figures(&runs[0]));
        found.claims.extend(claims(crowd, runs));
        let there = |stage: usize| if stage < FLOWS { &runs[..] } else { &runs[..1] };
        let points = (0..stages).map(|stage| (stage as f64 + 1.0, over(there(stage), |run| crowd.jain(run, stage)).mean));
        jain.push(Series::new(&format!("{}, m = {}", crowd.kind.name, crowd.m), Mark::LinePoints, points.collect()));
    }
    found.figures.push(Figure {
        id: "T11-jain".into(),
        title: "Fairness as ten flows join and leave".into(),
        caption:
            "Jain's index over the second half of each stage. Flows join up to stage 10, mean of the seeds, and leave from stage 12 on, first \
             seed."
                .into(),
        x: Axis::linear("stage"),
        y: Axis::linear("Jain's index"),
        series: jain,
    });
    found.notes.push(format!(
        "Oscillation repairs τ and spreads the shares. Each flow's window has noise of its own, and differences between flows die out at the rate \
         ε(1−γ) = {:.3} a second, so the relative spread of a share is m/√(2ε(1−γ)) = {:.2} at m = {M}, for the papers' law, however many flows \
         there are. Jain's index at an instant is then 1/(1 + {:.2}) = {:.2}; over a time T it is the better the longer T is against 1/(ε(1−γ)) = \
         {:.1} s. T's averages are over 200 s.",
        EPSILON * (1.0 - GAMMA),
        share_spread(),
        share_spread().powi(2),
        1.0 / (1.0 + share_spread().powi(2)),
        1.0 / (EPSILON * (1.0 - GAMMA)),
    ));
    found.scenarios = scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)).collect();
    found
}

/// The first seed to the end, the others until all have joined.
fn play(lab: &Lab, crowd: &Crowd, scenario: &Scenario) -> Vec<Run> {
    // Min-RTT probes and oscillation draw at random; the papers' law without oscillation does not.
    let random = crowd.m > 0.0 || crowd.kind.cc == "symbiosis";
    match (random, crowd.leave) {
        (false, _) => vec![lab.run(scenario)],
        (true, false) => lab.over_seeds(scenario),
        (true, true) => {
            let joins = lab.scenario(&Crowd { leave: false, ..*crowd }.text());
            let seeds: Vec<u64> = lab.seeds().collect();
            seeds.par_iter().map(|seed| lab.seeded(if *seed == lab.first_seed { scenario } else { &joins }, *seed)).collect()
        }
    }
}

fn claims(crowd: &Crowd, runs: &[Run]) -> Vec<Claim> {
    let name = format!("{}, m = {}", crowd.kind.name, crowd.m);
    let percent = |value: &dyn Fn(&Run) -> f64| over(runs, |run| 100.0 * value(run));
    let early = percent(&|run| (0..3).map(|flow| crowd.tau(run, flow, "tau_ms") / TAU - 1.0).fold(0.0, f64::max));
    let all = percent(&|run| crowd.over_read(run, "tau_ms"));
    let three = over(runs, |run| crowd.jain(run, 2));
    let ten = over(runs, |run| crowd.jain(run, FLOWS - 1));
    let spread = share_spread();
    // What the first flow reads of A in the second half of the stage of three.
    let read = over(runs, |run| series::mean(&series::gauge(run, 0, "A_mbps"), 2.5 * crowd.stage, 3.0 * crowd.stage));
    if crowd.m == 0.0 {
        // What T shows of the papers' law; ours has min-RTT probes against it.
        let ours = crowd.kind.cc == "symbiosis";
        return vec![
            claim(
                format!("{name}: three flows share fairly"),
                crowd.kind.states("T §4, Figs 11, 17", "the existing three connections remain fair"),
                three,
                "Jain",
                at_least(0.95),
                "shares draw near slowly, and a flow that joined a standing queue reads τ too long",
            )
            .because(
                crowd.kind.is_published().then(|| check("what the first flow reads of A [Mbit/s]", read, above(50.0))),
                format!("each flow reads {:.0} Mbit/s of A where three share 100", read.mean),
            ),
            claim(
                format!("{name}: flows that join over-read τ"),
                crowd.kind.states("T §4, Figs 11, 17", format!("from the fourth flow on (first three: {:.0} %)", early.mean)),
                all,
                "%",
                above(5.0),
                if ours {
                    "the min-RTT probes let the queue run empty now and then, so a flow that joins sees the base RTT"
                } else {
                    "losses and unfair windows let the queue run empty now and then, which shows the base RTT to everybody"
                },
            ),
            claim(
                format!("{name}: ten flows do not share fairly"),
                crowd.kind.states("T §4, Figs 11, 17", "not fair after the fourth flow"),
                ten,
                "Jain",
                below(0.95),
                "min-RTT probes in common, or losses that fall on all flows, draw their shares together",
            ),
        ];
    }
    vec![
        claim(
            format!("{name}: every flow reads τ right"),
            crowd.kind.states("T §4, Figs 11, 17", "the correct minimum RTT"),
            all,
            "% too long",
            below(5.0),
            "a standing queue of (n−1)(1−γ)Kτ packets grows with n, the oscillation of the sum of n windows falls with √n: from some n on the \
             queue is not emptied any more",
        ),
        claim(
            format!("{name}: ten flows share fairly"),
            crowd.kind.states("T §4, Figs 11, 17", "fairness regardless of the number"),
            ten,
            "Jain",
            at_least(0.95),
            &format!(
                "the oscillation itself spreads the shares by m/√(2ε(1−γ)) = {spread:.2} at an instant, and the average over half a stage of {} s \
                 takes only a part of that away",
                crowd.stage
            ),
        ),
    ]
}
