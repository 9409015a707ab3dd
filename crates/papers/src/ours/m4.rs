//! Flows among themselves: the papers' law and the logarithmic one, the queue that they leave and who gets what.

use rayon::prelude::*;
use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::symbiosis::GAMMA;
use symbiosis_control::symbiosis::law::{THETA, logarithmic_queue};
use symbiosis_run::Outcome as Run;
use symbiosis_theory::facts::EqualFlows;

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, between, check, claim, derived, near, nothing, ours, over};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;

const MBPS: f64 = 100.0;
const PACKET: f64 = 1500.0;
/// Flows join so far apart \[s\], and are looked at over the last part of the run.
const APART: u32 = 10;

/// Who competes: a name, a controller, its parameters.
const KINDS: [(&str, &str, &str); 4] = [
    ("symbiosis-paper (oracle)", "symbiosis-paper", "measurement = \"oracle\""),
    ("symbiosis-paper (published ImTCP)", "symbiosis-paper", ""),
    ("symbiosis, the papers' law", "symbiosis", "law = \"lotka-volterra\""),
    ("symbiosis", "symbiosis", ""),
];

/// Flows with these base RTTs \[ms\] that join one after another, with one bandwidth-delay product of the longest as buffer.
fn text(name: &str, cc: &str, params: &str, rtts_ms: &[f64], duration: u32) -> String {
    let mut text = format!(
        r#"# Flows that join one after another.
name = "M4-{name}"
duration_s = {duration}
[[link]]
name = "shared"
rate_mbps = {MBPS}
delay_ms = 1
queue_bdp = 1.0
"#
    );
    for (i, rtt) in rtts_ms.iter().enumerate() {
        text += &format!(
            r#"[[flow]]
cc = "{cc}"
recovery = "sack"
route = ["shared"]
access_rate_mbps = 200
access_delay_ms = {delay}
start_s = {start}
params = {{ {params} }}
"#,
            delay = rtt / 4.0 - 0.5,
            start = APART * i as u32,
        );
    }
    text + &format!("[measure]\nfrom_s = {}\n[trace]\nevery_ms = 100\n", duration - duration / 3)
}

/// What a quick run of the papers' law takes beyond one of the logarithmic law, of which differences die out sooner \[s\].
fn slower(name: &str, by: u32) -> u32 {
    if name == "symbiosis" { 0 } else { by }
}

/// The share of the link that the first flow has of what both have.
fn first_share(run: &Run) -> f64 {
    let flows = &run.summary.flows;
    flows[0].throughput_mbps / (flows[0].throughput_mbps + flows[1].throughput_mbps)
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    among_equals(lab, &mut found);
    unequal(lab, &mut found);
    found
}

/// Why the published measurement fills the buffer.
const READS_K: &str =
    "beside another unpaced flow the published measurement reads nearly all of K as free, and with A = K each goes for the whole Kτ";

