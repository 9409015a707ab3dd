//! From traces to points, and numbers of a part of a trace.

use symbiosis_path::LinkSample;
use symbiosis_run::{FlowSample, Outcome};

/// `(time [s], value)` of each sample of a flow.
pub fn of_flow(outcome: &Outcome, flow: usize, value: impl Fn(&FlowSample) -> f64) -> Vec<(f64, f64)> {
    outcome.flow_traces[flow].iter().map(|sample| (sample.at.secs(), value(sample))).collect()
}

/// The window of a flow \[packets\] over time \[s\].
pub fn window(outcome: &Outcome, flow: usize) -> Vec<(f64, f64)> {
    of_flow(outcome, flow, |sample| sample.cwnd_packets)
}

/// The queue of the first listed link \[packets\] over time \[s\].
pub fn queue(outcome: &Outcome) -> Vec<(f64, f64)> {
    outcome.link_traces[0].iter().map(|sample| (sample.at.secs(), sample.queue_packets as f64)).collect()
}

/// Mean of the values from one time to another.
pub fn mean(points: &[(f64, f64)], from: f64, to: f64) -> f64 {
    let inside: Vec<f64> = points.iter().filter(|(t, _)| *t >= from && *t < to).map(|(_, y)| *y).collect();
    inside.iter().sum::<f64>() / inside.len() as f64
}

/// Packets that the listed links dropped from one time on.
pub fn drops_from(outcome: &Outcome, from: f64) -> f64 {
    let dropped = |trace: &Vec<LinkSample>| {
        let before = trace.iter().take_while(|sample| sample.at.secs() <= from).last().map_or(0, |sample| sample.drops);
        trace.last().map_or(0, |sample| sample.drops) - before
    };
    outcome.link_traces.iter().map(dropped).sum::<u64>() as f64
}

/// Packets that the listed links dropped from one time to another.
pub fn drops(outcome: &Outcome, from: f64, to: f64) -> f64 {
    drops_from(outcome, from) - drops_from(outcome, to)
}

/// A gauge of a flow's controller over time \[s\]; samples without it are left out.
pub fn gauge(outcome: &Outcome, flow: usize, name: &str) -> Vec<(f64, f64)> {
    let value = |sample: &FlowSample| sample.gauges.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    outcome.flow_traces[flow].iter().filter_map(|sample| Some((sample.at.secs(), value(sample)?))).collect()
}

/// What reached a flow's receiver between two times \[Mbit/s\].
pub fn delivered(outcome: &Outcome, flow: usize, from: f64, to: f64) -> f64 {
    let trace = &outcome.flow_traces[flow];
    let until = |t: f64| trace.iter().take_while(|sample| sample.at.secs() <= t).last();
    let bytes = |t: f64| until(t).map_or(0.0, |sample| sample.delivered_bytes as f64);
    (bytes(to) - bytes(from)) * 8e-6 / (to - from)
}

/// What reached a flow's receiver \[Mbit/s\] over time \[s\], in steps of so many seconds.
pub fn throughput(outcome: &Outcome, flow: usize, step: f64) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut last = (0.0, 0.0);
    for sample in &outcome.flow_traces[flow] {
        let (at, bytes) = (sample.at.secs(), sample.delivered_bytes as f64);
        if at >= last.0 + step - 1e-9 {
            points.push((at, (bytes - last.1) * 8e-6 / (at - last.0)));
            last = (at, bytes);
        }
    }
    points
}

/// Mean and standard deviation.
pub fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64).sqrt())
}

/// Losses of a flow between two times that are farther apart than `apart` \[s\], by its retransmissions: those of one overflow count once.
pub fn losses(outcome: &Outcome, flow: usize, from: f64, to: f64, apart: f64) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for pair in outcome.flow_traces[flow].windows(2) {
        let at = pair[1].at.secs();
        if pair[1].retransmissions > pair[0].retransmissions {
            if at - last > apart && (from..to).contains(&at) {
                found.push(at);
            }
            last = at;
        }
    }
    found
}

/// Exponential moving average of points, each of which weighs `gain`.
pub fn smoothed(points: &[(f64, f64)], gain: f64) -> Vec<(f64, f64)> {
    let mut mean = points.first().map_or(0.0, |(_, first)| *first);
    let step = |(t, value): &(f64, f64)| {
        mean += gain * (value - mean);
        (*t, mean)
    };
    points.iter().map(step).collect()
}

/// The points at which the value changes: a gauge tells its last result at each sample.
pub fn changes(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let first = points.first().copied();
    let rest = points.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]);
    first.into_iter().chain(rest).collect()
}
