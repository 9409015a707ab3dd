//! What a seed decides of a scenario.

use symbiosis_base::Random;

/// Round-trip times lie within this part of their cell's, above and below.
const SPREAD: f64 = 0.1;

/// Draws for one scenario: round-trip times, starts.
#[derive(Debug)]
pub struct Draw {
    random: Random,
    /// The seed that the scenario is made from; its losses and jitter come from it too.
    pub seed: u64,
}

impl Draw {
    /// For a cell's scenario of that seed: cells draw independently of each other.
    pub fn new(cell: &str, seed: u64) -> Draw {
        Draw { random: Random::new(seed, source(cell)), seed }
    }

    /// A round-trip time within a tenth of `ms` \[ms\].
    pub fn rtt(&mut self, ms: f64) -> f64 {
        micros(ms * (1.0 - SPREAD + 2.0 * SPREAD * self.random.uniform()))
    }

    /// An instant from 0 up to `within` \[s\].
    pub fn start(&mut self, within: f64) -> f64 {
        micros(within * self.random.uniform())
    }
}

/// Six digits behind the point: what a reader of the scenario can still read.
fn micros(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// A number for a cell's name (FNV-1a, 64 bits).
fn source(cell: &str) -> u64 {
    cell.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
