//! B Fig 4: what ImTCP reads with other numbers of sub-ranges and packets.

use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, against, at_most, below, check, claim, difference, nothing, ours, over, published, ratio};
use crate::toolkit::inline::readings;
use crate::toolkit::linux_hosts::{LINUX, laboratory_at};
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
    let steps = Steps { id: "B4".into(), ..laboratory_at(100.0) }.quicker(part);
    let names: Vec<String> = SHAPES.iter().map(|(k, n)| format!("{k} × {n}")).chain(["symbiosis'".into()]).collect();
    let slugs: Vec<String> = SHAPES.iter().map(|(k, n)| format!("{k}x{n}")).chain(["ours".into()]).collect();
    let lines = |cc: &str, params: &str| format!("cc = \"{cc}\"\nrecovery = \"{LINUX}\"\nparams = {{ {params} }}\ninitial_window = 2");
    let theirs = SHAPES.iter().map(|(k, n)| lines("symbiosis-paper", &format!("subranges = {k}, stream_packets = {n}")));
    let flows: Vec<_> = slugs.iter().map(String::as_str).zip(theirs.chain([lines("symbiosis", "")])).collect();
    let played = steps.run(lab, &flows);
    let errors: Vec<Measured> = played.iter().map(|(_, runs)| over(runs, |run| error(run, &steps))).collect();
    let delays: Vec<Measured> = played.iter().map(|(_, runs)| over(runs, |run| delay(run, &steps))).collect();
    let mut found = Outcome::default();
    for ((name, slug), (_, runs)) in names.iter().zip(&slugs).zip(&played) {
        let read = readings(&runs[0]);
        let window = series::window(&runs[0], 0).into_iter().map(|(t, w)| (t, w * 12.0 / steps.path.rtt_ms()));
        found.figures.push(Figure {
            id: format!("B4-{slug}"),
            title: format!("What a measurement reads, and the window that obeys it: {name}"),
            caption: "The first seed, on a host whose timer ticks every 50 µs, RTT 100 ms. The average is exponential with a gain of 1/8, as TCP has it for RTTs; \
                      B does not give its gain. The window as the rate that it would be without a queue."
                .into(),
            x: Axis::linear("time [s]").range(0.0, steps.until),
            y: Axis::linear("Mbit/s").range(0.0, 140.0),
            series: vec![
                Series::new("results", Mark::Points, series::changes(&read)),
                Series::new("moving average", Mark::Line, series::smoothed(&series::changes(&read), 0.125)),
                Series::new("window / base RTT", Mark::Line, window.collect()),
                steps.truth(),
            ],
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
    let least = errors[..6].iter().min_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are shapes");
    let best = errors[BEST];
    found.claims.push(claim(
        "10 × 20: the least error of the published shapes",
        published("B §3.2, Fig 4", "the best"),
        against(best, *least),
        "Mbit/s off, root mean square",
        at_most(1.05 * least.mean),
        "the timer has so few rates to tell apart that all shapes read alike",
    ));
    found.claims.push(claim(
        "10 × 20: reads A without bias",
        published("B §3.2, Fig 4(d)", "near A: 5 Mbit/s"),
        best,
        "Mbit/s off, root mean square",
        at_most(5.0),
        "the timer tells 48 and 60 Mbit/s and nothing between, and after a step the first results are of both sides",
    ));
    for (i, name) in names.iter().enumerate().take(6).skip(BEST + 1) {
        found.claims.push(claim(
            format!("{name}: slower to follow a step than 10 × 20"),
            published("B §3.2, Fig 4(e), (f)", "slower"),
            ratio(delays[i], delays[BEST]),
            "times as long",
            above(1.0),
            "more packets take longer to gather, but the timer has few rates to tell apart, and the first stream that is not level decides",
        ));
    }
    found.claims.push(claim(
        "15 × 20: reads A worse than 10 × 20",
        published("B §3.2, Fig 4(f)", "low precision"),
        difference(errors[5], best),
        "Mbit/s more, root mean square",
        above(0.0),
        "the timer has so few rates to tell apart that all shapes read alike",
    ));
    // B: while A is 30, packets are lost as long as more is read, and none when what is read is near 30.
    let (from, to) = (steps.stages()[1].0, steps.stages()[1].1);
    for (text, what, high) in [
        ("loses packets again and again while A is read above 30", "periodic loss", true),
        ("loses none while A is read near 30", "0", false),
    ] {
        let lost = over(&played[BEST].1, |run| while_read(run, (from, to), high));
        let stated = published("B §3.2, Fig 4(d)", what);
        let bar = if high { above(0.0) } else { nothing() };
        let seen = over(&played[BEST].1, |run| time_read(run, (from, to), high));
        let claim = claim(format!("10 × 20: {text}"), stated, lost, "losses a second", bar, WHILE_NEAR);
        let deep = (!high).then(|| {
            let mut deep = Steps { id: "B4-deep".into(), ..steps.clone() };
            deep.path.queue = "queue_packets = 400".into();
            let runs = deep.run(lab, &flows[BEST..=BEST]).remove(0).1;
            check("losses a second in a buffer of 400 packets", over(&runs, |run| while_read(run, (from, to), false)), nothing())
        });
        found.claims.push(claim.because(deep, WHILE_NEAR).because(
            check("time in which A is read so [s]", seen, below(1.0)),
            format!("A is read so for {:.1} s of these {:.0} s", seen.mean, to - from),
        ));
    }
    found.claims.push(claim(
        "symbiosis' measurement: less than half of the error of 10 × 20",
        ours(format!("below {:.1}", best.mean / 2.0)),
        errors[6],
        "Mbit/s off, root mean square",
        below(best.mean / 2.0),
        "what is available lies on one of the timer's rates, which 10 × 20 then tells exactly",
    ));
    found.claims.push(claim(
        "symbiosis' measurement: follows a step sooner than 10 × 20",
        ours(format!("below {:.1}", delays[BEST].mean)),
        against(delays[6], delays[BEST]),
        "s",
        below(delays[BEST].mean),
        "the first stream that is not level decides, and it is one of the first",
    ));
    found.scenarios = played.into_iter().map(|(scenario, _)| (scenario.name, scenario.text)).collect();
    found
}

/// Why packets may be lost while A is read as it is.
const WHILE_NEAR: &str =
    "an unpaced window stands before the link as a cluster, which in a buffer of 100 packets is a loss beside S Eq 11's queue of 58";

/// More than that above 30 is above; less is near \[Mbit/s\]. The timer tells 30 and 34.3.
const NEAR: f64 = 2.0;

/// Samples of a stage whose reading, and that of two seconds before, is above 30 or near it: what a reading does to the window shows a round trip or two
/// later.
fn samples(run: &Run, (from, to): (f64, f64), high: bool) -> Vec<(f64, f64)> {
    let so = |(_, a): &(f64, f64)| if high { *a > 30.0 + NEAR } else { (a - 30.0).abs() <= NEAR };
    let read = readings(run);
    let before = |t: f64| read.iter().take_while(|(at, _)| *at <= t - 2.0).last().is_some_and(so);
    read.iter().filter(|sample| (from..to).contains(&sample.0) && so(sample) && before(sample.0)).copied().collect()
}

/// How long A is read so \[s\].
fn time_read(run: &Run, stage: (f64, f64), high: bool) -> f64 {
    let spacing = run.flow_traces[0][1].at.secs() - run.flow_traces[0][0].at.secs();
    samples(run, stage, high).len() as f64 * spacing
}

/// Losses of the flow in that time, a second; those less than half a second apart are one.
fn while_read(run: &Run, stage: (f64, f64), high: bool) -> f64 {
    let samples = samples(run, stage, high);
    let losses = series::losses(run, 0, stage.0, stage.1, 0.5);
    let spacing = run.flow_traces[0][1].at.secs() - run.flow_traces[0][0].at.secs();
    let lost = losses.iter().filter(|at| samples.iter().any(|(t, _)| (t - *at).abs() < spacing / 2.0)).count();
    if samples.is_empty() { 0.0 } else { lost as f64 / (samples.len() as f64 * spacing) }
}
