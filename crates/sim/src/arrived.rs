//! What has arrived: which packets a receiver has, and which of them it tells.

use std::collections::VecDeque;

use crate::runs::Run;

/// The packets that have arrived.
#[derive(Debug)]
pub(crate) struct Arrived {
    /// All packets below have arrived.
    next: u32,
    /// What has arrived above, ascending, with gaps between.
    runs: VecDeque<Run>,
    /// A packet of each run that was reported lately, the latest first.
    reported: [u32; 3],
}

impl Arrived {
    pub(crate) fn new() -> Arrived {
        Arrived { next: 0, runs: VecDeque::new(), reported: [u32::MAX; 3] }
    }

    /// All packets below have arrived.
    #[inline]
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// Whether that packet is the next, and none is missing.
    #[inline]
    pub(crate) fn in_order(&self, number: u32) -> bool {
        number == self.next && self.runs.is_empty()
    }

    /// Notes a packet; false if it had arrived before.
    #[inline]
    pub(crate) fn take(&mut self, number: u32) -> bool {
        if number == self.next {
            self.next += 1;
            if let Some(&(start, end)) = self.runs.front()
                && start == self.next
            {
                self.next = end;
                self.runs.pop_front();
            }
            return true;
        }
        if number < self.next {
            return false;
        }
        let at = self.place(number);
        // Runs before `at` start at or below the number.
        let joins_before = at > 0 && self.runs[at - 1].1 >= number;
        if joins_before && self.runs[at - 1].1 > number {
            return false;
        }
        let joins_after = self.runs.get(at).is_some_and(|run| run.0 == number + 1);
        match (joins_before, joins_after) {
            (true, true) => {
                self.runs[at - 1].1 = self.runs[at].1;
                self.runs.remove(at);
            }
            (true, false) => self.runs[at - 1].1 = number + 1,
            (false, true) => self.runs[at].0 = number,
            (false, false) => self.runs.insert(at, (number, number + 1)),
        }
        self.remember(number);
        true
    }

    /// How many runs start at or below the number. The newest run is nearly always the one.
    #[inline]
    fn place(&self, number: u32) -> usize {
        match self.runs.back() {
            Some(last) if last.0 <= number => self.runs.len(),
            _ => self.runs.partition_point(|run| run.0 <= number),
        }
    }

    /// The run of `number` is the one to report first.
    fn remember(&mut self, number: u32) {
        let run = self.run_of(number);
        let [first, second, _] = self.reported;
        let same = |other: u32| run.0 <= other && other < run.1;
        self.reported = match (same(first), same(second)) {
            (true, _) => [number, self.reported[1], self.reported[2]],
            (false, true) => [number, first, self.reported[2]],
            (false, false) => [number, first, second],
        };
    }

    fn run_of(&self, number: u32) -> Run {
        match self.place(number) {
            0 => (0, 0),
            at => {
                let run = self.runs[at - 1];
                if number < run.1 { run } else { (0, 0) }
            }
        }
    }

    /// What has arrived above `next`: the run with the newest packet first, then those reported last (RFC 2018 §4). Empty runs are none.
    #[inline]
    pub(crate) fn sacks(&self) -> [Run; 3] {
        let mut sacks = [(0, 0); 3];
        if !self.runs.is_empty() {
            let mut told = 0;
            for number in self.reported {
                let run = self.run_of(number);
                if run.0 < run.1 && !sacks[..told].contains(&run) {
                    sacks[told] = run;
                    told += 1;
                }
            }
        }
        sacks
    }
}
