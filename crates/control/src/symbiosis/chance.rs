//! Which losses tell nothing of the path, and where a window goes after a timeout.

use super::Symbiosis;
use super::law::{Path, STANDS};
use crate::{Unknown, hystart};

impl Symbiosis {
    /// Whether a loss tells, or told, nothing of the path: K is measured, but K or A not yet known, no queue stands, and few packets are lost. From a host that is late it
    /// takes dozens of pairs, and Reno's steps would take minutes to where a long path can be measured: slow start goes on. Not of a window that has been near
    /// where it belongs: that has no reason to double.
    pub(super) fn is_chance(&self) -> bool {
        let measures = self.path().is_none() && matches!(self.host.unknown(), Unknown::Uncertain | Unknown::Measuring);
        self.settings.loss_floor && !self.arrived && measures && self.ceiling.bears() && self.is_empty()
    }

    /// Whether slow start ends where a reading does. The window was right by what was known: no reason to double it, but where it had still to be doubled and has not
    /// filled the path, or where losses rule it.
    pub(super) fn ends_with_reading(&self) -> bool {
        let filled = self.tau().is_none_or(|tau| self.rtt.smoothed() - tau >= hystart::rise(tau));
        !self.jitter.rules() && (!self.starting || filled)
    }

    /// Where slow start leads back to after a timeout \[packets\]: half of what it was, as anybody's (RFC 5681 §3.1). The round-trip times of an outage tell of no queue.
    pub(super) fn returns_to(&self) -> Option<f64> {
        Some(self.window.ssthresh).filter(|ssthresh| self.starting && self.window.cwnd < *ssthresh && ssthresh.is_finite())
    }

    /// Whether no queue stands, whatever K is.
    pub(super) fn is_empty(&self) -> bool {
        self.tau().is_some_and(|tau| self.rtt.smoothed() - tau <= STANDS)
    }

    /// The law has moved the window, which may have come near its rest.
    pub(super) fn arrives(&mut self, path: &Path) {
        if !self.arrived {
            self.arrived = self.window.bytes().as_f64() >= self.settings.slow_start_target * self.law.rest(path);
        }
    }
}
