//! What experiments cost, so that who waits is told how long.

/// Seconds of CPU of each, of a full reproduction and of a quick one. Measured once on a machine of ours (`reproduce --threads 1`): only their
/// proportions matter.
const COSTS: &[(&str, f64, f64)] = &[];

/// What an experiment costs \[s of CPU\], in proportion to the others; one second where it is not known.
pub fn cost(id: &str, quick: bool) -> f64 {
    COSTS.iter().find(|(known, ..)| *known == id).map_or(1.0, |(_, full, short)| if quick { *short } else { *full })
}
