//! Where A is searched: a range of rates, cut into sub-ranges of the same width, one stream for each.

use symbiosis_base::Rate;

use crate::measurement::CI95;

/// Part of its rate that the first train is taken to over-read A by at most (Cprobe measures a rate between A and K).
const TRAIN_LOW: f64 = 0.5;

/// Rates between which A is expected \[bytes/s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// Lower end `B_l`.
    pub low: f64,
    /// Upper end `B_u`.
    pub high: f64,
}

impl Range {
    /// What a back-to-back train that arrived at `rate` leaves to search.
    pub fn of_train(rate: f64) -> Range {
        Range { low: TRAIN_LOW * rate, high: rate }
    }

    /// Around `centre`, half as wide as `half` on either side.
    pub fn around(centre: f64, half: f64) -> Range {
        Range { low: centre - half, high: centre + half }
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The `i`th of `k` sub-ranges, from the lowest.
    pub fn part(&self, i: usize, k: usize) -> Range {
        let edge = |i: usize| self.low + self.width() * i as f64 / k as f64;
        Range { low: edge(i), high: edge(i + 1) }
    }

    /// The rate at which packet `j` of `n` follows the one before it, `1 ≤ j < n`: from just above the lower end to the upper end, one
    /// step a packet, so that one stream scans it all.
    pub fn rate(&self, j: usize, n: usize) -> f64 {
        self.low + self.width() * j as f64 / (n - 1) as f64
    }

    /// Moved, and cut if it must be, to lie within `bounds`.
    pub fn within(&self, bounds: &Range) -> Range {
        let width = self.width().min(bounds.width()).max(0.0);
        let low = self.low.min(bounds.high - width).max(bounds.low);
        Range { low, high: low + width }
    }
}

/// On which side of the range A was missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A is below it.
    Below,
    /// A is above it.
    Above,
}

/// The range, and the estimates found in it so far: count, mean, and sum of squared deviations (Welford 1962).
#[derive(Clone, Copy, Debug)]
pub struct Search {
    range: Range,
    found: f64,
    mean: f64,
    squares: f64,
}

impl Search {
    /// Begins in `range`.
    pub fn new(range: Range) -> Search {
        Search { range, found: 0.0, mean: 0.0, squares: 0.0 }
    }

    /// The range to search next, no narrower than B_m where it is set by estimates.
    pub fn range(&self) -> Range {
        self.range
    }

    /// Half the 95 % confidence interval of the stored estimates' mean; zero for fewer than two.
    fn confidence(&self) -> f64 {
        if self.found < 2.0 {
            return 0.0;
        }
        CI95 * libm::sqrt(self.squares / (self.found - 1.0) / self.found)
    }

    /// A was found: the next range is the confidence interval of the stored estimates, at least `least` wide (B_m).
    pub fn found(&mut self, a: Rate, least: Rate, bounds: &Range) {
        let a = a.bytes_per_s();
        self.found += 1.0;
        let off = a - self.mean;
        self.mean += off / self.found;
        self.squares += off * (a - self.mean);
        self.range = Range::around(self.mean, self.confidence().max(least.bytes_per_s() / 2.0)).within(bounds);
    }

    /// A was missed: what was stored no longer holds, and the range grows to that side by its own width. Where the bounds have moved past all of it, it moves with them.
    pub fn missed(&mut self, side: Side, bounds: &Range) {
        let Range { low, high } = self.range;
        let width = self.range.width();
        let (low, high) = match side {
            Side::Below => (low - width, high),
            Side::Above => (low, high + width),
        };
        let cut = Range { low: low.max(bounds.low), high: high.min(bounds.high) };
        *self = Search::new(if cut.width() > 0.0 { cut } else { Range { low, high }.within(bounds) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Range = Range { low: 0.0, high: 1e3 };

    #[test]
    fn sub_ranges_tile_the_range_and_a_stream_scans_its_own() {
        let range = Range::of_train(100.0);
        assert_eq!(range, Range { low: 50.0, high: 100.0 });
        assert_eq!(range.part(0, 5), Range { low: 50.0, high: 60.0 });
        assert_eq!(range.part(4, 5), Range { low: 90.0, high: 100.0 });
        let rates: alloc::vec::Vec<f64> = (1..5).map(|j| range.part(0, 5).rate(j, 5)).collect();
        assert_eq!(rates, [52.5, 55.0, 57.5, 60.0]);
    }

    #[test]
    fn the_next_range_is_the_confidence_interval_but_no_narrower_than_allowed() {
        let mut search = Search::new(Range::of_train(100.0));
        let rate = Rate::from_bytes_per_s;
        search.found(rate(60.0), rate(10.0), &WIDE);
        assert_eq!(search.range(), Range { low: 55.0, high: 65.0 });
        search.found(rate(80.0), rate(10.0), &WIDE);
        // Mean 70, s = √200, 1.96·√200/√2 = 19.6.
        assert!((search.range().low - 50.4).abs() < 1e-9 && (search.range().high - 89.6).abs() < 1e-9);
        search.found(rate(70.0), rate(60.0), &WIDE);
        // s² = 100, 1.96·10/√3 = 11.3, which is less than half of 60.
        assert_eq!(search.range(), Range { low: 40.0, high: 100.0 });
        assert!((search.confidence() - 11.316).abs() < 1e-3);
    }

    #[test]
    fn a_miss_widens_the_range_on_its_side_and_drops_what_was_stored() {
        let mut search = Search::new(Range { low: 40.0, high: 60.0 });
        search.found(Rate::from_bytes_per_s(50.0), Rate::from_bytes_per_s(20.0), &WIDE);
        search.missed(Side::Above, &WIDE);
        assert_eq!((search.range(), search.confidence()), (Range { low: 40.0, high: 80.0 }, 0.0));
        search.missed(Side::Below, &WIDE);
        assert_eq!(search.range(), Range { low: 0.0, high: 80.0 });
        search.missed(Side::Above, &Range { low: 5.0, high: 100.0 });
        assert_eq!(search.range(), Range { low: 5.0, high: 100.0 });
        search.found(Rate::from_bytes_per_s(900.0), Rate::from_bytes_per_s(20.0), &Range { low: 5.0, high: 100.0 });
        assert_eq!(search.range(), Range { low: 80.0, high: 100.0 }, "as wide, and within the bounds");
        search.missed(Side::Above, &Range { low: 200.0, high: 300.0 });
        assert_eq!(search.range(), Range { low: 200.0, high: 240.0 }, "though the bounds have moved past it");
    }
}
