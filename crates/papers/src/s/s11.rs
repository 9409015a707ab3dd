//! S Fig 11: five flows join and leave.

use crate::toolkit::Lab;
use crate::toolkit::five_flows::{self, path};
use crate::toolkit::joins::Joins;
use crate::toolkit::kinds::{FAST, HIGHSPEED, SCALABLE, shapes};
use symbiosis_report::outcome::Outcome;

/// S Fig 11.
pub fn run(lab: &Lab) -> Outcome {
    let joins = Joins {
        id: "S11",
        about: "S Fig 11: five flows join and leave",
        path: path(25.0, "queue_bdp = 1.0"),
        holds: 2.0,
        stays: vec![(0.0, 900.0), (100.0, 950.0), (300.0, 1000.0), (500.0, 1050.0), (700.0, 1100.0)],
    };
    five_flows::run(lab, (joins, 0.1), &[HIGHSPEED, SCALABLE, FAST], &shapes(lab), "S §IV-D, Fig 11")
}
