//! What B leaves open of its Internet paths: the buffer, the recovery, the test of a trend, and what UDP is made of.
//!
//! The queue of the path is not told; dummynet takes queues in bytes, up to 1 MiB. The hosts ran Linux 2.6, whose recovery halves the rate; NewReno
//! is what a stack without it does. T §2.2.1 and B §2.1 say only that departure and arrival intervals are compared.

use std::sync::Arc;

use rayon::prelude::*;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Bar, Claim, Measured};
use symbiosis_run::Outcome as Run;

use super::Lab;
use super::claims::{at_least, check, claim, is, may_be, nothing, over, published};
use super::dumbbell::Udp;
use super::kinds::{Kind, PAPER_OF_B, RENO};
use super::series;
use super::steps::{Played, Steps};

/// The buffer of the experiments themselves: [`linux_hosts::QUEUE`](super::linux_hosts::QUEUE) \[packets\].
const USUAL: u32 = 100;

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

impl Choice {
    /// Whether it is the one that the experiments run: [`linux_hosts::QUEUE`](super::linux_hosts::QUEUE), the hosts' recovery, iperf, Pathload's medians.
    fn is_usual(&self) -> bool {
        (self.buffer, self.recovery, self.udp, self.trend) == (USUAL, RECOVERIES[0], Udp::Iperf, 0)
    }
}

/// What a choice gives.
pub struct Point {
    pub choice: Choice,
    /// The paper's flow and Reno, in the same order of seeds.
    pub paper: Vec<Run>,
    pub reno: Arc<Vec<Run>>,
    /// The paper's flow.
    pub scenario: (String, String),
}

/// What a paper shows of a path: a number of a choice, and where it must be.
pub struct Demand {
    pub what: &'static str,
    pub value: fn(&Point) -> Measured,
    pub bar: Bar,
}

impl Point {
    /// What the paper's flow gets in a part of the time \[Mbit/s\].
    pub fn paper_gets(&self, from: f64, until: f64) -> Measured {
        over(&self.paper, |run| series::delivered(run, 0, from, until))
    }

    /// What Reno gets.
    pub fn reno_gets(&self, from: f64, until: f64) -> Measured {
        over(&self.reno, |run| series::delivered(run, 0, from, until))
    }

    /// How many times what Reno gets, seed by seed.
    pub fn ratio(&self, from: f64, until: f64) -> Measured {
        let got = |run: &Run| series::delivered(run, 0, from, until);
        Measured::over(&self.paper.iter().zip(self.reno.iter()).map(|(paper, reno)| got(paper) / got(reno)).collect::<Vec<_>>())
    }

    /// Whether all that is asked for is there.
    pub fn meets(&self, demands: &[Demand]) -> bool {
        demands.iter().all(|demand| is((demand.value)(self), demand.bar))
    }

    /// Whether it may be, as far as the intervals tell.
    fn may_meet(&self, demands: &[Demand]) -> bool {
        demands.iter().all(|demand| may_be((demand.value)(self), demand.bar))
    }

    /// In words, with the numbers that are asked for.
    pub fn name(&self, demands: &[Demand]) -> String {
        let Choice { buffer, recovery, udp, trend } = self.choice;
        let number = |demand: &Demand| {
            let Measured { mean, ci95, .. } = (demand.value)(self);
            format!("{} {mean:.2} ± {ci95:.2}", demand.what)
        };
        let numbers: Vec<String> = demands.iter().map(number).collect();
        format!("{buffer} packets, {recovery}, {} UDP, trend of {}: {}", udp.name(), TRENDS[trend].0, numbers.join(", "))
    }
}

/// The claim that some choice gives all that a paper shows, and a note that names those that do. Whether a number is where it must be heeds its interval.
pub fn fitting(points: &[Point], demands: &[Demand], place: &str, stated: &str, until: f64) -> (Claim, String) {
    let fitting: Vec<&Point> = points.iter().filter(|point| point.meets(demands)).collect();
    let met = |demand: &Demand| points.iter().filter(|point| is((demand.value)(point), demand.bar)).count();
    let hardest = demands.iter().min_by_key(|demand| met(demand)).expect("something is asked for");
    // A choice of which the runs do not tell is neither among those that give it nor among those that do not.
    let seeds = points.iter().map(|point| point.paper.len()).min().unwrap_or(0) as u64;
    let counted = |surely: usize, possibly: &dyn Fn(&Point) -> bool| {
        Measured::counted(surely, points.iter().filter(|point| possibly(point)).count(), seeds)
    };
    let text = "some choice of what B leaves open gives all of it";
    let unit = format!("of {} choices", points.len());
    let claim = claim(
        text,
        published(place, stated),
        counted(fitting.len(), &|point| point.may_meet(demands)),
        &unit,
        at_least(1.0),
        "each is given by some choice, but not by the same",
    )
    .because(
        check(
            format!("choices with {} where it must be", hardest.what),
            counted(met(hardest), &|point| may_be((hardest.value)(point), hardest.bar)),
            nothing(),
        ),
        format!("no choice has {} where it must be", hardest.what),
    );
    let names: Vec<String> = fitting.iter().map(|point| point.name(demands)).collect();
    let each: Vec<String> = demands.iter().map(|demand| format!("{} in {}", demand.what, met(demand))).collect();
    let told = match names.as_slice() {
        [] => format!("No choice gives all of it ({} of {})", each.join(", "), points.len()),
        names => format!("All of it: {}", names.join("; ")),
    };
    // Table 7's, of which B12 tells.
    let usual = points.iter().find(|point| point.choice.is_usual()).expect("it is among them");
    let note = format!(
        "B does not say how long the queue of the Internet path was, how its hosts recovered losses, how ImTCP tests a trend, or how iperf spaced its \
         datagrams. {told}. What the figures above have is {}; over the {until} s it gets {:.1} Mbit/s, and Reno {:.1}.",
        usual.name(demands),
        usual.paper_gets(0.0, until).mean,
        usual.reno_gets(0.0, until).mean,
    );
    (claim, note)
}

