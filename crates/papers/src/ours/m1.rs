//! The measurement by itself: what `symbiosis` reads of A and K beside UDP when nobody tells it.

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, at_most, between, claim, near, nothing, ours, over};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};

const K: f64 = 100.0;
const ACCESS: f64 = 200.0;
const RTT: f64 = 0.100;
/// What has no part in bias and deviation \[s\].
const START_UP: f64 = 10.0;
/// UDP goes from 20 to 80 Mbit/s and back, at these instants \[s\].
const STEPS: [f64; 2] = [20.0, 40.0];

fn text(name: &str, duration: f64, udp: &str) -> String {
    format!(
        r#"# One flow that measures for itself, beside UDP. Base RTT 100 ms, a buffer of one bandwidth-delay product, in bytes.
name = "M1-{name}"
duration_s = {duration}
[bottleneck]
rate_mbps = {K}
delay_ms = 40
queue_bdp = 1.0
[[flow]]
cc = "symbiosis"
recovery = "sack"
access_rate_mbps = {ACCESS}
access_delay_ms = 5
[[cross]]
kind = "udp"
mix = "internet"
gaps = "exponential"
rate_mbps = {udp}
[measure]
from_s = {START_UP}
[trace]
every_ms = 25
"#
    )
}

/// The deviation of single readings from their mean.
fn deviation(points: &[(f64, f64)]) -> f64 {
    let values: Vec<f64> = points.iter().filter(|(t, _)| *t >= START_UP).map(|(_, a)| *a).collect();
    series::moments(&values).1
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 30.0 } else { 60.0 };
    let mut found = Outcome::default();
    let (mut biases, mut deviations, mut capacities, mut theory) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for available in [20.0, 50.0, 80.0] {
        let scenario = lab.scenario(&text(&format!("A{available}"), duration, &format!("{}", K - available)));
        let runs = lab.over_seeds(&scenario);
        let bias = over(&runs, |run| series::mean(&series::gauge(run, 0, "A_mbps"), START_UP, duration) - available);
        let spread = over(&runs, |run| deviation(&series::gauge(run, 0, "A_mbps")));
        let capacity = over(&runs, |run| series::mean(&series::gauge(run, 0, "K_mbps"), START_UP, duration));
        let used = over(&runs, |run| run.summary.flows[0].throughput_mbps / available);
        let lost = over(&runs, |run| run.summary.links[0].drops as f64);
        found.claims.extend([
            claim(
                format!("A = {available}: bias within 1 % of K"),
                ours("0"),
                bias,
                "Mbit/s",
                between(-0.01 * K, 0.01 * K),
                "what UDP sends in a round trip differs from its mean",
            ),
            claim(
                format!("A = {available}: deviation of a reading within 2.5 % of K"),
                ours("≤ 2.5"),
                spread,
                "Mbit/s",
                at_most(0.025 * K),
                "what UDP sends in a round trip differs from its mean",
            ),
            claim(
                format!("A = {available}: K within 2 %"),
                ours("100"),
                capacity,
                "Mbit/s",
                near(K, 0.02),
                "pairs are disturbed by something that the estimate does not know",
            ),
            claim(
                format!("A = {available}: throughput at least 98 % of A"),
                ours("A (our bar: 0.98)"),
                used,
                "of A",
                at_least(0.98),
                "min-RTT probes take half of a round trip in a hundred, and a queue that runs empty the rest",
            ),
            claim(format!("A = {available}: no packet is dropped"), ours("0"), lost, "packets", nothing(), "the queue overflows"),
        ]);
        for (points, m) in [(&mut biases, bias), (&mut deviations, spread), (&mut capacities, capacity)] {
            points.push((available, m));
        }
        theory.push((available, K / (1.0 + (K - available) / ACCESS)));
        found.scenarios.push((scenario.name, scenario.text));
    }
    let with_band = |name: &str, points: &[(f64, Measured)]| Series {
        band: Some(points.iter().map(|(_, m)| (m.mean - m.ci95, m.mean + m.ci95)).collect()),
        ..Series::new(name, Mark::LinePoints, points.iter().map(|(a, m)| (*a, m.mean)).collect())
    };
    let steps = steps(lab, &mut found);
    found.figures.extend([
        steps,
        Figure {
            id: "M1-A".into(),
            title: "Error of the available bandwidth".into(),
            caption: "Mean error, and deviation of single readings, over what UDP leaves; 95 % intervals over seeds.".into(),
            x: Axis::linear("available bandwidth [Mbit/s]"),
            y: Axis::linear("[Mbit/s]"),
            series: vec![with_band("bias", &biases), with_band("deviation", &deviations)],
        },
        Figure {
            id: "M1-K".into(),
            title: "The capacity that pairs read".into(),
            caption: "An access link of 200 Mbit/s spreads a pair, and UDP gets in between, so that pairs alone read K/(1 + U/access)."
                .into(),
            x: Axis::linear("available bandwidth [Mbit/s]"),
            y: Axis::linear("capacity [Mbit/s]").range(0.0, 110.0),
            series: vec![with_band("measured", &capacities), Series::new("pairs alone, theory", Mark::Dashed, theory)],
        },
    ]);
    found.notes.push(
        "This is the measurement in the loop of one flow (`measurement = \"imtcp\"`), not yet the papers' own recipe beside it, nor a flow \
         that leaves the link idle, jitter, several hops, or an AQM."
            .into(),
    );
    found
}

/// UDP jumps from 20 to 80 Mbit/s and back: the figure, and claims on how soon that is seen.
fn steps(lab: &Lab, found: &mut Outcome) -> Figure {
    let scenario = lab.scenario(&text("steps", 60.0, &format!("[[0, 20], [{}, 80], [{}, 20]]", STEPS[0], STEPS[1])));
    let runs = lab.over_seeds(&scenario);
    for (at, from, to) in [(STEPS[0], 80.0, 20.0), (STEPS[1], 20.0, 80.0)] {
        // Nine tenths of the way.
        let there = move |a: f64| (a - from) / (to - from) >= 0.9;
        let delay = over(&runs, |run| {
            let points = series::gauge(run, 0, "A_mbps");
            points.iter().find(|(t, a)| *t > at && there(*a)).map_or(f64::INFINITY, |(t, _)| t - at) / RTT
        });
        found.claims.push(found_in(from, to, delay));
    }
    let truth = vec![(0.0, 80.0), (STEPS[0], 80.0), (STEPS[0], 20.0), (STEPS[1], 20.0), (STEPS[1], 80.0), (60.0, 80.0)];
    found.scenarios.push((scenario.name, scenario.text));
    Figure {
        id: "M1-steps".into(),
        title: "A jump of the available bandwidth".into(),
        caption: "What one flow of symbiosis reads when UDP jumps from 20 to 80 Mbit/s and back; the first seed.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("available bandwidth [Mbit/s]").range(0.0, 110.0),
        series: vec![Series::new("measured", Mark::Line, series::gauge(&runs[0], 0, "A_mbps")), Series::new("truth", Mark::Dashed, truth)],
    }
}

fn found_in(from: f64, to: f64, delay: Measured) -> Claim {
    claim(
        format!("a jump from {from} to {to} is found within 10 round trips"),
        ours("≤ 10"),
        delay,
        "base RTTs",
        at_most(10.0),
        "it is not seen in time",
    )
}
