//! The base round-trip time τ, and the min-RTT probes that keep it true.
//!
//! A flow that joins a standing queue never sees the path without it, over-reads τ, and takes more than its share (T §4.1, Fig 11). A
//! min-RTT probe repairs that (ProbeRTT of BBR): for a moment a flow has half of what the path holds without a queue in flight, `xτ/2`.
//!
//! One of n flows that does so takes a part of the queue only: τ would stay wrong by what is left, and shares fit `e^(δτ/θ)`. So flows probe *in
//! common*, and no message is needed for it, because all see the same queue. Who sees it clearly shorter than ever since it settled sees
//! somebody else's probe, and joins in. From then on all have the same clock: whoever is due first calls all others. Who sees τ anyway, alone or
//! where the queue runs empty by itself, never probes.
//!
//! τ may also have grown, on another route. Then what a flow gives up in a probe was not in a queue, and its round-trip time falls by less. Two probes in a row
//! must find that: in one, others may have filled the queue.

use crate::rtt::MinRtt;
use crate::{Instant, Span};

/// In a min-RTT probe this part f of `xτ` is in flight. The queue runs empty if flows with more than `q/(q + (1 − f)τ)` of the link probe: a third of it
/// for `q = τ/4`, half with f = 3/4. And it does if all probe and over-read τ by less than 1/f.
pub const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// A probe lasts so many smoothed round-trip times: one until the others see it, and one for them.
const LASTS: f64 = 2.0;
/// It lasts longer while others join in, until a round-trip time after the queue fell last; but no longer than this. And the queue has as long to come back.
const MOST_LASTS: f64 = 4.0;
/// Probes are at least so far apart, and a flow's first comes so soon: it may have joined a queue, and its share is wrong until it knows; a joiner
/// is to have its share within 3 s. Half of the link for two round-trip times of sixteen is 1/16 of it at the most.
const LEAST_INTERVAL: Span = Span::from_millis(1_000);
const LEAST_ROUND_TRIPS: f64 = 16.0;
/// A queue shorter by this part than it ever was since it settled is no noise: somebody probes. One of n alone makes it shorter by
/// `(1 + τ/2q)/n`, which is a quarter for n = 10 at `q = τ/3`.
const DIP: f64 = 0.25;

/// τ, and when to probe for it.
#[derive(Clone, Debug)]
pub struct ProbeRtt {
    /// Between probes, of a flow that is no newcomer.
    most: Span,
    /// Between probes at present.
    interval: Span,
    tau: MinRtt<Span>,
    /// τ was last seen, but for a packet.
    seen: Instant,
    /// The least round-trip time since the queue settled after the last probe.
    low: MinRtt<Span>,
    /// When the last probe began, and ended: until then less is in flight.
    begun: Instant,
    ended: Instant,
    /// What the last probe found, if no queue stood in it by all appearance.
    empty: Option<Span>,
    /// Until all that left in a probe is back, and the queue too.
    probe: Option<Probe>,
}

/// A probe under way.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// The smoothed round-trip time at its beginning.
    before: Span,
    /// What the queue falls by if nobody else probes.
    alone: Span,
    /// The least round-trip time in it.
    found: MinRtt<Span>,
}

/// What a probe needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// How long a packet takes the link.
    pub service: Span,
    /// How long what is in flight takes it.
    pub flight: Span,
    /// The smoothed round-trip time.
    pub smoothed: Span,
}

impl ProbeRtt {
    /// A probe every `interval`, of a flow that has a queue to look behind.
    pub fn new(interval: Span) -> ProbeRtt {
        ProbeRtt {
            most: interval,
            interval: LEAST_INTERVAL,
            tau: MinRtt::default(),
            seen: Instant::START,
            low: MinRtt::default(),
            begun: Instant::START,
            ended: Instant::START,
            empty: None,
            probe: None,
        }
    }

    /// The base round-trip time τ.
    pub fn tau(&self) -> Option<Span> {
        self.tau.get()
    }

    /// In a probe the flight is this part of what it was.
    pub fn part(&self, smoothed: Span) -> f64 {
        PROBE_RTT_CWND_GAIN * (self.tau().unwrap_or(smoothed).secs() / smoothed.secs())
    }

    /// A round-trip time was measured.
    pub fn acked(&mut self, now: Instant, rtt: Span, share: Option<&Share>) {
        let known = self.tau();
        self.tau.sample(rtt);
        let (Some(tau), Some(share)) = (known, share) else {
            if known.is_none() {
                (self.seen, self.begun) = (now, now);
            }
            // Without a share there is nothing to probe for, nor to wait.
            self.probe = None;
            self.ended = self.ended.min(now);
            return;
        };
        // A new least is not yet τ.
        if rtt.0.abs_diff(tau.0) <= share.service.0 {
            self.seen = now;
        }
        if let Some(probe) = &mut self.probe {
            let falls = probe.found.get().is_none_or(|found| found - rtt > share.service);
            if falls && now < self.ended {
                let most = self.begun.saturating_add(share.smoothed.scale(MOST_LASTS));
                self.ended = self.ended.max(now.saturating_add(share.smoothed)).min(most);
            }
            probe.found.sample(rtt);
            let deep = probe.before - probe.found.get().unwrap_or(probe.before);
            let back = probe.before - rtt <= deep.scale(DIP);
            let over = now - self.ended;
            if now >= self.ended && (over >= share.smoothed.scale(MOST_LASTS) || (over >= share.smoothed && back)) {
                self.end();
            }
            return;
        }
        let low = self.low.get().unwrap_or(rtt);
        self.low.sample(rtt);
        let apart = LEAST_INTERVAL.max(share.smoothed.scale(LEAST_ROUND_TRIPS));
        let interval = self.interval.max(apart);
        let (since, unseen) = (now - self.begun, now - self.seen);
        let half = interval.scale(0.5);
        let due = since >= interval && unseen >= half;
        let least = since >= half && unseen >= half && rtt < low;
        let dips = since >= apart && rtt - tau > share.service && low - rtt > (low - tau).scale(DIP).saturating_add(share.service);
        if due || least || dips {
            let alone = share.flight.scale(1.0 - self.part(share.smoothed));
            self.probe = Some(Probe { before: share.smoothed, alone, found: MinRtt::default() });
            (self.begun, self.ended) = (now, now.saturating_add(share.smoothed.scale(LASTS)));
        }
    }

    /// All that left in a probe is back.
    fn end(&mut self) {
        let Some(Probe { before, alone, found }) = self.probe.take() else { return };
        let found = found.get().unwrap_or(before);
        let fell = before - found;
        // What was given up had not been in a queue if it did not become shorter: none stood, or somebody filled it just then.
        let empty = (fell < alone.scale(0.5)).then_some(found);
        if let (Some(before), Some(now)) = (self.empty, empty) {
            self.tau.restart(before.min(now));
        }
        self.interval = match empty {
            Some(found) if Some(found) > self.tau() => LEAST_INTERVAL,
            _ if fell.scale(0.5) > alone => self.most,
            _ => (self.interval * 2).min(self.most),
        };
        self.empty = empty;
        self.low = MinRtt::default();
    }

    /// Whether a probe is under way.
    pub fn under_way(&self, now: Instant) -> bool {
        now < self.ended
    }

    /// Whether what comes back left in a probe, or met the queue while it came back.
    pub fn is_heard(&self) -> bool {
        self.probe.is_some()
    }
}

#[cfg(test)]
mod tests;
