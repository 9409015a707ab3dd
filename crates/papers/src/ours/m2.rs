//! Open loop: what measurements read while nobody obeys them.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_most, between, claim, ours, over};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};
use symbiosis_scenario::Scenario;

/// What UDP leaves, as parts of K.
const FREE: [f64; 3] = [0.2, 0.5, 0.8];

/// A path and who measures it: Mbit/s, base RTT \[ms\], the granularity of the sender's timer \[µs\].
#[derive(Clone, Copy)]
struct Case {
    measurement: &'static str,
    /// Of the published recipe, with its streams: the test of a trend.
    trend: Option<&'static str>,
    mbps: f64,
    rtt_ms: f64,
    timer_us: u32,
    /// Rate of the flow that carries the measurement, as a part of A.
    load: f64,
    duration: f64,
}

impl Case {
    fn name(&self) -> String {
        let timer = if self.timer_us > 0 { format!(", a send timer of {} µs", self.timer_us) } else { String::new() };
        let load = if self.load < 0.9 { ", half of A used" } else { "" };
        format!("{}: {} Mbit/s, RTT {} ms{timer}{load}", self.who(), self.mbps, self.rtt_ms)
    }

    /// The measurement, and the test if there is a choice.
    fn who(&self) -> String {
        self.trend.map_or(self.measurement.into(), |trend| format!("{}, trend {trend}", self.measurement))
    }

    fn text(&self, free: f64) -> String {
        let Case { measurement, trend, mbps, rtt_ms, timer_us, load, duration } = *self;
        let test = trend.map_or(String::new(), |trend| format!("subranges = 10, stream_packets = 20, trend = \"{trend}\", "));
        let slug = trend.map_or(String::new(), |trend| format!("-{trend}"));
        format!(
            r#"# A flow of constant rate, {load} of what UDP leaves, that measures and ignores what it reads.
name = "M2-{measurement}{slug}-{mbps}-{rtt_ms}-{timer_us}-{load}-{free}"
duration_s = {duration}
[bottleneck]
rate_mbps = {mbps}
delay_ms = {delay}
queue_bdp = 1.0
[[flow]]
cc = "probe"
recovery = "sack"
access_rate_mbps = {access}
access_delay_ms = 5
send_timer_us = {timer_us}
params = {{ measurement = "{measurement}", {test}rate_mbps = {rate}, window_packets = {window} }}
[[cross]]
kind = "udp"
mix = "internet"
rate_mbps = {udp}
[measure]
from_s = {from}
[trace]
every_ms = {every}
"#,
            delay = rtt_ms / 2.0 - 10.0,
            access = 2.0 * mbps,
            rate = load * free * mbps,
            window = (4.0 * mbps * 1e6 / 8.0 * rtt_ms / 1e3 / 1500.0).ceil(),
            udp = (1.0 - free) * mbps,
            from = duration / 3.0,
            every = rtt_ms / 4.0,
        )
    }

    /// For each of [`FREE`]: bias, and deviation of single readings, in parts of K; over seeds.
    fn run(&self, lab: &Lab) -> (Vec<(Measured, Measured)>, Vec<Scenario>) {
        let scenarios: Vec<Scenario> = FREE.iter().map(|free| lab.scenario(&self.text(*free))).collect();
        let found = scenarios.par_iter().zip(FREE).map(|(scenario, free)| {
            let runs = lab.over_seeds(scenario);
            let readings = |run: &Run| -> Vec<f64> {
                let gauge = series::gauge(run, 0, "A_mbps");
                gauge.iter().filter(|(t, _)| *t >= self.duration / 3.0).map(|(_, a)| a / self.mbps).collect()
            };
            (over(&runs, |run| series::moments(&readings(run)).0 - free), over(&runs, |run| series::moments(&readings(run)).1))
        });
        (found.collect(), scenarios)
    }

