//! S Fig 7: one flow of each kind at 100 Mbit/s.

use crate::toolkit::Lab;
use crate::toolkit::alone;
use symbiosis_report::outcome::Outcome;

/// S Fig 7.
pub fn run(lab: &Lab) -> Outcome {
    alone::run(lab, "S7", 100, if lab.quick { 100 } else { 200 })
}
