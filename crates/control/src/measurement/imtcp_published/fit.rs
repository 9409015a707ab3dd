//! A inside the chosen sub-range: where the arrival rate stops following the rate of departure.

/// Least-squares sums of some points.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Line {
    fn with(self, sign: f64, (x, y): (f64, f64)) -> Line {
        Line {
            n: self.n + sign,
            x: self.x + sign * x,
            y: self.y + sign * y,
            xx: self.xx + sign * x * x,
            xy: self.xy + sign * x * y,
            yy: self.yy + sign * y * y,
        }
    }

    /// Its slope, and the sum of squared residuals.
    fn fitted(&self) -> (f64, f64) {
        let (sxx, sxy) = (self.xx - self.x * self.x / self.n, self.xy - self.x * self.y / self.n);
        let syy = self.yy - self.y * self.y / self.n;
        let slope = if sxx > 0.0 { sxy / sxx } else { 0.0 };
        (slope, syy - slope * sxy)
    }
}

/// Points that a line needs, that its slope may be something.
const FEWEST: usize = 2;

/// The greatest rate of departure on the first of two lines fitted to `(departure rate, arrival rate)`, rates of departure rising: of all
/// ways to part them in two, with at least two points each and the second line flatter, the one of least squares. None when the second
/// line is always the steeper one.
///
/// Below A what arrives follows what leaves, with a slope near 1; above A it falls behind.
pub fn parting(points: &[(f64, f64)]) -> Option<f64> {
    // About the mean, so that the sums of squares do not cancel.
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(mx, my), (x, y)| (mx + x / n, my + y / n));
    let about = |(x, y): (f64, f64)| (x - mx, y - my);
    let mut first = Line::default();
    let mut second = points.iter().fold(Line::default(), |line, point| line.with(1.0, about(*point)));
    let mut best: Option<(f64, f64)> = None;
    for (i, point) in points.iter().enumerate() {
        (first, second) = (first.with(1.0, about(*point)), second.with(-1.0, about(*point)));
        if i + 1 < FEWEST || points.len() < i + 1 + FEWEST {
            continue;
        }
        let ((slope, error), (flatter, rest)) = (first.fitted(), second.fitted());
        let total = error + rest;
        if flatter < slope && best.is_none_or(|(least, _)| total < least) {
            best = Some((total, point.0));
        }
    }
    best.map(|(_, rate)| rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Arrivals of a link of 100 that others use with `100 − a`: above `a`, `q = r·100/(100 − a + r)`.
    fn fluid(a: f64, rates: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
        rates.map(|r| (r, if r <= a { r } else { r * 100.0 / (100.0 - a + r) })).collect()
    }

    #[test]
    fn the_lines_of_a_fluid_part_at_a() {
        let points = fluid(80.0, (0..10).map(|i| 71.0 + 2.0 * f64::from(i)));
        assert_eq!(parting(&points), Some(79.0));
        let points = fluid(80.0, (0..10).map(|i| 62.0 + 4.0 * f64::from(i)));
        assert_eq!(parting(&points), Some(78.0));
    }

    #[test]
    fn a_little_noise_moves_it_little() {
        let mut points = fluid(50.0, (0..19).map(|i| 41.0 + f64::from(i)));
        for (i, (_, q)) in points.iter_mut().enumerate() {
            *q += if i % 2 == 0 { 0.05 } else { -0.05 };
        }
        let a = parting(&points).unwrap();
        assert!((a - 50.0).abs() <= 2.0, "{a}");
    }

    #[test]
    fn lines_that_steepen_do_not_part() {
        assert_eq!(parting(&[(1.0, 1.0), (2.0, 1.0), (3.0, 2.0), (4.0, 4.0)]), None);
        assert_eq!(parting(&[(1.0, 1.0), (2.0, 1.0), (3.0, 2.0)]), None, "too few");
        assert_eq!(parting(&[]), None);
    }
}
