//! Whether the delays of a stream increase: Pathload's two tests (Jain, Dovrolis, SIGCOMM 2002), here on single packets.

/// Threshold of the pairwise comparison test.
const PCT: f64 = 0.55;
/// Threshold of the pairwise difference test.
const PDT: f64 = 0.4;
/// Between this and [`CLEARLY_ABOVE`] times its threshold a test says nothing.
const CLEARLY_BELOW: f64 = 0.9;
/// See [`CLEARLY_BELOW`].
const CLEARLY_ABOVE: f64 = 1.1;

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

/// The verdict of both tests when they agree, of the one that is clear when the other is not, and none when they contradict each other.
pub fn verdict(differences: impl Iterator<Item = f64>) -> Verdict {
    let (pct, pdt) = metrics(differences);
    match (Verdict::of(pct, PCT), Verdict::of(pdt, PDT)) {
        (a, b) if a == b => a,
        (Verdict::Unclear, clear) | (clear, Verdict::Unclear) => clear,
        _ => Verdict::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(differences: &[f64]) -> Verdict {
        verdict(differences.iter().copied())
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
