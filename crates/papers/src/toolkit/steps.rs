//! One flow at a time while UDP moves in steps: what it gets, the queue it leaves, and what it reads of A.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use super::Lab;
use super::dumbbell::{Dumbbell, Udp};
use super::kinds::Kind;
use super::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Measured;
use symbiosis_scenario::Scenario;

/// A path on which what UDP leaves changes in steps.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Of the scenarios, before the kind.
    pub id: String,
    /// What the scenarios' first line says.
    pub about: String,
    pub path: Dumbbell,
    /// What UDP is made of.
    pub udp: Udp,
    /// Granularity of the sending host's timer \[µs\].
    pub timer_us: f64,
    /// From this second on so much is available \[Mbit/s\]; the rest is UDP's.
    pub available: Vec<(f64, f64)>,
    /// The end \[s\].
    pub until: f64,
    /// Statistics count from here \[s\].
    pub from: f64,
}

impl Steps {
    /// The same in a part of the time.
    pub fn quicker(mut self, part: f64) -> Steps {
        self.available.iter_mut().for_each(|(from, _)| *from *= part);
        self.until *= part;
        self
    }

    /// From when to when how much is available.
    pub fn stages(&self) -> Vec<(f64, f64, f64)> {
        let ends = self.available.iter().skip(1).map(|(from, _)| *from).chain([self.until]);
        self.available.iter().zip(ends).map(|((from, available), to)| (*from, to, *available)).collect()
    }

    /// The scenario of a flow of these lines, with a name of its own.
    pub fn text(&self, slug: &str, flow: &str) -> String {
        let path = &self.path;
        let udp: Vec<_> = self.available.iter().map(|(from, available)| format!("[{from}, {}]", path.mbps - available)).collect();
        format!(
            r#"# {about}. Base RTT {rtt} ms.
name = "{id}-{slug}"
duration_s = {until}
{bottleneck}{flow}send_timer_us = {timer}
{udp}[measure]
from_s = {from}
[trace]
every_ms = 50
"#,
            about = self.about,
            rtt = path.rtt_ms(),
            id = self.id,
            until = self.until,
            bottleneck = path.bottleneck(),
            flow = path.flow(1, flow),
            timer = self.timer_us,
            udp = path.udp(self.udp, &format!("[{}]", udp.join(", "))),
            from = self.from,
        )
    }

    /// One flow after the other, each with all seeds. A flow is a name and the lines of its `[[flow]]`.
    pub fn run(&self, lab: &Lab, flows: &[(&str, String)]) -> Vec<(Scenario, Vec<Run>)> {
        let played = flows.par_iter().map(|(slug, lines)| {
            let scenario = lab.scenario(&self.text(slug, lines));
            let runs = if self.udp == Udp::Iperf { lab.over_own_starts(&scenario) } else { lab.over_seeds(&scenario) };
            (scenario, runs)
        });
        played.collect()
    }

    /// The same for kinds of flows.
    pub fn play(&self, lab: &Lab, kinds: &[Kind]) -> Played {
        let slugs: Vec<String> = kinds.iter().map(Kind::slug).collect();
        let flows: Vec<_> = kinds.iter().zip(&slugs).map(|(kind, slug)| (slug.as_str(), kind.lines(self.path.mbps))).collect();
        Played { steps: self.clone(), kinds: kinds.to_vec(), runs: self.run(lab, &flows) }
    }

    /// What is available, for a figure.
    pub fn truth(&self) -> Series {
        let points = self.stages().into_iter().flat_map(|(from, to, available)| [(from, available), (to, available)]).collect();
        Series::new("available", Mark::Dashed, points)
    }
}

/// Kinds of flows that went through the same steps.
pub struct Played {
    pub steps: Steps,
    kinds: Vec<Kind>,
    runs: Vec<(Scenario, Vec<Run>)>,
}

impl Played {
    /// Each kind and its runs.
    pub fn each(&self) -> impl Iterator<Item = (&Kind, &[Run])> {
        self.kinds.iter().zip(self.runs.iter().map(|(_, runs)| runs.as_slice()))
    }

    /// The runs of one kind.
    pub fn of(&self, kind: &Kind) -> &[Run] {
        self.each().find(|(other, _)| other.name == kind.name).map(|(_, runs)| runs).expect("this kind was run")
    }

    /// These kinds, and those that went through the same steps apart from them.
    pub fn and(mut self, others: Played) -> Played {
        self.kinds.extend(others.kinds);
        self.runs.extend(others.runs);
        self
    }

    /// The scenario of one kind.
    pub fn scenario(&self, kind: &Kind) -> &Scenario {
        let at = self.kinds.iter().position(|other| other.name == kind.name).expect("this kind was run");
        &self.runs[at].0
    }

    /// How many times what another kind gets, seed by seed.
    pub fn ratio(&self, kind: &Kind, to: &Kind, from: f64, until: f64) -> Measured {
        let got = |kind| self.of(kind).iter().map(move |run| series::delivered(run, 0, from, until));
        Measured::over(&got(kind).zip(got(to)).map(|(one, other)| one / other).collect::<Vec<_>>())
    }

    /// A figure with a curve for each of the kinds, the first seed, and what is available.
    pub fn figure(&self, what: &Curve, kinds: &[Kind], id: &str, title: &str, caption: &str) -> Figure {
        let mut series: Vec<Series> =
            kinds.iter().map(|kind| Series::new(kind.name, Mark::Line, (what.points)(&self.of(kind)[0], &self.steps))).collect();
        if what.beside_available {
            series.push(self.steps.truth());
        }
        Figure {
            id: id.into(),
            title: title.into(),
            caption: caption.into(),
            x: Axis::linear("time [s]").range(0.0, self.steps.until),
            y: Axis::linear(what.label),
            series,
        }
    }

    /// Every scenario, for the report.
    pub fn scenarios(&self) -> impl Iterator<Item = (String, String)> {
        self.runs.iter().map(|(scenario, _)| (scenario.name.clone(), scenario.text.clone()))
    }
}

/// What a figure shows of a run.
pub struct Curve {
    label: &'static str,
    points: fn(&Run, &Steps) -> Vec<(f64, f64)>,
    /// Whether it is to be seen beside what is available.
    beside_available: bool,
}

/// What the receiver gets, second by second.
pub const THROUGHPUT: Curve =
    Curve { label: "throughput [Mbit/s]", points: |run, _| series::throughput(run, 0, 1.0), beside_available: true };
/// The bottleneck's queue.
pub const QUEUE: Curve = Curve { label: "queue [packets]", points: |run, _| series::queue(run), beside_available: false };
/// What the flow takes to be available.
pub const READING: Curve =
    Curve { label: "available bandwidth [Mbit/s]", points: |run, _| series::gauge(run, 0, "A_mbps"), beside_available: true };
/// The flow's window, as the rate that it would be without a queue.
pub const WINDOW: Curve = Curve {
    label: "window / base RTT [Mbit/s]",
    points: |run, steps| series::window(run, 0).into_iter().map(|(t, w)| (t, w * 12.0 / steps.path.rtt_ms())).collect(),
    beside_available: true,
};
