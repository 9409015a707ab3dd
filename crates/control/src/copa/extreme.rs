//! The least or the greatest of what was measured in a window of time that ends now.

use alloc::collections::VecDeque;

use crate::{Instant, Span};

/// Keeps every measurement that may yet be the extreme: none is followed by one that is as extreme.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    kept: VecDeque<(Instant, Span)>,
    beats: fn(&Span, &Span) -> bool,
}

impl Extreme {
    /// The least.
    pub(super) fn least() -> Extreme {
        Extreme { kept: VecDeque::new(), beats: |a, b| a <= b }
    }

    /// The greatest.
    pub(super) fn greatest() -> Extreme {
        Extreme { kept: VecDeque::new(), beats: |a, b| a >= b }
    }

    /// The extreme of the last `window`, this measurement included.
    pub(super) fn sample(&mut self, now: Instant, rtt: Span, window: Span) -> Span {
        while self.kept.back().is_some_and(|(_, other)| (self.beats)(&rtt, other)) {
            self.kept.pop_back();
        }
        self.kept.push_back((now, rtt));
        while self.kept.len() > 1 && self.kept[0].0.saturating_add(window) < now {
            self.kept.pop_front();
        }
        self.kept[0].1
    }
}
