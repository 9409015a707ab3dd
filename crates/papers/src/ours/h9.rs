//! HCC against the others: one flow of it beside one of each.

use crate::toolkit::Lab;
use crate::toolkit::claims::{after, at_least, at_most, claim, over};
use crate::toolkit::hcc::{Dumbbell, NS2_QUEUE, curve, flows, mean_of, total};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::{Measured, Outcome};

const DELAYS: [f64; 4] = [10.0, 25.0, 50.0, 100.0];
const RIVALS: [(&str, &str); 4] = [("NewReno", "newreno"), ("CUBIC", "cubic"), ("Vegas", "vegas"), ("Symbiosis", "symbiosis")];
const MBPS: f64 = 10.0;

fn text(cc: &str, delay: f64, duration: u32) -> String {
    let about = "One flow of XMTP beside one of another controller.";
    let name = format!("H9-{cc}-{delay}ms");
    Dumbbell { name, about, duration, mbps: MBPS, delay, queue: NS2_QUEUE, loss: 0.0, more: "[measure]\nfrom_s = 20\n".into() }
        .text(&[flows("hcc", 1), flows(cc, 1)])
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 60 } else { 120 };
    let mut found = Outcome::default();
    let (mut shares, mut queues) = (Vec::new(), Vec::new());
    for (name, cc) in RIVALS {
        let [mut share, mut queue]: [Vec<(f64, Measured)>; 2] = Default::default();
        for delay in DELAYS {
            let scenario = lab.scenario(&text(cc, delay, duration));
            let runs = lab.over_seeds(&scenario);
            share.push((delay, over(&runs, |run| mean_of(run, "hcc") / total(run))));
            queue.push((delay, over(&runs, |run| run.summary.links[0].queue_packets.mean)));
            found.scenarios.push((scenario.name, scenario.text));
        }
        let least = share.iter().map(|(_, m)| *m).min_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are delays");
        let most = share.iter().map(|(_, m)| *m).max_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are delays");
        found.claims.extend([
            claim(
                format!("beside {name}: HCC is not starved"),
                after("H §8.5", "no, of TCP"),
                least,
                "of what both get, the least",
                at_least(0.1),
                "the other fills the queue, which is jitter to HCC, and it gives way",
            ),
            claim(
                format!("beside {name}: HCC does not starve it"),
                after("H §8.5", "no, of TCP"),
                most,
                "of what both get, the most",
                at_most(0.9),
                "HCC's pairs read the link's capacity whoever is there; who gives way to a queue, or to what others take, gives way to it",
            ),
        ]);
        shares.push(curve(name, &share));
        queues.push(curve(name, &queue));
    }
    let figure = |id: &str, title: &str, label: &str, most: f64, series| Figure {
        id: format!("H9-{id}"),
        title: title.into(),
        caption: "One flow of XMTP beside one of another controller over 10 Mbit/s with a queue of 50 packets.".into(),
        x: Axis::linear("one-way delay [ms]"),
        y: Axis::linear(label).range(0.0, most),
        series,
    };
    found.figures.extend([
        figure("share", "HCC against the others: its share", "HCC's part of what both get", 1.0, shares),
        figure("queue", "HCC against the others: the queue", "mean queue [packets]", f64::from(NS2_QUEUE), queues),
    ]);
    found
}
