//! T Fig 5 and B Fig 6: the laboratory, steps of A over four RTTs.

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, after, at_least, at_most, below, check, claim, difference, near, over, published, ratio};
use crate::toolkit::kernel::{self, InTurns, checked, without_timer};
use crate::toolkit::kinds::{Kind, OF_B, OURS, PAPER_OF_B, RENO};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::series;
use crate::toolkit::steps::{Played, THROUGHPUT};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

/// T Fig 5, B Fig 6.
pub fn run(lab: &Lab) -> Outcome {
    let rtts = if lab.quick { vec![30.0, 150.0] } else { vec![30.0, 60.0, 100.0, 150.0] };
    let part = if lab.quick { 0.33 } else { 1.0 };
    // In a quick run what no oracle tells.
    let asked = |kind: &Kind| !(lab.quick && kind.has_oracle());
    let kinds: Vec<Kind> = on_linux(lab).into_iter().filter(asked).collect();
    let of_b: Vec<Kind> = OF_B.into_iter().filter(asked).collect();
    let mut found = Outcome::default();
    let mut ratios: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); of_b.len()];
    for rtt in &rtts {
        let played = laboratory_at(*rtt).quicker(part).play(lab, &kinds);
        figures(&mut found, &played, &format!("B6-{rtt}"), &format!("RTT {rtt} ms"), &[("throughput", &THROUGHPUT)]);
        for (ratios, kind) in ratios.iter_mut().zip(&of_b) {
            ratios.push((*rtt, played.ratio(kind, &RENO, 0.0, played.steps.until)));
            if *rtt >= 60.0 {
                found.claims.push(ahead(&played, kind, ("B §3.3, Fig 6", &format!("RTT {rtt} ms"))));
            }
        }
    }
    for (kind, ratios) in of_b.iter().zip(&ratios) {
        let (short, long) = (ratios[0].1, ratios[ratios.len() - 1].1);
        let gap = difference(long, short);
        found.claims.push(claim(
            format!("{}: the gap to Reno widens with the RTT", kind.name),
            kind.states("B §3.3, Fig 6", "widens"),
            gap,
            "times Reno's throughput more at 150 ms than at 30 ms",
            above(0.0),
            "Reno's losses in slow start cost it more at 30 ms than at 150 ms",
        ));
    }
    let curve = |(kind, ratios): (&Kind, &Vec<(f64, Measured)>)| {
        let band = ratios.iter().map(|(_, m)| (m.mean - m.ci95, m.mean + m.ci95)).collect();
        let points = ratios.iter().map(|(rtt, m)| (*rtt, m.mean)).collect();
        Series { band: Some(band), ..Series::new(kind.name, Mark::LinePoints, points) }
    };
    found.figures.push(Figure {
        id: "B6-ratio".into(),
        title: "Throughput over Reno's".into(),
        caption: "Of the whole run, start-up included; mean and 95 % interval over seeds.".into(),
        x: Axis::linear("RTT [ms]"),
        y: Axis::linear("times Reno's throughput"),
        series: of_b.iter().zip(&ratios).map(curve).collect(),
    });
    of_t(lab, &mut found);
    found
}

