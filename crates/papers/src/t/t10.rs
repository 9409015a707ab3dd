//! T Figs 10 and 14: what is available drops from 80 to 20 Mbit/s and comes back, without oscillation and with.

use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, against, below, check, claim, nothing, over};
use crate::toolkit::drop::*;
use crate::toolkit::kinds::{Kind, LAWS};
use crate::toolkit::series;
use symbiosis_report::outcome::{Claim, Measured, Outcome};

/// How long after 40 s the flow's throughput over a second is back at 90 % of what is available; the rest of the run if it is not.
fn refill(run: &Run) -> f64 {
    let trace = &run.flow_traces[0];
    let wanted = 0.9 * 80e6 / 8.0;
    let after = trace.windows(11).filter(|second| second[0].at.secs() >= STEPS[1]);
    let full = after.into_iter().find(|second| (second[10].delivered_bytes - second[0].delivered_bytes) as f64 >= wanted);
    full.map_or(END, |second| second[10].at.secs()) - STEPS[1]
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    for recovery in ["reno", "sack"] {
        for kind in LAWS.into_iter().filter(|kind| !lab.quick || kind.is_published() || recovery == "reno") {
            let steps = [0.0, M].map(|m| there_and_back("T10", kind, recovery, m));
            let runs = steps.each_ref().map(|step| step.runs(lab, lab.seeds));
            found.figures.push(windows(&steps[0], [&runs[0][0], &runs[1][0]]));
            found.claims.extend(claims(kind, recovery, &runs));
            found.scenarios.extend(steps.map(|step| step.shown(lab)));
        }
    }
    found.notes.push(
        "The UDP packets are as large as the flow's and evenly spaced, so that UDP by itself overflows no buffer. T's ns-2 has Reno's recovery \
         in its figures; the same with SACK tells what of a timeout is the loss recovery's."
            .into(),
    );
    found
}

fn timeouts(runs: &[Run]) -> Measured {
    over(runs, |run| f64::from(run.summary.flows[0].timeouts > 0))
}

fn claims(kind: Kind, recovery: &str, runs: &[Vec<Run>; 2]) -> Vec<Claim> {
    let name = format!("{}, {recovery} recovery", kind.name);
    let [still, moving] = runs.each_ref().map(|runs| timeouts(runs));
    let [slow, fast] = runs.each_ref().map(|runs| over(runs, refill));
    let lost = over(&runs[0], |run| series::drops(run, STEPS[0], STEPS[1]));
    let none = nothing_to_avoid(kind, recovery, 20.0, still);
    let reach = out_of_reach(20.0, 1.0);
    vec![
        claim(
            format!("{name}: a timeout when A drops, m = 0"),
            kind.states("T §4, Figs 10, 14", "a retransmission timeout"),
            still,
            "of the seeds",
            above(0.5),
            "the window is down soon enough for what is lost to be repaired",
        )
        .because(check("packets lost while A is 20", lost, nothing()), "the window is down before the buffer is full")
        .because(
            (recovery == "sack").then(|| check("packets lost while A is 20", lost, above(0.0))),
            "with SACK the losses of one overflow are repaired in a few round trips: the timeout is Reno recovery's",
        )
        .because(check("packets lost while A is 20", lost, below(50.0)), "so little is lost that Reno's recovery repairs it without"),
        claim(
            format!("{name}: a timeout is rarer with m = {M}"),
            kind.states("T §4, Figs 10, 14", "no packet loss and no timeout"),
            against(moving, still),
            "of the seeds",
            below(still.mean),
            "chance: what the oscillation takes from the window before the drop is little beside what the buffer does not bear",
        )
        .because(none.0, none.1)
        .because(reach.0, reach.1),
        claim(
            format!("{name}: with m = {M} the link is filled again sooner"),
            kind.states("T §4, Figs 10, 14", format!("in shorter time (m = 0: {:.1} s)", slow.mean)),
            against(fast, slow),
            "s",
            below(slow.mean),
            "the oscillation has no drift upwards: the time to grow from one window to another is the law's, but for chance",
        ),
    ]
}
