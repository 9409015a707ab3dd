//! What B leaves open of its Internet paths: the buffer, the recovery, the test of a trend, and what UDP is made of.
//!
//! The queue of the path is not told; dummynet takes queues in bytes, up to 1 MiB. The hosts ran Linux 2.6, whose recovery halves the rate; NewReno
//! is what a stack without it does. T §2.2.1 and B §2.1 say only that departure and arrival intervals are compared.

use rayon::prelude::*;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Measured;

use super::Lab;
use super::claims::over;
use super::dumbbell::Udp;
use super::kinds::{Kind, PAPER_OF_B, RENO};
use super::series;
use super::steps::Steps;

pub const RECOVERIES: [&str; 2] = ["rate-halving", "newreno"];
/// Each with Pathload's medians and without.
const TRENDS: [(&str, Kind); 2] = [
    ("medians", PAPER_OF_B),
    ("single packets", PAPER_OF_B.with("symbiosis-paper", "subranges = 10, stream_packets = 20, trend = \"raw\"")),
];

/// One choice.
#[derive(Clone, Copy)]
pub struct Choice {
    /// \[packets of 1500 bytes\]
    pub buffer: u32,
    pub recovery: &'static str,
    pub udp: Udp,
    /// Of [`TRENDS`].
    trend: usize,
}

/// What a choice gives \[Mbit/s\].
pub struct Point {
    pub choice: Choice,
    pub paper: Measured,
    pub reno: Measured,
    /// The paper's flow.
    pub scenario: (String, String),
}

impl Point {
    /// In words.
    pub fn name(&self) -> String {
        let Choice { buffer, recovery, udp, trend } = self.choice;
        let (paper, reno) = (self.paper, self.reno);
        format!(
            "{buffer} packets, {recovery}, {} UDP, trend of {}: {:.1} ± {:.1} and {:.1} ± {:.1} Mbit/s",
            udp.name(),
            TRENDS[trend].0,
            paper.mean,
            paper.ci95,
            reno.mean,
            reno.ci95
        )
    }
}

/// Every combination.
pub fn all(lab: &Lab) -> Vec<Choice> {
    let buffers: &[u32] = if lab.quick { &[100, 400] } else { &[100, 200, 300, 400] };
    let mut choices = Vec::new();
    for recovery in RECOVERIES {
        for udp in [Udp::Iperf, Udp::Mix] {
            for trend in 0..TRENDS.len() {
                choices.extend(buffers.iter().map(|buffer| Choice { buffer: *buffer, recovery, udp, trend }));
            }
        }
    }
    choices
}

/// Those with Pathload's test.
pub fn of_medians(lab: &Lab) -> Vec<Choice> {
    all(lab).into_iter().filter(|choice| choice.trend == 0).collect()
}

/// The throughput of a whole run of each choice.
pub fn sweep(lab: &Lab, steps: &Steps, choices: &[Choice]) -> Vec<Point> {
    let path = |choice: &Choice| {
        let mut steps = Steps { udp: choice.udp, ..steps.clone() };
        steps.path.queue = format!("queue_bytes = {}", 1500 * choice.buffer);
        steps.id = format!("{}-{}-{}-{}-{}", steps.id, choice.buffer, choice.recovery, choice.udp.name(), choice.trend);
        steps
    };
    let rate = |steps: &Steps, kind: Kind, recovery: &'static str| {
        let kind = kind.recovering(kind.name, recovery);
        let (scenario, runs) = steps.run(lab, &[(&kind.slug(), kind.lines(steps.path.mbps))]).remove(0);
        (over(&runs, |run| series::delivered(run, 0, steps.from, steps.until)), (scenario.name, scenario.text))
    };
    // Reno does not test any trend.
    let same = |a: &Choice, b: &Choice| (a.buffer, a.recovery, a.udp) == (b.buffer, b.recovery, b.udp);
    let mut bare: Vec<Choice> = Vec::new();
    for choice in choices {
        if !bare.iter().any(|other| same(other, choice)) {
            bare.push(*choice);
        }
    }
    let renos: Vec<Measured> = bare.par_iter().map(|choice| rate(&path(choice), RENO, choice.recovery).0).collect();
    let one = |choice: &Choice| {
        let (paper, scenario) = rate(&path(choice), TRENDS[choice.trend].1, choice.recovery);
        let reno = bare.iter().position(|other| same(other, choice)).expect("each was run");
        Point { choice: *choice, paper, reno: renos[reno], scenario }
    };
    choices.par_iter().map(one).collect()
}

/// Over the buffer: the paper's flow by trend and UDP, and Reno by UDP, under one recovery.
pub fn curves(points: &[Point], recovery: &str) -> Vec<Series> {
    let mut curves = Vec::new();
    for udp in [Udp::Iperf, Udp::Mix] {
        let of =
            |trend: usize| points.iter().filter(move |p| p.choice.recovery == recovery && p.choice.udp == udp && p.choice.trend == trend);
        for (trend, (name, _)) in TRENDS.iter().enumerate().filter(|(trend, _)| of(*trend).next().is_some()) {
            let values = of(trend).map(|point| (point.choice.buffer, point.paper)).collect();
            curves.push(curve(&format!("symbiosis-paper, {}, {name}", udp.name()), values));
        }
        curves.push(curve(&format!("reno, {}", udp.name()), of(0).map(|point| (point.choice.buffer, point.reno)).collect()));
    }
    curves
}

/// A figure for each recovery, with Pathload's test: the throughput of the whole run over the buffer.
pub fn figures(lab: &Lab, steps: &Steps, id: &str) -> Vec<Figure> {
    let points = sweep(lab, steps, &of_medians(lab));
    let figure = |recovery: &str| Figure {
        id: format!("{id}-choices-{recovery}"),
        title: format!("What B leaves open, {recovery} recovery"),
        caption: "Throughput of the whole run over the buffer, by what UDP is made of; mean and 95 % interval over runs.".into(),
        x: Axis::linear("buffer [packets of 1500 bytes]"),
        y: Axis::linear("throughput [Mbit/s]"),
        series: curves(&points, recovery),
    };
    RECOVERIES.map(figure).into()
}

/// The least buffer and the greatest.
pub fn ends(points: &[Point]) -> [f64; 2] {
    let buffers = || points.iter().map(|point| f64::from(point.choice.buffer));
    [buffers().fold(f64::INFINITY, f64::min), buffers().fold(0.0, f64::max)]
}

fn curve(name: &str, values: Vec<(u32, Measured)>) -> Series {
    let band = values.iter().map(|(_, m)| (m.mean - m.ci95, m.mean + m.ci95)).collect();
    Series { band: Some(band), ..Series::new(name, Mark::LinePoints, values.iter().map(|(x, m)| (f64::from(*x), m.mean)).collect()) }
}
