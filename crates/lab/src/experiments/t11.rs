//! T Figs 11 and 17: ten flows join one after another and leave again. A flow that joins a standing queue reads τ too long.

use rayon::prelude::*;
use symbiosis_control::symbiosis::{EPSILON, GAMMA};
use symbiosis_run::{FlowSample, Outcome as Run};

use super::Lab;
use super::claims::{claim, over};
use super::series;
use super::step::{OURS, PAPER, SYMBIOSES, Subject, TAU, TOLD_PAPER};
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Claim, Outcome};

const FLOWS: usize = 10;
/// T's degree of oscillation.
const M: f64 = 0.3;

/// Ten flows: one more joins every `stage` seconds, then, in the same order, one leaves every `stage` seconds.
pub struct Crowd {
    pub id: &'static str,
    pub subject: Subject,
    pub m: f64,
    /// \[s\]
    pub stage: f64,
    /// Whether they leave again.
    pub leave: bool,
}

impl Crowd {
    pub fn text(&self) -> String {
        let Crowd { id, subject, m, stage, leave } = self;
        let duration = if *leave { 2 * FLOWS } else { FLOWS } as f64 * stage;
        let mut text = format!(
            r#"# Ten flows join, one every {stage} s{leaving}. Base RTT 120 ms, a buffer of 1000 packets, one bandwidth-delay product.
name = "{id}-{subject}-m{m}"
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
            subject = subject.id(),
            from = (FLOWS as f64 - 0.5) * stage,
            to = FLOWS as f64 * stage,
            sample = 10.0 * stage,
        );
        for flow in 0..FLOWS {
            let stop = if *leave { (FLOWS + 1 + flow) as f64 * stage } else { duration };
            text += &format!(
                r#"[[flow]]
cc = "{cc}"
name = "flow {number}"
params = {{ {params} }}
start_s = {start}
stop_s = {stop}
access_rate_mbps = 200
access_delay_ms = 5
initial_window = 2
"#,
                cc = subject.cc,
                number = flow + 1,
                params = subject.params(*m),
                start = flow as f64 * stage,
                stop = stop.min(duration),
            );
        }
        text
    }

