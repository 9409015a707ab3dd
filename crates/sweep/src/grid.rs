//! The points of a sweep, numbered: any can be had from its number, and none is held.

use crate::axis::{Axis, Value};
use crate::cell::Cell;
use crate::filter::Filter;

/// Axes, seeds and filters. Runs are numbered with the seed as the lowest digit, then the last axis; also runs that a filter leaves out have a number.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Axes of one group go together.
    pub(crate) groups: Vec<Vec<Axis>>,
    pub(crate) seeds: Vec<u64>,
    pub(crate) skip: Vec<Filter>,
    pub(crate) only: Vec<Filter>,
}

/// A run: where it stands on every axis, and its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its number.
    pub run: u64,
    /// Its seed.
    pub seed: u64,
    /// The place of its value, for each axis in the order of the columns.
    pub(crate) values: Vec<usize>,
}

impl Grid {
    /// How many runs are numbered; none if there are more than 64 bits number.
    pub(crate) fn size(&self) -> Option<u64> {
        let lengths = self.groups.iter().map(|group| group[0].values.len() as u64);
        lengths.chain([self.seeds.len() as u64]).try_fold(1_u64, u64::checked_mul)
    }

    /// The axes, in the order of their columns.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.groups.iter().flatten()
    }

    /// The run of that number, unless a filter leaves it out.
    pub fn point(&self, run: u64) -> Option<Point> {
        let seeds = self.seeds.len() as u64;
        let (mut rest, seed) = (run / seeds, self.seeds[(run % seeds) as usize]);
        let mut values = vec![0; self.axes().count()];
        let mut end = values.len();
        for group in self.groups.iter().rev() {
            let length = group[0].values.len() as u64;
            let start = end - group.len();
            values[start..end].fill((rest % length) as usize);
            (rest, end) = (rest / length, start);
        }
        let means = |filter: &Filter| filter.means(&values);
        let runs = !self.skip.iter().any(means) && (self.only.is_empty() || self.only.iter().any(means));
        runs.then_some(Point { run, seed, values })
    }

    /// The cells of a run, in the order of the columns.
    pub fn cells(&self, point: &Point) -> impl Iterator<Item = &Cell> {
        self.chosen(point).map(|(_, value)| &value.cell)
    }

    /// Each axis with the run's value.
    pub(crate) fn chosen(&self, point: &Point) -> impl Iterator<Item = (&Axis, &Value)> {
        self.axes().zip(&point.values).map(|(axis, at)| (axis, &axis.values[*at]))
    }
}
