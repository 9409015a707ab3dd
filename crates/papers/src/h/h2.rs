//! H Fig 2: one flow alone on a link of 1 Mbit/s, over its delay.

use symbiosis_control::hcc::RANDOMISER;
use symbiosis_control::hcc::facts::used_alone;

use crate::toolkit::Lab;
use crate::toolkit::claims::{against, at_least, at_most, below, claim, derived, difference, near, over};
use crate::toolkit::hcc::{Dumbbell, FITTED_NOTE, PACKET, QUEUE, SEEDS, curve, flows, of_h, packets_per_second};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};
use symbiosis_scenario::Scenario;

const DELAYS: [f64; 5] = [10.0, 50.0, 100.0, 175.0, 250.0];
/// Start-up has no part in the claims \[s\].
const FROM: f64 = 20.0;

fn text(cc: &str, delay: f64, duration: u32) -> String {
    let about = "H Fig 2: one flow alone at 1 Mbit/s, a queue of twelve packets whatever the delay.";
    let more = format!("[measure]\nfrom_s = {FROM}\n[trace]\nevery_ms = 500\n");
    Dumbbell { name: format!("H2-{cc}-{delay}ms"), about, duration, mbps: 1.0, delay, queue: QUEUE, loss: 0.0, more }.text(&[flows(cc, 1)])
}

pub fn run(lab: &Lab) -> Outcome {
    let lab = &lab.of_seeds(lab.seeds.max(SEEDS));
    let by_design = used_alone(RANDOMISER);
    let duration = if lab.quick { 60 } else { 120 };
    let mut found = Outcome { notes: vec![FITTED_NOTE.into()], ..Outcome::default() };
    let (mut over_time, mut over_delay) = (Vec::new(), Vec::new());
    let mut used = Vec::new();
    for (name, cc) in [("XMTP", "hcc"), ("NewReno", "newreno")] {
        let scenarios: Vec<Scenario> = DELAYS.iter().map(|delay| lab.scenario(&text(cc, *delay, duration))).collect();
        // Nothing is random in NewReno.
        let runs: Vec<_> =
            scenarios.iter().map(|scenario| if cc == "hcc" { lab.over_seeds(scenario) } else { vec![lab.run(scenario)] }).collect();
        for at in [0, DELAYS.len() - 1] {
            let name = format!("{name}, {} ms", DELAYS[at]);
            over_time.push(Series::new(&name, Mark::Line, packets_per_second(&runs[at][0], 0, 1.0)));
        }
        let shares: Vec<Measured> = runs.iter().map(|runs| over(runs, |run| run.summary.links[0].utilization)).collect();
        over_delay.push(curve(name, &DELAYS.into_iter().zip(shares.iter().copied()).collect::<Vec<_>>()));
        used.push(shares);
        found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
    }
    over_delay.push(Series::new("1/1.05", Mark::Dashed, vec![(DELAYS[0], by_design), (DELAYS[DELAYS.len() - 1], by_design)]));
    let (hcc, newreno, last) = (&used[0], &used[1], DELAYS.len() - 1);
    let extreme = |sign: f64| *hcc.iter().max_by(|a, b| (sign * a.mean).total_cmp(&(sign * b.mean))).expect("there are delays");
    found.claims.extend([
        claim(
            "XMTP: the same at any delay",
            of_h("H §8.1, Fig 2", "the same"),
            difference(extreme(1.0), extreme(-1.0)),
            "of the link, greatest difference",
            at_most(0.01),
            "jitter is counted by the round trip, which has more packets the longer the delay",
        ),
        claim(
            "XMTP: below the link by design",
            derived("H §7, the randomiser: 10 % of the period, 5 % in the mean", "1/1.05 = 0.952"),
            hcc[0],
            "of the link",
            near(by_design, 0.005),
            "the period is not at its rest yet",
        ),
        claim(
            "NewReno: fills the link at the least delay",
            of_h("H §8.1, Fig 2", "124 packets/s"),
            newreno[0],
            "of the link",
            at_least(0.98),
            "what slow start's overflow costs is still being repaired",
        ),
        claim(
            "NewReno: falls behind XMTP at the greatest delay",
            of_h("H §8.1, Fig 2", "less than XMTP"),
            against(newreno[last], hcc[last]),
            "of the link",
            below(hcc[last].mean),
            "twelve packets of queue are enough at this delay",
        ),
    ]);
    found.figures.extend([
        Figure {
            id: "H2-time".into(),
            title: "One flow alone: packets that arrive in each second".into(),
            caption: format!(
                "The least and the greatest delay, the first seed. Packets of {PACKET} bytes; the link carries 125 in a second."
            ),
            x: Axis::linear("time [s]"),
            y: Axis::linear("packets per second").range(0.0, 130.0),
            series: over_time,
        },
        Figure {
            id: "H2-delay".into(),
            title: "What one flow uses of the link, over its delay".into(),
            caption: "A queue of twelve packets at every delay. Dashed: what the randomiser leaves.".into(),
            x: Axis::linear("one-way delay [ms]"),
            y: Axis::linear("part of the link").range(0.0, 1.05),
            series: over_delay,
        },
    ]);
    found
}
