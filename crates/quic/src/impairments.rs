//! What a path does to packets beside delaying them.

use bytes::BytesMut;
use symbiosis_base::{Instant, Random, Span};

/// What a path does to packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Probability that it comes twice.
    pub duplicate: f64,
    /// Probability that it is late …
    pub late: f64,
    /// … by so much, so that others overtake it.
    pub late_by: Span,
    /// Probability that a bit of it is flipped.
    pub damage: f64,
    /// Probability that only its beginning comes.
    pub truncate: f64,
    /// Probability that beside it comes another that nobody sent: as long, with the same beginning, and noise behind that.
    pub forge: f64,
    /// From and until when nothing passes at all.
    pub blackouts: Vec<(Instant, Instant)>,
}

/// So many bytes of a forged packet are those of the true one: the header's first byte, the connection's number (noq's has 8), and three more,
/// so that it is taken for one of the connection and fails as late as it can.
const FORGED_FROM: usize = 12;

impl Impairments {
    /// What comes of a packet that would have come at `at`, and when.
    pub(crate) fn delivers(&self, at: Instant, datagram: BytesMut, random: &mut Random) -> impl Iterator<Item = (Instant, BytesMut)> {
        // Each packet draws the same number of times, whatever becomes of it.
        let [lost, twice, late, damaged, truncated, forged] =
            [self.loss, self.duplicate, self.late, self.damage, self.truncate, self.forge].map(|part| random.chance(part));
        let (place, bit, length, mut noise) = (random.uniform(), random.uniform(), random.uniform(), random.seed());
        let dark = self.blackouts.iter().any(|(from, until)| (*from..*until).contains(&at));
        let at = if late { at + self.late_by } else { at };
        let forgery = (forged && !dark).then(|| {
            let mut forgery = datagram.clone();
            for byte in forgery.iter_mut().skip(FORGED_FROM) {
                // A linear congruence (Knuth's MMIX) is noise enough.
                noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (noise >> 56) as u8;
            }
            forgery
        });
        let mut true_one = datagram;
        if damaged && !true_one.is_empty() {
            let place = (place * true_one.len() as f64) as usize;
            true_one[place] ^= 1 << (bit * 8.0) as u8;
        }
        if truncated {
            true_one.truncate((length * true_one.len() as f64) as usize);
        }
        let passes = !lost && !dark;
        let again = (passes && twice).then(|| true_one.clone());
        [forgery, passes.then_some(true_one), again].into_iter().flatten().map(move |datagram| (at, datagram))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes(impairments: &Impairments, at: Instant) -> Vec<(Instant, BytesMut)> {
        impairments.delivers(at, BytesMut::from(&[7; 100][..]), &mut Random::new(1, 0)).collect()
    }

    #[test]
    fn what_is_certain_happens() {
        let (at, by, whole) = (Instant::from_millis(5), Span::from_millis(5), BytesMut::from(&[7; 100][..]));
        let none = Impairments::default();
        assert_eq!(comes(&none, at), [(at, whole.clone())]);
        assert_eq!(comes(&Impairments { loss: 1.0, ..none.clone() }, at), []);
        assert_eq!(comes(&Impairments { duplicate: 1.0, ..none.clone() }, at), [(at, whole.clone()), (at, whole.clone())]);
        let late = Impairments { late: 1.0, late_by: by, ..none.clone() };
        assert_eq!(comes(&late, at), [(at + by, whole.clone())]);
        let dark = Impairments { blackouts: vec![(Instant::START, at)], forge: 1.0, ..none.clone() };
        assert_eq!(comes(&dark, Instant::START), []);
        assert_eq!(comes(&dark, at).len(), 2, "the blackout is over");
        let damaged = &comes(&Impairments { damage: 1.0, ..none.clone() }, at)[0].1;
        assert_eq!(damaged.iter().zip(&whole).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), 1);
        assert!(comes(&Impairments { truncate: 1.0, ..none.clone() }, at)[0].1.len() < 100);
        let forged = comes(&Impairments { forge: 1.0, loss: 1.0, ..none }, at);
        assert_eq!(forged.len(), 1);
        assert!(forged[0].1[..12] == whole[..12] && forged[0].1[12..] != whole[12..]);
    }
}