/// Every combination.
pub fn all(lab: &Lab) -> Vec<Choice> {
    let buffers: &[u32] = if lab.quick { &[USUAL, 400] } else { &[USUAL, 200, 300, 400] };
    let mut choices = Vec::new();
    for recovery in RECOVERIES {
        for udp in [Udp::Iperf, Udp::Mix] {
            for trend in 0..TRENDS.len() {
                choices.extend(buffers.iter().map(|buffer| Choice { buffer: *buffer, recovery, udp, trend }));
            }
        }
    }
    // In a quick run UDP and the test vary by themselves.
    let usual = |choice: &Choice| choice.buffer == USUAL && choice.recovery == RECOVERIES[0];
    let single = |choice: &Choice| usual(choice) && (choice.udp == Udp::Iperf || choice.trend == 0);
    choices.retain(|choice| !lab.quick || (choice.udp == Udp::Iperf && choice.trend == 0) || single(choice));
    choices
}

/// Those with Pathload's test.
pub fn of_medians(lab: &Lab) -> Vec<Choice> {
    all(lab).into_iter().filter(|choice| choice.trend == 0 && !(lab.quick && choice.udp == Udp::Mix)).collect()
}

/// Each choice; the usual one is that of the experiment itself.
pub fn sweep(lab: &Lab, played: &Played, choices: &[Choice]) -> Vec<Point> {
    let steps = &played.steps;
    let path = |choice: &Choice| {
        let mut steps = Steps { udp: choice.udp, ..steps.clone() };
        steps.path.queue = format!("queue_bytes = {}", 1500 * choice.buffer);
        steps.id = format!("{}-{}-{}-{}-{}", steps.id, choice.buffer, choice.recovery, choice.udp.name(), choice.trend);
        steps
    };
    let play = |steps: &Steps, kind: Kind, recovery: &'static str| {
        let kind = kind.recovering(kind.name, recovery);
        steps.run(lab, &[(&kind.slug(), kind.lines(steps.path.mbps))]).remove(0)
    };
    // Reno does not test any trend.
    let same = |a: &Choice, b: &Choice| (a.buffer, a.recovery, a.udp) == (b.buffer, b.recovery, b.udp);
    let mut bare: Vec<Choice> = Vec::new();
    for choice in choices {
        if !bare.iter().any(|other| same(other, choice)) {
            bare.push(*choice);
        }
    }
    let reno = |choice: &Choice| match choice.is_usual() {
        true => Arc::new(played.of(&RENO).to_vec()),
        false => Arc::new(play(&path(choice), RENO, choice.recovery).1),
    };
    let renos: Vec<Arc<Vec<Run>>> = bare.par_iter().map(reno).collect();
    let one = |choice: &Choice| {
        let (scenario, paper) = match choice.is_usual() {
            true => (played.scenario(&PAPER_OF_B).clone(), played.of(&PAPER_OF_B).to_vec()),
            false => play(&path(choice), TRENDS[choice.trend].1, choice.recovery),
        };
        let reno = bare.iter().position(|other| same(other, choice)).expect("each was run");
        Point { choice: *choice, paper, reno: renos[reno].clone(), scenario: (scenario.name, scenario.text) }
    };
    choices.par_iter().map(one).collect()
}

/// Over the buffer: the paper's flow by trend and UDP, and Reno by UDP, under one recovery.
pub fn curves(points: &[Point], recovery: &str, until: f64) -> Vec<Series> {
    let mut curves = Vec::new();
    for udp in [Udp::Iperf, Udp::Mix] {
        let of =
            |trend: usize| points.iter().filter(move |p| p.choice.recovery == recovery && p.choice.udp == udp && p.choice.trend == trend);
        for (trend, (name, _)) in TRENDS.iter().enumerate().filter(|(trend, _)| of(*trend).next().is_some()) {
            let values = of(trend).map(|point| (point.choice.buffer, point.paper_gets(0.0, until))).collect();
            curves.push(curve(&format!("symbiosis-paper, {}, {name}", udp.name()), values));
        }
        if of(0).next().is_none() {
            continue;
        }
        curves
            .push(curve(&format!("reno, {}", udp.name()), of(0).map(|point| (point.choice.buffer, point.reno_gets(0.0, until))).collect()));
    }
    curves
}

/// A figure for each recovery: the throughput of the whole run over the buffer.
pub fn figures(points: &[Point], id: &str, until: f64) -> Vec<Figure> {
    let figure = |recovery: &str| {
        Figure {
        id: format!("{id}-choices-{recovery}"),
        title: format!("What B leaves open, {recovery} recovery"),
        caption: "Throughput of the whole run over the buffer, by what UDP is made of and how a trend is tested; mean and 95 % interval over runs.".into(),
        x: Axis::linear("buffer [packets of 1500 bytes]"),
        y: Axis::linear("throughput [Mbit/s]"),
        series: curves(points, recovery, until),
    }
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
