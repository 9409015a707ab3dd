//! T Fig 3: two Symbiosis flows, the second joins at 50 s.

use rayon::prelude::*;
use symbiosis_base::{Rate, Span};
use symbiosis_control::symbiosis::{EPSILON, GAMMA};
use symbiosis_theory::facts::EqualFlows;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, at_least, check, claim, derived, near, nothing, over};
use crate::toolkit::kinds::{Kind, OURS, shapes};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Outcome};

/// From when to when both are looked at \[s\].
const TIMES: (u32, u32) = (150, 200);
/// The same of a quick run.
const QUICK: (u32, u32) = (105, 135);

fn text(kind: &Kind, (from, until): (u32, u32)) -> String {
    format!(
        r#"# T Fig 3: two flows, the second joins at 50 s. Base RTT 120 ms: 1000 packets of 1500 bytes.
name = "T3-{slug}"
duration_s = {until}
[bottleneck]
rate_mbps = 100
delay_ms = 50
queue_packets = 1000
[[flow]]
{flow}
name = "first"
access_rate_mbps = 200
access_delay_ms = 5
[[flow]]
{flow}
name = "second"
start_s = 50
access_rate_mbps = 200
access_delay_ms = 5
[measure]
from_s = {from}
[trace]
every_ms = 200
"#,
        slug = kind.slug(),
        flow = kind.lines(100.0),
    )
}

pub fn run(lab: &Lab) -> Outcome {
    let kinds = shapes(lab);
    // The second flow's window has its half some 30 s after it joins, and differences then die out within 5 s.
    let times = if lab.quick { QUICK } else { TIMES };
    let scenarios: Vec<_> = kinds.iter().map(|kind| lab.scenario(&text(kind, times))).collect();
    // Told by an oracle starts differ little.
    let starts = |kind: &Kind| if lab.quick && kind.has_oracle() { lab.of_seeds(2) } else { lab.of_seeds(lab.seeds) };
    let runs: Vec<_> = scenarios.par_iter().zip(&kinds).map(|(scenario, kind)| starts(kind).over_starts(scenario)).collect();
    let mut found = Outcome::default();
    let mut queues = Vec::new();
    for ((kind, scenario), runs) in kinds.iter().zip(&scenarios).zip(&runs) {
        let outcome = &runs[0];
        found.figures.push(Figure {
            id: scenario.name.clone(),
            title: format!("Two flows of {}", kind.name),
            caption: "Congestion windows, the first seed; the second flow joins at 50 s.".into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("window [packets]").range(0.0, 1200.0),
            series: ["first", "second"]
                .iter()
                .enumerate()
                .map(|(flow, name)| {
                    let from = if flow == 0 { 0.0 } else { 50.0 };
                    Series::new(name, Mark::Line, series::window(outcome, flow).into_iter().filter(|(t, _)| *t >= from).collect())
                })
                .collect(),
        });
        queues.push(Series::new(kind.name, Mark::Line, series::queue(outcome)));
        found.claims.extend(claims(kind, runs, times));
        found.scenarios.push((scenario.name.clone(), scenario.text.clone()));
    }
    let flows = two_flows();
    let (law, ours) = OURS.standing_queue(2, 100.0, 120.0);
    for (name, queue) in [("S Eq 20", flows.queue() / 1500.0), ("for a measured A", flows.measured_queue() / 1500.0), (law, ours)] {
        queues.push(Series::new(name, Mark::Dashed, vec![(50.0, queue), (f64::from(times.1), queue)]));
    }
    found.figures.push(Figure {
        id: "T3-queue".into(),
        title: "The queue that two flows leave standing".into(),
        caption: "With a correct measurement of A the papers' law leaves (n−1)(1−γ)Kτ and not S Eq 20's queue; the law of ours leaves one that no \
                  RTT is in.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("queue [packets]"),
        series: queues,
    });
    found.notes.push(format!(
        "With the oracle the second flow finds A ≈ 0 and so grows at the rate ε(1 − γ) = {:.3} a second: from 2 packets to half of Kτ \
         it takes ln(250)/{0:.3} ≈ 28 s. T's second flow is there sooner. T does not say what its ImTCP reads; one that reads too much would do that.",
        EPSILON * (1.0 - GAMMA)
    ));
    found
}

/// What the published measurement makes of two flows.
const PUBLISHED: &str = "unpaced windows travel in clusters, and between its own clusters a flow finds the link idle: each reads A near K. With \
                         A = K both go for Kτ, together for nearly 2Kτ, which is all that link and buffer hold";

/// Two flows of the papers' γ at 100 Mbit/s and 120 ms.
fn two_flows() -> EqualFlows {
    EqualFlows { n: 2, gamma: GAMMA, room: Rate::from_mbps(100.0).times(Span::from_millis(120)) }
}

fn claims(kind: &Kind, runs: &[symbiosis_run::Outcome], (from, until): (u32, u32)) -> Vec<Claim> {
    let name = kind.name;
    // What the first flow reads of A beside the second.
    let read = over(runs, |run| series::mean(&series::gauge(run, 0, "A_mbps"), from.into(), until.into()));
    let blind = || kind.is_published().then(|| check("what the first flow reads of A [Mbit/s]", read, above(80.0)));
    let published = format!("{PUBLISHED}. The first flow reads {:.0} Mbit/s", read.mean);
    let measured = two_flows().measured_queue() / 1500.0;
    let alone = over(runs, |run| series::mean(&series::window(run, 0), 30.0, 50.0));
    let drops = over(runs, |run| series::drops_from(run, 0.0));
    let jain = over(runs, |run| run.summary.jain);
    let queue = over(runs, |run| run.summary.links[0].queue_packets.mean);
    let (what, wanted) = kind.standing_queue(2, 100.0, 120.0);
    let fixed_point = format!(
        "S Eq 20 takes K − A for the sum of w/τ (S Eq 17). In a standing queue the others' rate is w/srtt, smaller by τ/srtt, so the fixed \
         point is Q = (n−1)(1−γ)Kτ = {measured:.0} packets"
    );
    vec![
        claim(
            format!("{name}: the first flow alone reaches Kτ"),
            kind.states("T §2.2.3, Fig 3", "≈ 1000"),
            alone,
            "packets",
            near(1000.0, 0.02),
            "before the first reading the window is Reno's",
        )
        .because(blind(), published.clone()),
        claim(
            format!("{name}: no packet is lost"),
            kind.states("T §2.2.3, Fig 3", "0"),
            drops,
            "packets",
            nothing(),
            "before the first reading a window is Reno's, and overflows link and buffer",
        )
        .because(blind(), published.clone()),
        claim(
            format!("{name}: both share alike from {from} s on"),
            kind.states("T §2.2.3, Fig 3", "the same window"),
            jain,
            "Jain",
            at_least(0.99),
            "the second flow is not at its rest yet, or took the first's queue for a part of its base RTT",
        )
        .because(blind(), published.clone()),
        claim(
            format!("{name}: standing queue of {what}"),
            derived(if kind.is_ours() { "docs/symbiosis.md, the logarithmic law" } else { "S §III-C, Eq 20" }, format!("{wanted:.1}")),
            queue,
            "packets",
            near(wanted, 0.15),
            if kind.is_ours() {
                "min-RTT probes take their part of it, and whole windows and noise of τ add theirs"
            } else {
                &fixed_point
            },
        )
        .because((!kind.is_ours()).then(|| check("the standing queue [packets]", queue, near(measured, 0.15))), fixed_point.clone())
        .because(blind(), published),
    ]
}
