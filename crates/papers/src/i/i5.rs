//! I Fig 5: how long a flow takes to fill what UDP leaves, over the bandwidth.

use crate::toolkit::Lab;
use crate::toolkit::convergence::*;
use crate::toolkit::kinds::{HIGHSPEED, OF_I, RENO, SCALABLE, asked};
use symbiosis_report::outcome::Outcome;

/// I Fig 5.
pub fn run(lab: &Lab) -> Outcome {
    let sweep = Sweep {
        id: "I5",
        source: "I Fig 5",
        about: "Convergence time over the bandwidth, base RTT 100 ms",
        x: "bottleneck [Mbit/s]",
        // As in I4 and I6: twice the product of the link between the routers, 2 · 40 of 100 ms (I §4).
        paths: bandwidths(lab, 40.0, 0.8),
        over: |path| path.mbps,
        kinds: [&[RENO, HIGHSPEED, SCALABLE][..], &asked(lab, &OF_I)].concat(),
        most: 300.0,
    };
    let (mut found, times) = sweep.run(lab);
    found.claims.extend(over_bandwidth(&sweep, &times, "I §4, Fig 5"));
    found
}
