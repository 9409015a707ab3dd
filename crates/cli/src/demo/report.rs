//! The demonstration's report: a simulation's, with a flow for each controller and the link that it crossed, and what others left.

use std::io;
use std::path::Path;

use symbiosis_base::Instant;
use symbiosis_report::figure::{Mark, Series};
use symbiosis_report::traces::write_traces;
use symbiosis_report::{self as report, Entry};

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
    let notes = runs.iter().map(note).collect();
    let end = runs.iter().map(|run| run.row.seconds).fold(0.0, f64::max);
    let (flows, links) = runs.into_iter().map(|run| (run.flow, run.link)).unzip();
    let outcome = outcome("demo", seed, flows, links);
    write_traces(folder, &outcome, false)?;
    let mut found = figures(&outcome, notes);
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
    report::write(folder, "Demonstration", ABOUT, &[entry])
}

fn note(run: &Run) -> String {
    let row = &run.row;
    let void = if row.void { " Void: the machine was busy." } else { "" };
    format!(
        "{}: {:.2} s, {:.1} of {:.1} Mbit/s, RTT {:.1} ms in the mean, {:.0} packets in the queue, {} lost; {:.1} % of the relay's datagrams left more than 200 µs late.{void}",
        row.cc,
        row.seconds,
        row.goodput_mbps,
        row.available_mbps,
        row.rtt_mean_ms,
        row.queue_mean_packets,
        row.packets_lost,
        100.0 * row.relay_late
    )
}

/// Capacity less the others' rate, as steps until `end` \[s\].
fn left_by_others(end: f64) -> Vec<(f64, f64)> {
    let steps: Vec<_> = others().iter().map(|(at, rate): (Instant, _)| (at.secs(), (CAPACITY - rate).mbps())).collect();
    let ends = steps.iter().skip(1).map(|(at, _)| at.min(end)).chain([end]);
    steps.iter().zip(ends).filter(|((at, _), until)| at < until).flat_map(|((at, left), until)| [(*at, *left), (until, *left)]).collect()
}
