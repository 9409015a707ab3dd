//! S Fig 7: one flow of each kind at 100 Mbit/s.

use crate::toolkit::Lab;
use crate::toolkit::alone::{self, Length};
use symbiosis_report::outcome::Outcome;

/// S Fig 7.
pub fn run(lab: &Lab) -> Outcome {
    let [long, short] = if lab.quick { [100, 60] } else { [200, 200] }.map(|until| Length { start_up: 20, until });
    alone::run(lab, "S7", 100, long, short)
}
