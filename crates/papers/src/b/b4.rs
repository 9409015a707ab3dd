//! B Fig 4: what ImTCP reads with other numbers of sub-ranges and packets.

use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, exact, over};
use crate::toolkit::inline::*;
use crate::toolkit::series;
use crate::toolkit::steps::Steps;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

/// B §3.2: sub-ranges (k) and packets of a stream (N).
const SHAPES: [(u32, u32); 6] = [(5, 10), (10, 10), (5, 20), (10, 20), (10, 30), (15, 20)];

/// What B finds best.
const BEST: usize = 3;

/// A stage's part after which its readings count as settled.
const SETTLED: f64 = 0.5;

/// Error of readings, root of the mean square over the settled parts of all stages \[Mbit/s\].
fn error(run: &Run, steps: &Steps) -> f64 {
    let mut squares = Vec::new();
    for (from, to, available) in steps.stages() {
        let settled = from + SETTLED * (to - from);
        squares.extend(readings(run).iter().filter(|(t, _)| (settled..to).contains(t)).map(|(_, a)| (a - available) * (a - available)));
    }
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// Time until a reading is nine tenths of the way from what is read before a step to what is read after it, the mean of the steps \[s\]:
/// how soon, not how well.
fn delay(run: &Run, steps: &Steps) -> f64 {
    let points = readings(run);
    let stages = steps.stages();
    let level = |(from, to, _): &(f64, f64, f64)| series::mean(&points, from + SETTLED * (to - from), *to);
    let follows = |pair: &[(f64, f64, f64)]| {
        let (before, after, (at, to, _)) = (level(&pair[0]), level(&pair[1]), pair[1]);
        let there = points.iter().find(|(t, a)| *t > at && (a - before) / (after - before) >= 0.9);
        there.map_or(to, |(t, _)| *t) - at
    };
    let delays: Vec<f64> = stages.windows(2).map(follows).collect();
    delays.iter().sum::<f64>() / delays.len() as f64
}

/// B Fig 4.
pub fn run(lab: &Lab) -> Outcome {
    let part = if lab.quick { 0.5 } else { 1.0 };
    // B does not give the RTT of Fig 4; one of its four.
    let steps = lab_path("B4", 100.0, vec![(0.0, 80.0), (40.0, 30.0), (80.0, 50.0)], 120.0).quicker(part);
    let names: Vec<String> = SHAPES.iter().map(|(k, n)| format!("{k} × {n}")).chain(["symbiosis'".into()]).collect();
    let slugs: Vec<String> = SHAPES.iter().map(|(k, n)| format!("{k}x{n}")).chain(["ours".into()]).collect();
    let lines = SHAPES.iter().map(|shape| published(*shape)).chain([OURS.into()]).map(|measurement| probe(15.0, &measurement));
    let flows: Vec<_> = slugs.iter().map(String::as_str).zip(lines).collect();
    let played = steps.run(lab, &flows);
    let errors: Vec<Measured> = played.iter().map(|(_, runs)| over(runs, |run| error(run, &steps))).collect();
    let delays: Vec<Measured> = played.iter().map(|(_, runs)| over(runs, |run| delay(run, &steps))).collect();
    let mut found = Outcome::default();
    for (figure, title, members) in
        [("few", "k × N up to 100 packets", 0..3), ("many", "k × N of 200 packets and more", 3..6), ("ours", "ours", 6..7)]
    {
        let mut series: Vec<Series> = members.map(|i| Series::new(&names[i], Mark::Line, readings(&played[i].1[0]))).collect();
        series.push(steps.truth());
        found.figures.push(Figure {
            id: format!("B4-{figure}"),
            title: format!("What a measurement reads: {title}"),
            caption: "Readings of a flow of 15 Mbit/s that does not obey them, the first seed, on a host whose timer ticks every 50 µs."
                .into(),
            x: Axis::linear("time [s]").range(0.0, steps.until),
            y: Axis::linear("available bandwidth [Mbit/s]").range(0.0, 110.0),
            series,
        });
    }
    for (figure, title, label, values) in [
        ("error", "Error of readings", "error, root mean square [Mbit/s]", &errors),
        ("delay", "Time to follow a step", "time [s]", &delays),
    ] {
        let one = |i: usize| {
            let Measured { mean, ci95, .. } = values[i];
            let packets = SHAPES[i].0 * SHAPES[i].1;
            Series { band: Some(vec![(mean - ci95, mean + ci95)]), ..Series::new(&names[i], Mark::Points, vec![(packets.into(), mean)]) }
        };
        let mut series: Vec<Series> = (0..SHAPES.len()).map(one).collect();
        series.push(Series::new(&names[6], Mark::Dashed, vec![(50.0, values[6].mean), (300.0, values[6].mean)]));
        found.figures.push(Figure {
            id: format!("B4-{figure}"),
            title: title.into(),
            caption: "Over the packets of one measurement, k × N. Dashed: ours, whose readings have no such number.".into(),
            x: Axis::linear("packets of a measurement"),
            y: Axis::linear(label),
            series,
        });
    }
    let least = errors[..6].iter().map(|error| error.mean).fold(f64::INFINITY, f64::min);
    let best = &errors[BEST];
    found.claims.push(claim(
        "10 × 20: the least error of the published shapes",
        "the best",
        exact(best.mean / least),
        "times the least",
        best.mean <= 1.05 * least,
        NO_SHAPE,
    ));
    found.claims.push(claim(
        "10 × 20: reads A without bias",
        "near A (B Fig 4d)",
        *best,
        "Mbit/s off, root mean square",
        best.mean <= 5.0,
        NO_SHAPE,
    ));
    for (i, name) in names.iter().enumerate().take(6).skip(BEST + 1) {
        found.claims.push(claim(
            format!("{name}: slower to follow a step than 10 × 20"),
            "slower",
            exact(delays[i].mean / delays[BEST].mean),
            "times as long",
            delays[i].mean > delays[BEST].mean,
            "more packets take longer to gather, but a narrower sub-range finds its edge sooner",
        ));
    }
    found.claims.push(claim(
        "symbiosis' measurement: less than half of the error of 10 × 20",
        format!("below {:.1} (our bar)", best.mean / 2.0),
        errors[6],
        "Mbit/s off, root mean square",
        errors[6].mean < best.mean / 2.0,
        "noisier",
    ));
    found.claims.push(claim(
        "symbiosis' measurement: follows a step sooner than 10 × 20",
        format!("below {:.1} (our bar)", delays[BEST].mean),
        delays[6],
        "s",
        delays[6].mean < delays[BEST].mean,
        "later",
    ));
    found.scenarios = played.into_iter().map(|(scenario, _)| (scenario.name, scenario.text)).collect();
    found
}

/// Why no shape is the best.
const NO_SHAPE: &str = "the published recipe takes for A the rate r at which M(1 − A/r) = 0.345·√(U·M/r·s), where the drift of a delay from packet \
                        to packet passes 0.4 of its noise; neither k nor N is in it";
