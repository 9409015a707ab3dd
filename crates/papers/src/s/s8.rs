//! S Fig 8: one flow of each kind at 1 Gbit/s.

use crate::toolkit::Lab;
use crate::toolkit::alone;
use symbiosis_report::outcome::Outcome;

/// S Fig 8.
pub fn run(lab: &Lab) -> Outcome {
    alone::run(lab, "S8", 1000, if lab.quick { 40 } else { 120 })
}