/// T Fig 5: Reno fills the link at 30 ms and not at 150 ms, Symbiosis gets nearly the same at both, and loses packets at 150 ms while A is 30.
fn of_t(lab: &Lab, found: &mut Outcome) {
    const PLACE: &str = "T §2.2.3, Fig 5";
    let of_t: Vec<Kind> = on_linux(lab).into_iter().filter(|kind| !kind.has_oracle()).collect();
    let [short, long] = [30.0, 150.0].map(|rtt| {
        let available = [(0.0, 70.0), (40.0, 30.0), (80.0, 50.0)];
        let path = path(&format!("T5-{rtt}"), "T Fig 5: the laboratory", 100.0, rtt, &available, 120.0);
        let path = if lab.quick { path.quicker(0.75) } else { path };
        let played = path.play(lab, &of_t);
        figures(found, &played, &format!("T5-{rtt}"), &format!("RTT {rtt} ms, A = 70, 30, 50"), &[("throughput", &THROUGHPUT)]);
        played
    });
    let (from, to, _) = long.steps.stages()[1];
    let text = "reno: uses what is available, A = 70, 30, 50, RTT 30 ms";
    let stated = published(PLACE, "can effectively utilize: ≥ 0.9");
    found.claims.push(claim(
        text,
        stated,
        used(&short, &RENO),
        "of A",
        at_least(0.9),
        "slow start's overflow costs it most of the first stage",
    ));
    let text = "reno: cannot, RTT 150 ms";
    found.claims.push(claim(
        text,
        published(PLACE, "not enough throughput: < 0.9"),
        used(&long, &RENO),
        "of A",
        below(0.9),
        "a stage of 40 s is long enough for it to climb",
    ));
    for kind in [PAPER_OF_B, OURS] {
        let name = kind.name;
        let (near_, far) = (used(&short, &kind), used(&long, &kind));
        let text = format!("{name}: uses what is available, A = 70, 30, 50, RTT 30 ms");
        let read = over(short.of(&kind), |run| series::mean(&series::gauge(run, 0, "A_mbps"), 0.5 * from, from));
        let why = format!(
            "A = 70 is read as {:.1} Mbit/s: of what the timer tells, 80 and 60, the latter is the fastest that is level",
            read.mean
        );
        found.claims.push(
            claim(text, kind.states(PLACE, "can effectively utilize: ≥ 0.9"), near_, "of A", at_least(0.9), "")
                .because(check("what is read of A = 70 [Mbit/s]", read, below(66.0)), why),
        );
        let text = format!("{name}: gets almost as much at 150 ms as at 30 ms");
        found.claims.push(claim(
            text,
            kind.states(PLACE, "almost the same: 10 %"),
            ratio(far, near_),
            "times",
            near(1.0, 0.1),
            "a start takes longer at 150 ms, and so do results",
        ));
        let text = format!("{name}: ahead of Reno, A = 70, 30, 50, RTT 150 ms");
        let ahead = long.ratio(&kind, &RENO, 0.0, long.steps.until);
        found.claims.push(claim(
            text,
            kind.states(PLACE, "ahead"),
            ahead,
            "times Reno's throughput",
            above(1.0),
            "where the buffer holds a good part of a BDP Reno keeps the link full",
        ));
    }
    let lost = over(long.of(&PAPER_OF_B), |run| series::losses(run, 0, from, to, 1.0).len() as f64);
    let text = "symbiosis-paper: loses packets while A is 30, RTT 150 ms";
    let bias = over(long.of(&PAPER_OF_B), |run| series::mean(&series::gauge(run, 0, "A_mbps"), from + 5.0, to) - 30.0);
    let claim = claim(
        text,
        published(PLACE, "packet losses"),
        lost,
        "losses a second apart",
        at_least(1.0),
        "the window is down before the buffer is full",
    );
    let why = format!("A = 30 is read as {:.1} Mbit/s, and the window that S Eq 11 makes of it fits the buffer", 30.0 + bias.mean);
    found.claims.push(claim.because(check("what is read beyond 30 [Mbit/s]", bias, at_most(5.0)), why));
}

/// What a kind gets of what is available in the whole run.
fn used(played: &Played, kind: &Kind) -> Measured {
    let stages = played.steps.stages();
    let available: f64 = stages.iter().map(|(from, to, available)| available * (to - from)).sum::<f64>() / played.steps.until;
    over(played.of(kind), |run| series::delivered(run, 0, 0.0, played.steps.until) / available)
}

/// The same with the kernel's TCP.
pub fn in_kernel(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let mut ratios = Vec::new();
    for rtt in [30.0, 60.0, 100.0, 150.0] {
        let steps = without_timer(laboratory_at(rtt));
        let played = InTurns::new(lab, &if lab.quick { steps.quicker(1.0 / 6.0) } else { steps });
        played.show(&mut found, &format!("B6-{rtt}"), &format!("RTT {rtt} ms"));
        if rtt >= 60.0 {
            found.claims.push(kernel::ahead(&played, &format!("RTT {rtt} ms")));
        }
        ratios.push((rtt, played.ratio(0.0, played.steps.until)));
    }
    let gap = match (&ratios[0].1, &ratios[ratios.len() - 1].1) {
        (Ok(short), Ok(long)) => Ok(long.minus(*short)),
        (Err(why), _) | (_, Err(why)) => Err(why.clone()),
    };
    let unit = "times Reno's throughput more at 150 ms than at 30 ms";
    found.claims.push(checked(
        "symbiosis: the gap to Reno widens with the RTT",
        after("B §3.3, Fig 6", "widens"),
        gap,
        unit,
        above(0.0),
        kernel::RENO_FILLS,
    ));
    let known: Vec<(f64, Measured)> = ratios.iter().filter_map(|(rtt, ratio)| Some((*rtt, *ratio.as_ref().ok()?))).collect();
    if !known.is_empty() {
        let band = known.iter().map(|(_, ratio)| (ratio.mean - ratio.ci95, ratio.mean + ratio.ci95)).collect();
        let points = known.iter().map(|(rtt, ratio)| (*rtt, ratio.mean)).collect();
        found.figures.push(Figure {
            id: "linux-B6-ratio".into(),
            title: "Throughput over that of Linux' Reno".into(),
            caption: "Of the whole run, start-up included; mean and 95 % interval over runs.".into(),
            x: Axis::linear("RTT [ms]"),
            y: Axis::linear("times Reno's throughput"),
            series: vec![Series { band: Some(band), ..Series::new(kernel::OURS, Mark::LinePoints, points) }],
        });
    }
    found
}
