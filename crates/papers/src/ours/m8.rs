//! Filters for ImTCP's results (B §5), over the published measurement and over ours, ranked by throughput, losses and queue.

use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, after, at_least, claim, over};
use crate::toolkit::dumbbell::Dumbbell;
use crate::toolkit::kinds::{Kind, OURS, PAPER};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

const MBPS: f64 = 100.0;
const FILTERS: [&str; 4] = ["none", "mean", "median", "kalman"];
const KINDS: [Kind; 2] = [PAPER, OURS];
/// Statistics count from here \[s\].
const FROM: f64 = 10.0;

/// Traffic beside the flow.
struct Traffic {
    name: &'static str,
    /// Its lines, with times as parts of the run.
    cross: fn(f64) -> String,
    /// What it leaves \[Mbit/s\] over the parts of the run, where that is known.
    available: &'static [(f64, f64)],
}

const TRAFFICS: [Traffic; 2] = [
    Traffic {
        name: "steps of UDP",
        cross: |duration| {
            let steps = [(0.0, 20), (duration / 3.0, 70), (duration * 2.0 / 3.0, 50)].map(|(at, rate)| format!("[{at}, {rate}]"));
            format!("mix = \"internet\"\nrate_mbps = [{}]\n", steps.join(", "))
        },
        available: &[(0.0, 80.0), (1.0 / 3.0, 30.0), (2.0 / 3.0, 50.0)],
    },
    Traffic {
        name: "bursts",
        cross: |_| "mix = \"internet\"\nrate_mbps = 50\ngaps = \"pareto-on-off\"\non_s = 0.1\noff_s = 0.4\ncount = 10\n".into(),
        available: &[],
    },
];

fn text(kind: &Kind, traffic: &Traffic, filter: &str, duration: f64) -> String {
    let path = Dumbbell { mbps: MBPS, delay_ms: 40.0, queue: "queue_bdp = 1.0".into(), access_mbps: 200.0, access_ms: 5.0 };
    format!(
        "# {kind} beside {traffic}; its readings are filtered: {filter}. Base RTT 120 ms.\nname = \"M8-{kind}-{slug}-{filter}\"\nduration_s = {duration}\n\
         {bottleneck}{flow}[[cross]]\nkind = \"udp\"\nroute = [\"bottleneck\"]\n{cross}[measure]\nfrom_s = {FROM}\n[trace]\nevery_ms = 100\n",
        kind = kind.name,
        traffic = traffic.name,
        slug = traffic.name.replace(' ', "-"),
        bottleneck = path.bottleneck(),
        flow = path.flow(0, &format!("{}\nparams = {{ filter = \"{filter}\" }}", kind.lines(MBPS))),
        cross = (traffic.cross)(duration),
    )
}

/// What is judged: its name with unit, its value, and whether more of it is better.
struct Measure {
    name: &'static str,
    id: &'static str,
    value: fn(&Run) -> f64,
    more_is_better: bool,
}

const MEASURES: [Measure; 3] = [
    Measure { name: "throughput [Mbit/s]", id: "throughput", value: |run| run.summary.flows[0].throughput_mbps, more_is_better: true },
    Measure {
        name: "packets lost of a thousand",
        id: "losses",
        value: |run| 1e3 * run.summary.flows[0].packets_lost as f64 / (run.summary.flows[0].packets_sent as f64).max(1.0),
        more_is_better: false,
    },
    Measure { name: "mean queue [packets]", id: "queue", value: |run| run.summary.links[0].queue_packets.mean, more_is_better: false },
];

/// Each filter's mean rank over the three measures: 1 is best, equals share.
fn ranks(runs: &[&[Run]]) -> Vec<f64> {
    let values: Vec<Vec<f64>> = MEASURES
        .iter()
        .map(|measure| {
            let sign = if measure.more_is_better { -1.0 } else { 1.0 };
            runs.iter().map(|runs| sign * over(runs, measure.value).mean).collect()
        })
        .collect();
    let rank = |values: &[f64], own: f64| {
        let better = values.iter().filter(|other| **other < own).count() as f64;
        let equal = values.iter().filter(|other| **other == own).count() as f64;
        better + (equal + 1.0) / 2.0
    };
    (0..runs.len()).map(|i| values.iter().map(|values| rank(values, values[i])).sum::<f64>() / MEASURES.len() as f64).collect()
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 18.0 } else { 120.0 };
    // Beside bursts so short a run tells nothing.
    let traffics = if lab.quick { &TRAFFICS[..1] } else { &TRAFFICS };
    let mut found = Outcome::default();
    let cases: Vec<(&Kind, &Traffic)> = KINDS.iter().flat_map(|kind| traffics.iter().map(move |traffic| (kind, traffic))).collect();
    let mut curves: Vec<Vec<Series>> = MEASURES.iter().map(|_| Vec::new()).collect();
    for (kind, traffic) in cases {
        let scenarios: Vec<_> = FILTERS.iter().map(|filter| lab.scenario(&text(kind, traffic, filter, duration))).collect();
        let runs: Vec<Vec<Run>> = scenarios.iter().map(|scenario| lab.over_seeds(scenario)).collect();
        let runs: Vec<&[Run]> = runs.iter().map(Vec::as_slice).collect();
        judge(kind, traffic, &runs, &mut found);
        for (measure, curves) in MEASURES.iter().zip(&mut curves) {
            let values: Vec<Measured> = runs.iter().map(|runs| over(runs, measure.value)).collect();
            let points = values.iter().enumerate().map(|(i, m)| (i as f64, m.mean)).collect();
            let band = values.iter().map(|m| (m.mean - m.ci95, m.mean + m.ci95)).collect();
            let name = format!("{}, {}", kind.name, traffic.name);
            curves.push(Series { band: Some(band), ..Series::new(&name, Mark::LinePoints, points) });
        }
        if !traffic.available.is_empty() {
            found.figures.push(readings(kind, traffic, &runs, duration));
        }
        found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
    }
    let numbered: Vec<String> = FILTERS.iter().enumerate().map(|(i, filter)| format!("{i} {filter}")).collect();
    for (measure, series) in MEASURES.iter().zip(curves) {
        found.figures.push(Figure {
            id: format!("M8-{}", measure.id),
            title: format!("Filters: {}", measure.id),
            caption: format!("100 Mbit/s, 120 ms, a buffer of one BDP; filters of eight results: {}.", numbered.join(", ")),
            x: Axis::linear("filter"),
            y: Axis::linear(measure.name),
            series,
        });
    }
    found
}

