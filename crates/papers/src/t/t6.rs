//! T Figs 6 to 8: what noise on the available bandwidth does to two flows, with γ of 0.95, of 0.5, and following the noise.

use rayon::prelude::*;
use symbiosis_run::{FlowSample, Outcome as Run};
use symbiosis_theory::facts::EqualFlows;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, after, against, at_least, below, check, claim, derived, near, over};
use crate::toolkit::kinds::{Kind, OURS_PAPERS_LAW, OURS_PAPERS_LAW_ORACLE, PAPER, PAPER_ORACLE};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};

/// Bottleneck \[Mbit/s\].
const K: f64 = 50.0;
/// Base RTT \[s\].
const TAU: f64 = 0.120;
const BDP: f64 = K * 1e6 * TAU / 8.0 / 1500.0;
/// Noise in the first stage, a relative standard deviation of K − A; it doubles with each stage.
const NOISE: f64 = 0.05;
/// Stages: 5 to 80 %.
const STAGES: usize = 5;
/// T's γ: near one, far from one, and the target of the rule.
const RULES: [(&str, &str, f64); 3] = [
    ("γ = 0.95", "gamma = 0.95", 0.95),
    ("γ = 0.5", "gamma = 0.5", 0.5),
    ("noise-aware γ", "gamma = 0.95, gamma_rule = \"noise-aware\"", 0.95),
];

/// Two flows under one rule.
struct Setting {
    kind: Kind,
    rule: usize,
    /// Length of a stage \[s\]. Without the oracle there is no noise to double: what the measurement itself has is all.
    stage: f64,
}

impl Setting {
    fn text(&self) -> String {
        let Setting { kind, rule, stage } = self;
        let noise = if kind.has_oracle() { format!(", noise = {NOISE}, noise_doubles_s = {stage}") } else { String::new() };
        format!(
            r#"# T Figs 6-8: two flows, with noise on what they are told of A, or what they measure. Base RTT 120 ms: 500 packets.
name = "T6-{kind}-{id}"
duration_s = {duration}
[bottleneck]
rate_mbps = {K}
delay_ms = 50
queue_packets = 1000
[[flow]]
count = 2
cc = "{cc}"
recovery = "sack"
params = {{ {params}{noise}, {gamma} }}
access_rate_mbps = 200
access_delay_ms = 5
initial_window = 2
[trace]
every_ms = {sample}
"#,
            kind = kind.slug(),
            cc = kind.cc,
            params = kind.params(K, "oscillation = 0"),
            id = ["95", "50", "aware"][*rule],
            duration = if kind.has_oracle() { STAGES as f64 } else { 1.0 } * stage,
            gamma = RULES[*rule].1,
            sample = 5.0 * stage,
        )
    }
}

/// From, to: a stage without its first fifth, in which the window still answers to the noise before.
fn span(stage: usize, length: f64) -> (f64, f64) {
    ((stage as f64 + 0.2) * length, (stage as f64 + 1.0) * length)
}

/// Bytes of the bottleneck's transmissions over its rate, over `width` samples at a time.
fn utilization(run: &Run, width: usize) -> Vec<(f64, f64)> {
    let pairs = run.link_traces[0].windows(width + 1);
    let used = pairs.map(|part| {
        let (a, b) = (&part[0], &part[width]);
        (b.at.secs(), (b.bytes_begun - a.bytes_begun) as f64 * 8e-6 / (b.at - a.at).secs() / K)
    });
    used.step_by(width).collect()
}

fn gamma(run: &Run, flow: usize) -> Vec<(f64, f64)> {
    let value = |sample: &FlowSample| sample.gauges.iter().find(|(name, _)| *name == "gamma").map(|(_, value)| *value);
    run.flow_traces[flow].iter().filter_map(|sample| Some((sample.at.secs(), value(sample)?))).collect()
}

/// Relative deviation of a window within a stage.
fn spread(points: &[(f64, f64)], (from, to): (f64, f64)) -> f64 {
    let mean = series::mean(points, from, to);
    let squares: Vec<(f64, f64)> = points.iter().map(|(t, w)| (*t, (w - mean) * (w - mean))).collect();
    series::mean(&squares, from, to).sqrt() / mean
}

pub fn run(lab: &Lab) -> Outcome {
    let stage = if lab.quick { 24.0 } else { 100.0 };
    let mut found = Outcome::default();
    for kind in [PAPER_ORACLE, OURS_PAPERS_LAW_ORACLE] {
        let scenarios = [0, 1, 2].map(|rule| lab.scenario(&Setting { kind, rule, stage }.text()));
        let runs: Vec<Vec<Run>> = scenarios.par_iter().map(|scenario| lab.over_seeds(scenario)).collect();
        found.figures.extend(figures(kind, &runs));
        found.claims.extend(claims(kind, stage, &runs));
        found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
    }
    // In a quick run the paper's alone.
    for kind in [PAPER, OURS_PAPERS_LAW].into_iter().filter(|kind| !lab.quick || kind.is_published()) {
        own(lab, kind, &mut found);
    }
    found.notes.push(format!(
        "The noise is on K − A, from {NOISE} on and doubled with each of five stages; T does not say how large its is. What a flow is told of A is \
         held within 0 and K, so the greatest noise is cut off at both ends."
    ));
    found
}

