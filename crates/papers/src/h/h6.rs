//! H Figs 4, 5: one flow of XMTP beside one of TCP, delays of 10 and 50 ms.

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, at_least, below, claim, over};
use crate::toolkit::hcc::{Dumbbell, FITTED_NOTE, QUEUE, SEEDS, flows, mean_of, of_h, packets_per_second};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;

const MBPS: f64 = 10.0;

fn text(delay: f64, duration: u32) -> String {
    let about = "H Figs 4, 5: one flow of XMTP and one of TCP over 10 Mbit/s.";
    let more = "[measure]\nfrom_s = 10\n[trace]\nevery_ms = 500\n".to_string();
    Dumbbell { name: format!("H6-{delay}ms"), about, duration, mbps: MBPS, delay, queue: QUEUE, loss: 0.0, more }
        .text(&[flows("hcc", 1), flows("newreno", 1)])
}

pub fn run(lab: &Lab) -> Outcome {
    let lab = &lab.of_seeds(lab.seeds.max(SEEDS));
    let duration = if lab.quick { 70 } else { 130 };
    let mut found = Outcome { notes: vec![FITTED_NOTE.into()], ..Outcome::default() };
    for delay in [10.0, 50.0] {
        let scenario = lab.scenario(&text(delay, duration));
        let runs = lab.over_seeds(&scenario);
        let (xmtp, tcp) = (over(&runs, |run| mean_of(run, "hcc")), over(&runs, |run| mean_of(run, "newreno")));
        let ahead = over(&runs, |run| mean_of(run, "hcc") / mean_of(run, "newreno"));
        found.claims.push(match delay {
            10.0 => claim("10 ms: TCP is ahead", of_h("H §8.5, Figs 4, 5", "XMTP/TCP < 1"), ahead, "XMTP over TCP", below(1.0), "XMTP is"),
            _ => claim(
                "50 ms: XMTP is ahead",
                of_h("H §8.5, Figs 4, 5", "XMTP/TCP > 1"),
                ahead,
                "XMTP over TCP",
                above(1.0),
                "TCP fills the link with what it has in flight",
            ),
        });
        for (name, rate) in [("XMTP", xmtp), ("TCP", tcp)] {
            found.claims.push(claim(
                format!("{delay} ms: {name} is not starved"),
                of_h("H §8.5, Figs 4, 5", "no"),
                rate.times(1.0 / MBPS),
                "of the link",
                at_least(0.1),
                "less than a tenth of the link",
            ));
        }
        let series = ["XMTP", "TCP"].iter().enumerate();
        found.figures.push(Figure {
            id: format!("H6-{delay}ms"),
            title: format!("One XMTP and one TCP, {delay} ms"),
            caption: "Packets that arrive in each second, the first seed.".into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("packets per second").range(0.0, 1300.0),
            series: series.map(|(flow, name)| Series::new(name, Mark::Line, packets_per_second(&runs[0], flow, 1.0))).collect(),
        });
        found.scenarios.push((scenario.name, scenario.text));
    }
    found
}
