//! I Fig 4: one flow beside UDP of half the link.

use symbiosis_base::{Nanos, Rate};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};
use symbiosis_control::symbiosis::{EPSILON, GAMMA, corrected_rest};
use symbiosis_sim::Outcome as Run;

use super::Lab;
use super::claims::{claim, over, within};
use super::kinds;
use super::series;
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// What has no part in the claims: slow start and what its overshoot costs.
const START_UP: f64 = 20.0;

fn text(cc: &str, duration: u32) -> String {
    // I's buffer is twice the bandwidth-delay product of the link between the routers, 2 · 100 Mbit/s · 40 ms, here in bytes: counted
    // in packets, the mix's many small ones would overflow it by themselves.
    format!(
        r#"# I Fig 4: one flow beside 50 Mbit/s of UDP. Base RTT 100 ms.
name = "I4-{cc}"
duration_s = {duration}
[bottleneck]
rate_mbps = 100
delay_ms = 40
queue_bytes = 1_000_000
[[flow]]
cc = "{cc}"
params = {{ {oracle} }}
access_rate_mbps = 100
access_delay_ms = 5
initial_window = 2
[[cross]]
kind = "udp"
mix = "internet"
gaps = "exponential"
rate_mbps = 50
[measure]
from_s = {START_UP}
[trace]
every_ms = 100
"#,
        oracle = kinds::oracle(cc),
    )
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 60 } else { 150 };
    let kinds = ["reno", "highspeed", "scalable", "symbiosis-early", "symbiosis-paper", "symbiosis"];
    let scenarios: Vec<Scenario> = kinds.iter().map(|cc| lab.scenario(&text(cc, duration))).collect();
    let runs: Vec<_> = scenarios.iter().map(|scenario| lab.over_seeds(scenario)).collect();
    let mut found = Outcome::default();
    for (part, members) in [("loss-based", 0..3), ("symbiosis", 3..6)] {
        found.figures.push(Figure {
            id: format!("I4-{part}"),
            title: format!("One flow beside 50 Mbit/s of UDP: {part}"),
            caption: "Congestion windows, the first seed. Symbiosis in all its forms with the oracle.".into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("window [packets]"),
            series: members.map(|i| Series::new(kinds[i], Mark::Line, series::window(&runs[i][0], 0))).collect(),
        });
    }
    // w* = {(1−γ)K + γA}τ = 55 Mbit/s · 100 ms (S Eq 11), and where the corrected input rests.
    let b = Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(50.0) };
    let tau = Nanos::from_millis(100);
    let ideal = LotkaVolterra { epsilon: EPSILON, gamma: GAMMA }.equilibrium(&b, tau) / 1500.0;
    let rest = corrected_rest(&b, GAMMA, tau) / 1500.0;
    for (cc, runs) in kinds.iter().zip(&runs) {
        if !cc.starts_with("symbiosis") {
            let losses = |run: &Run| (run.summary.flows[0].loss_events + run.summary.flows[0].timeouts) as f64;
            let events = over(runs, losses);
            found.claims.push(claim(
                format!("{cc}: loses again and again"),
                "periodic loss",
                events,
                "loss events",
                runs.iter().all(|run| losses(run) >= 1.0),
                "not with every seed in the time that was run",
            ));
            continue;
        }
        let lost = over(runs, |run| run.summary.flows[0].packets_lost as f64);
        found.claims.push(claim(
            format!("{cc} (oracle): no loss after start-up"),
            "0",
            lost,
            "packets",
            lost.mean == 0.0,
            "the window overshoots",
        ));
        let window = over(runs, |run| series::mean(&series::window(run, 0), START_UP, duration as f64));
        found.claims.push(claim(
            format!("{cc} (oracle): window at its ideal w*"),
            format!("{ideal:.0}"),
            window,
            "packets",
            within(window, ideal, 0.02),
            &format!(
                "S Eq 11 asks for 5 Mbit/s more than UDP leaves, which stand in the queue. The corrected input sees that queue and rests \
                 at AKτ/(A + γ(K − A)) = {rest:.1} packets, nearer to Aτ = 416.7"
            ),
        ));
        if *cc == "symbiosis" {
            found.claims.push(claim(
                format!("{cc} (oracle): window where the corrected input rests"),
                format!("{rest:.0} (our theory)"),
                window,
                "packets",
                within(window, rest, 0.02),
                "more than 2 % off",
            ));
        }
    }
    found.scenarios = scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)).collect();
    found
}
