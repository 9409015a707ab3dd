//! S Fig 10: how long a flow takes to fill what UDP leaves, over the delay.

use crate::toolkit::Lab;
use crate::toolkit::claims::{against, below, claim};
use crate::toolkit::convergence::*;
use crate::toolkit::kinds::{FAST, HIGHSPEED, RENO, SCALABLE, SYMBIOSIS, asked};
use crate::toolkit::reach::Path;
use symbiosis_report::outcome::Outcome;

/// S Fig 10.
pub fn run(lab: &Lab) -> Outcome {
    let delays = if lab.quick { &[10.0, 100.0][..] } else { &[10.0, 25.0, 50.0, 100.0, 200.0, 500.0] };
    let own = asked(lab, &SYMBIOSIS);
    let sweep = Sweep {
        id: "S10",
        source: "S Fig 10",
        about: "Convergence time over the delay, 100 Mbit/s",
        x: "propagation delay of the bottleneck [ms]",
        paths: delays.iter().map(|delay_ms| Path { mbps: 100.0, access_mbps: 200.0, delay_ms: *delay_ms, queue_bdp: 1.0 }).collect(),
        over: |path| path.delay_ms,
        kinds: [&[RENO, HIGHSPEED, SCALABLE, FAST][..], &own].concat(),
        // Reno takes minutes on the longest path, which are more than any other's, however many.
        most: if lab.quick { 120.0 } else { 600.0 },
    };
    let (mut found, times) = sweep.run(lab);
    let others = [RENO, HIGHSPEED, SCALABLE, FAST].map(|kind| sweep.growth(&times, &kind).longer());
    let least = others.into_iter().filter(|m| !m.mean.is_nan()).min_by(|a, b| a.mean.total_cmp(&b.mean)).expect("Scalable arrives");
    for kind in &own {
        let own = sweep.growth(&times, kind);
        let (missing, who) = own.missing();
        found.claims.push(
            claim(
                format!("{}: time grows less with the delay than any other's", kind.name),
                kind.states("S §IV-C, Fig 10", format!("the least (of the others {:.1} times)", least.mean)),
                against(own.no_longer(), least),
                "times, from the least delay to the greatest",
                below(least.mean),
                "the others are through slow start with the link full: a buffer of one BDP keeps it so when the window halves",
            )
            .because(missing, who),
        );
    }
    found.claims.extend(equation(&sweep, &times));
    found
}