/// A as it was read over time, under each filter; the first seed.
fn readings(kind: &Kind, traffic: &Traffic, runs: &[&[Run]], duration: f64) -> Figure {
    let mut series: Vec<Series> =
        FILTERS.iter().zip(runs).map(|(filter, runs)| Series::new(filter, Mark::Line, series::gauge(&runs[0], 0, "A_mbps"))).collect();
    let ends = traffic.available.iter().skip(1).map(|(part, _)| *part).chain([1.0]);
    let truth = traffic.available.iter().zip(ends).flat_map(|((from, a), to)| [(from * duration, *a), (to * duration, *a)]).collect();
    series.push(Series::new("available", Mark::Dashed, truth));
    Figure {
        id: format!("M8-reading-{}", kind.slug()),
        title: format!("What {} goes by, filtered", kind.name),
        caption: "The first seed. Dashed: what UDP leaves.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("A [Mbit/s]"),
        series,
    }
}

fn judge(kind: &Kind, traffic: &Traffic, runs: &[&[Run]], found: &mut Outcome) {
    let name = format!("{}, {}", kind.name, traffic.name);
    let more = |filter: usize, value: fn(&Run) -> f64| {
        Measured::over(&runs[filter].iter().zip(runs[0]).map(|(with, without)| value(with) - value(without)).collect::<Vec<_>>())
    };
    for (i, filter) in FILTERS.iter().enumerate().skip(1) {
        let gain = more(i, MEASURES[0].value);
        found.claims.push(claim(
            format!("{name}: {filter}: more throughput than unfiltered"),
            after("B §5", "more"),
            gain,
            "Mbit/s more",
            above(0.0),
            if kind.is_ours() {
                "our results are means over a round trip and more already, and what is left is small beside θ; a filter adds delay"
            } else {
                "the law is a low-pass itself, of 1/(εc), a second or two: what a filter takes out it did not follow. What is wrong with these results is \
                 their mean, too high by a tenth of K, which no filter mends, and a filter is late when A falls"
            },
        ));
    }
    // In every measure, by how much a filter is better, seed by seed.
    let better = |filter: usize, measure: &Measure| {
        let gain = more(filter, measure.value);
        if measure.more_is_better { gain } else { gain.times(-1.0) }
    };
    let is_better = |filter: &usize| {
        let gains: Vec<Measured> = MEASURES.iter().map(|measure| better(*filter, measure)).collect();
        gains.iter().any(|gain| gain.mean - gain.ci95 > 0.0) && gains.iter().all(|gain| gain.mean + gain.ci95 >= 0.0)
    };
    // As far as the intervals tell.
    let may_be = |filter: &usize| {
        let most = |measure| better(*filter, measure).mean + better(*filter, measure).ci95;
        MEASURES.iter().any(|measure| most(measure) > 0.0) && MEASURES.iter().all(|measure| most(measure) >= 0.0)
    };
    let count = |which: &dyn Fn(&usize) -> bool| (1..FILTERS.len()).filter(which).count();
    let winners = Measured::counted(count(&is_better), count(&may_be), runs[0].len() as u64);
    found.claims.push(claim(
        format!("{name}: some filter is better in throughput, losses or queue, and worse in none"),
        after("B §5", "to be tried"),
        winners,
        "filters of 3",
        at_least(1.0),
        "what differs beyond the interval is paid for: a filter that is late when A falls loses more, and one that is late when A rises has less throughput and, \
         for that, a shorter queue and fewer losses",
    ));
    let ranks = ranks(runs);
    let table: Vec<String> = FILTERS
        .iter()
        .zip(runs)
        .zip(&ranks)
        .map(|((filter, runs), rank)| {
            let [throughput, lost, queue] = [0, 1, 2].map(|i| over(runs, MEASURES[i].value));
            format!(
                "{filter} {:.1} ± {:.1} Mbit/s, {:.2} ± {:.2} ‰ lost, {:.0} ± {:.0} packets queued (mean rank {rank:.2})",
                throughput.mean, throughput.ci95, lost.mean, lost.ci95, queue.mean, queue.ci95
            )
        })
        .collect();
    found.notes.push(format!("{name}: {}.", table.join("; ")));
}
