//! Results for people: flows and links as tables, means over seeds.

use symbiosis_linux::testbed::LatenessSummary;
use symbiosis_report::outcome::Measured;
use symbiosis_run::LATE;
use symbiosis_run::{FlowPlan, FlowSummary, LinkSummary, Plan, RttSummary, Summary};

use crate::runs::Run;
use crate::table::table;

/// A column: its title, its value in one run if there is one, its decimals.
type Column<T> = (&'static str, fn(&T) -> Option<f64>, usize);

const FLOW: &[Column<FlowSummary>] = &[
    ("Mbit/s", |flow| Some(flow.throughput_mbps), 3),
    ("goodput", |flow| Some(flow.goodput_mbps), 3),
    ("sent", |flow| Some(flow.packets_sent as f64), 0),
    ("lost", |flow| Some(flow.packets_lost as f64), 0),
    ("resent", |flow| Some(flow.retransmissions as f64), 0),
    ("timeouts", |flow| Some(flow.timeouts as f64), 0),
    ("RTT p50 ms", |flow| rtt(flow, |rtt| rtt.p50), 2),
    ("p95", |flow| rtt(flow, |rtt| rtt.p95), 2),
    ("max", |flow| rtt(flow, |rtt| rtt.max), 2),
    ("window mean", |flow| Some(flow.cwnd_packets.mean), 1),
    ("done after s", |flow| flow.completion_s, 3),
    ("burst s", |flow| flow.burst_s(), 3),
];

const LINK: &[Column<LinkSummary>] = &[
    ("utilisation %", |link| Some(link.utilization * 100.0), 2),
    ("drops", |link| Some(link.drops as f64), 0),
    ("queue mean", |link| Some(link.queue_packets.mean), 1),
    ("p95", |link| Some(link.queue_packets.p95), 0),
    ("max", |link| Some(link.queue_packets.max), 0),
];

fn rtt(flow: &FlowSummary, which: fn(&RttSummary) -> f64) -> Option<f64> {
    flow.rtt_ms.as_ref().map(which)
}

/// What is printed without `--json`.
pub fn text(plan: &Plan, runs: &[Run]) -> String {
    let summaries: Vec<_> = runs.iter().map(|run| &run.outcome.summary).collect();
    let [first, ..] = summaries.as_slice() else { return String::new() };
    let seeds = match runs.len() {
        1 => format!("seed {}", first.seed),
        n => format!("seeds {} to {}, mean ± 95 % confidence", first.seed, summaries[n - 1].seed),
    };
    let wall: f64 = runs.iter().map(|run| run.wall.as_secs_f64()).sum();
    let packets: u64 = summaries.iter().map(|summary| summary.packets_delivered).sum();
    // In the kernel time passes by itself.
    let of = if runs[0].machine.is_none() { " of computing" } else { "" };
    let mut out = format!(
        "{}, {seeds}: {} s, measured from {} s to {} s\n{packets} packets delivered in {wall:.2} s{of}\n",
        plan.name,
        plan.duration.secs(),
        plan.measure_from.secs(),
        plan.measure_to.secs(),
    );
    if !first.flows.is_empty() {
        let flows: Vec<Vec<&FlowSummary>> =
            (0..first.flows.len()).map(|at| summaries.iter().map(|summary| &summary.flows[at]).collect()).collect();
        out.push('\n');
        out += &rows(&["flow", "controller"], FLOW, &flows, |flow| vec![flow.id.clone(), flow.cc.clone()]);
        let jain: Vec<f64> = summaries.iter().map(|summary| summary.jain).collect();
        // Of flows that are there the whole time; of one there is nothing to compare.
        if present(plan, first) > 1 {
            out += &format!("Jain's index {}\n", cell(&jain, 4));
        }
    }
    let links: Vec<Vec<&LinkSummary>> =
        (0..first.links.len()).map(|at| summaries.iter().map(|summary| &summary.links[at]).collect()).collect();
    out.push('\n');
    out += &rows(&["link"], LINK, &links, |link| vec![link.name.clone()]);
    let machines: Vec<String> = runs.iter().filter_map(machine).collect();
    if machines.is_empty() { out } else { format!("{out}\n{}\n", machines.join("\n")) }
}

/// How the machine did in a run, in a line; nothing of a simulation.
pub fn machine(run: &Run) -> Option<String> {
    let machine = run.machine.as_ref()?;
    let LatenessSummary { packets, p50_us, p99_us, late, .. } = machine.lateness;
    let mut line = format!(
        "Seed {}: {packets} packets left the path {p50_us:.0} µs late in the median, {p99_us:.0} µs at the 99th percentile, {:.2} % more than {} µs.",
        run.outcome.summary.seed,
        100.0 * late,
        LATE.0 / 1000,
    );
    if !machine.realtime {
        line += " The path's thread got neither priority nor processor of its own.";
    }
    if let Some(void) = &machine.void {
        line += &format!(" Void after {} attempts: {void}.", machine.attempts);
    }
    Some(line)
}

/// How many flows are there during the whole window of measurement.
fn present(plan: &Plan, summary: &Summary) -> usize {
    let whole = |(planned, flow): (&FlowPlan, &FlowSummary)| {
        let ended = flow.completion_s.is_some_and(|after| planned.start.secs() + after < plan.measure_to.secs());
        planned.start <= plan.measure_from && planned.stop >= plan.measure_to && !ended
    };
    plan.flows.iter().zip(&summary.flows).filter(|pair| whole(*pair)).count()
}

/// A table with a row for each of `things`, each given once for every run. Columns without any value are left out.
fn rows<T>(names: &[&'static str], columns: &[Column<T>], things: &[Vec<&T>], named: fn(&T) -> Vec<String>) -> String {
    let samples = |thing: &Vec<&T>, column: &Column<T>| -> Vec<f64> { thing.iter().filter_map(|one| column.1(one)).collect() };
    let kept: Vec<&Column<T>> = columns.iter().filter(|column| things.iter().any(|thing| !samples(thing, column).is_empty())).collect();
    let header: Vec<&str> = names.iter().copied().chain(kept.iter().map(|column| column.0)).collect();
    let row = |thing: &Vec<&T>| -> Vec<String> {
        let cells = kept.iter().map(|column| cell(&samples(thing, column), column.2));
        named(thing[0]).into_iter().chain(cells).collect()
    };
    table(&header, &things.iter().map(row).collect::<Vec<_>>(), names.len())
}

fn cell(samples: &[f64], decimals: usize) -> String {
    match samples {
        [] => "–".into(),
        [only] => format!("{only:.decimals$}"),
        many => {
            let Measured { mean, ci95, .. } = Measured::over(many);
            // Counts have a mean between two of them; an interval shows two digits, or it would read as none.
            let digits = if ci95 > 0.0 { (1.0 - ci95.log10().floor()).clamp(0.0, 9.0) as usize } else { 0 };
            let decimals = decimals.max(1).max(digits);
            format!("{mean:.decimals$} ± {ci95:.decimals$}")
        }
    }
}
