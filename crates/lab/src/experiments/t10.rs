//! T Figs 10 and 14: what is available drops from 80 to 20 Mbit/s and comes back, without oscillation and with.

use symbiosis_run::Outcome as Run;

use super::Lab;
use super::claims::{claim, over};
use super::series;
use super::step::{SYMBIOSES, Step, Subject, clearly_below};
use super::t15;
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Claim, Measured, Outcome};

/// T's degree of oscillation.
pub const M: f64 = 0.3;
/// A drops and recovers at these instants \[s\].
const STEPS: [f64; 2] = [20.0, 40.0];
const END: f64 = 60.0;

pub fn step(id: &'static str, subject: Subject, recovery: &'static str, m: f64) -> Step {
    Step {
        id,
        subject,
        recovery,
        m,
        buffer: 1.0,
        available: vec![(0.0, 80.0), (STEPS[0], 20.0), (STEPS[1], 80.0)],
        duration: END,
        measure: (STEPS[0], STEPS[1]),
        sample: 100.0,
        more: "",
    }
}

/// How long after 40 s the flow's throughput over a second is back at 90 % of what is available; the rest of the run if it is not.
fn refill(run: &Run) -> f64 {
    let trace = &run.flow_traces[0];
    let wanted = 0.9 * 80e6 / 8.0;
    let after = trace.windows(11).filter(|second| second[0].at.secs() >= STEPS[1]);
    let full = after.into_iter().find(|second| (second[10].delivered_bytes - second[0].delivered_bytes) as f64 >= wanted);
    full.map_or(END, |second| second[10].at.secs()) - STEPS[1]
}

/// The windows of the first seed without oscillation and with.
pub fn figure(step: &Step, runs: [&Run; 2]) -> Figure {
    let name = step.subject.name();
    Figure {
        id: format!("{}-{}-{}", step.id, step.subject.id(), step.recovery),
        title: format!("A drops and recovers: {name}, {} recovery", step.recovery),
        caption: "A is 80 Mbit/s, from 20 s to 40 s it is 20. Windows of the first seed.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("window [packets]"),
        series: [("m = 0".to_string(), runs[0]), (format!("m = {M}"), runs[1])]
            .map(|(name, run)| Series::new(&name, Mark::Line, series::window(run, 0)))
            .into(),
    }
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    for recovery in ["reno", "sack"] {
        for subject in SYMBIOSES {
            let steps = [0.0, M].map(|m| step("T10", subject, recovery, m));
            let runs = steps.each_ref().map(|step| step.runs(lab, lab.seeds));
            found.figures.push(figure(&steps[0], [&runs[0][0], &runs[1][0]]));
            found.claims.extend(claims(subject, recovery, &runs));
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

fn claims(subject: Subject, recovery: &str, runs: &[Vec<Run>; 2]) -> Vec<Claim> {
    let name = format!("{}, {recovery} recovery", subject.name());
    let [still, moving] = runs.each_ref().map(|runs| timeouts(runs));
    let [slow, fast] = runs.each_ref().map(|runs| over(runs, refill));
    let why = match (recovery, subject.is_told()) {
        ("sack", _) => "with SACK the losses of one overflow are repaired in a few round trips: the timeout is Reno recovery's",
        (_, true) => "the oracle tells the flow of the drop within a round trip, and the window is down before the buffer is full",
        _ => "losses are repaired without",
    };
    vec![
        claim(format!("{name}: a timeout when A drops, m = 0"), "a retransmission timeout", still, "of the seeds", still.mean > 0.5, why),
        claim(
            format!("{name}: a timeout is rarer with m = {M}"),
            "no packet loss and no timeout",
            moving,
            "of the seeds",
            clearly_below(moving, still),
            &t15::why(subject, recovery, 20.0, still.mean == 0.0),
        ),
        claim(
            format!("{name}: with m = {M} the link is filled again sooner"),
            format!("in shorter time (m = 0: {:.1} s)", slow.mean),
            fast,
            "s",
            clearly_below(fast, slow),
            "the oscillation has no drift upwards: the time to grow from one window to another is the law's, but for chance",
        ),
    ]
}
