//! S Fig 14: two flows whose access links differ, over the capacity of the link that they share.

use symbiosis_base::Rate;
use symbiosis_control::lotka_volterra::capacities::Shared;
use symbiosis_control::symbiosis::GAMMA;

use super::Lab;
use super::claims::{claim, exact};
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

fn text(cc: &str, mbps: f64) -> String {
    // Links with their own queues instead of the dumbbell shorthand: below 30 Mbit/s of the shared link it is an access link that fills.
    format!(
        r#"# S Fig 14: access of 10 and of 20 Mbit/s, a shared link of {mbps} Mbit/s. Base RTT 100 ms, buffers of one bandwidth-delay product.
name = "S14-{cc}-{mbps}"
duration_s = 300
[[link]]
name = "shared"
rate_mbps = {mbps}
delay_ms = 40
queue_bdp = 1.0
[[link]]
name = "slow access"
rate_mbps = 10
delay_ms = 10
queue_bdp = 1.0
[[link]]
name = "fast access"
rate_mbps = 20
delay_ms = 10
queue_bdp = 1.0
[[flow]]
cc = "{cc}"
name = "slow"
route = ["slow access", "shared"]
initial_window = 2
[[flow]]
cc = "{cc}"
name = "fast"
route = ["fast access", "shared"]
start_s = 0.5
initial_window = 2
[measure]
from_s = 150
"#
    )
}

pub fn run(lab: &Lab) -> Outcome {
    let rates: Vec<f64> =
        if lab.quick { vec![5.0, 8.0, 12.0, 15.0, 20.0, 25.0, 30.0] } else { (10..=60).map(|i| i as f64 / 2.0).collect() };
    let mut found = Outcome::default();
    for cc in ["reno", "symbiosis-paper", "symbiosis"] {
        let scenarios: Vec<Scenario> = rates.iter().map(|mbps| lab.scenario(&text(cc, *mbps))).collect();
        let outcomes = lab.run_all(&scenarios);
        let throughput = |flow: usize| -> Vec<(f64, f64)> {
            rates.iter().zip(&outcomes).map(|(mbps, run)| (*mbps, run.summary.flows[flow].throughput_mbps)).collect()
        };
        let measured = [throughput(0), throughput(1)];
        let mut series: Vec<Series> = ["10 Mbit/s access", "20 Mbit/s access"]
            .iter()
            .zip(&measured)
            .map(|(name, points)| Series::new(name, Mark::LinePoints, points.clone()))
            .collect();
        if cc != "reno" {
            for (name, flow, of) in [
                ("S Eq 27, 10", 0, claimed as fn(f64) -> Vec<f64>),
                ("S Eq 27, 20", 1, claimed),
                ("fluid, 10", 0, fluid),
                ("fluid, 20", 1, fluid),
            ] {
                let points = (50..=300).map(|i| i as f64 / 10.0).map(|mbps| (mbps, of(mbps)[flow])).collect();
                series.push(Series::new(name, Mark::Dashed, points));
            }
        }
        found.figures.push(Figure {
            id: format!("S14-{cc}"),
            title: format!("Two flows of {cc}, access of 10 and 20 Mbit/s"),
            caption: match cc {
                "reno" => "Throughput over the shared link's capacity.",
                _ => "Throughput over the shared link's capacity, with the oracle. Dashed: shares by S Eq 27, and the fluid fixed point of S Eq 8.",
            }
            .into(),
            x: Axis::linear("shared link [Mbit/s]"),
            y: Axis::linear("throughput [Mbit/s]"),
            series,
        });
        // The papers' two cases, and the point where the two theories are farthest apart.
        let at = |mbps: f64| {
            let i = rates.iter().position(|rate| *rate == mbps).expect("this rate is among those that are run");
            (measured[0][i].1, measured[1][i].1)
        };
        let (slow, fast) = at(8.0);
        let ratio = exact(fast / slow);
        found.claims.push(claim(
            format!("{}: fair below the slower access (8 Mbit/s)", name(cc)),
            "1 : 1",
            ratio,
            "fast : slow",
            (ratio.mean - 1.0).abs() < 0.05,
            "the two do not share alike",
        ));
        let (slow, fast) = at(15.0);
        let ratio = exact(fast / slow);
        if cc == "reno" {
            found.claims.push(claim(
                "reno: fair between the two (15 Mbit/s)",
                "1 : 1",
                ratio,
                "fast : slow",
                (ratio.mean - 1.0).abs() < 0.1,
                "two drop-tail sawtooths fall into step: the flow whose packets meet the full queue loses, and that is not decided by chance",
            ));
        } else {
            let [of_27, of_fluid] = [claimed(15.0), fluid(15.0)].map(|shares| shares[1] / shares[0]);
            found.claims.push(claim(
                format!("{}: shares as the capacities between the two (15 Mbit/s)", name(cc)),
                format!("K₂ : K₁ = {of_27:.2} (S Eq 27)"),
                ratio,
                "fast : slow",
                (ratio.mean / of_27 - 1.0).abs() < 0.05,
                &format!(
                    "Eq 27 does not follow from Eq 8: with Σ over the others of N = K − A the fixed point is \
                     N = K_i − γ(ΣK − BW)/(1 + (n−1)γ), a ratio of {of_fluid:.2}"
                ),
            ));
        }
        found.scenarios.extend(scenarios.into_iter().filter(|scenario| scenario.name.ends_with("-15")).map(|s| (s.name, s.text)));
    }
    found
}

fn name(cc: &str) -> String {
    if cc == "reno" { cc.into() } else { format!("{cc} (oracle)") }
}

fn shared(mbps: f64) -> Shared {
    Shared { bottleneck: Rate::from_mbps(mbps), access: vec![Rate::from_mbps(10.0), Rate::from_mbps(20.0)], gamma: GAMMA }
}

fn claimed(mbps: f64) -> Vec<f64> {
    shared(mbps).claimed().iter().map(|rate| rate.mbps()).collect()
}

fn fluid(mbps: f64) -> Vec<f64> {
    shared(mbps).fluid().delivered.iter().map(|rate| rate.mbps()).collect()
}
