//! Ten flows that join one after another and leave again.

use symbiosis_run::{FlowSample, Outcome as Run};

use super::kinds::Kind;
use super::series;
use super::step::TAU;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};

pub const FLOWS: usize = 10;

/// Ten flows: one more joins every `stage` seconds, then, in the same order, one leaves every `stage` seconds.
pub struct Crowd {
    pub id: &'static str,
    pub kind: Kind,
    pub m: f64,
    /// \[s\]
    pub stage: f64,
    /// Whether they leave again.
    pub leave: bool,
}

impl Crowd {
    pub fn text(&self) -> String {
        let Crowd { id, kind, m, stage, leave } = self;
        let duration = if *leave { 2 * FLOWS } else { FLOWS } as f64 * stage;
        let mut text = format!(
            r#"# Ten flows join, one every {stage} s{leaving}. Base RTT 120 ms, a buffer of 1000 packets, one bandwidth-delay product.
name = "{id}-{kind}-m{m}"
duration_s = {duration}
[bottleneck]
rate_mbps = 100
delay_ms = 50
queue_packets = 1000
[measure]
from_s = {from}
to_s = {to}
[trace]
every_ms = {sample}
"#,
            leaving = if *leave { ", and leave again" } else { "" },
            kind = kind.slug(),
            from = (FLOWS as f64 - 0.5) * stage,
            to = FLOWS as f64 * stage,
            sample = 10.0 * stage,
        );
        for flow in 0..FLOWS {
            let stop = if *leave { (FLOWS + 1 + flow) as f64 * stage } else { duration };
            text += &format!(
                r#"[[flow]]
cc = "{cc}"
recovery = "sack"
name = "flow {number}"
params = {{ {params} }}
start_s = {start}
stop_s = {stop}
access_rate_mbps = 200
access_delay_ms = 5
initial_window = 2
"#,
                cc = kind.cc,
                number = flow + 1,
                params = kind.params(100.0, &format!("oscillation = {m}")),
                start = flow as f64 * stage,
                stop = stop.min(duration),
            );
        }
        text
    }

    /// Whether `flow` is there all the time from `from` to `to` \[s\].
    pub fn present(&self, flow: usize, from: f64, to: f64) -> bool {
        let stop = if self.leave { (FLOWS + 1 + flow) as f64 * self.stage } else { f64::INFINITY };
        flow as f64 * self.stage <= from && to <= stop
    }

    /// Jain's index over the second half of a stage, stages counted from 0.
    pub fn jain(&self, run: &Run, stage: usize) -> f64 {
        let (from, to) = ((stage as f64 + 0.5) * self.stage, (stage + 1) as f64 * self.stage);
        let delivered = |flow: usize| {
            let trace = &run.flow_traces[flow];
            let at =
                |time: f64| trace.iter().take_while(|sample| sample.at.secs() <= time).last().map_or(0, |sample| sample.delivered_bytes);
            (at(to) - at(from)) as f64
        };
        let shares: Vec<f64> = (0..FLOWS).filter(|flow| self.present(*flow, from, to)).map(delivered).collect();
        let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|x| x * x).sum::<f64>());
        sum * sum / (shares.len() as f64 * squares)
    }

    /// A gauge of a flow over the time that it is there.
    pub fn gauge(&self, run: &Run, flow: usize, name: &str) -> Vec<(f64, f64)> {
        let value = |sample: &FlowSample| sample.gauges.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let there = run.flow_traces[flow].iter().filter(|sample| self.present(flow, sample.at.secs(), sample.at.secs()));
        there.filter_map(|sample| Some((sample.at.secs(), value(sample)?))).collect()
    }

    /// The base RTT that a flow holds for true when all ten are there \[s\].
    pub fn tau(&self, run: &Run, flow: usize, name: &str) -> f64 {
        let end = FLOWS as f64 * self.stage;
        self.gauge(run, flow, name).into_iter().rfind(|(t, _)| *t < end).map_or(f64::NAN, |(_, tau)| tau / 1e3)
    }

    /// The most that any flow over-reads it, as a part of it.
    pub fn over_read(&self, run: &Run, name: &str) -> f64 {
        (0..FLOWS).map(|flow| self.tau(run, flow, name) / TAU - 1.0).fold(0.0, f64::max)
    }

    pub fn figures(&self, run: &Run) -> [Figure; 2] {
        let (id, name) = (format!("{}-{}-m{}", self.id, self.kind.slug(), self.m), self.kind.name);
        let each = |of: &dyn Fn(usize) -> Vec<(f64, f64)>| {
            (0..FLOWS).map(|flow| Series::new(&format!("flow {}", flow + 1), Mark::Line, of(flow))).collect::<Vec<_>>()
        };
        let window = |flow: usize| series::window(run, flow).into_iter().filter(|(t, _)| self.present(flow, *t, *t)).collect();
        [
            Figure {
                id: format!("{id}-windows"),
                title: format!("Ten flows join and leave: {name}, m = {}", self.m),
                caption: format!("Windows of the first seed. A flow joins every {} s, then one leaves.", self.stage),
                x: Axis::linear("time [s]"),
                y: Axis::linear("window [packets]").range(0.0, 1500.0),
                series: each(&window),
            },
            Figure {
                id: format!("{id}-tau"),
                title: format!("The base RTT that each flow holds for true: {name}, m = {}", self.m),
                caption: "The path's is 120 ms.".into(),
                x: Axis::linear("time [s]"),
                y: Axis::linear("τ [ms]"),
                series: each(&|flow| self.gauge(run, flow, "tau_ms")),
            },
        ]
    }
}
