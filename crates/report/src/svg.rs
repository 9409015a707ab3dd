//! A figure as SVG, for papers: white ground, no script, text as text.

use std::ops::Range;

use plotters::chart::{ChartContext, MeshStyle};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::cells::{Cell, Cells};
use super::clip::{Window, inside, visible};
use super::drawn::{Curve, Drawn, drawn};
use super::number::{number, six_digits};
use super::palette::Colour;
use crate::figure::{Axis, Figure, Mark};

/// Plotters' coordinates are whole pixels; drawn this much larger and scaled back by the view box, curves are smooth.
const FINE: u32 = 10;
const WIDTH: u32 = 720;
const HEIGHT: u32 = 420;
/// Size of text \[px\].
const TEXT: u32 = 15;
/// Plotters divides sizes by this before it writes them.
const PLOTTERS_TEXT: f64 = 1.24;
const FONT: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";
/// Mean width of a letter, as a part of the size.
const LETTER: f64 = 0.53;
/// Width of the key to a map's colours.
const KEY: u32 = 150;
const LEGEND_LINE: u32 = 22;
const LEGEND_SYMBOL: u32 = 26;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// The figure as an SVG document. The same figure gives the same text.
pub fn svg(figure: &Figure) -> String {
    let drawn = drawn(figure);
    let legend =
        if drawn.curves.len() > 1 || (drawn.cells.is_some() && !drawn.curves.is_empty()) { rows(&drawn.curves) } else { Vec::new() };
    let height = HEIGHT + legend.len() as u32 * LEGEND_LINE;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH * FINE, height * FINE)).into_drawing_area();
        draw(figure, &drawn, &legend, &area).expect("drawing into a String does not fail");
    }
    let fine = format!("width=\"{}\" height=\"{}\" viewBox", WIDTH * FINE, height * FINE);
    text.replacen(&fine, &format!("width=\"{WIDTH}\" height=\"{height}\" viewBox"), 1)
}

fn draw<'a>(figure: &Figure, drawn: &Drawn, legend: &[Vec<(u32, usize)>], area: &Area<'a>) -> Result<(), Failure<'a>> {
    area.fill(&WHITE)?;
    let title = style(TEXT + 2, BLACK);
    area.draw_text(&figure.title, &title, px(12, 12))?;
    for (line, row) in legend.iter().enumerate() {
        for (x, curve) in row {
            entry(area, &drawn.curves[*curve], *x, 38 + line as u32 * LEGEND_LINE)?;
        }
    }
    let top = 36 + legend.len() as u32 * LEGEND_LINE;
    let (_, plot) = area.split_vertically(top * FINE);
    let plot = match &drawn.cells {
        Some(cells) => {
            let (plot, key) = plot.split_horizontally((WIDTH - KEY) * FINE);
            colour_key(&key, cells)?;
            plot
        }
        None => plot,
    };

    // Plotters has a type for each kind of axis.
    let (x, y) = (drawn.x.0..drawn.x.1, drawn.y.0..drawn.y.1);
    match (figure.x.log, figure.y.log) {
        (false, false) => chart(figure, drawn, &plot, x, y),
        (true, false) => chart(figure, drawn, &plot, logarithmic(x), y),
        (false, true) => chart(figure, drawn, &plot, x, logarithmic(y)),
        (true, true) => chart(figure, drawn, &plot, logarithmic(x), logarithmic(y)),
    }
}

