//! Fewer points, same picture.

/// Which points of a long series to draw: the first, the last, and the lowest and highest of each stretch between, in their order. At most `limit` of
/// them, at least two; all if they are no more than that.
pub fn thin(points: &[(f64, f64)], limit: usize) -> Vec<usize> {
    let last = points.len().saturating_sub(1);
    if points.len() <= limit.max(2) {
        return (0..points.len()).collect();
    }
    let stretches = (limit.max(2) - 2) / 2;
    let mut kept = vec![0];
    for stretch in 0..stretches {
        // The points between first and last in equal shares.
        let edge = |number: usize| 1 + (last - 1) * number / stretches;
        let span = edge(stretch)..edge(stretch + 1);
        let by_height = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
        let lowest = span.clone().min_by(by_height);
        let highest = span.max_by(by_height);
        if let (Some(lowest), Some(highest)) = (lowest, highest) {
            kept.push(lowest.min(highest));
            if lowest != highest {
                kept.push(lowest.max(highest));
            }
        }
    }
    kept.push(last);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize) -> Vec<(f64, f64)> {
        (0..n).map(|i| (i as f64, (i as f64 * 0.37).sin())).collect()
    }

    #[test]
    fn keeps_endpoints_and_lone_extremes() {
        let mut points = wave(100_000);
        points[41_234].1 = 9.0;
        points[77_777].1 = -9.0;
        let kept = thin(&points, 1500);
        assert!(kept.len() <= 1500 && kept.len() > 1400, "{}", kept.len());
        assert_eq!((kept[0], *kept.last().unwrap()), (0, 99_999));
        assert!(kept.contains(&41_234) && kept.contains(&77_777));
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "in order, none twice");
    }

    #[test]
    fn keeps_extremes_of_every_stretch() {
        let points = wave(1002);
        let kept = thin(&points, 102);
        for stretch in 0..50 {
            let span = || 1 + stretch * 20..21 + stretch * 20;
            let top = span().map(|i| points[i].1).fold(f64::MIN, f64::max);
            let bottom = span().map(|i| points[i].1).fold(f64::MAX, f64::min);
            let seen: Vec<f64> = kept.iter().filter(|i| span().contains(i)).map(|i| points[*i].1).collect();
            assert!(seen.contains(&top) && seen.contains(&bottom), "stretch {stretch}");
        }
    }

    #[test]
    fn leaves_short_series_alone() {
        assert_eq!(thin(&wave(7), 7), (0..7).collect::<Vec<_>>());
        assert_eq!(thin(&[], 10), Vec::<usize>::new());
        assert_eq!(thin(&wave(9), 0), [0, 8]);
        assert_eq!(thin(&wave(9), 3), [0, 8]);
    }
}
