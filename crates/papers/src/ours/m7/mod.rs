//! Errors of K and A over γ (S §V): what a wrong reading costs, as maps over the papers' law and as curves under the logarithmic one.

mod cell;
mod judge;
mod path;
mod theory;

use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_most, claim, derived, over};
use cell::{Cell, Found, Kind, who};
use judge::{farthest, judge};
use path::{BUFFER, MBPS, ROOM};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};
use symbiosis_scenario::Scenario;
use theory::Rest;

const KINDS: [Kind; 4] = [
    Kind { param: "k_bias", name: "bias of K", is_bias: true },
    Kind { param: "a_bias", name: "bias of A", is_bias: true },
    Kind { param: "noise", name: "noise of K − A", is_bias: false },
    Kind { param: "k_noise", name: "noise of K", is_bias: false },
];

/// Errors and γ of a map, and how many flows.
struct Grid {
    biases: Vec<f64>,
    noises: Vec<f64>,
    gammas: Vec<f64>,
    counts: Vec<u32>,
    duration: f64,
}

impl Grid {
    fn of(lab: &Lab) -> Grid {
        if lab.quick {
            let (biases, noises) = (vec![-0.3, 0.0, 0.3], vec![0.1, 0.4]);
            return Grid { biases, noises, gammas: vec![0.5, 0.9], counts: vec![1, 2], duration: 20.0 };
        }
        Grid {
            biases: vec![-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4],
            noises: vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5],
            gammas: vec![0.5, 0.6, 0.7, 0.8, 0.9, 0.95],
            counts: vec![1, 2, 5],
            duration: 40.0,
        }
    }

    fn errors(&self, kind: &Kind) -> &[f64] {
        if kind.is_bias { &self.biases } else { &self.noises }
    }
}

fn simulate(lab: &Lab, cells: &[Cell], duration: f64) -> (Vec<Found>, Vec<Scenario>) {
    let scenarios: Vec<Scenario> = cells.iter().map(|cell| lab.scenario(&cell.text(duration))).collect();
    let found = |scenario: &Scenario| {
        let runs = lab.over_starts(scenario);
        let total = |run: &Run| run.summary.flows.iter().map(|flow| flow.throughput_mbps).sum::<f64>() / MBPS;
        let lost = |run: &Run| {
            let sent: u64 = run.summary.flows.iter().map(|flow| flow.packets_sent).sum();
            100.0 * run.summary.links[0].drops as f64 / (sent as f64).max(1.0)
        };
        Found {
            throughput: over(&runs, total),
            queue: over(&runs, |run| run.summary.links[0].queue_packets.mean / ROOM),
            losses: runs.iter().map(lost).collect(),
        }
    };
    (scenarios.iter().map(found).collect(), scenarios)
}

pub fn run(lab: &Lab) -> Outcome {
    let grid = Grid::of(lab);
    let mut found = Outcome::default();
    found.notes.push(
        "The oracle is told to err: K' = (1 + bias)K, A' = (1 + bias)A, A' no more than K', or noise that is new once in a base RTT. One flow is beside \
         UDP of half the link, several are alone."
            .into(),
    );
    for kind in &KINDS {
        for n in &grid.counts {
            map(lab, &grid, kind, *n, &mut found);
        }
    }
    for kind in &KINDS {
        curves(lab, &grid, kind, &mut found);
    }
    found
}