    /// Claims on the worst of [`FREE`].
    fn claims(&self, found: &[(Measured, Measured)]) -> Vec<Claim> {
        let worst = |values: Vec<Measured>| {
            let order = |a: &Measured, b: &Measured| a.mean.abs().total_cmp(&b.mean.abs());
            values.into_iter().max_by(order).expect("there are loads").times(100.0)
        };
        let (bias, deviation) = (worst(found.iter().map(|f| f.0).collect()), worst(found.iter().map(|f| f.1).collect()));
        let published = self.measurement == "imtcp-published";
        let (why_bias, why_deviation) = if published && self.trend == Some("pathload") {
            (
                "a stream of 20 packets has four medians, and what UDP does between them is drift to the test",
                "a stream of 20 packets is a small sample",
            )
        } else if published {
            (
                "PDT compares the drift between packets with the noise between packets, so a rate well above A passes for one below it: \
                 M(1 − A/r) = 0.345·√(U·M/r·s) says +13.7, +15.1, +11.3 Mbit/s at A = 20, 50, 80 of 100 and 100 ms",
                "a stream of 20 packets is a small sample",
            )
        } else {
            (
                "the link is idle so often that streams are all there is",
                "what UDP sends in so little time differs from its mean by as much: √(s·U/t), s its mean square packet over its mean",
            )
        };
        vec![
            claim(
                format!("{}: bias within 1 % of K, the worst of three loads", self.name()),
                ours("0 (our bar: 1)"),
                bias,
                "% of K",
                between(-1.0, 1.0),
                why_bias,
            ),
            claim(
                format!("{}: deviation of a reading within 2.5 % of K, the worst of three loads", self.name()),
                ours("≤ 2.5"),
                deviation,
                "% of K",
                at_most(2.5),
                why_deviation,
            ),
        ]
    }
}

pub fn run(lab: &Lab) -> Outcome {
    let usual = Case {
        measurement: "imtcp",
        trend: None,
        mbps: 100.0,
        rtt_ms: 100.0,
        timer_us: 0,
        load: 0.9,
        duration: if lab.quick { 12.0 } else { 30.0 },
    };
    let rtts: &[f64] = if lab.quick { &[100.0] } else { &[30.0, 60.0, 100.0, 150.0] };
    let mut cases = Vec::new();
    for (measurement, trend) in [("imtcp", None), ("imtcp-published", Some("pathload")), ("imtcp-published", Some("raw"))] {
        cases.extend(rtts.iter().map(|rtt_ms| Case { measurement, trend, rtt_ms: *rtt_ms, ..usual }));
    }
    cases.push(Case { timer_us: 50, ..usual });
    if !lab.quick {
        cases.push(Case { load: 0.5, ..usual });
        cases.push(Case { mbps: 10.0, ..usual });
        cases.push(Case { mbps: 1_000.0, duration: 9.0, ..usual });
        cases.push(Case { mbps: 10_000.0, duration: 3.0, ..usual });
    }
    let mut found = Outcome::default();
    let mut curves: Vec<Series> = Vec::new();
    let results: Vec<_> = cases.iter().map(|case| case.run(lab)).collect();
    for (case, (results, scenarios)) in cases.iter().zip(results) {
        found.claims.extend(case.claims(&results));
        let point = |(free, (bias, _)): (&f64, &(Measured, Measured))| (100.0 * free, 100.0 * bias.mean);
        let band = |(_, (bias, _)): (&f64, &(Measured, Measured))| (100.0 * (bias.mean - bias.ci95), 100.0 * (bias.mean + bias.ci95));
        if case.mbps == 100.0 && case.timer_us == 0 && case.load == 0.9 {
            curves.push(Series {
                band: Some(FREE.iter().zip(&results).map(band).collect()),
                ..Series::new(
                    &format!("{}, {} ms", case.who(), case.rtt_ms),
                    Mark::LinePoints,
                    FREE.iter().zip(&results).map(point).collect(),
                )
            });
        }
        found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
    }
    found.figures.push(Figure {
        id: "M2-bias".into(),
        title: "Error of A, open loop, at 100 Mbit/s".into(),
        caption: "A flow of 0.9 A carries the measurement and ignores it. Mean error over what UDP leaves; 95 % intervals over seeds."
            .into(),
        x: Axis::linear("available bandwidth [% of K]"),
        y: Axis::linear("error [% of K]"),
        series: curves,
    });
    found
}
