//! S Fig 10: how long a flow takes to fill what UDP leaves, over the delay.

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, exact};
use crate::toolkit::convergence::*;
use crate::toolkit::kinds::{FAST, HIGHSPEED, Kind, RENO, SCALABLE, SYMBIOSIS};
use crate::toolkit::reach::Path;
use symbiosis_report::outcome::Outcome;

/// S Fig 10.
pub fn run(lab: &Lab) -> Outcome {
    let delays = if lab.quick { &[10.0, 100.0][..] } else { &[10.0, 25.0, 50.0, 100.0, 200.0, 500.0] };
    let sweep = Sweep {
        id: "S10",
        source: "S Fig 10",
        about: "Convergence time over the delay, 100 Mbit/s",
        x: "propagation delay of the bottleneck [ms]",
        paths: delays.iter().map(|delay_ms| Path { mbps: 100.0, access_mbps: 200.0, delay_ms: *delay_ms, queue_bdp: 1.0 }).collect(),
        over: |path| path.delay_ms,
        kinds: [&[RENO, HIGHSPEED, SCALABLE, FAST][..], &SYMBIOSIS].concat(),
        most: 600.0,
    };
    let (mut found, times) = sweep.run(lab);
    let growth = |kind: &Kind| sweep.growth(&times, kind);
    let others = [RENO, HIGHSPEED, SCALABLE, FAST].map(|kind| growth(&kind));
    let least = others.iter().copied().fold(f64::INFINITY, f64::min);
    for kind in &SYMBIOSIS {
        let own = growth(kind);
        found.claims.push(claim(
            format!("{}: time grows less with the delay than any other's", kind.name),
            format!("below {least:.1} times, the least of the others"),
            exact(own),
            "times, from the least delay to the greatest",
            own < least,
            "the others are through slow start with the link full: a buffer of one BDP keeps it so when the window halves",
        ));
    }
    found.claims.extend(equation(&sweep, &times));
    found
}
