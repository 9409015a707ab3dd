//! What makes a flow suspect that others fill the queue, what a probe's verdict changes, and where losses rule the window.

use super::Symbiosis;
use super::law::Path;
use super::probe_rtt::{Verdict, longest, unseen};
use super::rivalry::{Bounds, Change};
use super::sawtooth::{RISES, Sawtooth, Seen};
use crate::lotka_volterra::Bandwidth;
use crate::measurement::Reading;
use crate::measurement::imtcp::WIDEST_INTERVAL;
use crate::{Acked, Instant, Rate, Span};

/// Where packets are held back the law goes by so many times the K that they tell, the upper end of the widest interval with which K counts as known. More than K costs a queue of θ ln of what is too
/// much, 1.7 ms; less than K costs that part of the link. And K may be a tenth too low however many packets tell it, since what holds them back sets others free and does not meet
/// them at all phases alike; of what holds them back something stands.
const CAUTION: f64 = 1.0 / (1.0 - WIDEST_INTERVAL);

/// A reading as the law takes it.
fn cautious(reading: Reading) -> Reading {
    let factor = if reading.held_back { CAUTION } else { 1.0 };
    Reading { bandwidth: Bandwidth { capacity: reading.bandwidth.capacity * factor, ..reading.bandwidth }, ..reading }
}

impl Symbiosis {
    /// Whether a queue stands that no flows of the kind leave, and no probe has told yet whose it is.
    pub(super) fn suspects(&mut self, now: Instant, path: &Path) -> bool {
        let own_kind_rtt = Span::from_secs(self.law.noted(path));
        let Some(probe) = self.probe_rtt.as_mut().filter(|_| self.settings.competes) else { return false };
        let long = (path.smoothed - path.tau).secs() > self.law.most_queue(path);
        let stood = self.doubt.sees(now, long, path.claim(self.packet));
        match stood {
            // What an outage leaves in the queue is gone sooner.
            Some(since) if since.secs() >= self.mean => probe.call(now, own_kind_rtt),
            _ if !long => probe.uncall(),
            _ => {}
        }
        stood.is_some()
    }

    /// A probe says whose queue it is.
    pub(super) fn judge(&mut self, now: Instant, verdict: &Verdict) {
        let Some(path) = self.path().filter(|_| self.settings.competes) else { return };
        let Some(interval) = self.settings.probe_rtt_interval else { return };
        let bounds = Bounds {
            harmless: self.law.harmless_queue(&path),
            most: Span::from_secs(self.law.most_queue(&path)),
            crowd: self.law.queue_of(unseen(path.tau, verdict.before), &path),
            tau: path.tau,
            lost: self.doubt.overflowed(now),
            interval,
            round: path.smoothed,
        };
        self.doubt.judged(verdict.asked, path.claim(self.packet));
        match self.rivalry.judged(verdict, &bounds) {
            Change::None => {}
            Change::Begins => self.starting = false,
            Change::Ends => {
                self.window.cwnd *= path.tau.secs() / path.smoothed.secs();
                self.left = now;
                self.probe_rtt.iter_mut().for_each(|probe| probe.leaves(now));
            }
        }
        let sparing = self.rivalry.competes() && self.rivalry.is_sure();
        let again = self.rivalry.asks_again(verdict, &bounds);
        if let Some(probe) = &mut self.probe_rtt {
            probe.spare(sparing);
            if again {
                probe.hasten();
            }
        }
    }

