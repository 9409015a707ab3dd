//! S Figs 12 and 13: one flow while UDP moves in steps, its throughput and the queue.

use crate::toolkit::Lab;
use crate::toolkit::claims::{against, at_least, at_most, below, check, claim, nothing, over, published};
use crate::toolkit::dumbbell::{Dumbbell, Udp};
use crate::toolkit::kinds::{FAST, HIGHSPEED, Kind, RENO, SCALABLE, shapes};
use crate::toolkit::series;
use crate::toolkit::steps::{Played, QUEUE, Steps, THROUGHPUT};
use symbiosis_report::outcome::{Claim, Outcome, Verdict};
use symbiosis_run::Outcome as Run;

const OTHERS: [Kind; 4] = [RENO, HIGHSPEED, SCALABLE, FAST];
/// After a step it may take so long to follow \[s\].
const SETTLED: f64 = 5.0;

pub fn run(lab: &Lab) -> Outcome {
    let steps = Steps {
        id: "S12".into(),
        about: "S Figs 12, 13: UDP leaves 80, 65, 50, 80 Mbit/s".into(),
        path: Dumbbell { mbps: 100.0, delay_ms: 25.0, queue: "queue_bdp = 1.0".into(), access_mbps: 100.0, access_ms: 5.0 },
        udp: Udp::Mix,
        timer_us: 0.0,
        available: vec![(0.0, 80.0), (50.0, 65.0), (100.0, 50.0), (150.0, 80.0)],
        until: 200.0,
        from: 20.0,
    };
    let whole = steps.clone();
    let steps = if lab.quick { steps.quicker(0.5) } else { steps };
    // In a quick run what no oracle tells.
    let shapes: Vec<Kind> = shapes(lab).into_iter().filter(|kind| !(lab.quick && kind.has_oracle())).collect();
    let (own, oracle) = shapes.split_at(shapes.iter().filter(|kind| kind.measures()).count());
    // Of the others there is no claim near its bar but Reno's, whose runs are longer.
    let fewer = if lab.quick { lab.of_seeds(2) } else { lab.of_seeds(lab.seeds) };
    let played = steps.play(&fewer, &OTHERS).and(steps.play(lab, &shapes));
    let mut found = Outcome::default();
    for (part, about, kinds) in [
        ("others", "Reno, HighSpeed, Scalable, FAST", &OTHERS[..]),
        ("symbiosis", "Symbiosis, which measures for itself", own),
        ("oracle", "Symbiosis with K and A handed to it", oracle),
    ] {
        if kinds.is_empty() {
            continue;
        }
        for (number, what, title, caption) in [
            (12, &THROUGHPUT, "Throughput", "Throughput in each second, the first seed, while UDP leaves what is dashed."),
            (13, &QUEUE, "Queue", "Packets that wait at the bottleneck, UDP's included, the first seed."),
        ] {
            found.figures.push(played.figure(what, kinds, &format!("S{number}-{part}"), &format!("{title}: {about}"), caption));
        }
    }
    for kind in &shapes {
        found.claims.extend(claims(&played, kind));
    }
    // What its start costs counts for more in a shorter run, and would decide.
    let with = |queue: &str| {
        let mut steps = whole.clone();
        (steps.id, steps.path.queue) = (format!("S12-{queue}"), format!("queue_bdp = {queue}"));
        steps.run(lab, &[("reno", RENO.lines(steps.path.mbps))]).remove(0).1
    };
    let used = |runs: &[Run]| over(runs, |run| run.summary.links[0].utilization);
    let reno = if lab.quick { with("1.0") } else { played.of(&RENO).to_vec() };
    // How many differs by what its start costs, that there are some does not.
    let loses = over(&reno, |run| f64::from(run.summary.flows[0].packets_lost > 0));
    found.claims.push(claim("reno: loses packets", published(PLACE, "packet losses"), loses, "of the runs", at_least(1.0), ""));
    let why = "a buffer of one BDP is what Reno needs to keep a link full after it halves. The loss of half of what it sends in slow start \
               costs it more, and is over before this is measured";
    let idle = claim("reno: leaves the link idle", published(PLACE, "much lower than 100 %"), used(&reno), "of the link", below(0.95), why);
    let half = (idle.verdict() == Verdict::Differs)
        .then(|| check("what is used with half of the buffer [of the link]", used(&with("0.5")), below(0.95)));
    found.claims.push(idle.because(half, why));
    let lost = over(played.of(&FAST), |run| series::drops_from(run, 0.0));
    found.claims.push(claim("fast: no loss", published(PLACE, "0"), lost, "packets", nothing(), ""));
    for kind in [HIGHSPEED, SCALABLE] {
        let (name, runs) = (kind.name, played.of(&kind));
        let used = over(runs, |run| run.summary.links[0].utilization);
        found.claims.push(claim(
            format!("{name}: keeps the link used"),
            published(PLACE, "retains its utilisation: ≥ 0.95"),
            used,
            "of the link",
            at_least(0.95),
            "it halves too often for its buffer",
        ));
        // 12 Mbit/s · ms a packet: what stands in the queue is added to the RTT of 70 ms.
        let moves = |run: &Run| {
            let queue = series::queue(run);
            let settled: Vec<f64> = queue.iter().filter(|(t, _)| *t >= 20.0).map(|(_, packets)| packets * 0.12 / 70.0).collect();
            series::moments(&settled).1
        };
        let text = format!("{name}: with a changing RTT");
        let stated = published(PLACE, "largely fluctuating RTTs: a deviation of 10 % at the least");
        found.claims.push(claim(
            text,
            stated,
            over(runs, moves),
            "of the base RTT, deviation",
            at_least(0.1),
            "the buffer is so seldom empty that the queue moves little",
        ));
    }
    found.scenarios = played.scenarios().collect();
    found
}

/// Where S has it.
const PLACE: &str = "S §IV-D, Figs 12, 13";

/// Why packets may be lost when A falls.
const LATE: &str = "a result takes as many packets as its streams have, and until it comes the window is too large for what is left";

fn claims(played: &Played, kind: &Kind) -> Vec<Claim> {
    let name = kind.name;
    let runs = played.of(kind);
    let stages = played.steps.stages();
    let worst = over(runs, |run| {
        let missed = |(from, to, available): &(f64, f64, f64)| (series::delivered(run, 0, from + SETTLED, *to) / available - 1.0).abs();
        stages.iter().map(missed).fold(0.0, f64::max) * 100.0
    });
    let lost = over(runs, |run| series::drops_from(run, 0.0));
    let queue = |kind: &Kind| over(played.of(kind), |run| run.summary.links[0].queue_packets.mean);
    let own = queue(kind);
    let least = OTHERS.iter().map(queue).min_by(|a, b| a.mean.total_cmp(&b.mean)).expect("there are others");
    vec![
        claim(
            format!("{name}: throughput follows A within 3 % once 5 s have passed"),
            kind.states(PLACE, "good adaptability: ≤ 3 %"),
            worst,
            "% at the worst step",
            at_most(3.0),
            "UDP itself varies by as much in so short a stage, or a result comes late",
        ),
        claim(format!("{name}: no loss, not even when A falls"), kind.states(PLACE, "0"), lost, "packets", nothing(), LATE),
        claim(
            format!("{name}: the smallest queue of all"),
            kind.states(PLACE, format!("below {:.0}, the least of the others", least.mean)),
            against(own, least),
            "packets in the mean",
            below(least.mean),
            "S Eq 11 leaves (1−γ)(K−A)τ standing, and what is read too high adds to it",
        ),
    ]
}
