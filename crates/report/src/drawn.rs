//! What the page and the SVG both draw: a figure thinned, coloured, cut to what its axes can show, with the ends of its axes.

use super::cells::{Cell, Cells};
use super::number::six_digits;
use super::palette::{Colour, colours};
use super::thin::thin;
use crate::figure::{Axis, Figure, Mark};

/// No screen is wide enough to show more of a curve: two points for each of the figure's 720 px.
const MOST_POINTS: usize = 1500;
/// Empty space beyond the data, as a part of the axis: 29 of 720 px, so that no curve lies on the frame.
const MARGIN: f64 = 0.04;

pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) band: Option<(f64, f64)>,
}

pub(super) struct Curve<'a> {
    pub(super) name: &'a str,
    pub(super) mark: Mark,
    pub(super) colour: Colour,
    pub(super) points: Vec<Point>,
}

impl Curve<'_> {
    pub(super) fn has_band(&self) -> bool {
        self.points.iter().any(|point| point.band.is_some())
    }
}

pub(super) struct Drawn<'a> {
    pub(super) curves: Vec<Curve<'a>>,
    pub(super) cells: Option<Cells<'a>>,
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
}

/// Points that an axis cannot show (not finite; not positive on a logarithmic one) are left out, ends of bands there are moved to what it can.
pub(super) fn drawn(figure: &Figure) -> Drawn<'_> {
    let shows = |axis: &Axis, value: f64| value.is_finite() && (!axis.log || value > 0.0);
    let mut curves: Vec<Curve> = Vec::new();
    let coloured = figure.series.iter().zip(colours(&figure.series));
    for (series, colour) in coloured.filter(|(series, _)| series.mark != Mark::Cells) {
        let band =
            |i: usize| series.band.as_ref().and_then(|band| band.get(i)).copied().filter(|(low, high)| low.is_finite() && high.is_finite());
        let shown: Vec<usize> =
            (0..series.points.len()).filter(|i| shows(&figure.x, series.points[*i].0) && shows(&figure.y, series.points[*i].1)).collect();
        let heights: Vec<(f64, f64)> = shown.iter().map(|i| series.points[*i]).collect();
        let points = thin(&heights, MOST_POINTS).into_iter().map(|i| Point { x: heights[i].0, y: heights[i].1, band: band(shown[i]) });
        curves.push(Curve { name: &series.name, mark: series.mark, colour, points: points.collect() });
    }

    let points = || curves.iter().flat_map(|curve| &curve.points);
    let least = points().map(|point| point.y).fold(f64::INFINITY, f64::min);
    let floor = if figure.y.log { least / 10.0 } else { f64::NEG_INFINITY };
    let cells = Cells::of(figure);
    let lines_only = curves.iter().all(|curve| curve.mark == Mark::Line || curve.mark.dash().is_some());
    // A map fills its frame.
    if let Some(cells) = cells {
        let along = |axis: &Axis, span: fn(&Cell) -> (f64, f64)| {
            ends(axis, cells.cells.iter().map(span).flat_map(|(from, to)| [from, to]), 0.0, false)
        };
        let (x, y) = (along(&figure.x, |cell| cell.x), along(&figure.y, |cell| cell.y));
        return Drawn { curves, cells: Some(cells), x, y };
    }
    let x = ends(&figure.x, points().map(|point| point.x), if lines_only { 0.0 } else { MARGIN }, false);
    let heights = points().flat_map(|point| {
        let (low, high) = point.band.unwrap_or((point.y, point.y));
        [point.y, low.max(floor), high]
    });
    let y = ends(&figure.y, heights, MARGIN, true);
    for band in curves.iter_mut().flat_map(|curve| &mut curve.points).filter_map(|point| point.band.as_mut()) {
        band.0 = band.0.max(floor);
    }
    Drawn { curves, cells: None, x, y }
}

/// The ends of an axis: fixed if an axis can have them, or those of the data with a margin. A linear ordinate begins at zero if the data come near.
fn ends(axis: &Axis, values: impl Iterator<Item = f64>, margin: f64, ordinate: bool) -> (f64, f64) {
    if let Some((from, to)) = axis.range
        && (from < to && (!axis.log || from > 0.0))
    {
        return (from, to);
    }
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return if axis.log { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    if axis.log {
        let widened = if low == high { 2.0 } else { (high / low).powf(margin) };
        return (six_digits(low / widened), six_digits(high * widened));
    }
    let from_zero = ordinate && low >= 0.0 && low <= 0.6 * high;
    let low = if from_zero { 0.0 } else { low };
    let space = if low == high { if low == 0.0 { 1.0 } else { 0.1 * low.abs() } } else { (high - low) * margin };
    (if from_zero { 0.0 } else { six_digits(low - space) }, six_digits(high + space))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Series;

    fn figure(x: Axis, y: Axis, points: Vec<(f64, f64)>) -> Figure {
        let series = vec![Series::new("a", Mark::Line, points)];
        Figure { id: "f".into(), title: String::new(), caption: String::new(), x, y, series }
    }

    #[test]
    fn logarithmic_axes_leave_out_what_they_cannot_show() {
        let mut figure = figure(Axis::log("x"), Axis::log("y"), vec![(0.0, 1.0), (1.0, -1.0), (1.0, 2.0), (10.0, f64::NAN), (10.0, 20.0)]);
        figure.series[0].band = Some(vec![(0.0, 0.0), (0.0, 0.0), (-1.0, 3.0), (0.0, 0.0), (10.0, 30.0)]);
        let drawn = drawn(&figure);
        let points: Vec<_> = drawn.curves[0].points.iter().map(|p| (p.x, p.y, p.band.unwrap())).collect();
        assert_eq!(points, [(1.0, 2.0, (0.2, 3.0)), (10.0, 20.0, (10.0, 30.0))]);
        assert_eq!(drawn.x, (1.0, 10.0));
        assert!(drawn.y.0 > 0.0 && drawn.y.0 < 0.2 && drawn.y.1 > 30.0);
    }

    #[test]
    fn ordinates_begin_at_zero_if_near() {
        let (x, y) = (|| Axis::linear("x"), || Axis::linear("y"));
        assert_eq!(drawn(&figure(x(), y(), vec![(0.0, 10.0), (5.0, 100.0)])).y, (0.0, 104.0));
        assert_eq!(drawn(&figure(x(), y(), vec![(0.0, 90.0), (5.0, 100.0)])).y, (89.6, 100.4));
        assert_eq!(drawn(&figure(x(), y().range(-1.0, 7.0), vec![(0.0, 90.0)])).y, (-1.0, 7.0));
        assert_eq!(drawn(&figure(x(), Axis::log("y").range(0.0, 7.0), vec![])).y, (1.0, 10.0), "zero is on no logarithmic axis");
        assert_eq!(drawn(&figure(x(), y(), vec![(3.0, 5.0)])).x, (2.7, 3.3));
        assert_eq!(drawn(&figure(x(), y(), vec![])).y, (0.0, 1.0));
    }
}
