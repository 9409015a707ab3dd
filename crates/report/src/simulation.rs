//! The report of a single scenario: its traces as figures.

use symbiosis_base::{Instant, Span};
use symbiosis_run::{FlowSample, FlowSummary, LinkSummary, Outcome as Run};

use super::number::number;
use crate::figure::{Axis, Figure};
use crate::files::file_stem;
use crate::outcome::{Outcome, Table};

mod curves;
#[cfg(test)]
mod tests;

use curves::{MOST_FLOWS, MOST_SEEDS, Trace, merged};

/// Throughput is the mean over at least this part of the run; over single samples it would show packets, not a rate. A point in two of the
/// figure's 720 px.
const THROUGHPUT_SPAN: f64 = 1.0 / 400.0;
/// More flows than this are not read one by one; the traces have them all.
const MOST_ROWS: usize = 50;

/// Controllers' gauges that have a name in words, in the order in which a reader wants them: name, title, caption, axis. The others follow under
/// their own names.
const GAUGES: [(&str, &str, &str, &str); 5] = [
    ("K_mbps", "K", "The bottleneck's capacity, as the controller estimates it.", "K [Mbit/s]"),
    ("A_mbps", "A", "The available bandwidth, as the controller estimates it.", "A [Mbit/s]"),
    ("tau_ms", "τ", "The base round-trip time, as the controller estimates it.", "τ [ms]"),
    ("equilibrium_packets", "Equilibrium", "The window that the controller's law goes to.", "w* [packets]"),
    ("ssthresh_packets", "ssthresh", "Where slow start ends.", "ssthresh [packets]"),
];

/// Runs of one scenario with different seeds, as figures: windows, throughput, round-trip times, queues, drops, and a figure for each of the
/// controllers' gauges.
///
/// A curve for each flow and seed, named `id seed N`; of more than four seeds the mean with its 95 % confidence interval, of more
/// than twelve flows the mean of all with the same controller. A run without traces gives no figures.
pub fn simulation(runs: &[(u64, &Run)], scenario_name: &str, scenario_toml: &str) -> Outcome {
    let stem = file_stem(scenario_name);
    let mut figures = Vec::new();
    let mut figure = |id: &str, title: &str, caption: &str, y: &str, traces: Vec<Trace>| {
        let series = merged(traces, runs.len());
        if !series.is_empty() {
            let id = format!("{stem}-{}", file_stem(id));
            figures.push(Figure {
                id,
                title: title.into(),
                caption: caption.into(),
                x: Axis::linear("time [s]"),
                y: Axis::linear(y),
                series,
            });
        }
    };

    let sampled = |value: fn(&FlowSample) -> f64| move |samples: &[FlowSample], _: &Run| samples.iter().map(|s| (s.at, value(s))).collect();
    figure("window", "Window", "The controller's window.", "window [packets]", flows(runs, sampled(|s| s.cwnd_packets)));
    let span = runs.iter().map(|(_, run)| span(run)).max().unwrap_or(Span::ZERO);
    let caption = format!("What arrived at the receiver, in bits on the wire, mean over {} ms.", number(span.millis()));
    figure("throughput", "Throughput", &caption, "throughput [Mbit/s]", flows(runs, |samples, _| throughput(samples, span)));
    let known = |samples: &[FlowSample], _: &Run| samples.iter().filter(|s| s.srtt_ms > 0.0).map(|s| (s.at, s.srtt_ms)).collect();
    figure("srtt", "Round-trip time", "As the sender smooths it.", "smoothed RTT [ms]", flows(runs, known));
    figure("queue", "Queue", "Packets that wait at each link.", "queue [packets]", links(runs, |s| s.queue_packets as f64));
    figure(
        "drops",
        "Drops",
        "Packets dropped since the start, for want of room or on the wire.",
        "drops [packets]",
        links(runs, |s| s.drops as f64),
    );
    let own = gauges(runs);
    let named = GAUGES.iter().filter(|(name, ..)| own.contains(name)).copied();
    let others = own.iter().filter(|name| GAUGES.iter().all(|(known, ..)| known != *name));
    for (gauge, title, caption, axis) in named.chain(others.map(|name| (*name, *name, "As the controller reports it.", *name))) {
        let value = move |s: &FlowSample| s.gauges.iter().find(|(name, _)| *name == gauge).map(|(_, value)| (s.at, *value));
        let traces = flows(runs, |samples, _| samples.iter().filter_map(value).filter(|(_, value)| value.is_finite()).collect());
        figure(gauge, title, caption, axis, traces);
    }

    let scenarios = vec![(scenario_name.into(), scenario_toml.into())];
    Outcome { figures, claims: vec![], scenarios, tables: tables(runs), notes: notes(runs) }
}

/// A trace for each flow of each run.
fn flows(runs: &[(u64, &Run)], points: impl Fn(&[FlowSample], &Run) -> Vec<(Instant, f64)>) -> Vec<Trace> {
    let mut traces = Vec::new();
    for (seed, run) in runs {
        let many = run.summary.flows.len() > MOST_FLOWS;
        for (flow, samples) in run.summary.flows.iter().zip(&run.flow_traces) {
            let name = if many { format!("{} (mean of flows)", flow.cc) } else { flow.id.clone() };
            traces.push(Trace { name, seed: *seed, points: points(samples, run) });
        }
    }
    traces
}

/// A trace for each listed link of each run.
fn links(runs: &[(u64, &Run)], value: impl Fn(&symbiosis_path::LinkSample) -> f64) -> Vec<Trace> {
    let mut traces = Vec::new();
    for (seed, run) in runs {
        for (link, samples) in run.summary.links.iter().zip(&run.link_traces) {
            traces.push(Trace { name: link.name.clone(), seed: *seed, points: samples.iter().map(|s| (s.at, value(s))).collect() });
        }
    }
    traces
}

