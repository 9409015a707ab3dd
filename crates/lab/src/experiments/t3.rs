//! T Fig 3: two Symbiosis flows, the second joins at 50 s.

use symbiosis_base::{Bytes, Nanos, Rate};
use symbiosis_control::lotka_volterra::facts::EqualFlows;
use symbiosis_control::symbiosis::law::{THETA, logarithmic_queue};
use symbiosis_control::symbiosis::{EPSILON, GAMMA};

use super::Lab;
use super::claims::{claim, over, within};
use super::kinds;
use super::series;
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Claim, Outcome};

fn text(cc: &str) -> String {
    format!(
        r#"# T Fig 3: two flows, the second joins at 50 s. Base RTT 120 ms: 1000 packets of 1500 bytes.
name = "T3-{cc}"
duration_s = 200
[bottleneck]
rate_mbps = 100
delay_ms = 50
queue_packets = 1000
[[flow]]
cc = "{cc}"
params = {{ {oracle} }}
name = "first"
access_rate_mbps = 200
access_delay_ms = 5
initial_window = 2
[[flow]]
cc = "{cc}"
params = {{ {oracle} }}
name = "second"
start_s = 50
access_rate_mbps = 200
access_delay_ms = 5
initial_window = 2
[measure]
from_s = 150
[trace]
every_ms = 200
"#,
        oracle = kinds::oracle(cc),
    )
}

pub fn run(lab: &Lab) -> Outcome {
    let settings = ["symbiosis-paper", "symbiosis"];
    let scenarios = settings.map(|cc| lab.scenario(&text(cc)));
    // Only the drains of `symbiosis` are random.
    let runs = [vec![lab.run(&scenarios[0])], lab.over_seeds(&scenarios[1])];
    let mut found = Outcome::default();
    let mut queues = Vec::new();
    for ((cc, scenario), runs) in settings.iter().zip(&scenarios).zip(&runs) {
        let outcome = &runs[0];
        found.figures.push(Figure {
            id: format!("T3-{cc}"),
            title: format!("Two flows of {cc} (oracle)"),
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
        queues.push(Series::new(cc, Mark::Line, series::queue(outcome)));
        found.claims.extend(claims(cc, runs));
        found.scenarios.push((scenario.name.clone(), scenario.text.clone()));
    }
    let flows = two_flows();
    for (name, queue) in [("S Eq 20", flows.queue()), ("for a measured A", flows.measured_queue())] {
        queues.push(Series::new(name, Mark::Dashed, vec![(50.0, queue / 1500.0), (200.0, queue / 1500.0)]));
    }
    found.figures.push(Figure {
        id: "T3-queue".into(),
        title: "The queue that two flows leave standing".into(),
        caption: "S Eq 20 holds for the corrected input; with a correct measurement of A the papers' law leaves (n−1)(1−γ)Kτ.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("queue [packets]"),
        series: queues,
    });
    found.notes.push(format!(
        "With the oracle the second flow finds A ≈ 0 and so grows at the rate ε(1 − γ) = {:.3} a second: from 2 packets to half of Kτ \
         it takes ln(250)/{0:.3} ≈ 28 s. The paper's second flow is faster because its ImTCP reads A too high for unpaced flows.",
        EPSILON * (1.0 - GAMMA)
    ));
    found
}

/// Two flows of the papers' γ at 100 Mbit/s and 120 ms.
fn two_flows() -> EqualFlows {
    EqualFlows { n: 2, gamma: GAMMA, room: Rate::from_mbps(100.0).times(Nanos::from_millis(120)) }
}

fn claims(cc: &str, runs: &[symbiosis_sim::Outcome]) -> Vec<Claim> {
    let alone = over(runs, |run| series::mean(&series::window(run, 0), 30.0, 50.0));
    let drops = over(runs, |run| series::drops_from(run, 0.0));
    let jain = over(runs, |run| run.summary.jain);
    let queue = over(runs, |run| run.summary.links[0].queue_packets.mean);
    // The law of `symbiosis` is not the papers', and has a queue of its own.
    let (what, wanted) = match cc {
        "symbiosis" => ("Kθ ln 2 (our theory)", logarithmic_queue(2, THETA, Rate::from_mbps(100.0), Bytes(1500)) / 1500.0),
        _ => ("S Eq 20", two_flows().queue() / 1500.0),
    };
    vec![
        claim(
            format!("{cc} (oracle): the first flow alone reaches Kτ"),
            "≈ 1000",
            alone,
            "packets",
            within(alone, 1000.0, 0.02),
            "more than 2 % off",
        ),
        claim(format!("{cc} (oracle): no packet is lost"), "0", drops, "packets", drops.mean == 0.0, "the buffer overflows"),
        claim(
            format!("{cc} (oracle): both share alike from 150 s on"),
            "the same window",
            jain,
            "Jain",
            jain.mean >= 0.99,
            "they are still converging",
        ),
        claim(
            format!("{cc} (oracle): standing queue of {what}"),
            format!("{wanted:.1}"),
            queue,
            "packets",
            within(queue, wanted, 0.15),
            "S Eq 20 takes K − A for the sum of w/τ (S Eq 17). In a standing queue the others' rate is w/srtt, smaller by τ/srtt, so the \
             fixed point is Q = (n−1)(1−γ)Kτ = 100 packets",
        ),
    ]
}
