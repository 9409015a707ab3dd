//! Plots over the cells of a family: what is had for what.

use symbiosis_report::figure::{Axis, Figure, Mark, Series};

use crate::families::{LOSS_BASED, ONE_FLOW, RANDOM_LOSS};
use crate::trial::Found;

/// The plots for which there are cells.
pub fn plots(found: &[&Found], contestants: &[String]) -> Vec<Figure> {
    let all = [
        throughput_and_queue(found, contestants),
        beside_cubic(found, contestants, "buffer [BDP]", ("RTT [ms]", 60.0), "Beside CUBIC, over the buffer"),
        beside_cubic(found, contestants, "RTT [ms]", ("buffer [BDP]", 1.0), "Beside CUBIC, over the RTT"),
        random_loss(found, contestants),
    ];
    all.into_iter()
        .filter(|plot| plot.series.iter().any(|series| contestants.contains(&series.name) && !series.points.is_empty()))
        .collect()
}

/// A controller's points: those of its cells for which `point` has one, in ascending order.
fn curve(found: &[&Found], cc: &str, mark: Mark, point: &dyn Fn(&Found) -> Option<(f64, f64)>) -> Series {
    let mut points: Vec<(f64, f64)> = found.iter().filter(|found| found.cc == cc).filter_map(|found| point(found)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Series::new(cc, mark, points)
}

/// Whether a cell lies there.
fn lies(found: &Found, name: &str, value: f64) -> bool {
    found.at.get(name) == Some(&value)
}

/// Of one flow alone, with a buffer of a BDP: nine paths, nine points.
fn throughput_and_queue(found: &[&Found], contestants: &[String]) -> Figure {
    let point = |found: &Found| {
        let chosen = found.family == ONE_FLOW.id && lies(found, "buffer [BDP]", 1.0);
        let queue = found.goals.get(1)?.median? / found.at.get("RTT [ms]")?;
        chosen.then_some((100.0 * queue.max(1e-4), found.goals[0].median?))
    };
    Figure {
        id: "throughput-queue".into(),
        title: "Throughput against queue, one flow".into(),
        caption: "Nine paths with a buffer of a BDP, median of the seeds. The upper left corner has all of the link and none of the queue."
            .into(),
        x: Axis::log("95th percentile of the queue [% of the base RTT]"),
        y: Axis::linear("utilisation [%]"),
        series: contestants.iter().map(|cc| curve(found, cc, Mark::Points, &point)).collect(),
    }
}

/// One flow beside one of CUBIC.
fn beside_cubic(found: &[&Found], contestants: &[String], over: &str, at: (&str, f64), title: &str) -> Figure {
    let one_to_one = |found: &Found| {
        lies(found, "flows", 1.0) && lies(found, "opponents", 1.0) && found.cell.starts_with("1:1 ") && found.cell.contains("cubic")
    };
    let point = |found: &Found| {
        let chosen = found.family == LOSS_BASED.id && one_to_one(found) && lies(found, at.0, at.1);
        chosen.then_some((*found.at.get(over)?, found.goals.first()?.median?.max(1e-3)))
    };
    let mut series: Vec<Series> = contestants.iter().map(|cc| curve(found, cc, Mark::LinePoints, &point)).collect();
    let xs: Vec<f64> = series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
    let ends = (xs.iter().copied().fold(f64::INFINITY, f64::min), xs.iter().copied().fold(0.0, f64::max));
    if ends.0 < ends.1 {
        series.extend([0.8, 1.25].map(|bar| Series::new(&format!("goal: {bar}"), Mark::Dashed, vec![(ends.0, bar), (ends.1, bar)])));
    }
    Figure {
        id: format!("beside-cubic-{}", if over.starts_with("RTT") { "rtt" } else { "buffer" }),
        title: title.into(),
        caption: format!("Throughput over that of the flow of CUBIC, median of the seeds; {} {}.", at.0, at.1),
        x: Axis::log(over),
        y: Axis::log("share over CUBIC's"),
        series,
    }
}

/// One flow under independent random loss.
fn random_loss(found: &[&Found], contestants: &[String]) -> Figure {
    let point = |found: &Found| {
        let chosen = found.family == RANDOM_LOSS.id && lies(found, "RTT [ms]", 50.0);
        chosen.then_some((*found.at.get("loss [%]")?, found.goals.first()?.median?))
    };
    Figure {
        id: "random-loss".into(),
        title: "Under random loss".into(),
        caption: "50 Mbit/s, 50 ms, median of the seeds.".into(),
        x: Axis::log("loss [%]"),
        y: Axis::linear("utilisation [%]"),
        series: contestants.iter().map(|cc| curve(found, cc, Mark::LinePoints, &point)).collect(),
    }
}
