//! H Table 1: five flows, some of XMTP, the rest of TCP.

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, between, check, claim, over};
use crate::toolkit::hcc::{Dumbbell, FITTED_NOTE, Flows, QUEUE, SEEDS, curve, flows, mean_of, of_h, slowest, total};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

/// Flows.
const N: u32 = 5;
/// What one would get \[Mbit/s\].
const FAIR: f64 = 2.0;

/// A weight of a pair that leaves what H's five flows leave (experiment H0).
const WEAK: &str = "alpha = 0.06";

fn text(params: &str, xmtp: u32, duration: u32) -> String {
    let about = "H Table 1: five flows over 10 Mbit/s, delay 50 ms.";
    let dumbbell = Dumbbell {
        name: format!("H4-{xmtp}-xmtp{}", if params.is_empty() { "" } else { "-weak" }),
        about,
        duration,
        mbps: 10.0,
        delay: 50.0,
        queue: QUEUE,
        loss: 0.0,
        more: "[measure]\nfrom_s = 1\n".into(),
    };
    dumbbell.text(&[Flows { params, ..flows("hcc", xmtp) }, flows("newreno", N - xmtp)])
}

pub fn run(lab: &Lab) -> Outcome {
    let lab = &lab.of_seeds(lab.seeds.max(SEEDS));
    // 30 943 packets of 1000 bytes at 10 Mbit/s are 24.8 s (H Table 1).
    let duration = 26;
    let mut found = Outcome { notes: vec![FITTED_NOTE.into()], ..Outcome::default() };
    let mut curves: [Vec<(f64, Measured)>; 4] = Default::default();
    for xmtp in 0..=N {
        let scenario = lab.scenario(&text("", xmtp, duration));
        let runs = if xmtp > 0 { lab.over_seeds(&scenario) } else { vec![lab.run(&scenario)] };
        let jain = over(&runs, |run| run.summary.jain);
        let least = over(&runs, |run| slowest(run) / FAIR);
        let mix = format!("{xmtp} XMTP, {} TCP", N - xmtp);
        found.claims.extend([
            claim(
                format!("{mix}: fair"),
                of_h("H §8.3, Table 1", ["0.999", "0.935", "0.996", "0.997", "0.916", "0.990"][xmtp as usize]),
                jain,
                "Jain",
                at_least(0.9),
                "HCC gives way where TCP fills the queue and travels in clusters: both look like jitter",
            ),
            claim(
                format!("{mix}: nobody is starved"),
                of_h("H §8.3, Table 1", "no"),
                least,
                "of a fair share, the slowest",
                at_least(0.25),
                "the slowest has less than a quarter",
            ),
        ]);
        if xmtp == N {
            let used = over(&runs, |run| total(run) / 10.0);
            let bar = between(0.83 - 0.03, 0.83 + 0.03);
            let weak = over(&lab.over_seeds(&lab.scenario(&text(WEAK, N, duration))), |run| total(run) / 10.0);
            found.claims.push(
                claim("only XMTP: 17 % below the link", of_h("H §8.3, Table 1", "0.83"), used, "of the link", bar, "").because(
                    check(format!("what five use with {WEAK} [of the link]"), weak, bar),
                    format!(
                        "how much five flows leave is set by the weight of a pair, on which H is silent: with {WEAK} it is the paper's 17 %, with 0.1, \
                         which is as fair beside TCP as H's flows are (experiment H0), it is less"
                    ),
                ),
            );
        }
        let at = f64::from(xmtp);
        for (curve, (value, there)) in curves.iter_mut().zip([
            (over(&runs, |run| mean_of(run, "hcc")), xmtp > 0),
            (over(&runs, |run| mean_of(run, "newreno")), xmtp < N),
            (over(&runs, |run| total(run) / f64::from(N)), true),
            (jain, true),
        ]) {
            if there {
                curve.push((at, value));
            }
        }
        found.scenarios.push((scenario.name, scenario.text));
    }
    let [xmtp, tcp, all, jain] = &curves;
    let paper = [0.999, 0.935, 0.996, 0.997, 0.916, 0.990];
    found.figures.extend([
        Figure {
            id: "H4-share".into(),
            title: "Five flows: throughput of each kind".into(),
            caption: "Mean throughput of a flow of each kind, and of all five; 95 % intervals over seeds.".into(),
            x: Axis::linear("flows of XMTP among five"),
            y: Axis::linear("throughput of a flow [Mbit/s]").range(0.0, 3.5),
            series: vec![
                curve("XMTP", xmtp),
                curve("NewReno", tcp),
                curve("all", all),
                Series::new("fair share", Mark::Dashed, vec![(0.0, FAIR), (5.0, FAIR)]),
            ],
        },
        Figure {
            id: "H4-fairness".into(),
            title: "Five flows: fairness".into(),
            caption: "Jain's index over all five flows; 95 % intervals over seeds.".into(),
            x: Axis::linear("flows of XMTP among five"),
            y: Axis::linear("Jain's index").range(0.5, 1.0),
            series: vec![curve("measured", jain), Series::new("H Table 1", Mark::Points, (0..=N).map(f64::from).zip(paper).collect())],
        },
    ]);
    found
}