fn chart<'a, X, Y>(figure: &Figure, drawn: &Drawn, area: &Area<'a>, x: X, y: Y) -> Result<(), Failure<'a>>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .margin_top(8 * FINE)
        .margin_right(24 * FINE)
        .margin_bottom(8 * FINE)
        .margin_left(8 * FINE)
        .x_label_area_size(48 * FINE)
        .y_label_area_size(70 * FINE)
        .build_cartesian_2d(x, y)?;
    let (in_x, in_y) = (|value: &f64| tick(&figure.x, drawn.x, *value), |value: &f64| tick(&figure.y, drawn.y, *value));
    let mut mesh: MeshStyle<_, _, _> = chart.configure_mesh();
    mesh.x_labels(9)
        .y_labels(7)
        .max_light_lines(0)
        .bold_line_style(RGBColor(0xdd, 0xdd, 0xdd).stroke_width(FINE * 3 / 4))
        .axis_style(RGBColor(0x55, 0x55, 0x55).stroke_width(FINE))
        .x_label_formatter(&in_x)
        .y_label_formatter(&in_y)
        .x_desc(&figure.x.label)
        .y_desc(&figure.y.label)
        .label_style(style(TEXT - 1, RGBColor(0x22, 0x22, 0x22)))
        .axis_desc_style(style(TEXT, BLACK))
        .set_all_tick_mark_size(4 * FINE)
        .draw()?;
    let window = Window { x: drawn.x, y: drawn.y, log: (figure.x.log, figure.y.log) };
    if let Some(cells) = &drawn.cells {
        // A hair wider than they are, or the ground shows between neighbours.
        let cell = |cell: &Cell| {
            let colour = rgb(cells.colour(cell.value));
            let ends = [(cell.x.0.max(drawn.x.0), cell.y.0.max(drawn.y.0)), (cell.x.1.min(drawn.x.1), cell.y.1.min(drawn.y.1))];
            [Rectangle::new(ends, colour.filled()), Rectangle::new(ends, colour.stroke_width(FINE / 4))]
        };
        chart.draw_series(cells.cells.iter().flat_map(cell))?;
    }
    for curve in &drawn.curves {
        plot(&mut chart, &window, curve)?;
    }
    Ok(())
}

fn plot<'a, X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'a>, Cartesian2d<X, Y>>,
    window: &Window,
    curve: &Curve,
) -> Result<(), Failure<'a>>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let colour = rgb(curve.colour);
    let points: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x, point.y)).collect();
    // A band ends where the axes end; its edges may be cut a little steeper there than they are.
    let cut = |(low, high): (f64, f64)| (low.clamp(window.y.0, window.y.1), high.clamp(window.y.0, window.y.1));
    let shown = curve.points.iter().filter(|point| window.x.0 <= point.x && point.x <= window.x.1);
    let banded: Vec<_> = shown.filter_map(|point| Some((point.x, cut(point.band?)))).collect();

    let points_alone = matches!(curve.mark, Mark::Points | Mark::LinePoints);
    if points_alone {
        let bars = banded.iter().filter(|(_, (low, high))| low < high);
        let bar = |&(x, (low, high))| PathElement::new(vec![(x, low), (x, high)], colour.mix(0.8).stroke_width(FINE * 3 / 2));
        chart.draw_series(bars.map(bar))?;
    } else if !banded.is_empty() {
        let there = banded.iter().map(|(x, (low, _))| (*x, *low));
        let back = banded.iter().rev().map(|(x, (_, high))| (*x, *high));
        chart.draw_series([Polygon::new(there.chain(back).collect::<Vec<_>>(), colour.mix(0.18))])?;
    }
    let width = if curve.mark == Mark::LinePoints { FINE } else { FINE * 8 / 5 };
    for piece in visible(window, &points) {
        match curve.mark {
            Mark::Line | Mark::LinePoints => chart.draw_series(LineSeries::new(piece, colour.stroke_width(width)))?,
            Mark::Dashed | Mark::Dotted => {
                let (stroke, gap) = curve.mark.dash().expect("theory is dashed");
                chart.draw_series(DashedLineSeries::new(piece, stroke * FINE, gap * FINE, colour.stroke_width(width)))?
            }
            Mark::Points | Mark::Cells => break,
        };
    }
    if points_alone {
        let dots = points.into_iter().filter(|point| inside(window, *point));
        chart.draw_series(dots.map(|point| Circle::new(point, FINE * 7 / 2, colour.filled())))?;
    }
    Ok(())
}

/// The legend's rows: where each entry begins, and whose it is.
fn rows(curves: &[Curve]) -> Vec<Vec<(u32, usize)>> {
    let mut rows: Vec<Vec<(u32, usize)>> = vec![vec![]];
    let mut x = 14;
    for (number, curve) in curves.iter().enumerate() {
        let width = LEGEND_SYMBOL + 8 + (curve.name.chars().count() as f64 * TEXT as f64 * LETTER) as u32 + 20;
        if x + width > WIDTH && x > 14 {
            rows.push(vec![]);
            x = 14;
        }
        rows.last_mut().expect("never empty").push((x, number));
        x += width;
    }
    rows
}

