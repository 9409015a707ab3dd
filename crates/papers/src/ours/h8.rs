//! Random loss of 0.1 to 2 %, and telling it from a queue's.

use symbiosis_control::hcc::facts::{used_alone, used_under_loss};
use symbiosis_control::hcc::{ALPHA, PROBE_EVERY, RANDOMISER};
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{against, at_least, at_most, claim, derived, near, ours, over};
use crate::toolkit::hcc::{Dumbbell, Flows, NS2_QUEUE, curve, flows, total};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

const LOSSES: [f64; 5] = [0.001, 0.0025, 0.005, 0.01, 0.02];

/// A flow alone: its name in the figure, its controller, its parameters.
const KINDS: [(&str, &str, &str); 4] =
    [("HCC", "hcc", ""), ("HCC, losses told apart", "hcc", "losses = \"queued\""), ("NewReno", "newreno", ""), ("CUBIC", "cubic", "")];

/// One flow alone on a link that loses.
fn alone(name: &str, mbps: f64, delay: f64, loss: f64, (_, cc, params): (&str, &str, &str)) -> String {
    let about = "A flow alone on a link that loses at random.";
    let apart = if params.is_empty() { "" } else { "-apart" };
    let name = format!("H8-{name}-{cc}{apart}-{loss}");
    let dumbbell = Dumbbell { name, about, duration: 120, mbps, delay, queue: NS2_QUEUE, loss, more: "[measure]\nfrom_s = 20\n".into() };
    dumbbell.text(&[Flows { params, ..flows(cc, 1) }])
}

/// Five flows that fill a queue, no random loss.
fn together(params: &str) -> String {
    let about = "Five flows of XMTP whose only losses are a queue's.";
    let name = format!("H8-five{}", if params.is_empty() { "" } else { "-apart" });
    let dumbbell = Dumbbell {
        name,
        about,
        duration: 101,
        mbps: 10.0,
        delay: 50.0,
        queue: NS2_QUEUE,
        loss: 0.0,
        more: "[measure]\nfrom_s = 1\n".into(),
    };
    dumbbell.text(&[Flows { params, ..flows("hcc", 5) }])
}

fn used(run: &Run) -> f64 {
    run.summary.links[0].utilization
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let mut measure = |name: &str, mbps: f64, delay: f64, kind: (&str, &str, &str)| -> Vec<(f64, Measured)> {
        let one = |loss: f64| {
            let scenario = lab.scenario(&alone(name, mbps, delay, loss, kind));
            let measured = over(&lab.over_seeds(&scenario), used);
            found.scenarios.push((scenario.name, scenario.text));
            (loss, measured)
        };
        LOSSES.into_iter().map(one).collect()
    };
    let long: Vec<Vec<(f64, Measured)>> = KINDS.iter().map(|kind| measure("10Mbps", 10.0, 50.0, *kind)).collect();
    let short = measure("1Mbps", 1.0, 20.0, KINDS[0]);
    let theory = |loss: f64| used_alone(RANDOMISER) * used_under_loss(loss, ALPHA, PROBE_EVERY);
    for (loss, measured) in short.iter().filter(|(loss, _)| *loss <= 0.005) {
        found.claims.push(claim(
            format!("1 Mbit/s, {} % loss: pairs win back what doublings cost", loss * 100.0),
            derived("docs/algorithms.md, HCC", format!("(1 − 5p/α)/1.05 = {:.3}", theory(*loss))),
            *measured,
            "of the link",
            near(theory(*loss), 0.08),
            "the mean of a rate is greater than one over the mean of the period",
        ));
    }
    for (loss, measured) in &long[1] {
        found.claims.push(claim(
            format!("10 Mbit/s, {} % loss, told apart: costs nothing", loss * 100.0),
            ours("an improvement (H §9)"),
            *measured,
            "of the link",
            near(used_alone(RANDOMISER), 0.01),
            "some are taken for a queue's",
        ));
    }
    let five = ["", "losses = \"queued\""].map(|params| {
        let scenario = lab.scenario(&together(params));
        let runs = lab.over_seeds(&scenario);
        found.scenarios.push((scenario.name, scenario.text));
        let lost = over(&runs, |run| {
            let sum = |count: fn(&symbiosis_run::FlowSummary) -> u64| run.summary.flows.iter().map(count).sum::<u64>() as f64;
            sum(|flow| flow.packets_lost) / sum(|flow| flow.packets_sent)
        });
        (lost, over(&runs, |run| run.summary.jain), over(&runs, |run| total(run) / 10.0))
    });
    found.claims.extend([
        claim(
            "five flows in a queue, losses told apart: lose no more than without",
            ours("safe (ours)"),
            against(five[1].0, five[0].0),
            "of their packets",
            at_most(1.2 * five[0].0.mean + 1e-4),
            "a queue so short is taken for none, and its losses for the wire's",
        ),
        claim(
            "five flows in a queue, losses told apart: as fair as without",
            ours("safe (ours)"),
            against(five[1].1, five[0].1),
            "Jain",
            at_least(five[0].1.mean - 0.01),
            "a queue so short is taken for none, and its losses for the wire's",
        ),
    ]);
    found.figures.extend([
        Figure {
            id: "H8".into(),
            title: "A flow alone on a link that loses at random".into(),
            caption: "10 Mbit/s, delay 50 ms. A loss is told to be a queue's when the RTT is three service times above its least.".into(),
            x: Axis::log("loss probability"),
            y: Axis::linear("part of the link").range(0.0, 1.05),
            series: KINDS.iter().zip(&long).map(|((name, ..), points)| curve(name, points)).collect(),
        },
        Figure {
            id: "H8-theory".into(),
            title: "What random loss leaves to HCC".into(),
            caption: "1 Mbit/s, delay 20 ms: an RTT of few packets. Losses double the period, pairs win back α of what it is above M/C."
                .into(),
            x: Axis::log("loss probability"),
            y: Axis::linear("part of the link").range(0.0, 1.05),
            series: vec![
                curve("HCC", &short),
                Series::new("(1 − 5p/α)/1.05", Mark::Dashed, LOSSES.into_iter().map(|loss| (loss, theory(loss))).collect()),
            ],
        },
    ]);
    found
}