/// One kind of error under the papers' law.
fn map(lab: &Lab, grid: &Grid, kind: &Kind, n: u32, found: &mut Outcome) {
    let errors = grid.errors(kind);
    let cells: Vec<Cell> =
        grid.gammas.iter().flat_map(|gamma| errors.iter().map(move |error| Cell { kind, error: *error, gamma: Some(*gamma), n })).collect();
    let (results, scenarios) = simulate(lab, &cells, grid.duration);
    let points = || cells.iter().map(|cell| (cell.error, cell.gamma.expect("the papers' law has one"))).collect::<Vec<_>>();
    let boundaries = || if kind.is_bias { theory::boundaries(n, kind.param == "k_bias", BUFFER, errors) } else { vec![] };
    for (id, what, value) in [
        ("throughput", "throughput [K]", (|found: &Found| found.throughput.mean) as fn(&Found) -> f64),
        ("queue", "mean queue [Kτ]", |found| found.queue.mean),
        ("losses", "lost of 100 sent", |found| found.lost()),
    ] {
        let mut series = vec![Series::cells(what, points(), results.iter().map(value).collect())];
        series.extend(boundaries());
        found.figures.push(Figure {
            id: format!("M7-{}-{n}-{id}", kind.param),
            title: format!("{}, {}: {id}", kind.name, who(n)),
            caption: format!(
                "`symbiosis-paper` (oracle), 20 Mbit/s, 100 ms, a buffer of half a bandwidth-delay product.{}",
                if kind.is_bias {
                    " Dashed: where S Eq 11 begins to overflow the buffer, and dotted where it begins to leave the link idle."
                } else {
                    ""
                }
            ),
            x: Axis::linear(&format!("{}, relative", kind.name)),
            y: Axis::linear("γ"),
            series,
        });
    }
    judge(kind, n, &cells, &results, found);
    found.scenarios.extend(scenarios.into_iter().take(1).map(|scenario| (scenario.name, scenario.text)));
}

/// One kind of error under the logarithmic law.
fn curves(lab: &Lab, grid: &Grid, kind: &Kind, found: &mut Outcome) {
    let errors = grid.errors(kind);
    let (mut throughputs, mut queues) = (Vec::new(), Vec::new());
    for n in &grid.counts {
        let cells: Vec<Cell> = errors.iter().map(|error| Cell { kind, error: *error, gamma: None, n: *n }).collect();
        let (results, scenarios) = simulate(lab, &cells, grid.duration);
        let curve = |value: fn(&Found) -> Measured| {
            let band = results.iter().map(value).map(|m| (m.mean - m.ci95, m.mean + m.ci95)).collect();
            let points = errors.iter().zip(&results).map(|(error, found)| (*error, value(found).mean)).collect();
            Series { band: Some(band), ..Series::new(&who(*n), Mark::LinePoints, points) }
        };
        let theory = |value: fn(Rest) -> f64| {
            Series::new(
                &format!("{}, theory", who(*n)),
                Mark::Dashed,
                cells.iter().map(|cell| (cell.error, value(cell.theory()))).collect(),
            )
        };
        throughputs.extend([curve(|found| found.throughput), theory(|rest| rest.throughput)]);
        queues.extend([curve(|found| found.queue), theory(|rest| rest.queue)]);
        let (at, off) = farthest(&cells, &results, |cell, found| Some(found.throughput.off(cell.theory().throughput)));
        found.claims.push(claim(
            format!(
                "symbiosis (oracle), {}, {}: throughput within 5 % of K of the logarithmic law's rest; the farthest is {at}",
                kind.name,
                who(*n)
            ),
            derived("docs/symbiosis.md, the logarithmic law", "0"),
            off,
            "of K",
            at_most(0.05),
            "min-RTT probes take their part, and where no queue stands the law goes by A' alone",
        ));
        found.scenarios.extend(scenarios.into_iter().take(1).map(|scenario| (scenario.name, scenario.text)));
    }
    let figure = |id: &str, y: &str, series| Figure {
        id: format!("M7-{}-log-{id}", kind.param),
        title: format!("{} under the logarithmic law: {id}", kind.name),
        caption: "`symbiosis` (oracle), which has no γ, on the same link.".into(),
        x: Axis::linear(&format!("{}, relative", kind.name)),
        y: Axis::linear(y),
        series,
    };
    found.figures.extend([figure("throughput", "throughput [K]", throughputs), figure("queue", "mean queue [Kτ]", queues)]);
}
