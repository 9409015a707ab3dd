//! Whether the delays of a stream increase. The papers say only that departures and arrivals are compared (T §2.2.1, B §2.1). The tests are
//! Pathload's (Jain, Dovrolis, SIGCOMM 2002), which takes the delays' medians in √N groups first; on single packets they are another test, which
//! noise passes for level well above A.

use alloc::vec::Vec;

/// Threshold of the pairwise comparison test.
const PCT: f64 = 0.55;
/// Threshold of the pairwise difference test.
const PDT: f64 = 0.4;
/// Between this and [`CLEARLY_ABOVE`] times its threshold a test says nothing.
const CLEARLY_BELOW: f64 = 0.9;
/// See [`CLEARLY_BELOW`].
const CLEARLY_ABOVE: f64 = 1.1;

/// What the tests look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// The delays' medians in √N groups of successive packets, as Pathload does.
    Pathload,
    /// Each packet's delay.
    Raw,
}

/// What a stream says of its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its delays do not increase: slower than A.
    Level,
    /// Neither.
    Unclear,
    /// Its delays increase: faster than A.
    Increasing,
}

impl Verdict {
    /// −1, 0 or +1.
    pub fn sign(self) -> i32 {
        match self {
            Verdict::Level => -1,
            Verdict::Unclear => 0,
            Verdict::Increasing => 1,
        }
    }

    fn of(metric: f64, threshold: f64) -> Verdict {
        if metric > CLEARLY_ABOVE * threshold {
            Verdict::Increasing
        } else if metric < CLEARLY_BELOW * threshold {
            Verdict::Level
        } else {
            Verdict::Unclear
        }
    }
}

/// `PCT` and `PDT` of the differences between successive delays: the part of them above zero, and their sum over the sum of their sizes
/// (zero when nothing changes).
pub fn metrics(differences: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut n, mut up, mut sum, mut sizes) = (0.0, 0.0, 0.0, 0.0);
    for difference in differences {
        n += 1.0;
        up += f64::from(u8::from(difference > 0.0));
        sum += difference;
        sizes += difference.abs();
    }
    let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    (over(up, n), over(sum, sizes))
}

impl Trend {
    /// The verdict on delays in the order of departure.
    pub fn verdict(self, delays: &[f64]) -> Verdict {
        match self {
            Trend::Raw => verdict(delays),
            Trend::Pathload => {
                // Groups of equal size, as many as √N rounds to; what does not fill one is left out, as in Pathload.
                let groups = (libm::round(libm::sqrt(delays.len() as f64)) as usize).max(2);
                let medians: Vec<f64> = delays.chunks_exact((delays.len() / groups).max(1)).take(groups).map(median).collect();
                verdict(&medians)
            }
        }
    }
}

/// Of an even number the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { sorted[middle - 1].midpoint(sorted[middle]) }
}

/// The verdict of both tests when they agree, of the one that is clear when the other is not, and none when they contradict each other.
fn verdict(delays: &[f64]) -> Verdict {
    let (pct, pdt) = metrics(delays.windows(2).map(|pair| pair[1] - pair[0]));
    match (Verdict::of(pct, PCT), Verdict::of(pdt, PDT)) {
        (a, b) if a == b => a,
        (Verdict::Unclear, clear) | (clear, Verdict::Unclear) => clear,
        _ => Verdict::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On single packets, by the differences of their delays.
    fn of(differences: &[f64]) -> Verdict {
        let mut delay = 0.0;
        let rest = differences.iter().map(|difference| {
            delay += difference;
            delay
        });
        Trend::Raw.verdict(&[0.0].into_iter().chain(rest).collect::<Vec<_>>())
    }

    #[test]
    fn medians_of_groups_by_hand() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
        // Nine packets are three groups of three. Single delays fall as often as they rise, and end where they began; medians are 1, 2, 3.
        let delays = [0.0, 1.0, 9.0, 2.0, 0.0, 8.0, 0.0, 3.0, 9.0];
        assert_eq!(Trend::Pathload.verdict(&delays), Verdict::Increasing);
        // Five rises of eight are above 0.605, and 9 over 39 is below 0.36: the tests on single packets contradict each other.
        assert_eq!(Trend::Raw.verdict(&delays), Verdict::Unclear);
        // 20 packets are four groups of five, five are two of two: the least that the papers have.
        assert_eq!(Trend::Pathload.verdict(&[0.0, 1.0, 2.0, 3.0, 9.0]), Verdict::Increasing);
        assert_eq!(Trend::Pathload.verdict(&[0.0; 20]), Verdict::Level);
    }

    #[test]
    fn metrics_by_hand() {
        // Three of four up; (3 + 1 + 2 − 2)/(3 + 1 + 2 + 2).
        assert_eq!(metrics([3.0, 1.0, 2.0, -2.0].into_iter()), (0.75, 0.5));
        assert_eq!(metrics([0.0, 0.0].into_iter()), (0.0, 0.0));
        assert_eq!(metrics([].into_iter()), (0.0, 0.0));
    }

    #[test]
    fn verdicts_by_hand() {
        // 0.75 > 0.605 and 0.5 > 0.44.
        assert_eq!(of(&[3.0, 1.0, 2.0, -2.0]), Verdict::Increasing);
        // 0.5 lies above 0.495 and is unclear; 0 < 0.36.
        assert_eq!(of(&[1.0, -1.0, 1.0, -1.0]), Verdict::Level);
        // 0.5 is unclear; 8/12 > 0.44.
        assert_eq!(of(&[5.0, 5.0, -1.0, -1.0]), Verdict::Increasing);
        // 0.25 < 0.495, but 7/13 > 0.44: they contradict each other.
        assert_eq!(of(&[10.0, -1.0, -1.0, -1.0]), Verdict::Unclear);
        // 0.5 is unclear, and 4/10 lies between 0.36 and 0.44.
        assert_eq!(of(&[3.0, 4.0, -2.0, -1.0]), Verdict::Unclear);
    }
}
