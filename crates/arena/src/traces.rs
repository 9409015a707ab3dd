//! What is seen of a run: throughput of who is tried and of who is not, and the queue as delay.

use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::thin::thin;

use crate::scene::{OTHER, OWN};
use crate::view::View;

/// Curves of flows that are drawn each for itself; of more the least, the mean and the greatest.
const MOST_CURVES: usize = 4;
/// Points of a curve.
const POINTS: usize = 160;
/// A packet of the usual size \[bit/ms at 1 Mbit/s\].
const PACKET: f64 = 12.0;

/// Throughput over time, and the first link's queue.
pub fn traces(view: &View<'_>) -> Vec<Figure> {
    let end = view.end();
    // A mean over a fortieth of the run: what a reader sees of a sawtooth without its teeth.
    let over = end / 40.0;
    let instants = || (0..POINTS).map(move |k| (end - over) * k as f64 / (POINTS - 1) as f64);
    let curve = |flows: &[usize], pick: &dyn Fn(&[f64]) -> f64| -> Vec<(f64, f64)> {
        instants()
            .map(|at| {
                let rates: Vec<f64> = flows.iter().map(|flow| view.rate(*flow, at, at + over)).collect();
                (at + over / 2.0, pick(&rates))
            })
            .collect()
    };
    let mut series = Vec::new();
    for (name, flows) in [(OWN, view.own().collect::<Vec<_>>()), (OTHER, view.others().collect())] {
        let cc = flows.first().map_or(String::new(), |at| format!("{} ({name})", view.plan.flows[*at].cc.name));
        match flows.len() {
            0 => {}
            1 => series.push(Series::new(&cc, Mark::Line, curve(&flows, &|rates| rates[0]))),
            2..=MOST_CURVES => {
                series.extend(
                    flows
                        .iter()
                        .enumerate()
                        .map(|(k, at)| Series::new(&format!("{cc} {}", k + 1), Mark::Line, curve(&[*at], &|rates| rates[0]))),
                );
            }
            n => {
                let least = curve(&flows, &|rates| rates.iter().copied().fold(f64::INFINITY, f64::min));
                let greatest = curve(&flows, &|rates| rates.iter().copied().fold(0.0, f64::max));
                series.push(Series::new(
                    &format!("{cc}, mean of {n}"),
                    Mark::Line,
                    curve(&flows, &|rates| rates.iter().sum::<f64>() / n as f64),
                ));
                series.push(Series::new(&format!("{cc}, least"), Mark::Line, least));
                series.push(Series::new(&format!("{cc}, greatest"), Mark::Line, greatest));
            }
        }
    }
    let queue: Vec<(f64, f64)> = view.outcome.link_traces.first().map_or(vec![], |samples| {
        let delay = |sample: &symbiosis_path::LinkSample| {
            let at = sample.at.secs();
            (at, sample.queue_packets as f64 * PACKET / view.link_rate(0, at, at + over).max(1e-3))
        };
        samples.iter().map(delay).collect()
    });
    let queue = thin(&queue, POINTS).into_iter().map(|k| queue[k]).collect();
    let name = view.plan.links.first().map_or("queue", |link| link.name.as_str());
    let figure = |id: &str, title: &str, y: &str, series| Figure {
        id: id.into(),
        title: title.into(),
        caption: String::new(),
        x: Axis::linear("time [s]"),
        y: Axis::linear(y),
        series,
    };
    vec![
        figure("throughput", "Throughput", "throughput [Mbit/s]", series),
        figure("queue", "Queue", "queueing delay [ms]", vec![Series::new(name, Mark::Line, queue)]),
    ]
}
