//! HCC from 1 Mbit/s to 1 Gbit/s.

use symbiosis_control::hcc::RANDOMISER;
use symbiosis_control::hcc::facts::used_alone;

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, below, claim, derived, near, ours, over};
use crate::toolkit::hcc::{Dumbbell, Flows, PACKET, curve, flows, total};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::{Measured, Outcome};

const RATES: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];

/// What five flows are run with: name in the figure, parameters.
const SETTINGS: [(&str, &str); 3] = [("as H", ""), ("fresh pairs", "fresh_pairs = true"), ("pairs by time", "probe_rtts = 0.25")];

fn text(mbps: f64, n: u32, (name, params): (&str, &str), keys: &str, duration: u32) -> String {
    let about = "Flows of XMTP alone, delay 10 ms; a queue of one bandwidth-delay product.";
    let name = format!("H10-{mbps}-{n}-{}", name.replace(' ', "-"));
    let queue = (mbps * 1e6 / 8.0 * 0.06 / f64::from(PACKET)).max(20.0) as u32;
    let dumbbell =
        Dumbbell { name, about, duration, mbps, delay: 10.0, queue, loss: 0.0, more: format!("[measure]\nfrom_s = {}\n", duration / 2) };
    dumbbell.text(&[Flows { params, keys, access: 10.0 * mbps, ..flows("hcc", n) }])
}

pub fn run(lab: &Lab) -> Outcome {
    // A second at 1 Gbit/s has as many packets as a minute and more at the others.
    let duration = |mbps: f64| if lab.quick && mbps > 100.0 { 4 } else { 20 };
    let mut found = Outcome::default();
    let mut alone = Vec::new();
    for mbps in RATES {
        let scenario = lab.scenario(&text(mbps, 1, SETTINGS[0], "", duration(mbps)));
        let used = over(&lab.over_seeds(&scenario), |run| run.summary.links[0].utilization);
        found.claims.push(claim(
            format!("{mbps} Mbit/s: one flow uses what its randomiser leaves"),
            derived("H §7, the randomiser: 10 % of the period, 5 % in the mean", "1/1.05 = 0.952"),
            used,
            "of the link",
            near(used_alone(RANDOMISER), 0.01),
            "it is not there yet",
        ));
        alone.push((mbps, used));
        found.scenarios.push((scenario.name, scenario.text));
    }
    let mut coarse = Vec::new();
    for mbps in RATES {
        let scenario = lab.scenario(&text(mbps, 1, ("50-us-timer", ""), "send_timer_us = 50\n", duration(mbps)));
        let used = over(&lab.over_seeds(&scenario), |run| run.summary.links[0].utilization);
        found.claims.push(claim(
            format!("{mbps} Mbit/s: a timer of 50 µs costs one flow no more than 1 % of the link"),
            ours("a weakness (H §9)"),
            used,
            "of the link",
            at_least(used_alone(RANDOMISER) - 0.01),
            "six packets leave with each tick, each pushed by the one before it: that is jitter, and the period is raised",
        ));
        coarse.push((mbps, used));
        found.scenarios.push((scenario.name, scenario.text));
    }
    let (mut uses, mut fair, mut lost) =
        (vec![curve("one flow", &alone), curve("one flow, timer of 50 µs", &coarse)], Vec::new(), Vec::new());
    for setting in SETTINGS {
        let [mut use_, mut jain, mut loss]: [Vec<(f64, Measured)>; 3] = Default::default();
        for mbps in RATES {
            let scenario = lab.scenario(&text(mbps, 5, setting, "", duration(mbps)));
            let runs = lab.over_seeds(&scenario);
            use_.push((mbps, over(&runs, |run| total(run) / mbps)));
            jain.push((mbps, over(&runs, |run| run.summary.jain)));
            loss.push((
                mbps,
                over(&runs, |run| {
                    let sum = |count: fn(&symbiosis_run::FlowSummary) -> u64| run.summary.flows.iter().map(count).sum::<u64>() as f64;
                    sum(|flow| flow.packets_lost) / sum(|flow| flow.packets_sent)
                }),
            ));
            found.scenarios.push((scenario.name, scenario.text));
        }
        let name = setting.0;
        found.claims.extend([
            claim(
                format!("five flows, {name}: fair at any rate"),
                ours("fair (H §8.3)"),
                jain.iter().map(|(_, m)| *m).min_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are rates"),
                "Jain, the least",
                at_least(0.9),
                "by packets a fast flow sends more pairs than a slow one, and wins back more (experiment H7)",
            ),
            claim(
                format!("five flows, {name}: less than 1 % lost at 1 Gbit/s"),
                ours("few losses (H §8.1)"),
                loss[RATES.len() - 1].1,
                "of the packets",
                below(0.01),
                "with hundreds of pairs in a round trip P is at M/C again before a doubling has shown: five flows send five times what the \
                 link carries",
            ),
        ]);
        uses.push(curve(&format!("five flows, {name}"), &use_));
        fair.push(curve(&format!("five flows, {name}"), &jain));
        lost.push(curve(&format!("five flows, {name}"), &loss));
    }
    let figure = |id: &str, title: &str, label: &str, from: f64, to: f64, series| Figure {
        id: format!("H10-{id}"),
        title: title.into(),
        caption: "XMTP alone, RTT 60 ms, a queue of one bandwidth-delay product; 95 % intervals over seeds.".into(),
        x: Axis::log("rate of the link [Mbit/s]"),
        y: Axis::linear(label).range(from, to),
        series,
    };
    found.figures.extend([
        figure("use", "HCC over the rate: what is used", "part of the link", 0.0, 1.05, uses),
        figure("fairness", "HCC over the rate: fairness", "Jain's index", 0.5, 1.0, fair),
        figure("loss", "HCC over the rate: losses", "part of the packets lost", 0.0, 0.8, lost),
    ]);
    found
}
