//! Sets of packet numbers as intervals.

use std::collections::VecDeque;
use std::ops::Range;

/// Packet numbers from the first up to, not including, the second.
pub(crate) type Run = (u32, u32);

/// Numbers in ascending runs with gaps between.
#[derive(Debug, Default)]
pub(crate) struct Runs(VecDeque<Run>);

impl Runs {
    /// Runs from the highest down.
    #[inline]
    pub(crate) fn descending(&self) -> impl Iterator<Item = Run> {
        self.0.iter().rev().copied()
    }

    /// The highest run.
    #[inline]
    pub(crate) fn last(&self) -> Option<Run> {
        self.0.back().copied()
    }

    /// Forgets runs that end at or below `next`.
    #[inline]
    pub(crate) fn advance(&mut self, next: u32) {
        while self.0.front().is_some_and(|run| run.1 <= next) {
            self.0.pop_front();
        }
    }

    /// Adds a run that is not empty; `new` is called for each part that was not there.
    #[inline]
    pub(crate) fn add(&mut self, (start, end): Run, mut new: impl FnMut(Range<u32>)) {
        // The first run that touches this one. It is nearly always the last of all.
        let first = match self.0.back() {
            None => 0,
            Some(last) if last.1 < start => self.0.len(),
            Some(last) if last.0 <= start => self.0.len() - 1,
            _ => self.0.partition_point(|run| run.1 < start),
        };
        let mut whole = (start, end);
        let (mut at, mut beyond) = (start, first);
        while let Some(&run) = self.0.get(beyond).filter(|run| run.0 <= end) {
            new(at..run.0);
            at = at.max(run.1);
            whole = (whole.0.min(run.0), whole.1.max(run.1));
            beyond += 1;
        }
        new(at..end);
        if beyond == first {
            self.0.insert(first, whole);
        } else {
            self.0[first] = whole;
            self.0.drain(first + 1..beyond);
        }
    }
}
