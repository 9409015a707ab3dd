//! A figure as data, before anything draws it.

use serde::{Deserialize, Serialize};

/// One plot: axes and series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// File name without ending, unique in a report: `"S7-symbiosis"`.
    pub id: String,
    /// Title above the plot.
    pub title: String,
    /// What is seen, one or two sentences under the plot.
    pub caption: String,
    /// Abscissa.
    pub x: Axis,
    /// Ordinate.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Label with unit: `"window [packets]"`.
    pub label: String,
    /// Logarithmic instead of linear.
    pub log: bool,
    /// Fixed ends; from the data without.
    pub range: Option<(f64, f64)>,
}

/// One curve, cloud or map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name in the legend; of a map what its colours mean, with the unit.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Abscissa and ordinate of each point, ascending for lines.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of the 95 % confidence interval at each point, where there is one.
    pub band: Option<Vec<(f64, f64)>>,
    /// Of a map the value at each point; else empty.
    pub values: Vec<f64>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// A line through the points: a simulation or a measurement over time.
    Line,
    /// A dashed line: theory.
    Dashed,
    /// A dotted line: another theory of the same.
    Dotted,
    /// Points joined by nothing: single results.
    Points,
    /// Points joined by a thin line: results over a parameter.
    LinePoints,
    /// A grid of cells around the points, coloured by their values: results over two parameters.
    Cells,
}

impl Mark {
    /// Stroke and gap of a theory's line; none of what was run.
    pub fn dash(self) -> Option<(u32, u32)> {
        match self {
            Mark::Dashed => Some((6, 4)),
            Mark::Dotted => Some((2, 3)),
            Mark::Line | Mark::Points | Mark::LinePoints | Mark::Cells => None,
        }
    }
}

impl Axis {
    /// A linear axis whose ends come from the data.
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.into(), log: false, range: None }
    }

    /// A logarithmic axis.
    pub fn log(label: &str) -> Axis {
        Axis { log: true, ..Axis::linear(label) }
    }

    /// The same axis with fixed ends.
    pub fn range(self, from: f64, to: f64) -> Axis {
        Axis { range: Some((from, to)), ..self }
    }
}

impl Series {
    /// A series without a band.
    pub fn new(name: &str, mark: Mark, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), mark, points, band: None, values: Vec::new() }
    }

    /// A map: `values` at the points of a grid, which need not be whole.
    pub fn cells(label: &str, points: Vec<(f64, f64)>, values: Vec<f64>) -> Series {
        Series { values, ..Series::new(label, Mark::Cells, points) }
    }
}
