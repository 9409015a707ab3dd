//! K by packet pairs, from which A takes the cross traffic out (Man, Hasegawa, Murata: *A merged inline measurement method for capacity and
//! available bandwidth*, PAM 2005).
//!
//! With the later packet in the busy period of the earlier one the link sends it and what others put in between, `K·out = M + (K − A)·in`,
//! so `K = (M − A·in)/(out − in)`. With `in = 0` that is the plain pair, `K = M/out`, which no knowledge of A corrects.
//!
//! The identity holds for means, but K is taken from each pair: a quotient in which noise stands below the line. And the published A is too
//! high, which makes `M − A·in` too small, the more so the more of the packet A explains. So pairs that leave
//! far apart do not count (`EXPLAINED`), and K rests on pairs that leave at once. An access link spreads those, others get in between, and their median
//! reads too low by up to `1 + U/access`; it is exact where most pairs meet nobody.

use alloc::vec::Vec;

use symbiosis_base::Rate;

use crate::measurement::CI95;

/// Pairs that count: so many of the last. The papers (PAM 2005) name no number; 200 are 20 measurements of ten streams, and the median of
/// them is known to 1.25/√200 = 9 % of the pairs' own deviation.
const PAIRS: usize = 200;
/// So many pairs before K is worth anything: a median of five holds against two outliers.
const FEWEST: usize = 5;
/// A pair is well conditioned when A explains at most this part of its later packet: `M − A·in` then magnifies an error of A twofold at most.
const EXPLAINED: f64 = 0.5;

/// Two packets in a row, as they left and arrived.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Size of the later one \[bytes\].
    pub bytes: f64,
    /// Between the departures \[s\].
    pub sent: f64,
    /// Between the arrivals \[s\].
    pub arrived: f64,
    /// How long the earlier one waited on its way \[s\].
    pub waited: f64,
}

/// The last pairs' K, and their median.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// \[bytes/s\], in order of arrival from `next` on.
    last: Vec<f64>,
    next: usize,
    /// The same in order of size.
    sorted: Vec<f64>,
}

impl Default for Capacity {
    fn default() -> Capacity {
        Capacity { last: Vec::with_capacity(PAIRS), next: 0, sorted: Vec::with_capacity(PAIRS) }
    }
}

/// K of one pair where others leave `available` \[bytes/s\]; none of a pair that is badly conditioned or not of one busy period.
pub fn corrected(pair: &Pair, available: f64, service: f64) -> Option<f64> {
    let explained = available * pair.sent;
    let sound = explained <= EXPLAINED * pair.bytes && pair.sent <= pair.waited + service && pair.arrived > pair.sent;
    sound.then(|| (pair.bytes - explained) / (pair.arrived - pair.sent))
}

impl Capacity {
    /// Takes in a pair.
    pub fn add(&mut self, pair: &Pair, available: f64) {
        let service = self.estimate().map_or(0.0, |(k, _)| pair.bytes / k.bytes_per_s());
        let Some(k) = corrected(pair, available, service) else { return };
        let place = |sorted: &[f64], k: f64| sorted.partition_point(|other| *other < k);
        if self.last.len() < PAIRS {
            self.last.push(k);
        } else {
            let old = core::mem::replace(&mut self.last[self.next], k);
            self.next = (self.next + 1) % PAIRS;
            let at = place(&self.sorted, old);
            self.sorted.remove(at);
        }
        let at = place(&self.sorted, k);
        self.sorted.insert(at, k);
    }

    /// No pair counts any more.
    pub fn clear(&mut self) {
        self.last.clear();
        self.sorted.clear();
        self.next = 0;
    }

    /// The median, and half the width of its 95 % confidence interval, by order statistics: ranks `n/2 ± 0.98·√n`. None before the first
    /// few pairs.
    pub fn estimate(&self) -> Option<(Rate, Rate)> {
        let n = self.sorted.len();
        if n < FEWEST {
            return None;
        }
        let off = CI95 / 2.0 * libm::sqrt(n as f64);
        let middle = (n - 1) as f64 / 2.0;
        let at = |rank: f64| self.sorted[(rank.max(0.0) as usize).min(n - 1)];
        let (low, high) = (at(middle - off), at(middle + off + 1.0));
        Some((Rate::from_bytes_per_s(at(middle)), Rate::from_bytes_per_s((high - low) / 2.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(sent: f64, arrived: f64) -> Pair {
        Pair { bytes: 1500.0, sent, arrived, waited: 1.0 }
    }

    #[test]
    fn a_takes_the_cross_traffic_out() {
        // K = 12.5 MB/s, U = 5 MB/s: 60 µs hold 300 bytes of others, so 144 µs between arrivals.
        let k = corrected(&pair(60e-6, 144e-6), 7.5e6, 0.0).unwrap();
        assert!((k - 12.5e6).abs() < 1.0);
        // Back to back it is the plain pair whatever A is.
        assert_eq!(corrected(&pair(0.0, 120e-6), 7.5e6, 0.0), Some(1500.0 / 120e-6));
        // 110 µs · 7.5 MB/s is more than half of the packet.
        assert_eq!(corrected(&pair(110e-6, 150e-6), 7.5e6, 0.0), None);
        // The earlier one was gone, 120 µs of service after it came, before the later one left.
        assert_eq!(corrected(&Pair { waited: 0.0, ..pair(130e-6, 140e-6) }, 0.0, 120e-6), None);
        assert_eq!(corrected(&pair(60e-6, 60e-6), 1e6, 0.0), None, "arrived no further apart than it left");
    }

    #[test]
    fn the_median_and_its_interval_by_hand() {
        let mut capacity = Capacity::default();
        for (i, arrived) in [3.0, 1.0, 2.0, 100.0, 4.0].into_iter().enumerate() {
            assert!(capacity.estimate().is_none(), "{i} pairs");
            capacity.add(&Pair { bytes: 12.0, sent: 0.0, arrived, waited: 0.0 }, 0.0);
        }
        // 12, 6, 4, 3, 0.12: the median of five, within ranks 2 ± 2.19, which is all of them.
        let (k, error) = capacity.estimate().unwrap();
        assert_eq!(k.bytes_per_s(), 4.0);
        assert!((error.bytes_per_s() - 5.94).abs() < 1e-12);
    }

    #[test]
    fn old_pairs_are_forgotten() {
        let mut capacity = Capacity::default();
        for arrived in [1.0, 2.0] {
            for _ in 0..PAIRS {
                capacity.add(&Pair { bytes: 12.0, sent: 0.0, arrived, waited: 0.0 }, 0.0);
            }
        }
        let (k, error) = capacity.estimate().unwrap();
        assert_eq!((k.bytes_per_s(), error.bytes_per_s()), (6.0, 0.0));
        assert_eq!((capacity.sorted.len(), capacity.sorted.capacity()), (PAIRS, PAIRS));
    }
}