/// Names of gauges, in order of first appearance.
fn gauges(runs: &[(u64, &Run)]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (name, _) in runs.iter().flat_map(|(_, run)| run.flow_traces.iter().flatten()).flat_map(|sample| &sample.gauges) {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    names
}

/// The time over which throughput is a mean: whole samples, enough of them.
fn span(run: &Run) -> Span {
    let every =
        run.flow_traces.iter().flat_map(|trace| trace.windows(2)).map(|pair| pair[1].at.0 - pair[0].at.0).filter(|gap| *gap > 0).min();
    let wanted = Instant::from_secs(run.summary.duration_s * THROUGHPUT_SPAN).0;
    every.map_or(Span::ZERO, |every| Span(every * wanted.div_ceil(every).max(1)))
}

/// Mean rate up to each sample that is `span` after the last one used \[Mbit/s\].
fn throughput(samples: &[FlowSample], span: Span) -> Vec<(Instant, f64)> {
    let mut points = Vec::new();
    let mut last: Option<&FlowSample> = None;
    for sample in samples {
        let Some(before) = last else {
            last = Some(sample);
            continue;
        };
        let time = sample.at.0 - before.at.0;
        if time > 0 && time >= span.0 {
            let bytes = sample.delivered_bytes.saturating_sub(before.delivered_bytes);
            points.push((sample.at, bytes as f64 * 8e3 / time as f64));
            last = Some(sample);
        }
    }
    points
}

/// How curves were put together, and what a table does not hold.
fn notes(runs: &[(u64, &Run)]) -> Vec<String> {
    let Some((_, first)) = runs.first() else { return vec![] };
    let mut notes = Vec::new();
    let flows = first.summary.flows.len();
    if runs.len() > 1 {
        notes.push(format!("{} seeds; the numbers here are means over them.", runs.len()));
    }
    if runs.len() > MOST_SEEDS {
        notes.push("Curves are means over the seeds, bands their 95 % confidence interval.".into());
    }
    if flows > MOST_FLOWS {
        notes.push(format!("{flows} flows: each curve is the mean of all flows with the same controller. The traces have each flow."));
    }
    if flows > 1 {
        notes.push(format!("Jain's fairness index: {}.", mean(runs, &|run| run.summary.jain)));
    }
    notes
}

/// Mean over the seeds.
fn mean(runs: &[(u64, &Run)], value: &dyn Fn(&Run) -> f64) -> String {
    number(runs.iter().map(|(_, run)| value(run)).sum::<f64>() / runs.len() as f64)
}

/// Flows and links side by side, means over seeds.
fn tables(runs: &[(u64, &Run)]) -> Vec<Table> {
    let Some((_, first)) = runs.first() else { return vec![] };
    type OfFlow = fn(&FlowSummary) -> f64;
    let columns: [(&str, OfFlow); 9] = [
        ("throughput [Mbit/s]", |flow| flow.throughput_mbps),
        ("goodput [Mbit/s]", |flow| flow.goodput_mbps),
        ("RTT p50 [ms]", |flow| flow.rtt_ms.as_ref().map_or(f64::NAN, |rtt| rtt.p50)),
        ("RTT p95 [ms]", |flow| flow.rtt_ms.as_ref().map_or(f64::NAN, |rtt| rtt.p95)),
        ("mean window [packets]", |flow| flow.cwnd_packets.mean),
        ("lost [packets]", |flow| flow.packets_lost as f64),
        ("timeouts", |flow| flow.timeouts as f64),
        ("done after [s]", |flow| flow.completion_s.unwrap_or(f64::NAN)),
        ("mean burst [s]", |flow| flow.burst_s().unwrap_or(f64::NAN)),
    ];
    // A column in which nobody has a number says nothing.
    let said: Vec<&(&str, OfFlow)> = columns
        .iter()
        .filter(|(_, value)| runs.iter().any(|(_, run)| run.summary.flows.iter().any(|flow| value(flow).is_finite())))
        .collect();
    let row = |(i, flow): (usize, &FlowSummary)| {
        let cell = |(_, value): &&(&str, OfFlow)| mean(runs, &|run| run.summary.flows.get(i).map_or(f64::NAN, value));
        [flow.id.clone(), flow.cc.clone()].into_iter().chain(said.iter().map(cell)).collect()
    };
    let flows = Table {
        title: "Flows".into(),
        columns: ["flow", "controller"].iter().chain(said.iter().map(|(name, _)| name)).map(|name| name.to_string()).collect(),
        rows: first.summary.flows.iter().take(MOST_ROWS).enumerate().map(row).collect(),
    };
    let link = |(i, link): (usize, &LinkSummary)| {
        let of = |value: fn(&LinkSummary) -> f64| mean(runs, &|run| run.summary.links.get(i).map_or(f64::NAN, value));
        let queue = [of(|link| link.queue_packets.mean), of(|link| link.queue_packets.p95), of(|link| link.queue_packets.max)];
        [link.name.clone(), of(|link| 100.0 * link.utilization)].into_iter().chain(queue).chain([of(|link| link.drops as f64)]).collect()
    };
    let links = Table {
        title: "Links".into(),
        columns: ["link", "used [%]", "queue mean [packets]", "p95", "greatest", "dropped [packets]"].map(String::from).into(),
        rows: first.summary.links.iter().enumerate().map(link).collect(),
    };
    [flows, links].into_iter().filter(|table| !table.rows.is_empty()).collect()
}
