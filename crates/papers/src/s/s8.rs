//! S Fig 8: one flow of each kind at 1 Gbit/s.

use crate::toolkit::Lab;
use crate::toolkit::alone::{self, Length};
use symbiosis_report::outcome::Outcome;

/// S Fig 8.
pub fn run(lab: &Lab) -> Outcome {
    // A flow of ours is at its rest after 8 s, and what slow start lost is repaired after 10; nothing but the instants of min-RTT probes is random.
    match lab.quick {
        true => alone::run(&lab.of_seeds(2), "S8", 1000, Length { start_up: 20, until: 50 }, Length { start_up: 12, until: 19 }),
        false => alone::run(lab, "S8", 1000, Length { start_up: 20, until: 120 }, Length { start_up: 20, until: 120 }),
    }
}
