//! S Fig 9: how long a flow takes to fill what UDP leaves, over the bandwidth.

use crate::toolkit::Lab;
use crate::toolkit::convergence::*;
use crate::toolkit::kinds::{FAST, HIGHSPEED, RENO, SCALABLE, shapes};
use symbiosis_report::outcome::Outcome;

/// S Fig 9.
pub fn run(lab: &Lab) -> Outcome {
    let sweep = Sweep {
        id: "S9",
        source: "S Fig 9",
        about: "Convergence time over the bandwidth, base RTT 70 ms",
        x: "bottleneck [Mbit/s]",
        paths: bandwidths(lab, 25.0, 1.0),
        over: |path| path.mbps,
        kinds: [&[RENO, HIGHSPEED, SCALABLE, FAST][..], &shapes(lab)].concat(),
        most: 300.0,
    };
    let (mut found, times) = sweep.run(lab);
    found.claims.extend(over_bandwidth(&sweep, &times, "S §IV-C, Fig 9"));
    found.claims.extend(equation(&sweep, &times));
    found
}
