//! The demonstration's report: a simulation's, with a flow for each controller and the link that it crossed, and what others left.

use std::io;
use std::path::Path;

use symbiosis_base::Instant;
use symbiosis_report::figure::{Mark, Series};
use symbiosis_report::outcome::Table;
use symbiosis_report::traces::write_traces;
use symbiosis_report::{self as report, Entry, Report};

use super::path::{ABOUT, CAPACITY, others};
use super::run::Run;
use crate::net::record::{figures, outcome};

/// Figures in which others have a curve.
const RATES: [&str; 2] = ["demo-throughput", "demo-a_mbps"];

/// Writes traces and the report into a folder.
///
/// # Errors
/// Writing fails.
pub fn write(folder: &Path, runs: Vec<Run>, seed: u64, command: String) -> io::Result<()> {
    let comparison = comparison(&runs);
    let notes = vec!["The relay is late when a datagram leaves it more than 200 µs after its time.".into()];
    let end = runs.iter().map(|run| run.row.seconds).fold(0.0, f64::max);
    let (flows, links) = runs.into_iter().map(|run| (run.flow, run.link)).unzip();
    let outcome = outcome("demo", seed, flows, links);
    write_traces(folder, &outcome, false)?;
    let mut found = figures(&outcome, notes);
    found.tables = vec![comparison];
    for figure in found.figures.iter_mut().filter(|figure| RATES.contains(&figure.id.to_lowercase().as_str())) {
        figure.series.push(Series::new("left by others", Mark::Dashed, left_by_others(end)));
    }
    let entry = Entry {
        id: "demo",
        title: "One file, one path, one controller after another",
        source: "",
        world: "QUIC",
        command,
        outcome: &found,
    };
    report::write(folder, &Report { title: "Demonstration", intro: ABOUT, chapters: &[], entries: &[entry] })
}

/// The controllers side by side.
fn comparison(runs: &[Run]) -> Table {
    let columns =
        ["controller", "time [s]", "goodput [Mbit/s]", "left by others [Mbit/s]", "RTT mean [ms]", "RTT p95 [ms]", "queue mean [packets]"];
    let row = |run: &Run| {
        let row = &run.row;
        let numbers = [row.goodput_mbps, row.available_mbps, row.rtt_mean_ms, row.rtt_p95_ms].map(|value| format!("{value:.1}"));
        let cells = [row.cc.to_string(), format!("{:.2}", row.seconds)].into_iter().chain(numbers);
        let counts = [format!("{:.0}", row.queue_mean_packets), row.packets_lost.to_string(), format!("{:.1}", 100.0 * row.relay_late)];
        cells.chain(counts).chain([if row.void { "void: the machine was busy".into() } else { String::new() }]).collect()
    };
    let more = ["lost [packets]", "relay late [%]", ""];
    Table {
        title: "The controllers side by side".into(),
        columns: columns.iter().chain(&more).map(|name| name.to_string()).collect(),
        rows: runs.iter().map(row).collect(),
    }
}

/// Capacity less the others' rate, as steps until `end` \[s\].
fn left_by_others(end: f64) -> Vec<(f64, f64)> {
    let steps: Vec<_> = others().iter().map(|(at, rate): (Instant, _)| (at.secs(), (CAPACITY - rate).mbps())).collect();
    let ends = steps.iter().skip(1).map(|(at, _)| at.min(end)).chain([end]);
    steps.iter().zip(ends).filter(|((at, _), until)| at < until).flat_map(|((at, left), until)| [(*at, *left), (until, *left)]).collect()
}
