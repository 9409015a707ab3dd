//! On what H is silent: the weight of a pair, α, and how often reports go. What each does to five flows of XMTP, and beside TCP.

use symbiosis_control::hcc::ALPHA;
use symbiosis_run::{FlowSummary, Outcome as Run};

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, after, at_least, at_most, between, claim, difference, ours, over};
use crate::toolkit::hcc::{Dumbbell, Flows, QUEUE, curve, flows, mean_of, total};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::{Measured, Outcome};

const ALPHAS: [f64; 7] = [0.02, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3];
const REPORTS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

fn text(params: &str, xmtp: u32, duration: u32) -> String {
    let about = "The setting of H Table 1 with another weight of a pair, or other reports.";
    let name = format!("H0-{}-{xmtp}-xmtp", params.replace(" = ", ""));
    let more = "[measure]\nfrom_s = 1\n".into();
    let dumbbell = Dumbbell { name, about, duration, mbps: 10.0, delay: 50.0, queue: QUEUE, loss: 0.0, more };
    dumbbell.text(&[Flows { params, ..flows("hcc", xmtp) }, flows("newreno", 5 - xmtp)])
}

/// What was measured over a parameter.
#[derive(Default)]
struct Sweep {
    used: Vec<(f64, Measured)>,
    alone: Vec<(f64, Measured)>,
    lost: Vec<(f64, Measured)>,
    mixed: Vec<(f64, Measured)>,
    share: Vec<(f64, Measured)>,
}

fn sweep(lab: &Lab, found: &mut Outcome, name: &str, values: &[f64]) -> Sweep {
    let duration = if lab.quick { 26 } else { 101 };
    let packets = |run: &Run, count: fn(&FlowSummary) -> u64| run.summary.flows.iter().map(count).sum::<u64>() as f64;
    let mut sweep = Sweep::default();
    for value in values.iter().copied() {
        let params = format!("{name} = {value}");
        let [five, two] = [5, 2].map(|xmtp| lab.scenario(&text(&params, xmtp, duration)));
        let (five_runs, two_runs) = (lab.over_seeds(&five), lab.over_seeds(&two));
        sweep.used.push((value, over(&five_runs, |run| total(run) / 10.0)));
        sweep.alone.push((value, over(&five_runs, |run| run.summary.jain)));
        sweep.lost.push((value, over(&five_runs, |run| packets(run, |flow| flow.packets_lost) / packets(run, |flow| flow.packets_sent))));
        sweep.mixed.push((value, over(&two_runs, |run| run.summary.jain)));
        sweep.share.push((value, over(&two_runs, |run| mean_of(run, "hcc") / mean_of(run, "newreno"))));
        found.scenarios.extend([five, two].map(|scenario| (scenario.name, scenario.text)));
    }
    sweep
}

fn figure(id: &str, title: &str, x: &str, sweep: &Sweep) -> Figure {
    Figure {
        id: id.into(),
        title: title.into(),
        caption:
            "Five flows over 10 Mbit/s, delay 50 ms: five of XMTP, or two of XMTP beside three of NewReno. Pairs pull the rate up, jitter \
                  and loss push it down."
                .into(),
        x: Axis::log(x),
        y: Axis::linear("part, index or ratio").range(0.0, 2.0),
        series: vec![
            curve("5 XMTP: part of the link", &sweep.used),
            curve("5 XMTP: Jain's index", &sweep.alone),
            curve("5 XMTP: part lost", &sweep.lost),
            curve("2 XMTP, 3 TCP: Jain's index", &sweep.mixed),
            curve("2 XMTP, 3 TCP: XMTP over TCP", &sweep.share),
        ],
    }
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let alpha = sweep(lab, &mut found, "alpha", &ALPHAS);
    let reports = sweep(lab, &mut found, "reports", &REPORTS);
    let last = ALPHAS.len() - 1;
    let chosen = ALPHAS.iter().position(|value| *value == ALPHA).expect("the default is one of them");
    let (mixed, alone) = (alpha.mixed[chosen].1, alpha.alone[chosen].1);
    let fairest =
        alpha.mixed.iter().chain(&reports.mixed).map(|(_, m)| *m).max_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are values");
    found.claims.extend([
        claim(
            "a small weight leaves what H's five flows leave, 17 %",
            after("H Table 1", "0.83"),
            alpha.used[1].1,
            "of the link at α = 0.05",
            between(0.76, 0.90),
            "the weight is not all that sets it: what jitter takes is the path's",
        ),
        claim(
            "so does one report in a round trip",
            after("H Table 1", "0.83"),
            reports.used[0].1,
            "of the link with one report in an RTT",
            between(0.76, 0.90),
            "the weight is not all that sets it: what jitter takes is the path's",
        ),
        claim(
            "as chosen: beside TCP as fair as H's flows",
            after("H Table 1", "Jain ≥ 0.9"),
            mixed,
            "Jain of 2 XMTP, 3 TCP",
            at_least(0.9),
            "the weight is not all that sets it: what jitter takes is the path's",
        ),
        claim("as chosen: five flows are fair to each other", after("H Table 1", "0.990"), alone, "Jain of 5 XMTP", at_least(0.98), ""),
        claim(
            "a large weight loses packets",
            after("H §5.1", "overshoot and oscillation"),
            alpha.lost[last].1,
            "of the packets of five XMTP at α = 0.3",
            above(0.01),
            "the weight is not all that sets it: what jitter takes is the path's",
        ),
        claim(
            "a large weight drives out TCP",
            after("H §5.1", "overshoot and oscillation"),
            alpha.share[last].1,
            "XMTP over TCP at α = 0.3",
            above(1.5),
            "the weight is not all that sets it: what jitter takes is the path's",
        ),
        claim(
            "no other value of either is much fairer to TCP",
            ours("our choice"),
            difference(fairest, mixed),
            "more of Jain's index of 2 XMTP, 3 TCP, the greatest",
            at_most(0.05),
            "a mixed index of fairness varies by as much from seed to seed",
        ),
    ]);
    found.figures.extend([
        figure("H0", "The weight of a pair", "weight α", &alpha),
        figure("H0-reports", "How often reports go", "reports in an RTT", &reports),
    ]);
    found.notes.push(
        "A jitter is reported at once, pairs wait for the next report, and until then they are overruled: P is raised to what the packets of \
         the jitter should have had. So more reports strengthen the pairs, as a greater weight does."
            .into(),
    );
    found
}
