//! A map: a grid of cells, each coloured by its value.

use super::palette::Colour;
use crate::figure::{Axis, Figure, Mark, Series};

/// From the least value to the greatest: light to dark, told apart by colour-blind readers and in print (ColorBrewer's YlGnBu).
pub(super) const SCALE: [Colour; 5] =
    [Colour(0xff, 0xff, 0xcc), Colour(0xa1, 0xda, 0xb4), Colour(0x41, 0xb6, 0xc4), Colour(0x2c, 0x7f, 0xb8), Colour(0x25, 0x34, 0x94)];

/// One cell: its middle, its ends along both axes, and its value.
pub(super) struct Cell {
    pub(super) middle: (f64, f64),
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
    pub(super) value: f64,
}

/// A map to draw.
pub(super) struct Cells<'a> {
    /// What the colour means, with its unit.
    pub(super) label: &'a str,
    pub(super) cells: Vec<Cell>,
    /// The least and the greatest value.
    pub(super) range: (f64, f64),
}

impl Cells<'_> {
    /// The figure's map, if it has one; of several the first. Cells without a finite value are left out.
    pub(super) fn of(figure: &Figure) -> Option<Cells<'_>> {
        let series = figure.series.iter().find(|series| series.mark == Mark::Cells)?;
        let (columns, rows) = (spans(&figure.x, series, |point| point.0), spans(&figure.y, series, |point| point.1));
        let span = |spans: &[(f64, (f64, f64))], at: f64| spans.iter().find(|(middle, _)| *middle == at).expect("each has its span").1;
        let cells: Vec<Cell> = series
            .points
            .iter()
            .zip(&series.values)
            .filter(|(_, value)| value.is_finite())
            .map(|(point, value)| Cell { middle: *point, x: span(&columns, point.0), y: span(&rows, point.1), value: *value })
            .collect();
        let values = || cells.iter().map(|cell| cell.value);
        let range = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let range = if range.0 < range.1 { range } else { (range.0.min(0.0), range.0.max(0.0) + 1.0) };
        (!cells.is_empty()).then_some(Cells { label: &series.name, cells, range })
    }

    /// A value's colour.
    pub(super) fn colour(&self, value: f64) -> Colour {
        let place = ((value - self.range.0) / (self.range.1 - self.range.0)).clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
        let below = (place as usize).min(SCALE.len() - 2);
        let (from, to, part) = (SCALE[below], SCALE[below + 1], place - below as f64);
        let between = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
        Colour(between(from.0, to.0), between(from.1, to.1), between(from.2, to.2))
    }
}

/// The middles along an axis with the ends of their cells: half way to the next, and as far beyond the outermost.
fn spans(axis: &Axis, series: &Series, along: impl Fn(&(f64, f64)) -> f64) -> Vec<(f64, (f64, f64))> {
    let flat = |value: f64| if axis.log { value.ln() } else { value };
    let back = |value: f64| if axis.log { value.exp() } else { value };
    let mut middles: Vec<f64> = series.points.iter().map(along).collect();
    middles.sort_by(f64::total_cmp);
    middles.dedup();
    let half = |i: usize| {
        let gap = |low: usize| (flat(middles[low + 1]) - flat(middles[low])) / 2.0;
        let last = middles.len() - 1;
        match (i, last) {
            (_, 0) => (0.5, 0.5),
            (0, _) => (gap(0), gap(0)),
            (i, last) if i == last => (gap(i - 1), gap(i - 1)),
            _ => (gap(i - 1), gap(i)),
        }
    };
    (0..middles.len())
        .map(|i| {
            let (before, after) = half(i);
            (middles[i], (back(flat(middles[i]) - before), back(flat(middles[i]) + after)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(points: Vec<(f64, f64)>, values: Vec<f64>, x: Axis) -> Figure {
        let series = vec![Series::cells("queue [packets]", points, values)];
        Figure { id: "f".into(), title: String::new(), caption: String::new(), x, y: Axis::linear("γ"), series }
    }

    #[test]
    fn cells_meet_half_way() {
        let figure = map(vec![(0.0, 0.5), (1.0, 0.5), (3.0, 0.5), (3.0, 0.9)], vec![1.0, 2.0, 3.0, f64::NAN], Axis::linear("x"));
        let cells = Cells::of(&figure).unwrap();
        let ends: Vec<_> = cells.cells.iter().map(|cell| cell.x).collect();
        assert_eq!(ends, [(-0.5, 0.5), (0.5, 2.0), (2.0, 4.0)]);
        assert!(cells.cells.iter().all(|cell| (cell.y.0 - 0.3).abs() < 1e-12 && (cell.y.1 - 0.7).abs() < 1e-12));
        let figure = map(vec![(1.0, 0.5), (100.0, 0.5)], vec![1.0, 2.0], Axis::log("x"));
        let (low, high) = Cells::of(&figure).unwrap().cells[0].x;
        assert!((low - 0.1).abs() < 1e-12 && (high - 10.0).abs() < 1e-9, "{low} {high}");
        assert!(Cells::of(&map(vec![], vec![], Axis::linear("x"))).is_none());
    }

    #[test]
    fn colours_run_from_the_least_to_the_greatest() {
        let figure = map(vec![(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], vec![10.0, 20.0, 30.0], Axis::linear("x"));
        let cells = Cells::of(&figure).unwrap();
        assert_eq!([10.0, 20.0, 30.0].map(|value| cells.colour(value)), [SCALE[0], SCALE[2], SCALE[4]]);
        assert_eq!(cells.colour(12.5), Colour(0xd0, 0xed, 0xc0));
        let same = map(vec![(0.0, 0.0), (1.0, 0.0)], vec![0.0, 0.0], Axis::linear("x"));
        assert_eq!(Cells::of(&same).unwrap().range, (0.0, 1.0));
    }
}
