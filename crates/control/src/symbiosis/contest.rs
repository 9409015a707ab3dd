//! What makes a flow suspect that others fill the queue, and what a probe's verdict changes.

use super::Symbiosis;
use super::law::Path;
use super::probe_rtt::Verdict;
use super::rivalry::{Bounds, Change};
use crate::{Instant, Rate, Span};

impl Symbiosis {
    /// Whether a queue stands that no flows of the kind leave, and no probe has told yet whose it is.
    pub(super) fn suspects(&mut self, now: Instant, path: &Path) -> bool {
        let Some(probe) = self.probe_rtt.as_mut().filter(|_| self.settings.competes) else { return false };
        let long = (path.smoothed - path.tau).secs() > self.law.most_queue(path);
        let stood = self.doubt.sees(now, long, path.claim(self.packet));
        match stood {
            // What an outage leaves in the queue is gone sooner.
            Some(since) if since.secs() >= self.mean => probe.call(now, path.smoothed),
            _ if !long => probe.uncall(),
            _ => {}
        }
        stood.is_some()
    }

    /// A probe says whose queue it is.
    pub(super) fn judge(&mut self, now: Instant, verdict: &Verdict) {
        let Some(path) = self.path().filter(|_| self.settings.competes) else { return };
        let bounds = Bounds {
            harmless: self.law.harmless_queue(&path),
            most: Span::from_secs(self.law.most_queue(&path)),
            lost: self.doubt.overflowed(now),
        };
        self.doubt.judged(verdict.asked, path.claim(self.packet));
        match self.rivalry.judged(verdict, &bounds) {
            Change::None => {}
            Change::Begins => self.starting = false,
            Change::Ends => self.window.cwnd *= path.tau.secs() / path.smoothed.secs(),
        }
        let (sparing, doubts) = (self.rivalry.competes() && self.rivalry.is_sure(), self.rivalry.doubts());
        if let Some(probe) = &mut self.probe_rtt {
            probe.spare(sparing);
            if doubts {
                probe.hasten();
            }
        }
    }

    /// Half of what the link has in flight \[packets\], by K as measured: the losses of an own overshoot lower the ceiling, and tell nothing of an opponent's
    /// window.
    pub(super) fn half(&self) -> f64 {
        let k = self.host.reading().map_or(Rate::ZERO, |reading| reading.bandwidth.capacity);
        k.times(self.rtt.smoothed()) / 2.0 / self.packet.as_f64()
    }
}
