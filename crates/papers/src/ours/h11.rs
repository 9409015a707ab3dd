//! ImTCP in the place of HCC's pairs: beside UDP, and two flows together.

use symbiosis_control::hcc::RANDOMISER;
use symbiosis_control::hcc::facts::used_alone;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, after, against, at_least, below, claim, derived, near, ours, over};
use crate::toolkit::hcc::{Dumbbell, Flows, curve, flows, total};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

const MBPS: f64 = 10.0;
/// Mean rates of UDP \[Mbit/s\].
const UDP: [f64; 3] = [2.0, 5.0, 8.0];

/// What pulls the rate up, what pushes it down: name in the figure, parameters. A run of a hundred positive jitters does not occur.
const KINDS: [(&str, &str); 3] =
    [("pairs and jitter (H)", ""), ("ImTCP and jitter", "source = \"imtcp\""), ("ImTCP alone", "source = \"imtcp\", jitters = 100")];

fn text(name: &str, params: &str, n: u32, udp: f64) -> String {
    let about = "HCC whose rate is pulled up by packet pairs, or by ImTCP.";
    let cross = format!("[[cross]]\nrate_mbps = {udp}\npacket_bytes = 1000\ngaps = \"exponential\"\n");
    let more = format!("{}[measure]\nfrom_s = 20\n", if udp > 0.0 { cross } else { String::new() });
    let name = format!("H11-{}-{n}-udp{udp}", name.replace(' ', "-"));
    let dumbbell = Dumbbell { name, about, duration: 60, mbps: MBPS, delay: 50.0, queue: 100, loss: 0.0, more };
    dumbbell.text(&[Flows { params, ..flows("hcc", n) }])
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let (mut used, mut queues) = (Vec::new(), Vec::new());
    for (name, params) in KINDS {
        let [mut use_, mut queue]: [Vec<(f64, Measured)>; 2] = Default::default();
        for udp in UDP {
            let scenario = lab.scenario(&text(name, params, 1, udp));
            let runs = lab.over_seeds(&scenario);
            let of_what_is_left = over(&runs, |run| total(run) / (MBPS - udp));
            if name == "ImTCP alone" {
                found.claims.push(claim(
                    format!("{name}, {udp} Mbit/s of UDP: takes what is left, but for the randomiser's part"),
                    derived("H §7, the randomiser: 10 % of the period, 5 % in the mean", "A/1.05"),
                    of_what_is_left,
                    "of A",
                    near(used_alone(RANDOMISER), 0.03),
                    "a seed in ten stays for long at the least rate, a few packets in a round trip, with which ImTCP learns little",
                ));
            }
            use_.push((udp, of_what_is_left));
            queue.push((udp, over(&runs, |run| run.summary.links[0].queue_packets.mean)));
            found.scenarios.push((scenario.name, scenario.text));
        }
        used.push(use_);
        queues.push(queue);
    }
    for (at, udp) in UDP.into_iter().enumerate() {
        found.claims.push(claim(
            format!("{udp} Mbit/s of UDP: more than with pairs and jitter"),
            ours("an improvement (ours)"),
            against(used[2][at].1, used[0][at].1),
            "of A",
            above(used[0][at].1.mean),
            "beside so much UDP each finds few packets that say anything",
        ));
    }
    found.claims.push(claim(
        "ImTCP and jitter: less than pairs and jitter",
        after("H §6", "homeostasis needs a probe that overestimates"),
        against(used[1][0].1, used[0][0].1),
        "of A, beside 2 Mbit/s of UDP",
        below(used[0][0].1.mean),
        "beside so little UDP hardly any jitter is heard",
    ));
    for n in [2, 5] {
        let [fair, full] = [0, 2].map(|kind| {
            let (name, params) = KINDS[kind];
            let scenario = lab.scenario(&text(name, params, n, 0.0));
            let runs = lab.over_seeds(&scenario);
            found.scenarios.push((scenario.name, scenario.text));
            over(&runs, |run| run.summary.jain)
        });
        found.claims.push(claim(
            format!("{n} flows, ImTCP alone: fairer than with pairs and jitter"),
            ours("an improvement (ours)"),
            against(full, fair),
            "Jain",
            at_least(fair.mean),
            &format!(
                "{:.3} with pairs and jitter. Pairs read the same for all flows; A is what the others leave, and whoever has it keeps it",
                fair.mean
            ),
        ));
    }
    let figure = |id: &str, title: &str, label: &str, series| Figure {
        id: format!("H11-{id}"),
        title: title.into(),
        caption: "One flow over 10 Mbit/s, delay 50 ms, beside UDP with exponential gaps; 95 % intervals over seeds.".into(),
        x: Axis::linear("UDP [Mbit/s]"),
        y: Axis::linear(label),
        series,
    };
    let curves = |of: &[Vec<(f64, Measured)>]| KINDS.iter().zip(of).map(|((name, _), points)| curve(name, points)).collect::<Vec<_>>();
    let mut shares = curves(&used);
    shares.push(Series::new("1/1.05", Mark::Dashed, UDP.into_iter().map(|udp| (udp, used_alone(RANDOMISER))).collect()));
    found.figures.extend([
        figure("use", "ImTCP in the place of pairs: what is used of what UDP leaves", "part of A", shares),
        figure("queue", "ImTCP in the place of pairs: the queue", "mean queue [packets]", curves(&queues)),
    ]);
    found.notes.push(
        "H's balance is between a probe that reads too much, the capacity, and a correction that only lowers. Put a probe in that reads what is \
         there, and the correction takes away from it; leave the correction out, and loss alone is the safeguard."
            .into(),
    );
    found
}