fn figures(kind: Kind, runs: &[Vec<Run>]) -> Vec<Figure> {
    let figure = |part: &str, title: &str, y: Axis, series: Vec<Series>| Figure {
        id: format!("T6-{}-{part}", kind.slug()),
        title: format!("{title}: {}", kind.name),
        caption: "Two flows; the noise on A begins at 5 % and doubles four times. The first seed.".into(),
        x: Axis::linear("time [s]"),
        y,
        series,
    };
    let each = |of: &dyn Fn(&Run) -> Vec<(f64, f64)>| {
        RULES.iter().zip(runs).map(|((name, ..), runs)| Series::new(name, Mark::Line, of(&runs[0]))).collect::<Vec<_>>()
    };
    let mut figures: Vec<Figure> = RULES
        .iter()
        .zip(runs)
        .zip(["95", "50", "aware"])
        .map(|(((name, ..), runs), id)| {
            let flows = [0, 1].map(|flow| Series::new(&format!("connection {}", flow + 1), Mark::Line, series::window(&runs[0], flow)));
            figure(&format!("windows-{id}"), &format!("Windows with {name}"), Axis::linear("window [packets]"), flows.into())
        })
        .collect();
    figures.push(figure("queue", "Queue", Axis::linear("queue [packets]"), each(&series::queue)));
    figures.push(figure("utilization", "Utilisation", Axis::linear("utilisation"), each(&|run| utilization(run, 10))));
    let gammas = [0, 1].map(|flow| Series::new(&format!("connection {}", flow + 1), Mark::Line, gamma(&runs[2][0], flow)));
    figures.push(figure("gamma", "γ(t)", Axis::linear("γ").range(0.0, 1.0), gammas.into()));
    figures
}

/// Where T has it.
const PLACE: &str = "T §3, Figs 6-8";

/// γ under a steady noise by T Eq 15: the mean of |Err| is √(2/π) of its deviation, which the wandering μ makes larger by 1/(1 − g/2).
fn steady_gamma(noise: f64) -> f64 {
    let deviation = (noise * noise / (1.0 - 0.125 / 2.0)).sqrt() * (2.0 / std::f64::consts::PI).sqrt();
    0.95 / (1.0 + 4.0 * deviation)
}

fn claims(kind: Kind, stage: f64, runs: &[Vec<Run>]) -> Vec<Claim> {
    let name = |rule: usize| format!("{}, {}", kind.name, RULES[rule].0);
    let stages: Vec<(f64, f64)> = (0..STAGES).map(|i| span(i, stage)).collect();
    let used = |rule: usize, i: usize| over(&runs[rule], |run| series::mean(&utilization(run, 1), stages[i].0, stages[i].1));
    let queue = |rule: usize, i: usize| over(&runs[rule], |run| series::mean(&series::queue(run), stages[i].0, stages[i].1));
    let windows = |rule: usize, i: usize| over(&runs[rule], |run| 100.0 * spread(&series::window(run, 0), stages[i]));
    let least = |rule: usize| (0..STAGES).map(|i| used(rule, i)).min_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are stages");
    let last = STAGES - 1;
    let (calm, noisy) = (windows(0, 0), windows(0, last));
    let mut claims = vec![
        claim(
            format!("{}: the window fluctuates more and more", name(0)),
            kind.states(PLACE, format!("unstable with larger fluctuations (first stage: {:.1} %)", calm.mean)),
            against(noisy, calm.times(2.0)),
            "% deviation",
            above(2.0 * calm.mean),
            "the window is slow against the noise of a round trip and averages it",
        ),
        claim(
            format!("{}: utilisation falls", name(0)),
            kind.states(PLACE, "lower"),
            percent(used(0, last)),
            "%",
            below(99.5),
            "what is read too high at times makes a queue, which fills the link when too little is read",
        ),
        claim(
            format!("{}: utilisation stays at 100 %", name(1)),
            kind.states(PLACE, "100 %"),
            percent(least(1)),
            "% in the worst stage",
            above(99.5),
            WORST,
        ),
        claim(
            format!("{}: a longer queue than with γ = 0.95", name(1)),
            kind.states(PLACE, format!("longer ({:.0})", queue(0, 0).mean)),
            against(queue(1, 0), queue(0, 0)),
            "packets",
            above(queue(0, 0).mean),
            "the clusters of unpaced windows make a queue with both",
        ),
        claim(
            format!("{}: utilisation stays at 100 %", name(2)),
            kind.states(PLACE, "100 %"),
            percent(least(2)),
            "% in the worst stage",
            above(99.5),
            WORST,
        ),
        claim(
            format!("{}: window steadier than with γ = 0.95 at the greatest noise", name(2)),
            kind.states(PLACE, format!("stable ({:.1})", noisy.mean)),
            against(windows(2, last), noisy),
            "% deviation",
            below(noisy.mean),
            "γ is small under so much noise, and so K is what the window goes by; its own noise is not weighed",
        ),
    ];
    for (i, noise) in [0.05, 0.1, 0.2].into_iter().enumerate() {
        let (aware, half) = (queue(2, i), queue(1, i));
        claims.push(claim(
            format!("{}, noise {noise}: queue shorter than with γ = 0.5", name(2)),
            kind.states(PLACE, format!("smaller when the noise is small ({:.0})", half.mean)),
            against(aware, half),
            "packets",
            below(half.mean),
            "γ is below 0.5 here: unpaced windows travel in clusters, and what that changes of A counts as noise",
        ));
    }
    let g = over(&runs[2], |run| series::mean(&gamma(run, 0), stages[1].0, stages[1].1));
    claims.push(claim(
        format!("{}: γ at a noise of 0.1 by T Eq 15", name(2)),
        derived("T §3.2, Eq 15 of a steady A", format!("{:.3}", steady_gamma(0.1))),
        g,
        "",
        near(steady_gamma(0.1), 0.05),
        "unpaced windows travel in clusters, so A itself moves from one round trip to the next: without any noise γ rests at 0.50, with the \
         same flows paced at 0.92",
    ));
    // Two flows of γ = 0.5, whose measurements say what they get: Q = (n−1)(1−γ)Kτ; with the corrected input S Eq 20.
    let two = EqualFlows { n: 2, gamma: 0.5, room: symbiosis_base::Rate::from_mbps(K).times(symbiosis_base::Span::from_secs(TAU)) };
    let wanted = if kind.cc == "symbiosis" { two.queue() } else { two.measured_queue() } / 1500.0;
    let standing = queue(1, 0);
    claims.push(claim(
        format!("{}: the standing queue of two flows", name(1)),
        derived("S §III-C; docs/algorithms.md for a measured A", format!("{wanted:.0} = {:.2} BDP", wanted / BDP)),
        standing,
        "packets",
        near(wanted, 0.1),
        "unpaced windows stand before the link as clusters, and min-RTT probes take their part",
    ));
    claims
}

