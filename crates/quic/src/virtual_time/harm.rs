//! What a path does to packets beside delaying them.

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
    /// Probability that a bit of it is flipped.
    pub damage: f64,
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

    /// Flips a bit of a datagram, or none.
    pub(crate) fn damages(&self, datagram: &mut [u8], random: &mut Random) {
        let (damaged, place, bit) = (random.chance(self.damage), random.uniform(), random.uniform());
        if damaged && !datagram.is_empty() {
            datagram[(place * datagram.len() as f64) as usize] ^= 1 << (bit * 8.0) as u8;
        }
    }
}
