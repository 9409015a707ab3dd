//! The demonstration's report.

use std::io;
use std::path::Path;

use symbiosis_base::{Bytes, Nanos, Rate};
use symbiosis_lab::figure::{Axis, Figure, Mark, Series};
use symbiosis_lab::outcome::Outcome;
use symbiosis_lab::report::{self, Entry};

use super::path::{ABOUT, CAPACITY, others};
use super::run::{Run, Sample};

/// Rates are means over so many samples of 50 ms: two round trips and more.
const MEAN_OVER: usize = 5;
/// A full packet on the wire, for rates \[bytes\].
const PACKET: u64 = 1480;

/// Writes the report into a folder.
///
/// # Errors
/// Writing fails.
pub fn write(folder: &Path, runs: &[Run], command: String) -> io::Result<()> {
    let outcome = outcome(runs);
    let entry = Entry { id: "demo", title: "One file, one path, one controller after another", source: "", command, outcome: &outcome };
    report::write(folder, "Demonstration", ABOUT, &[entry])
}

fn outcome(runs: &[Run]) -> Outcome {
    let mut rates = curves(runs, sent_rate);
    rates.push(Series::new("left by others", Mark::Dashed, left_by_others(runs)));
    let mut figures = vec![
        figure("rate", "Rate", "What the sender sent, in bits on the wire, mean over 250 ms.", "rate [Mbit/s]", rates),
        figure(
            "rtt",
            "Round-trip time",
            "As the sender smooths it.",
            "RTT [ms]",
            curves(runs, |samples| points(samples, |s| Some(s.rtt.millis()))),
        ),
        figure("queue", "Queue", "Packets that wait before the narrowest link.", "queue [packets]", queues(runs)),
        figure(
            "window",
            "Window",
            "The controller's window.",
            "window [packets]",
            curves(runs, |samples| points(samples, |s| Some(s.window_packets))),
        ),
    ];
    let gauge = |name: &'static str| {
        move |samples: &[Sample]| points(samples, |s| s.gauges.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    };
    let mut measured = Vec::new();
    for (name, short) in [("A_mbps", "A"), ("K_mbps", "K")] {
        measured.extend(curves(runs, gauge(name)).into_iter().map(|series| Series { name: format!("{short}, {}", series.name), ..series }));
    }
    if !measured.is_empty() {
        measured.push(Series::new("left by others", Mark::Dashed, left_by_others(runs)));
        figures.push(figure(
            "measured",
            "Measured",
            "Capacity K and available bandwidth A as the data packets tell them.",
            "rate [Mbit/s]",
            measured,
        ));
    }
    let note = |run: &Run| {
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
    };
    Outcome { figures, claims: Vec::new(), scenarios: Vec::new(), notes: runs.iter().map(note).collect() }
}

fn figure(id: &str, title: &str, caption: &str, y: &str, series: Vec<Series>) -> Figure {
    Figure {
        id: format!("demo-{id}"),
        title: title.into(),
        caption: caption.into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear(y),
        series,
    }
}

/// A curve for each controller that has one.
fn curves(runs: &[Run], curve: impl Fn(&[Sample]) -> Vec<(f64, f64)>) -> Vec<Series> {
    let curve = |run: &Run| Series::new(run.row.cc, Mark::Line, curve(&run.samples));
    runs.iter().map(curve).filter(|series| !series.points.is_empty()).collect()
}

fn points(samples: &[Sample], value: impl Fn(&Sample) -> Option<f64>) -> Vec<(f64, f64)> {
    samples.iter().filter_map(|sample| Some((sample.at.secs(), value(sample)?))).collect()
}

fn sent_rate(samples: &[Sample]) -> Vec<(f64, f64)> {
    let rate = |pair: &[Sample]| {
        let (first, last) = (&pair[0], &pair[MEAN_OVER]);
        let sent = Bytes((last.sent_packets - first.sent_packets) * PACKET);
        (last.at.secs(), Rate::of(sent, last.at - first.at).mbps())
    };
    samples.windows(MEAN_OVER + 1).map(rate).collect()
}

fn queues(runs: &[Run]) -> Vec<Series> {
    let points = |run: &Run| run.queue.iter().map(|(at, packets)| (at.secs(), *packets as f64)).collect();
    runs.iter().map(|run| Series::new(run.row.cc, Mark::Line, points(run))).collect()
}

/// Capacity less the others' rate, as steps.
fn left_by_others(runs: &[Run]) -> Vec<(f64, f64)> {
    let end = runs.iter().flat_map(|run| run.samples.last()).map(|last| last.at).max().unwrap_or(Nanos::ZERO);
    let steps: Vec<_> = others().iter().map(|(at, rate)| (at.secs(), (CAPACITY - rate).mbps())).collect();
    let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([end.secs()]);
    steps.iter().zip(ends).filter(|((at, _), until)| at < until).flat_map(|((at, left), until)| [(*at, *left), (until, *left)]).collect()
}