/// What the rules make of a measurement's own noise: claims of ours, T has its noise added.
fn own(lab: &Lab, kind: Kind, found: &mut Outcome) {
    let length = if lab.quick { 45.0 } else { 200.0 };
    let scenarios = [0, 1, 2].map(|rule| lab.scenario(&Setting { kind, rule, stage: length }.text()));
    let runs: Vec<Vec<Run>> = scenarios.par_iter().map(|scenario| lab.over_seeds(scenario)).collect();
    let (from, to) = (0.5 * length, length);
    let figure = |part: &str, title: &str, y: Axis, series: Vec<Series>| Figure {
        id: format!("T6-own-{}-{part}", kind.slug()),
        title: format!("{title}: {}, measuring for itself", kind.name),
        caption: "Two flows, no noise but the measurement's own. The first seed.".into(),
        x: Axis::linear("time [s]"),
        y,
        series,
    };
    let queues = RULES.iter().zip(&runs).map(|((name, ..), runs)| Series::new(name, Mark::Line, series::queue(&runs[0])));
    let gammas = [0, 1].map(|flow| Series::new(&format!("connection {}", flow + 1), Mark::Line, gamma(&runs[2][0], flow)));
    found.figures.push(figure("queue", "Queue", Axis::linear("queue [packets]"), queues.collect()));
    found.figures.push(figure("gamma", "γ(t)", Axis::linear("γ").range(0.0, 1.0), gammas.into()));
    let name = format!("{}, noise-aware γ", kind.name);
    let g = over(&runs[2], |run| series::mean(&gamma(run, 0), from, to));
    let queue = |rule: usize| over(&runs[rule], |run| series::mean(&series::queue(run), from, to));
    let used = over(&runs[2], |run| series::mean(&utilization(run, 1), from, to));
    let read = over(&runs[2], |run| series::mean(&series::gauge(run, 0, "A_mbps"), from, to) / K);
    let blind = "the published measurement tells two unpaced flows that nearly all of K is available; then γ has nothing to weigh";
    found.claims.extend([
        claim(
            format!("{name}: the measurement's own noise leaves γ above 0.8"),
            after(PLACE, "0.95 when the measurement is accurate: 0.8 at the least"),
            g,
            "",
            at_least(0.8),
            "readings of A vary by more than C_v = 0.05, whether for the measurement's error or for what the other flow does",
        ),
        claim(
            format!("{name}: a shorter queue than with γ = 0.5"),
            kind.states(PLACE, format!("as short as possible ({:.0})", queue(1).mean)),
            against(queue(2), queue(1)),
            "packets",
            below(0.9 * queue(1).mean),
            blind,
        )
        .because(kind.is_published().then(|| check("what the first flow reads of A [of K]", read, at_least(0.9))), blind),
        claim(format!("{name}: utilisation stays at 100 %"), kind.states(PLACE, "100 %"), percent(used), "%", above(99.5), WORST),
    ]);
    found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
}

const WORST: &str = "the window falls below Aτ at times; a min-RTT probe takes half of a window for one round trip in 10 s";

fn percent(measured: Measured) -> Measured {
    measured.times(100.0)
}