fn among_equals(lab: &Lab, found: &mut Outcome) {
    const RTT: f64 = 120.0;
    let counts: &[u32] = if lab.quick { &[2, 5] } else { &[2, 3, 5, 7, 10] };
    let all = KINDS.iter().flat_map(|kind| counts.iter().map(move |n| (kind, *n)));
    // In a quick run more than two flows of ours only.
    let cases: Vec<_> = all.filter(|(kind, n)| !lab.quick || *n == 2 || kind.0 == "symbiosis").collect();
    let scenarios: Vec<_> = cases
        .iter()
        .map(|((name, cc, params), n)| {
            let duration = if lab.quick { 40 } else { 120 } + APART * n;
            let slug = name.replace(&[' ', ',', '(', ')', '\''][..], "-");
            lab.scenario(&text(&format!("{slug}-{n}"), cc, params, &vec![RTT; *n as usize], duration))
        })
        .collect();
    let runs: Vec<Vec<Run>> = scenarios.par_iter().map(|scenario| lab.over_seeds(scenario)).collect();
    let flows = |n: u32| EqualFlows { n, gamma: GAMMA, room: Rate::from_mbps(MBPS).times(Span::from_millis(RTT as u64)) };
    let logarithmic = |n: u32| logarithmic_queue(n, THETA, Rate::from_mbps(MBPS), Bytes(PACKET as u64)) / PACKET;
    let mut curves: Vec<Series> = Vec::new();
    for (name, _, _) in KINDS {
        let of_kind = || cases.iter().zip(&runs).filter(move |((kind, _), _)| kind.0 == name);
        let queue = |runs: &[Run]| over(runs, |run| run.summary.links[0].queue_packets.mean);
        curves.push(Series {
            band: Some(of_kind().map(|(_, runs)| queue(runs)).map(|q| (q.mean - q.ci95, q.mean + q.ci95)).collect()),
            ..Series::new(name, Mark::LinePoints, of_kind().map(|((_, n), runs)| (f64::from(*n), queue(runs).mean)).collect())
        });
        for ((_, n), runs) in of_kind().filter(|((_, n), _)| [2, 5, 10].contains(n)) {
            let (what, wanted) = if name == "symbiosis" { ("Kθ ln n", logarithmic(*n)) } else { ("S Eq 20", flows(*n).queue() / PACKET) };
            let (jain, queue) = (over(runs, |run| run.summary.jain), queue(runs));
            let drops = over(runs, |run| run.summary.links[0].drops as f64);
            let used = over(runs, |run| 100.0 * run.summary.links[0].utilization);
            let why_queue = if name.starts_with("symbiosis-paper") {
                "a correct A is the flow's own rate in a standing queue, so the fixed point is (n−1)(1−γ)Kτ; a reading that is too high, as \
                 the published one's is, leaves more"
            } else {
                "min-RTT probes take their part of it, and whole windows and noise of τ add theirs"
            };
            let read =
                over(runs, |run| series::mean(&series::gauge(run, 0, "A_mbps"), 0.5 * run.summary.duration_s, run.summary.duration_s));
            let too_high =
                || name.contains("published").then(|| check("what the first flow reads of A, K being 100 [Mbit/s]", read, at_least(80.0)));
            found.claims.extend([
                claim(
                    format!("{name}, {n} flows: Jain's index at least 0.99"),
                    ours("≥ 0.99"),
                    jain,
                    "Jain",
                    at_least(0.99),
                    "they have not converged, or read each other wrongly: late joiners see the queue of the earlier as part of τ",
                ),
                claim(
                    format!("{name}, {n} flows: queue within 15 % of {what}"),
                    derived("S §III-C, Eq 20; docs/symbiosis.md, the logarithmic law", format!("{wanted:.1}")),
                    queue,
                    "packets",
                    near(wanted, 0.15),
                    why_queue,
                )
                .because(
                    name.starts_with("symbiosis-paper")
                        .then(|| check("the standing queue [packets]", queue, near(flows(*n).measured_queue() / PACKET, 0.15))),
                    "a correct A is the flow's own rate in a standing queue, so the fixed point is (n−1)(1−γ)Kτ",
                )
                .because(too_high(), READS_K),
                claim(
                    format!("{name}, {n} flows: no packet is dropped"),
                    ours("0"),
                    drops,
                    "packets",
                    nothing(),
                    "a join overflows the buffer",
                )
                .because(too_high(), READS_K),
                claim(format!("{name}, {n} flows: the link is used"), ours("≥ 98"), used, "%", at_least(98.0), "min-RTT probes"),
            ]);
        }
    }
    let theory = |name: &str, queue: &dyn Fn(u32) -> f64| {
        Series::new(name, Mark::Dashed, (1..=*counts.last().expect("there are counts")).map(|n| (f64::from(n), queue(n))).collect())
    };
    curves.push(theory("S Eq 20", &|n| flows(n).queue() / PACKET));
    curves.push(theory("(n−1)(1−γ)Kτ, for a measured A", &|n| flows(n).measured_queue() / PACKET));
    curves.push(theory("Kθ ln n", &logarithmic));
    found.figures.push(Figure {
        id: "M4-queue".into(),
        title: "The queue that n flows leave standing".into(),
        caption: "S Eqs 19–21 hold for the corrected input. With a correct measurement the papers' law leaves (n−1)(1−γ)Kτ, without bound \
                  in n; the logarithmic law Kθ ln n at any RTT. 100 Mbit/s, 120 ms."
            .into(),
        x: Axis::linear("flows"),
        y: Axis::linear("queue [packets]"),
        series: curves,
    });
    found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
}

/// Two flows of different RTT.
fn unequal(lab: &Lab, found: &mut Outcome) {
    let pairs: &[(f64, f64)] = if lab.quick { &[(20.0, 120.0)] } else { &[(20.0, 120.0), (10.0, 160.0)] };
    let cases: Vec<_> =
        KINDS.iter().filter(|kind| kind.1 == "symbiosis").flat_map(|kind| pairs.iter().map(move |pair| (kind, *pair))).collect();
    let scenarios: Vec<_> = cases
        .iter()
        .map(|((name, cc, params), (short, long))| {
            let slug = name.replace(&[' ', ',', '\''][..], "-");
            let duration = if lab.quick { 54 + slower(name, 36) } else { 180 };
            lab.scenario(&text(&format!("{slug}-{short}-{long}"), cc, params, &[*short, *long], duration))
        })
        .collect();
    let runs: Vec<Vec<Run>> = scenarios.par_iter().map(|scenario| lab.over_seeds(scenario)).collect();
    for (((name, _, params), (short, long)), runs) in cases.iter().zip(&runs) {
        let share = over(runs, |run| 100.0 * first_share(run));
        let wanted = if params.is_empty() { 50.0 } else { papers_share(*short, *long) };
        let text = format!("{name}: of RTTs of {short} and {long} ms the shorter gets what the law's fixed point says");
        found.claims.push(claim(
            text,
            derived("docs/symbiosis.md, the logarithmic law", format!("{wanted:.1}")),
            share,
            "%",
            between(wanted - 5.0, wanted + 5.0),
            "errors of τ of a millisecond or two weigh more, the shorter the RTT",
        ));
    }
    found.scenarios.extend(scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)));
}

/// The share \[%\] of the flow with the shorter RTT where the papers' law with the corrected input rests: both see one queue `q`, and a flow of
/// rate `sK` holds `s(τ + q) = τ(1 − γ(1 − s)(τ + q)/τ)`. Solved for the q at which the two shares make one.
fn papers_share(short: f64, long: f64) -> f64 {
    let share = |tau: f64, q: f64| (tau - GAMMA * (tau + q)) / ((1.0 - GAMMA) * (tau + q));
    let (mut low, mut high) = (0.0, long);
    for _ in 0..100 {
        let q = (low + high) / 2.0;
        let sum = share(short, q).max(0.0) + share(long, q).max(0.0);
        if sum > 1.0 { low = q } else { high = q }
    }
    100.0 * share(short, low).max(0.0)
}
