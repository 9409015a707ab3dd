//! I Fig 6: five flows join and leave.

use crate::toolkit::Lab;
use crate::toolkit::five_flows::{self, path};
use crate::toolkit::joins::Joins;
use crate::toolkit::kinds::{OF_I, RENO};
use symbiosis_report::outcome::Outcome;

/// I Fig 6.
pub fn run(lab: &Lab) -> Outcome {
    let joins = Joins {
        id: "I6",
        about: "I Fig 6: five flows join and leave",
        // Twice the bandwidth-delay product between the routers (I §4).
        path: path(40.0, "queue_packets = 667"),
        holds: 1.8,
        stays: vec![(0.0, 500.0), (100.0, 550.0), (200.0, 600.0), (300.0, 650.0), (400.0, 700.0)],
    };
    // In a quick run what an oracle tells is S11's.
    let own = if lab.quick { &OF_I[..3] } else { &OF_I };
    five_flows::run(lab, (joins, 0.16), &[RENO], own, "I §4, Fig 6")
}