    /// An ACK may end an opponent's third tooth, or come when a queue that all had emptied should be back.
    pub(super) fn watches(&mut self, ack: &Acked) {
        let watches = self.settings.competes && !self.starting && !self.rivalry.competes() && !ack.app_limited;
        let (Some(k), Some(interval), true) = (self.capacity(), self.settings.probe_rtt_interval, watches) else {
            self.sawtooth = Sawtooth::default();
            self.rivalry.looks_away();
            return;
        };
        let (Some(rtt), Some(path)) = (ack.rtt.filter(|rtt| *rtt > Span::ZERO), self.path()) else { return };
        let settles = self.law.settles(&path);
        let seen = Seen {
            rtt,
            flight: k.time_for(ack.in_flight.saturating_add(ack.bytes)),
            smoothed: self.rtt.smoothed(),
            least: longest(self.own_kind_rtt()).max(settles.scale(RISES)),
            noise: k.time_for(self.packet).saturating_add(self.bridge()),
            interval,
        };
        let misses = self.rivalry.misses(ack.now, rtt, interval);
        if self.sawtooth.sees(ack.now, &seen) || misses {
            self.rivalry.begins();
        }
    }

    /// What is known of the path. Who competes goes by what was known last: its window is CUBIC's, and the opponents' bursts are what K is lost by.
    pub(super) fn reading(&self) -> Option<Reading> {
        let reading = self.host.reading().filter(|_| !self.jitter.rules()).or_else(|| self.host.last().filter(|_| self.rivalry.competes()));
        reading.map(cautious)
    }

    /// Whether the window is CUBIC's: beside flows that fill the buffer, or where no queue can be told.
    pub(super) fn goes_by_losses(&self) -> bool {
        self.rivalry.competes() || self.jitter.rules()
    }

    /// An ACK has told whether round-trip times leap. Where K is not known yet, it is no less than what is delivered.
    pub(super) fn leaps(&mut self, ack: &Acked) {
        let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO && self.settings.competes) else { return };
        let smoothed = self.rtt.smoothed();
        let capacity = self.host.last().map_or(Rate::of(self.window.bytes(), smoothed), |last| cautious(last).bandwidth.capacity);
        if !self.jitter.acked(ack, rtt, capacity, smoothed) || self.rivalry.competes() {
            return;
        }
        self.starting = false;
        if self.jitter.rules() {
            // What ended slow start was a queue that nobody can tell.
            self.window.ssthresh = f64::INFINITY;
        } else {
            self.host.forget();
            self.law.forget();
            self.window.ssthresh = self.window.cwnd;
        }
    }

    /// K as measured: whatever losses leave of it, a packet takes the link as long.
    pub(super) fn capacity(&self) -> Option<Rate> {
        Some(self.reading()?.bandwidth.capacity)
    }

    /// The smoothed round-trip time, as far as flows of the kind make it: where others make it longer, theirs is no measure of how often to ask. Who competes
    /// goes by what there is.
    pub(super) fn own_kind_rtt(&self) -> Span {
        let path = self.path().filter(|_| !self.rivalry.competes());
        path.map_or(self.rtt.smoothed(), |path| Span::from_secs(self.law.noted(&path)))
    }

    /// Half of what the link has in flight \[packets\]: the losses of an own overshoot lower the ceiling, and tell nothing of an opponent's window.
    pub(super) fn half(&self) -> f64 {
        if self.jitter.rules() && !self.rivalry.competes() {
            // Nobody is known to be there: to the first loss.
            return f64::INFINITY;
        }
        self.capacity().map_or(0.0, |k| k.times(self.rtt.smoothed()) / 2.0 / self.packet.as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a queue q a flow alone that goes by K′ instead of K rests at `x = K′·e^(−q/θ)`: with 4/3 of K, all of the link in a queue of θ ln 4/3, 1.7 ms of 6.
    #[test]
    fn where_packets_are_held_back_the_law_goes_by_a_third_more() {
        let told = Reading::certain(Bandwidth { capacity: Rate::from_mbps(90.0), available: Rate::from_mbps(80.0) });
        assert_eq!(cautious(told), told);
        let raised = cautious(Reading { held_back: true, ..told }).bandwidth;
        assert!((raised.capacity.mbps() - 120.0).abs() < 1e-9 && raised.available == told.bandwidth.available);
        let queue = super::super::law::THETA.secs() * libm::log(CAUTION);
        assert!((queue - 1.7e-3).abs() < 0.05e-3, "{queue} s");
    }
}
