//! H Table 2: a hundred flows, some of XMTP, the rest of TCP, over half of what they could send.

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, at_least, check, claim, is, over};
use crate::toolkit::hcc::{Dumbbell, FITTED_NOTE, Flows, QUEUE, curve, flows, mean_of, of_h};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::{Claim, Outcome, Verdict};
use symbiosis_run::{FlowSummary, Outcome as Run};

const N: u32 = 100;

/// How long H runs it, and how long it takes NewReno's flows to draw near \[s\].
const H_RUNS: u32 = 25;
const LONG: u32 = 100;

fn text(delay: f64, xmtp: u32, duration: u32) -> String {
    let about = "H Table 2: a hundred flows behind links of 1 Mbit/s over 50 Mbit/s.";
    let name = format!("H5-{delay}ms-{xmtp}-xmtp-{duration}s");
    let dumbbell = Dumbbell { name, about, duration, mbps: 50.0, delay, queue: QUEUE, loss: 0.0, more: "[measure]\nfrom_s = 1\n".into() };
    dumbbell.text(&[Flows { access: 1.0, ..flows("hcc", xmtp) }, Flows { access: 1.0, ..flows("newreno", N - xmtp) }])
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome { notes: vec![FITTED_NOTE.into()], ..Outcome::default() };
    let (mut fairness, mut shares) = (Vec::new(), Vec::new());
    for delay in [10.0, 50.0, 100.0] {
        let (mut jains, mut xmtps, mut tcps) = (Vec::new(), Vec::new(), Vec::new());
        for tcp in [0, 25, 50, 75, 100] {
            let scenario = lab.scenario(&text(delay, N - tcp, H_RUNS));
            let runs = if tcp < N { lab.over_seeds(&scenario) } else { vec![lab.run(&scenario)] };
            let jain = over(&runs, |run| run.summary.jain);
            let least = if tcp == 0 || tcp == N { 0.9 } else { 0.8 };
            let mut fair = claim(
                format!("{delay} ms, {tcp} of 100 are TCP: fair"),
                of_h("H §8.4, Table 2", format!("≥ {least}")),
                jain,
                "Jain",
                at_least(least),
                "",
            );
            if fair.verdict() == Verdict::Differs {
                fair = if tcp == N { slow(lab, delay, fair) } else { apart(&runs, fair) };
            }
            found.claims.push(fair);
            let at = f64::from(tcp);
            jains.push((at, jain));
            if tcp < N {
                xmtps.push((at, over(&runs, |run| mean_of(run, "hcc"))));
            }
            if tcp > 0 {
                tcps.push((at, over(&runs, |run| mean_of(run, "newreno"))));
            }
            found.scenarios.push((scenario.name, scenario.text));
        }
        fairness.push(curve(&format!("{delay} ms"), &jains));
        shares.push(curve(&format!("XMTP, {delay} ms"), &xmtps));
        shares.push(curve(&format!("NewReno, {delay} ms"), &tcps));
    }
    found.figures.extend([
        Figure {
            id: "H5-fairness".into(),
            title: "A hundred flows: fairness".into(),
            caption: "Jain's index over all, by the delay of the bottleneck; 95 % intervals over seeds.".into(),
            x: Axis::linear("flows of TCP among a hundred"),
            y: Axis::linear("Jain's index").range(0.4, 1.0),
            series: fairness,
        },
        Figure {
            id: "H5-share".into(),
            title: "A hundred flows: throughput of each kind".into(),
            caption: "Mean throughput of a flow of each kind; a fair share is 0.5 Mbit/s.".into(),
            x: Axis::linear("flows of TCP among a hundred"),
            y: Axis::linear("throughput of a flow [Mbit/s]").range(0.0, 1.0),
            series: shares,
        },
    ]);
    found
}

/// Of NewReno's flows among themselves: whether they are fair when there is more time.
fn slow(lab: &Lab, delay: f64, claim: Claim) -> Claim {
    let longer = over(&[lab.run(&lab.scenario(&text(delay, 0, LONG)))], |run| run.summary.jain);
    claim.because(
        check(format!("Jain's index over {LONG} s"), longer, at_least(0.9)),
        format!("a fair share is a window of 4 to 15 packets; in {H_RUNS} s NewReno's flows keep what they had when slow start ended, and draw near later"),
    )
}

/// Of both kinds: whether each is fair to its own.
fn apart(runs: &[Run], claim: Claim) -> Claim {
    let rates = |run: &Run| run.summary.flows.iter().filter(|flow| flow.cc == "hcc").map(|flow| flow.throughput_mbps).collect::<Vec<f64>>();
    let own = over(runs, |run| {
        let rates = rates(run);
        let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|x| x * x).sum::<f64>());
        sum * sum / (rates.len() as f64 * squares)
    });
    let lost = over(runs, |run| {
        let of = |value: fn(&FlowSummary) -> u64| -> f64 {
            run.summary.flows.iter().filter(|flow| flow.cc == "hcc").map(value).sum::<u64>() as f64
        };
        100.0 * of(|flow| flow.packets_lost) / of(|flow| flow.packets_sent)
    });
    let ahead = over(runs, |run| mean_of(run, "newreno") / mean_of(run, "hcc"));
    claim
        .because(
            (is(own, at_least(0.9))).then(|| check("NewReno's mean rate over XMTP's", ahead, at_least(1.5))),
            format!(
                "NewReno takes the greater part: its queue is jitter to HCC, and its losses are more than pairs win back (experiment H8). What it leaves XMTP's \
                 flows share fairly, with a Jain's index of {:.2}",
                own.mean
            ),
        )
        .because(
            check("XMTP's packets that are lost [%]", lost, above(2.0)),
            "of what is lost pairs win back no more than α/5 = 2 % (experiment H8), and NewReno's queue takes more of XMTP's packets than that",
        )
        .supposing("NewReno's queue is jitter to HCC, and up to 3 % of loss, of which pairs win back no more than α/5 = 2 % (experiment H8)")
}