    /// Whether `flow` is there all the time from `from` to `to` \[s\].
    fn present(&self, flow: usize, from: f64, to: f64) -> bool {
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
    fn gauge(&self, run: &Run, flow: usize, name: &str) -> Vec<(f64, f64)> {
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

    fn figures(&self, run: &Run) -> [Figure; 2] {
        let (id, name) = (format!("{}-{}-m{}", self.id, self.subject.id(), self.m), self.subject.name());
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

/// What oscillation does to shares: noise of degree m on both, and differences that die at `ε(1−γ)`. The relative spread of a share.
fn share_spread() -> f64 {
    M / (2.0 * EPSILON * (1.0 - GAMMA)).sqrt()
}

/// T's stages are 200 s. A flow that reads A ≈ 0 grows from 2 packets to 100 at the rate ε(1 − γ), in 20 s; who loses packets in every
/// stage, as the published ImTCP does here, shows it in a shorter one too.
fn stage(lab: &Lab, subject: &Subject) -> f64 {
    match (lab.quick, *subject == PAPER) {
        (true, _) => 12.0,
        (false, true) => 60.0,
        (false, false) => 200.0,
    }
}

pub fn run(lab: &Lab) -> Outcome {
    let subjects = if lab.quick { vec![TOLD_PAPER, OURS] } else { SYMBIOSES.to_vec() };
    let mut found = Outcome::default();
    let crowds: Vec<Crowd> = subjects
        .iter()
        .flat_map(|subject| [0.0, M].map(|m| Crowd { id: "T11", subject: *subject, m, stage: stage(lab, subject), leave: true }))
        .collect();
    let scenarios: Vec<_> = crowds.iter().map(|crowd| lab.scenario(&crowd.text())).collect();
    // Drains and oscillation draw at random; the papers' law without oscillation does not.
    let runs: Vec<Vec<Run>> = crowds
        .par_iter()
        .zip(&scenarios)
        .map(|(crowd, scenario)| {
            let random = crowd.m > 0.0 || crowd.subject.cc == "symbiosis";
            if random { lab.over_seeds(scenario) } else { vec![lab.run(scenario)] }
        })
        .collect();
    let mut jain = Vec::new();
    for (crowd, runs) in crowds.iter().zip(&runs) {
        found.figures.extend(crowd.figures(&runs[0]));
        found.claims.extend(claims(crowd, runs));
        let points = (0..2 * FLOWS - 1).map(|stage| (stage as f64 + 1.0, over(runs, |run| crowd.jain(run, stage)).mean));
        jain.push(Series::new(&format!("{}, m = {}", crowd.subject.name(), crowd.m), Mark::LinePoints, points.collect()));
    }
    found.figures.push(Figure {
        id: "T11-jain".into(),
        title: "Fairness as ten flows join and leave".into(),
        caption:
            "Jain's index over the second half of each stage, mean of the seeds. Flows join up to stage 10 and leave from stage 12 on."
                .into(),
        x: Axis::linear("stage"),
        y: Axis::linear("Jain's index"),
        series: jain,
    });
    found.notes.push(format!(
        "Oscillation repairs τ and spreads the shares. Each flow's window has noise of its own, and differences between flows die out at the rate \
         ε(1−γ) = {:.3} a second, so the relative spread of a share is m/√(2ε(1−γ)) = {:.2} at m = {M}, for the papers' law, however many flows \
         there are. Jain's index at an instant is then 1/(1 + {:.2}) = {:.2}; over a time T it is the better the longer T is against 1/(ε(1−γ)) = \
         {:.1} s. T's averages are over 200 s.",
        EPSILON * (1.0 - GAMMA),
        share_spread(),
        share_spread().powi(2),
        1.0 / (1.0 + share_spread().powi(2)),
        1.0 / (EPSILON * (1.0 - GAMMA)),
    ));
    found.scenarios = scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)).collect();
    found
}

fn claims(crowd: &Crowd, runs: &[Run]) -> Vec<Claim> {
    let name = format!("{}, m = {}", crowd.subject.name(), crowd.m);
    let percent = |value: &dyn Fn(&Run) -> f64| over(runs, |run| 100.0 * value(run));
    let early = percent(&|run| (0..3).map(|flow| crowd.tau(run, flow, "tau_ms") / TAU - 1.0).fold(0.0, f64::max));
    let all = percent(&|run| crowd.over_read(run, "tau_ms"));
    let three = over(runs, |run| crowd.jain(run, 2));
    let ten = over(runs, |run| crowd.jain(run, FLOWS - 1));
    let spread = share_spread();
    if crowd.m == 0.0 {
        // What T shows of the papers' law; ours has drains against it.
        let ours = crowd.subject.cc == "symbiosis";
        return vec![
            claim(
                format!("{name}: three flows share fairly"),
                "the existing three connections remain fair",
                three,
                "Jain",
                three.mean >= 0.95,
                "unpaced, the published measurement reads too much of A, by another amount for each flow",
            ),
            claim(
                format!("{name}: flows that join over-read τ"),
                format!("from the fourth flow on (first three: {:.0} %)", early.mean),
                all,
                "%",
                all.mean > 5.0,
                if ours {
                    "the drains let the queue run empty now and then, so a flow that joins sees the base RTT"
                } else {
                    "losses and unfair windows let the queue run empty now and then, which shows the base RTT to everybody"
                },
            ),
            claim(
                format!("{name}: ten flows do not share fairly"),
                "not fair after the fourth flow",
                ten,
                "Jain",
                ten.mean < 0.95,
                "with τ right everybody's equilibrium is the same",
            ),
        ];
    }
    vec![
        claim(
            format!("{name}: every flow reads τ right"),
            "the correct minimum RTT",
            all,
            "% too long",
            all.mean < 5.0,
            "a standing queue of (n−1)(1−γ)Kτ packets grows with n, the oscillation of the sum of n windows falls with √n: from some n on the \
             queue is not emptied any more",
        ),
        claim(
            format!("{name}: ten flows share fairly"),
            "fairness regardless of the number",
            ten,
            "Jain",
            ten.mean >= 0.95,
            &format!(
                "the oscillation itself spreads the shares by m/√(2ε(1−γ)) = {spread:.2} at an instant, and the average over half a stage of {} s \
                 takes only a part of that away",
                crowd.stage
            ),
        ),
    ]
}
