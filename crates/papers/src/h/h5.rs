//! H Table 2: a hundred flows, some of XMTP, the rest of TCP, over half of what they could send.

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, claim, over, published};
use crate::toolkit::hcc::{Dumbbell, Flows, QUEUE, curve, flows, mean_of};
use symbiosis_report::figure::{Axis, Figure};
use symbiosis_report::outcome::Outcome;

const N: u32 = 100;

fn text(delay: f64, xmtp: u32) -> String {
    let about = "H Table 2: a hundred flows behind links of 1 Mbit/s over 50 Mbit/s.";
    let name = format!("H5-{delay}ms-{xmtp}-xmtp");
    let dumbbell =
        Dumbbell { name, about, duration: 25, mbps: 50.0, delay, queue: QUEUE, loss: 0.0, more: "[measure]\nfrom_s = 1\n".into() };
    dumbbell.text(&[Flows { access: 1.0, ..flows("hcc", xmtp) }, Flows { access: 1.0, ..flows("newreno", N - xmtp) }])
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let (mut fairness, mut shares) = (Vec::new(), Vec::new());
    for delay in [10.0, 50.0, 100.0] {
        let (mut jains, mut xmtps, mut tcps) = (Vec::new(), Vec::new(), Vec::new());
        for tcp in [0, 25, 50, 75, 100] {
            let scenario = lab.scenario(&text(delay, N - tcp));
            let runs = if tcp < N { lab.over_seeds(&scenario) } else { vec![lab.run(&scenario)] };
            let jain = over(&runs, |run| run.summary.jain);
            let least = if tcp == 0 || tcp == N { 0.9 } else { 0.8 };
            found.claims.push(claim(
                format!("{delay} ms, {tcp} of 100 are TCP: fair"),
                published("H §8.4, Table 2", format!("≥ {least}")),
                jain,
                "Jain",
                at_least(least),
                if tcp == N {
                    "a fair share is a window of 4 to 15 packets; in 25 s NewReno's flows keep what they had when slow start ended"
                } else {
                    "NewReno takes up to all of its own links. Its queue is jitter to HCC, and up to 3 % of loss, of which pairs win back no more \
                     than α/5 = 2 % (experiment H8); what NewReno leaves HCC's flows share fairly"
                },
            ));
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
