//! T Figs 12 and 13: how large an oscillation may be. A is 60 Mbit/s all the time.

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, below, claim, derived, difference, near, ratio};
use crate::toolkit::kinds::{Kind, LAWS};
use crate::toolkit::series;
use crate::toolkit::step::{Found, Rest, Run, Step, TAU, borne, curve};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Outcome};

/// What UDP leaves \[Mbit/s\].
const A: f64 = 60.0;
/// What has no part in the claims \[s\].
const START_UP: f64 = 15.0;

fn step(kind: Kind, m: f64, duration: f64) -> Step {
    Step {
        id: "T12",
        kind,
        recovery: "sack",
        m,
        buffer: 1.0,
        available: vec![(0.0, A)],
        duration,
        measure: (START_UP, duration),
        sample: 100.0,
        more: "",
    }
}

fn theory(value: impl Fn(&Rest) -> f64) -> Series {
    let points = (0..=25).map(|i| (0.02 * i as f64, value(&Rest::of(A, 0.02 * i as f64)))).collect();
    Series::new("theory for the papers' law", Mark::Dashed, points)
}

pub fn run(lab: &Lab) -> Outcome {
    let degrees = if lab.quick { vec![0.0, 0.3, 0.5] } else { vec![0.0, 0.05, 0.1, 0.3, 0.5] };
    let duration = if lab.quick { 40.0 } else { 115.0 };
    let mut found = Outcome::default();
    let (mut windows, mut used, mut sent) = (Vec::new(), Vec::new(), Vec::new());
    for kind in LAWS {
        let steps: Vec<Step> = degrees.iter().map(|m| step(kind, *m, duration)).collect();
        let results: Vec<Found> = steps.iter().map(|step| step.found(lab, lab.seeds)).collect();
        let shown = steps.iter().filter(|step| step.m != 0.05).map(|step| {
            let run = lab.run(&lab.scenario(&step.text(1)));
            Series::new(&format!("m = {}", step.m), Mark::Line, series::window(&run, 0))
        });
        found.figures.push(Figure {
            id: format!("T12-{}", kind.slug()),
            title: format!("Windows under self-induced oscillation: {}", kind.name),
            caption: "A is 60 Mbit/s, Aτ 600 packets. The first seed.".into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("window [packets]"),
            series: shown.collect(),
        });
        let of = |value: fn(&Run) -> f64| results.iter().map(|found| found.over(value)).collect::<Vec<_>>();
        windows.push(curve(kind.name, &degrees, &of(|run| run.window)));
        used.push(curve(kind.name, &degrees, &of(|run| run.utilization)));
        sent.push(curve(kind.name, &degrees, &of(|run| run.throughput)));
        found.claims.extend(claims(kind, &degrees, &results));
        found.scenarios.extend(steps.iter().map(|step| step.shown(lab)));
    }
    windows.push(theory(Rest::mean));
    used.push(theory(|rest| rest.utilization(A)));
    for (id, title, y, series) in [
        ("T13-utilization", "Utilisation over the degree of oscillation", "utilisation", used),
        ("T13-throughput", "Throughput over the degree of oscillation", "throughput [Mbit/s]", sent),
        ("T13-window", "Mean window over the degree of oscillation", "mean window [packets]", windows),
    ] {
        found.figures.push(Figure {
            id: id.into(),
            title: title.into(),
            caption: "A is 60 Mbit/s. The theory takes the window for gamma-distributed, as the stochastic logistic equation leaves it."
                .into(),
            x: Axis::linear("m [1/√s]"),
            y: Axis::linear(y),
            series,
        });
    }
    found
}

fn claims(kind: Kind, degrees: &[f64], results: &[Found]) -> Vec<Claim> {
    let at = |m: f64| &results[degrees.iter().position(|degree| *degree == m).expect("every version has it")];
    let name = kind.name;
    let (still, strong) = (at(0.0), at(0.5));
    let relative = ratio(at(0.3).over(|run| run.window), still.over(|run| run.window));
    let used = [still, at(0.3), strong].map(|found| found.over(|run| run.utilization));
    let lost = strong.over(|run| run.lost);
    let mut claims = vec![
        claim(
            format!("{name}: m = 0.3 leaves the mean window as it is"),
            kind.states("T §4.3, Figs 12, 13", "close to that without"),
            relative,
            "of the window at m = 0",
            near(1.0, 0.05),
            "Itô's drift lowers the mean by m²/(2εc) = 3.6 %; what is above that, losses do",
        ),
        claim(
            format!("{name}: utilisation falls with m"),
            kind.states("T §4.3, Figs 12, 13", "lower as the oscillation is larger"),
            difference(used[2], used[0]),
            "more at m = 0.5 than at 0",
            below(0.0),
            "what a window leaves idle at its lowest is made up for by the queue of its highest",
        ),
        claim(
            format!("{name}: packets are lost at m = 0.5"),
            kind.states("T §4.3, Figs 12, 13", "packet losses occur"),
            lost,
            "packets",
            above(0.0),
            &format!(
                "the buffer overflows when the window is above A(τ + B/K) = {:.0} packets, which the papers' law is in {:.2} % of the time; the \
                 logarithmic law comes back at 0.8/RTT, five times as fast, so its spread is only m/√(2·0.8/RTT) = {:.2}",
                borne(A, 1.0),
                100.0 * Rest::of(A, 0.5).above(borne(A, 1.0)),
                0.5 / (2.0 * 0.8 / TAU).sqrt()
            ),
        ),
    ];
    if kind.has_oracle() {
        for m in [0.3, 0.5] {
            let (rest, found) = (Rest::of(A, m), at(m));
            let (window, used) = (found.over(|run| run.window), found.over(|run| run.utilization));
            claims.push(claim(
                format!("{name}: mean window at m = {m} by the stationary distribution"),
                derived("theory/src/stationary.rs, of T Eq 17", format!("{:.0}", rest.mean())),
                window,
                "packets",
                near(rest.mean(), 0.05),
                "a run is a few times as long as the window remembers, 1/(εc)",
            ));
            claims.push(claim(
                format!("{name}: utilisation at m = {m} by the stationary distribution"),
                derived("theory/src/stationary.rs, of T Eq 17", format!("{:.3}", rest.utilization(A))),
                used,
                "",
                near(rest.utilization(A), 0.02),
                "a run is a few times as long as the window remembers, 1/(εc)",
            ));
        }
    }
    claims
}
