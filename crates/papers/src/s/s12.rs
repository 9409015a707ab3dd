//! S Figs 12 and 13: one flow while UDP moves in steps, its throughput and the queue.

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, over};
use crate::toolkit::dumbbell::Dumbbell;
use crate::toolkit::kinds::{FAST, HIGHSPEED, Kind, RENO, SCALABLE, SYMBIOSIS};
use crate::toolkit::series;
use crate::toolkit::steps::{Played, QUEUE, Steps, THROUGHPUT};
use symbiosis_report::outcome::{Claim, Outcome};

const OTHERS: [Kind; 4] = [RENO, HIGHSPEED, SCALABLE, FAST];
/// After a step it may take so long to follow \[s\].
const SETTLED: f64 = 5.0;

pub fn run(lab: &Lab) -> Outcome {
    let steps = Steps {
        id: "S12".into(),
        about: "S Figs 12, 13: UDP leaves 80, 65, 50, 80 Mbit/s".into(),
        path: Dumbbell { mbps: 100.0, delay_ms: 25.0, queue: "queue_bdp = 1.0".into(), access_mbps: 100.0, access_ms: 5.0 },
        timer_us: 0.0,
        available: vec![(0.0, 80.0), (50.0, 65.0), (100.0, 50.0), (150.0, 80.0)],
        until: 200.0,
        from: 20.0,
    };
    let steps = if lab.quick { steps.quicker(0.6) } else { steps };
    let played = steps.play(lab, &[&OTHERS[..], &SYMBIOSIS].concat());
    let mut found = Outcome::default();
    for (part, about, kinds) in [
        ("others", "Reno, HighSpeed, Scalable, FAST", &OTHERS[..]),
        ("symbiosis", "Symbiosis, which measures for itself", &SYMBIOSIS[..2]),
        ("oracle", "Symbiosis with K and A handed to it", &SYMBIOSIS[2..]),
    ] {
        for (number, what, title, caption) in [
            (12, &THROUGHPUT, "Throughput", "Throughput in each second, the first seed, while UDP leaves what is dashed."),
            (13, &QUEUE, "Queue", "Packets that wait at the bottleneck, UDP's included, the first seed."),
        ] {
            found.figures.push(played.figure(what, kinds, &format!("S{number}-{part}"), &format!("{title}: {about}"), caption));
        }
    }
    for kind in &SYMBIOSIS {
        found.claims.extend(claims(&played, kind));
    }
    let lost = over(played.of(&RENO), |run| run.summary.flows[0].packets_lost as f64);
    found.claims.push(claim("reno: loses packets", "packet losses", lost, "packets", lost.mean > 0.0, "not in the time that was run"));
    let used = over(played.of(&RENO), |run| run.summary.links[0].utilization);
    let why = "a buffer of one BDP is what Reno needs to keep a link full after it halves. The loss of half of what it sends in slow start \
               costs it more, and is over before this is measured";
    found.claims.push(claim("reno: leaves the link idle", "much lower than 100 %", used, "of the link", used.mean < 0.95, why));
    found.scenarios = played.scenarios().collect();
    found
}

fn claims(played: &Played, kind: &Kind) -> Vec<Claim> {
    let name = kind.name;
    let runs = played.of(kind);
    let stages = played.steps.stages();
    let worst = over(runs, |run| {
        let missed = |(from, to, available): &(f64, f64, f64)| (series::delivered(run, 0, from + SETTLED, *to) / available - 1.0).abs();
        stages.iter().map(missed).fold(0.0, f64::max) * 100.0
    });
    let lost = over(runs, |run| run.summary.flows[0].packets_lost as f64);
    let queue = |kind: &Kind| over(played.of(kind), |run| run.summary.links[0].queue_packets.mean);
    let own = queue(kind);
    let least = OTHERS.iter().map(|other| queue(other).mean).fold(f64::INFINITY, f64::min);
    vec![
        claim(
            format!("{name}: throughput follows A within 3 % once 5 s have passed"),
            "≤ 3 % (our bar)",
            worst,
            "% at the worst step",
            worst.mean <= 3.0,
            "it takes longer to follow, or keeps less",
        ),
        claim(
            format!("{name}: no loss, not even when A falls"),
            "0",
            lost,
            "packets",
            lost.mean == 0.0,
            if kind.is_published() { PUBLISHED } else { "the buffer overflows" },
        ),
        claim(
            format!("{name}: the smallest queue of all"),
            format!("below {least:.0}, the least of the others"),
            own,
            "packets in the mean",
            own.mean < least,
            if kind.is_published() { PUBLISHED } else { "S Eq 11 asks for a queue of its own beside UDP's" },
        ),
    ]
}

/// What the published measurement does here.
const PUBLISHED: &str =
    "the published ImTCP reads A too high by 11 to 15 Mbit/s, and S Eq 11 makes 0.9 of that times τ a queue: 60 to 80 packets";
