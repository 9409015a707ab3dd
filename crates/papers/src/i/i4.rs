//! I Fig 4: one flow beside UDP of half the link.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};
use symbiosis_control::symbiosis::law::{THETA, theta};
use symbiosis_control::symbiosis::{EPSILON, GAMMA};
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, over, within};
use crate::toolkit::kinds::{EARLY, HIGHSPEED, Kind, RENO_SACK, SCALABLE, SYMBIOSIS};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;
use symbiosis_scenario::Scenario;

/// What the published measurement does to the window.
const PUBLISHED: &str = "the published ImTCP reads A = 50 as 66: at A + 16 Mbit/s the delays rise by less from packet to packet than UDP makes them \
                         vary. S Eq 11 then has w* = 0.9 · (66 − 50) · τ = 120 packets more, all of them in the queue";

/// What has no part in the claims: slow start and what its overshoot costs.
const START_UP: f64 = 20.0;

fn text(kind: &Kind, duration: u32) -> String {
    // I's buffer is twice the bandwidth-delay product of the link between the routers, 2 · 100 Mbit/s · 40 ms, here in bytes: counted
    // in packets, the mix's many small ones would overflow it by themselves.
    format!(
        r#"# I Fig 4: one flow beside 50 Mbit/s of UDP. Base RTT 100 ms.
name = "I4-{slug}"
duration_s = {duration}
[bottleneck]
rate_mbps = 100
delay_ms = 40
queue_bytes = 1_000_000
[[flow]]
{flow}
access_rate_mbps = 100
access_delay_ms = 5
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
        slug = kind.slug(),
        flow = kind.lines(100.0),
    )
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 60 } else { 150 };
    let kinds = [&[RENO_SACK, HIGHSPEED, SCALABLE][..], &SYMBIOSIS, &[EARLY]].concat();
    let scenarios: Vec<Scenario> = kinds.iter().map(|kind| lab.scenario(&text(kind, duration))).collect();
    let runs: Vec<_> = scenarios.iter().map(|scenario| lab.over_seeds(scenario)).collect();
    let mut found = Outcome::default();
    for (part, caption, members) in [
        ("loss-based", "Congestion windows, the first seed.", 0..3),
        ("symbiosis", "Congestion windows, the first seed; Symbiosis measures for itself.", 3..5),
        ("oracle", "Congestion windows, the first seed; Symbiosis with K and A handed to it, the early form among them.", 5..8),
    ] {
        found.figures.push(Figure {
            id: format!("I4-{part}"),
            title: format!("One flow beside 50 Mbit/s of UDP: {part}"),
            caption: caption.into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("window [packets]"),
            series: members.map(|i| Series::new(kinds[i].name, Mark::Line, series::window(&runs[i][0], 0))).collect(),
        });
    }
    // w* = {(1−γ)K + γA}τ = 55 Mbit/s · 100 ms (S Eq 11), and where the law of ours does, Aτ + θA·ln(K/A).
    let b = Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(50.0) };
    let tau = Span::from_millis(100);
    let ideal = LotkaVolterra { epsilon: EPSILON, gamma: GAMMA }.equilibrium(&b, tau) / 1500.0;
    let (k, a) = (b.capacity.bytes_per_s(), b.available.bytes_per_s());
    let rest = a * (tau.secs() + theta(THETA, b.capacity, Bytes(1500)) * (k / a).ln()) / 1500.0;
    let of_ours = format!(
        "S Eq 11 asks for 5 Mbit/s more than UDP leaves, which stand in the queue. The law of ours rests at Aτ + θA·ln(K/A) = {rest:.1} \
         packets, nearer to Aτ = 416.7"
    );
    for (kind, runs) in kinds.iter().zip(&runs) {
        let name = kind.name;
        if !kind.is_symbiosis() {
            let losses = |run: &Run| (run.summary.flows[0].loss_events + run.summary.flows[0].timeouts) as f64;
            let events = over(runs, losses);
            found.claims.push(claim(
                format!("{name}: loses again and again"),
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
            format!("{name}: no loss after start-up"),
            "0",
            lost,
            "packets",
            lost.mean == 0.0,
            if kind.is_published() { PUBLISHED } else { "the window overshoots" },
        ));
        let window = over(runs, |run| series::mean(&series::window(run, 0), START_UP, duration as f64));
        found.claims.push(claim(
            format!("{name}: window at its ideal w*"),
            format!("{ideal:.0}"),
            window,
            "packets",
            within(window, ideal, 0.02),
            if kind.is_published() { PUBLISHED } else { &of_ours },
        ));
        if kind.is_ours() {
            found.claims.push(claim(
                format!("{name}: window where its law rests"),
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
