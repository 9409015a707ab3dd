//! A figure as a table, where it has few enough numbers to be read: abscissas down, series across.

use crate::figure::{Figure, Mark};
use crate::number::number;

/// More rows than this are a curve, not a table.
const MOST_ROWS: usize = 30;
/// More columns than this do not fit any page.
const MOST_COLUMNS: usize = 12;

/// Names of the columns, and rows of cells; none for a map, or for more than a reader would read.
pub(super) fn of(figure: &Figure) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let mut at: Vec<f64> = figure.series.iter().flat_map(|series| &series.points).map(|point| point.0).filter(|x| x.is_finite()).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let fits = (1..=MOST_ROWS).contains(&at.len()) && (1..=MOST_COLUMNS).contains(&figure.series.len());
    if !fits || figure.series.iter().any(|series| series.mark == Mark::Cells) {
        return None;
    }
    let columns = [figure.x.label.clone()].into_iter().chain(figure.series.iter().map(|series| series.name.clone())).collect();
    let row = |x: &f64| {
        let cell = |series: &crate::figure::Series| {
            let values: Vec<String> = (0..series.points.len())
                .filter(|i| series.points[*i].0 == *x)
                .map(|i| {
                    let half =
                        series.band.as_ref().and_then(|band| band.get(i)).map(|(low, high)| (high - low) / 2.0).filter(|half| *half > 0.0);
                    number(series.points[i].1) + &half.map_or(String::new(), |half| format!(" ± {}", number(half)))
                })
                .collect();
            values.join(", ")
        };
        [number(*x)].into_iter().chain(figure.series.iter().map(cell)).collect()
    };
    Some((columns, at.iter().map(row).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Series};

    #[test]
    fn few_numbers_are_a_table_and_many_are_none() {
        let series =
            |name: &str, count: usize| Series::new(name, Mark::LinePoints, (0..count).map(|i| (i as f64, 2.0 * i as f64)).collect());
        let figure = |count| Figure {
            id: "f".into(),
            title: String::new(),
            caption: String::new(),
            x: Axis::linear("RTT [ms]"),
            y: Axis::linear("y"),
            series: vec![Series { band: Some(vec![(-0.5, 0.5); 2]), ..series("a", 2) }, series("b", count)],
        };
        let (columns, rows) = of(&figure(3)).expect("three rows can be read");
        assert_eq!(columns, ["RTT [ms]", "a", "b"]);
        assert_eq!(rows, [["0", "0 ± 0.5", "0"], ["1", "2 ± 0.5", "2"], ["2", "", "4"]]);
        assert!(of(&figure(500)).is_none());
    }
}
