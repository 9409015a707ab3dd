//! What the agent remembers of a socket's packets.
//!
//! TCP numbers bytes, controllers packets. What left at once is a full segment after another, and the last may be less: an application that
//! writes no multiple of a segment leaves one wherever it keeps the sender waiting, and all that follow begin where it ended.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Span};

/// A packet that left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) number: u64,
    /// The byte after its last.
    end: u64,
    /// Size on the wire.
    pub(crate) bytes: Bytes,
    /// When it left last.
    pub(crate) sent_at: Instant,
    /// Something else than the window held the sender back when it left.
    pub(crate) app_limited: bool,
    /// It left more than once.
    pub(crate) resent: bool,
    /// It is acknowledged, above a gap.
    sacked: bool,
}

/// The packets from the first that is not acknowledged on.
#[derive(Debug)]
pub(crate) struct Cells {
    mss: u64,
    overhead: Bytes,
    /// Number of the front.
    first: u64,
    /// The first byte that has never left.
    end: u64,
    cells: VecDeque<Cell>,
    /// How many of them are acknowledged.
    sacked: usize,
}

/// ACKs' clocks are in microseconds: so far two readings of a departure may be apart.
const CLOCK: Span = Span::from_micros(2);

impl Cells {
    /// For segments of `mss` bytes of payload with headers of `overhead`, from byte `una` on.
    pub(crate) fn new(mss: u64, overhead: Bytes, una: u64) -> Cells {
        Cells { mss, overhead, first: 0, end: una, cells: VecDeque::new(), sacked: 0 }
    }

    /// Number of the packet that leaves next.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.cells.len() as u64
    }

    /// The first byte that has never left.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Those in flight, the oldest first.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| !cell.sacked)
    }

    /// Bytes `from` to `to` left; the packets that are new, with those before `from` that nobody told of.
    pub(crate) fn sent(&mut self, from: u64, to: u64, at: Instant, app_limited: bool) -> impl Iterator<Item = &Cell> {
        let had = self.cells.len();
        while self.end < to {
            let until = if self.end < from { from.min(to) } else { to };
            let end = until.min(self.end.saturating_add(self.mss));
            let bytes = Bytes(end - self.end) + self.overhead;
            self.cells.push_back(Cell { number: self.next(), end, bytes, sent_at: at, app_limited, resent: false, sacked: false });
            self.end = end;
        }
        self.cells.range(had..)
    }

    /// So many left again: recovery goes from the oldest on, and comes back to it when all have left twice.
    pub(crate) fn resent(&mut self, count: u32, at: Instant) -> Vec<u64> {
        let highest = self.cells.iter().rposition(|cell| cell.sacked).unwrap_or(self.cells.len());
        let mut again: Vec<usize> =
            (0..highest).filter(|i| !self.cells[*i].sacked && !self.cells[*i].resent).take(count as usize).collect();
        if again.is_empty() {
            again.extend(self.cells.iter().position(|cell| !cell.sacked));
        }
        again.iter().for_each(|i| (self.cells[*i].resent, self.cells[*i].sent_at) = (true, at));
        again.iter().map(|i| self.cells[*i].number).collect()
    }

    /// After a timeout everything may leave again.
    pub(crate) fn timed_out(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.resent = false);
    }

    /// How many packets an ACK takes from those in flight: what [`Cells::acked`] will tell, if all that left is known.
    pub(crate) fn taken(&self, una: u64, sacked: u32) -> u64 {
        let passed = self.cells.iter().take_while(|cell| cell.end <= una);
        let (known, new) = passed.fold((0, 0), |(known, new), cell| if cell.sacked { (known + 1, new) } else { (known, new + 1) });
        new + u64::from(sacked).saturating_sub(self.sacked as u64 - known)
    }

    /// An ACK came: everything before byte `una` is there, and of the rest as many segments as `sacked`. Fills `told` with
    /// the packets that were not acknowledged before, oldest first; how many of them are in order.
    ///
    /// Which packets a selective ACK names is not told, but when the latest of them left is: `left`.
    pub(crate) fn acked(&mut self, una: u64, sacked: u32, left: Option<Instant>, told: &mut Vec<Cell>) -> usize {
        told.clear();
        while let Some(front) = self.cells.front() {
            if front.end > una {
                break;
            }
            if front.sacked {
                self.sacked -= 1;
            } else {
                told.push(*front);
            }
            self.first += 1;
            self.cells.pop_front();
        }
        let in_order = told.len();
        let new = (sacked as usize).saturating_sub(self.sacked);
        if new > 0 {
            let end = self.latest(new, left);
            let mut places: Vec<usize> = (1..end).rev().filter(|i| !self.cells[*i].sacked).take(new).collect();
            places.reverse();
            for i in places {
                self.cells[i].sacked = true;
                self.sacked += 1;
                told.push(self.cells[i]);
            }
        }
        if let (Some(last), Some(left)) = (told.last_mut(), left) {
            // What the kernel wrote on the packet is right where nobody saw it leave.
            if !last.resent && last.sent_at.0.abs_diff(left.0) > CLOCK.0 {
                last.sent_at = left;
            }
        }
        in_order
    }

    /// The place after the latest packet of a selective ACK that names `new` more: next in order, unless its departure says another.
    fn latest(&self, new: usize, left: Option<Instant>) -> usize {
        let highest = self.cells.iter().rposition(|cell| cell.sacked).unwrap_or(0);
        let next = (highest + 1 + new).min(self.cells.len());
        let Some(left) = left else { return next };
        let close = |cell: &Cell| cell.sent_at.0.abs_diff(left.0) <= CLOCK.0;
        if next > 0 && self.cells.get(next - 1).is_some_and(close) {
            return next;
        }
        self.cells.iter().rposition(|cell| !cell.resent && close(cell)).map_or(next, |i| i + 1)
    }
}

#[cfg(test)]
mod tests;
