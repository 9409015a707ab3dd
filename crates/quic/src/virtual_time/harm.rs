//! What a path does to packets beside delaying them: for tests, and for the relay.

use symbiosis_base::{Nanos, Random};

/// What a path does to packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Harm {
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Probability that it comes twice.
    pub duplicate: f64,
    /// Probability that it is late …
    pub late: f64,
    /// … by so much, so that others overtake it.
    pub late_by: Nanos,
    /// From and until when nothing passes at all.
    pub blackouts: Vec<(Nanos, Nanos)>,
}

impl Harm {
    /// When copies of a packet come that would have come at `at`: none, one, or two.
    pub(crate) fn copies(&self, at: Nanos, random: &mut Random) -> [Option<Nanos>; 2] {
        // Each packet draws the same number of times, whatever becomes of it.
        let (lost, twice, late) = (random.chance(self.loss), random.chance(self.duplicate), random.chance(self.late));
        if lost || self.blackouts.iter().any(|(from, until)| (*from..*until).contains(&at)) {
            return [None, None];
        }
        let at = if late { at + self.late_by } else { at };
        [Some(at), twice.then_some(at)]
    }
}