fn entry<'a>(area: &Area<'a>, curve: &Curve, x: u32, y: u32) -> Result<(), Failure<'a>> {
    let colour = rgb(curve.colour);
    let middle = y + LEGEND_LINE / 2;
    let ends = [px(x, middle), px(x + LEGEND_SYMBOL, middle)];
    let wide = colour.stroke_width(FINE * 2);
    match curve.mark {
        Mark::Line => area.draw(&PathElement::new(ends, wide))?,
        Mark::LinePoints => area.draw(&PathElement::new(ends, colour.stroke_width(FINE)))?,
        Mark::Dashed | Mark::Dotted => {
            let (stroke, gap) = curve.mark.dash().expect("theory is dashed");
            area.draw(&DashedPathElement::new(ends, stroke * FINE, gap * FINE, wide))?
        }
        Mark::Points | Mark::Cells => {}
    }
    if matches!(curve.mark, Mark::Points | Mark::LinePoints) {
        area.draw(&Circle::new(px(x + LEGEND_SYMBOL / 2, middle), FINE * 7 / 2, colour.filled()))?;
    }
    // The text's place is its upper edge; letters are about 0.72 of the size high.
    area.draw_text(curve.name, &style(TEXT, BLACK), px(x + LEGEND_SYMBOL + 8, middle - TEXT * 2 / 5))
}

/// What a map's colours mean: a bar from the greatest value to the least.
fn colour_key<'a>(area: &Area<'a>, cells: &Cells) -> Result<(), Failure<'a>> {
    const STEPS: u32 = 48;
    const STEP: u32 = 6;
    const TOP: u32 = 30;
    let (low, high) = cells.range;
    let at = |part: f64| low + (high - low) * part;
    for step in 0..STEPS {
        let colour = rgb(cells.colour(at(1.0 - (f64::from(step) + 0.5) / f64::from(STEPS))));
        let top = TOP + step * STEP;
        area.draw(&Rectangle::new([px(4, top), px(22, top + STEP)], colour.filled()))?;
    }
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let middle = TOP + (f64::from(STEPS * STEP) * (1.0 - part)) as u32;
        area.draw_text(&number(six_digits(at(part))), &style(TEXT - 2, BLACK), px(27, middle - TEXT * 2 / 5))?;
    }
    area.draw_text(cells.label, &style(TEXT - 2, BLACK), px(0, 6))
}

/// A logarithmic axis with ticks at 1 … 9 of each decade: plotters by itself draws some twice and others not.
fn logarithmic(ends: Range<f64>) -> impl AsRangedCoord<Value = f64, CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>> {
    let decades = ends.start.log10().floor() as i32..=ends.end.log10().floor() as i32;
    let ticks = decades.flat_map(|decade| (1..10).map(move |digit| f64::from(digit) * 10f64.powi(decade)));
    let ticks = ticks.filter(|tick| ends.contains(tick)).collect();
    ends.log_scale().with_key_points(ticks)
}

/// A tick's label; on a logarithmic axis only 1, 2, 5 of each decade, or only 1 if decades are many. Where the ends are less than a factor of five apart there may be one of these only, and each is
/// labelled.
fn tick(axis: &Axis, (from, to): (f64, f64), value: f64) -> String {
    // Sums of steps end in digits that mean nothing.
    let near_zero = value.abs() < (to - from).abs() * 1e-9;
    if !axis.log {
        return number(if near_zero { 0.0 } else { value });
    }
    let digit = (value / 10f64.powf((value.log10() + 1e-9).floor())).round() as u32;
    let shown = match to / from {
        apart if apart < 5.0 => true,
        apart if apart.log10() > 3.2 => digit == 1,
        _ => matches!(digit, 1 | 2 | 5),
    };
    if shown { number(value) } else { String::new() }
}

fn style(size: u32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, f64::from(size * FINE) * PLOTTERS_TEXT).into_font().color(&colour)
}

fn px(x: u32, y: u32) -> (i32, i32) {
    ((x * FINE) as i32, (y * FINE) as i32)
}

fn rgb(Colour(red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_labels_however_short_or_long_it_is() {
        let labels = |from: f64, to: f64| {
            let digits = (-2..=6).flat_map(|decade| (1..10).map(move |digit| f64::from(digit) * 10f64.powi(decade)));
            let ticks = digits.filter(|tick| (from..=to).contains(tick));
            ticks.map(|value| tick(&Axis::log("x"), (from, to), value)).filter(|label| !label.is_empty()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.58, 1.3), "0.6 0.7 0.8 0.9 1");
        assert_eq!(labels(0.25, 8.0), "0.5 1 2 5");
        assert_eq!(labels(1.0, 10_000.0), "1 10 100 1000 10000");
    }
}
