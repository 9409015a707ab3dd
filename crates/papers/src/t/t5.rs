//! T Fig 5 and B Fig 6: the laboratory, steps of A over four RTTs.

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, over};
use crate::toolkit::kernel::{self, InTurns, checked, without_timer};
use crate::toolkit::kinds::{Kind, OURS, PAPER, RENO, SYMBIOSIS};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::series;
use crate::toolkit::steps::{Played, THROUGHPUT};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

/// T Fig 5, B Fig 6.
pub fn run(lab: &Lab) -> Outcome {
    let rtts = if lab.quick { vec![30.0, 150.0] } else { vec![30.0, 60.0, 100.0, 150.0] };
    let mut found = Outcome::default();
    let mut ratios: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); SYMBIOSIS.len()];
    for rtt in &rtts {
        let played = laboratory_at(*rtt).play(lab, &on_linux());
        figures(&mut found, &played, &format!("B6-{rtt}"), &format!("RTT {rtt} ms"), &[("throughput", &THROUGHPUT)]);
        for (ratios, kind) in ratios.iter_mut().zip(&SYMBIOSIS) {
            ratios.push((*rtt, played.ratio(kind, &RENO, 0.0, played.steps.until)));
            if *rtt >= 60.0 {
                found.claims.push(ahead(&played, kind, &format!("RTT {rtt} ms"), RENO_FILLS));
            }
        }
    }
    for (kind, ratios) in SYMBIOSIS.iter().zip(&ratios) {
        let (short, long) = (ratios[0].1, ratios[ratios.len() - 1].1);
        let gap = Measured { mean: long.mean - short.mean, ci95: long.ci95.hypot(short.ci95), seeds: short.seeds };
        found.claims.push(claim(
            format!("{}: the gap to Reno widens with the RTT", kind.name),
            "widens",
            gap,
            "times Reno's throughput more at 150 ms than at 30 ms",
            gap.mean > 0.0,
            RENO_FILLS,
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
        caption: "Of the whole 120 s, start-up included; mean and 95 % interval over seeds.".into(),
        x: Axis::linear("RTT [ms]"),
        y: Axis::linear("times Reno's throughput"),
        series: SYMBIOSIS.iter().zip(&ratios).map(curve).collect(),
    });
    if !lab.quick {
        for rtt in [30.0, 150.0] {
            let of_t = path(&format!("T5-{rtt}"), "T Fig 5: the laboratory", 100.0, rtt, &[(0.0, 70.0), (40.0, 30.0), (80.0, 50.0)], 120.0);
            let played = of_t.play(lab, &on_linux());
            figures(&mut found, &played, &format!("T5-{rtt}"), &format!("RTT {rtt} ms, A = 70, 30, 50"), &[("throughput", &THROUGHPUT)]);
            for kind in [PAPER, OURS] {
                let place = format!("A = 70, 30, 50, RTT {rtt} ms");
                if rtt > 30.0 {
                    found.claims.push(ahead(&played, &kind, &place, RENO_FILLS));
                } else {
                    let used = used(&played, &kind);
                    let name = kind.name;
                    let why = "it takes too long to follow, or keeps less";
                    found.claims.push(claim(
                        format!("{name}: uses what is available, {place}"),
                        "can effectively utilize",
                        used,
                        "of A",
                        used.mean >= 0.95,
                        why,
                    ));
                }
            }
        }
    }
    found
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
        (Ok(short), Ok(long)) => Ok(Measured { mean: long.mean - short.mean, ci95: long.ci95.hypot(short.ci95), seeds: short.seeds }),
        (Err(why), _) | (_, Err(why)) => Err(why.clone()),
    };
    let unit = "times Reno's throughput more at 150 ms than at 30 ms";
    found.claims.push(checked(
        "symbiosis: the gap to Reno widens with the RTT",
        "widens",
        gap,
        unit,
        |gap| gap.mean > 0.0,
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
