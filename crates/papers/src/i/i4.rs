//! I Fig 4: one flow beside UDP of half the link.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};
use symbiosis_control::symbiosis::law::{THETA, theta};
use symbiosis_control::symbiosis::{EPSILON, GAMMA};

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, check, claim, derived, near, nothing, over, published};
use crate::toolkit::kinds::{HIGHSPEED, Kind, OF_I, RENO_SACK, SCALABLE, asked};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;
use symbiosis_scenario::Scenario;

/// Where I has it.
const PLACE: &str = "I §4, Fig 4";
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
    // A sawtooth of Reno's takes most of a minute; others lose more often, or are at rest within seconds.
    let long = if lab.quick { 60 } else { 150 };
    let duration = if lab.quick { 35 } else { 150 };
    let kinds = [&[RENO_SACK, HIGHSPEED, SCALABLE][..], &asked(lab, &OF_I)].concat();
    let scenarios: Vec<Scenario> =
        kinds.iter().map(|kind| lab.scenario(&text(kind, if kind.cc == "reno" { long } else { duration }))).collect();
    let runs: Vec<_> = scenarios.iter().map(|scenario| lab.over_seeds(scenario)).collect();
    let mut found = Outcome::default();
    for (part, caption, members) in [
        ("loss-based", "Congestion windows, the first seed.", 0..3),
        ("symbiosis", "Congestion windows, the first seed; Symbiosis measures for itself, the early form among them.", 3..6),
        ("oracle", "Congestion windows, the first seed; Symbiosis with K and A handed to it, the early form among them.", 6..kinds.len()),
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
    for (kind, runs) in kinds.iter().zip(&runs) {
        let name = kind.name;
        if !kind.is_symbiosis() {
            let events = over(runs, |run| (run.summary.flows[0].loss_events + run.summary.flows[0].timeouts) as f64);
            let text = format!("{name}: loses again and again");
            let why = "no loss in the time that was run: a sawtooth of Reno's takes W/2 round trips";
            // After that of the start, which every window of theirs has.
            found.claims.push(claim(text, published(PLACE, "periodic loss"), events, "loss events", at_least(1.0), why));
            continue;
        }
        let lost = over(runs, |run| run.summary.flows[0].packets_lost as f64);
        let window = over(runs, |run| series::mean(&series::window(run, 0), START_UP, duration as f64));
        // S Eq 11 with the A that is read.
        let read = over(runs, |run| series::mean(&series::gauge(run, 0, "A_mbps"), START_UP, duration as f64));
        let of_read = |read: f64| ((1.0 - GAMMA) * 100.0 + GAMMA * read) * tau.secs() * 1e6 / 12_000.0;
        let misread =
            || format!("it reads A = 50 as {:.1} Mbit/s, with which S Eq 11 has w* = {:.0} packets", read.mean, of_read(read.mean));
        let obeys = over(runs, |run| {
            let mean = |points: Vec<(f64, f64)>| series::mean(&points, START_UP, f64::from(duration));
            mean(series::window(run, 0)) / of_read(mean(series::gauge(run, 0, "A_mbps")))
        });
        let is_misread = || (!kind.is_ours()).then(|| check("the window, in parts of S Eq 11's with what is read", obeys, near(1.0, 0.05)));
        let text = format!("{name}: no loss after start-up");
        found.claims.push(
            claim(
                text,
                kind.states(PLACE, "0"),
                lost,
                "packets",
                nothing(),
                "readings are noisy, and the window follows them above what the buffer holds",
            )
            .because(is_misread(), misread()),
        );
        if kind.is_ours() {
            // The law of ours rests at Aτ + θA·ln(K/A), nearer to Aτ = 416.7 than S Eq 11's w*.
            let text = format!("{name}: window where its law rests");
            let stated = derived("docs/symbiosis.md, the logarithmic law", format!("{rest:.0}"));
            found.claims.push(claim(text, stated, window, "packets", near(rest, 0.02), "readings are noisy, and the window follows them"));
        } else {
            let text = format!("{name}: window at its ideal w*");
            let claim = claim(
                text,
                kind.states(PLACE, format!("{ideal:.0}")),
                window,
                "packets",
                near(ideal, 0.02),
                "readings are noisy, and the window follows them",
            );
            found.claims.push(claim.because(is_misread(), misread()));
        }
    }
    found.scenarios = scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)).collect();
    found
}
