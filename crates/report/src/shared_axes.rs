//! One scale for what is to be compared.

use crate::drawn::drawn;
use crate::figure::{Axis, Figure, Mark};

/// The figures of one experiment, those with the same quantities on both axes with the same ends: controllers that stand side by side can be
/// compared by eye. Ends that a figure fixes stay; maps keep their own.
pub(super) fn shared_axes(figures: &[Figure]) -> Vec<Figure> {
    let ends: Vec<_> = figures
        .iter()
        .map(|figure| {
            let drawn = drawn(figure);
            (drawn.x, drawn.y)
        })
        .collect();
    let map = |figure: &Figure| figure.series.iter().any(|series| series.mark == Mark::Cells);
    let empty = |figure: &Figure| figure.series.iter().all(|series| series.points.is_empty());
    let same = |one: &Axis, other: &Axis| one.label == other.label && one.log == other.log;
    let shares =
        |one: &Figure, other: &Figure| same(&one.x, &other.x) && same(&one.y, &other.y) && !map(one) && !map(other) && !empty(other);
    let all = |of: &dyn Fn(usize) -> (f64, f64), figure: &Figure| {
        let group = (0..figures.len()).filter(|at| shares(figure, &figures[*at])).map(of);
        group.reduce(|(from, to), (low, high)| (from.min(low), to.max(high)))
    };
    figures
        .iter()
        .map(|figure| {
            let mut shown = figure.clone();
            shown.x.range = figure.x.range.or(all(&|at| ends[at].0, figure));
            shown.y.range = figure.y.range.or(all(&|at| ends[at].1, figure));
            shown
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Series;

    fn figure(label: &str, top: f64) -> Figure {
        let series = vec![Series::new("a", Mark::Line, vec![(0.0, 1.0), (10.0, top)])];
        Figure {
            id: label.into(),
            title: String::new(),
            caption: String::new(),
            x: Axis::linear("time [s]"),
            y: Axis::linear(label),
            series,
        }
    }

    #[test]
    fn the_same_quantity_has_the_same_ends() {
        let shown = shared_axes(&[figure("window", 10.0), figure("window", 100.0), figure("queue", 7.0)]);
        let tops: Vec<f64> = shown.iter().map(|figure| drawn(figure).y.1).collect();
        assert_eq!(tops[0], tops[1]);
        assert!(tops[0] >= 100.0 && tops[2] < 10.0, "{tops:?}");
        let fixed = Figure { y: Axis::linear("window").range(0.0, 5.0), ..figure("window", 10.0) };
        assert_eq!(drawn(&shared_axes(&[fixed, figure("window", 100.0)])[0]).y, (0.0, 5.0));
    }
}
