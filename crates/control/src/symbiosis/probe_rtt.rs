//! The base round-trip time τ, and the min-RTT probes that keep it true.
//!
//! A flow that joins a standing queue never sees the path without it, over-reads τ, and takes more than its share (T §4.1, Fig 11). A
//! min-RTT probe repairs that (ProbeRTT of BBR): for a moment a flow has half of what the path holds without a queue in flight, `xτ/2`.
//!
//! One of n flows that does so takes a part of the queue only: τ would stay wrong by what is left, and shares fit `e^(δτ/θ)`. So flows probe *in
//! common*, and no message is needed for it, because all see the same queue. Who sees it clearly shorter than of late sees
//! somebody else's probe, and joins in. From then on all have the same clock: whoever is due first calls all others. Who sees τ anyway, alone or
//! where the queue runs empty by itself, never probes.
//!
//! A probe can tell whose queue it is, too. After it the flight is *held* for a moment at `xτ`: flows of the kind that all do so have no queue, while
//! their rate stays what it was. What stands then belongs to flows that do not yield, and a part c of it is left where they have a part c of the flight. It is
//! held where an answer matters: others joined in, a queue stands that no flows of the kind leave, or has for half of an interval, the buffer has overflowed, or the flow competes.
//!
//! Flows that compete have a common clock as well: the shortest queue since their last probes, which all have seen. They join in nobody's probe, since an opponent's
//! every loss looks like one, and probe at once where the queue ran empty by itself and stands again, or where one has the link to itself.
//!
//! τ may also have grown, on another route. Then what a flow gives up in a probe was not in a queue, and its round-trip time falls by less. Two probes in a row
//! must find that: in one, others may have filled the queue.

mod emptied;
mod late;
mod probe;
mod timing;
mod verdict;

use crate::rtt::MinRtt;
use crate::{Instant, Span};
use emptied::{Emptied, Seen};
use late::Late;
use probe::{JOINED, LONG, Probe};
use timing::{FIRST, HOLDS, LASTS, LEAST_INTERVAL, LEAST_TURN, MOST_LASTS, REFILLS, apart, competing_interval};
pub use timing::{longest, probe_timing};
pub use verdict::Verdict;

/// In a min-RTT probe this part f of `xτ` is in flight. The queue runs empty if flows with more than `q/(q + (1 − f)τ)` of the link probe: a third of it
/// for `q = τ/4`, half with f = 3/4. And it does if all probe and over-read τ by less than 1/f.
pub const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// A queue is as short as the shortest, or as good as none, if it differs by no more than this part of what stood of late.
const AS_LOW: f64 = 0.125;
/// A queue shorter by this part, by its noise and by [`NOISE`] than it was in the rounds before, and by a packet and the bridge, is a dip: somebody probes. One of
/// n alone makes it shorter by `(1 + (1 − f)τ/q)/n` ([`unseen`]).
pub const DIP: f64 = 0.25;
/// A queue no longer than this, and an eighth of what stood of late, is as good as empty.
pub const NOISE: Span = Span::from_millis(2);

/// Of the link, or of a queue that stood, this part is as good as none to who competes, whatever harms nobody: one CUBIC with its share beside n of the kind has 1/(n + 1) of the flight, and
/// 0.7 of that after a loss, which is more than this up to n = 10.
pub const LITTLE: f64 = 0.0625;

/// τ, and when to probe for it.
#[derive(Clone, Debug)]
pub struct ProbeRtt {
    /// After a probe the flight is held at xτ, which tells whose queue it is.
    judges: bool,
    /// Between probes, of a flow that is no newcomer.
    most: Span,
    /// Between probes at present.
    interval: Span,
    tau: MinRtt<Span>,
    /// τ was last seen, but for a packet.
    seen: Instant,
    emptied: Emptied,
    /// The least round-trip time since the last probe.
    least: MinRtt<Span>,
    /// What dips are held against.
    late: Late,
    /// When the last probe began, and ended: until then less is in flight.
    begun: Instant,
    ended: Instant,
    /// What the last probe found, if no queue stood in it by all appearance.
    empty: Option<Span>,
    /// Until all that left in a probe is back, and the queue too.
    probe: Option<Probe>,
    /// Beside flows that fill the buffer, and sure of it: probes are rarer.
    sparing: bool,
    /// The least round-trip time since the last probe began, and when it was last as short.
    bottom: (Span, Instant),
    /// The next probe is to begin at once.
    called: bool,
    /// When the last probe began that was this flow's own, or after which the queue came back. What fell and stayed so was an opponent's loss.
    counted: Instant,
    /// The queue was last longer than that.
    filled: Instant,
    /// It has been empty for half of the least time between probes since the last one.
    freed: bool,
}

/// What a probe needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// How long a packet takes the link.
    pub service: Span,
    /// How long what is in flight takes it.
    pub flight: Span,
    /// How long what was acknowledged just now takes it.
    pub acked: Span,
    /// The smoothed round-trip time.
    pub smoothed: Span,
    /// The round-trip time of late.
    pub mean: Span,
    /// The smoothed round-trip time, as far as flows of the kind make it: their probes are timed by it.
    pub own_kind_rtt: Span,
    /// There is reason to think that not all are of the kind.
    pub contested: bool,
    /// The window is that which competes with them.
    pub competes: bool,
    /// The queue that this flow keeps for its host.
    pub bridge: Span,
}

impl Share {
    /// Whether all but [`LITTLE`] of the link is this flow's: what it has in flight takes the link as long as a round trip.
    fn is_alone(&self) -> bool {
        self.flight >= self.smoothed.scale(1.0 - LITTLE)
    }
}

impl ProbeRtt {
    /// A probe every `interval`, of a flow that has a queue to look behind; does it tell whose the queue is?
    pub fn new(interval: Span, judges: bool) -> ProbeRtt {
        ProbeRtt {
            judges,
            most: interval,
            interval: LEAST_INTERVAL.scale(FIRST),
            tau: MinRtt::default(),
            seen: Instant::START,
            emptied: Emptied::default(),
            least: MinRtt::default(),
            late: Late::default(),
            begun: Instant::START,
            ended: Instant::START,
            empty: None,
            probe: None,
            sparing: false,
            bottom: (Span::MAX, Instant::START),
            called: false,
            counted: Instant::START,
            filled: Instant::START,
            freed: false,
        }
    }

    /// The base round-trip time τ.
    pub fn tau(&self) -> Option<Span> {
        self.tau.get()
    }

    /// The flight is this part of a `window`, given as the time that it takes the link: all of it but in a probe.
    pub fn part(&self, now: Instant, window: impl FnOnce() -> Span, smoothed: Span) -> f64 {
        if !self.under_way(now) {
            return 1.0;
        }
        let before = self.probe.as_ref().filter(|_| self.judges).map_or(smoothed, |probe| probe.before);
        let path = self.tau().unwrap_or(smoothed).secs() / before.secs();
        match &self.probe {
            // The window may have grown of late: what arrived is known.
            Some(Probe { before_it, .. }) if now >= self.ended => path.min(path * before_it.secs() / window().secs()),
            _ => PROBE_RTT_CWND_GAIN * path,
        }
    }

    /// When the flight is what it was again.
    fn released(&self) -> Instant {
        let Some(probe) = self.probe.as_ref().filter(|probe| self.judges && probe.tells()) else { return self.ended };
        self.ended.saturating_add(probe.short().max(LEAST_TURN).scale(HOLDS))
    }

    /// A round-trip time was measured.
    pub fn acked(&mut self, now: Instant, rtt: Span, share: Option<&Share>) -> Option<Verdict> {
        let known = self.tau();
        self.tau.sample(rtt);
        let (Some(tau), Some(share)) = (known, share) else {
            if known.is_none() {
                (self.seen, self.begun, self.counted, self.filled) = (now, now, now, now);
                self.emptied = Emptied::since(now);
            }
            // Without a share there is nothing to probe for, nor to wait.
            self.probe = None;
            self.ended = self.ended.min(now);
            return None;
        };
        // What a flow keeps for its host it need not look behind, once it knows that nobody probes beside it.
        let keeps = self.probe.is_none() && self.interval > LEAST_INTERVAL;
        let rtt = if keeps { rtt - share.bridge.min(rtt - tau) } else { rtt };
        // A new least is not yet τ.
        if rtt.0.abs_diff(tau.0) <= share.service.0 {
            self.seen = now;
        }
        let as_low = (share.mean - tau).scale(AS_LOW);
        let empty = rtt <= tau.saturating_add(NOISE).saturating_add(as_low);
        let back_within = apart(share.own_kind_rtt).scale(0.5);
        let back_at = share.mean - (share.mean - tau).scale(DIP);
        self.emptied.sees(now, &Seen { rtt, back_at, empty, back_within });
        if !empty {
            self.filled = now;
        }
        let low = self.bottom.0.saturating_add(as_low);
        if rtt <= low {
            self.bottom = (self.bottom.0.min(rtt), now);
        }
        if let Some(probe) = &mut self.probe {
            // An outage or a route that is over leaves round-trip times that nobody has any longer.
            probe.turn = probe.turn.min(rtt.scale(2.0));
            self.ended = self.ended.min(self.begun.saturating_add(probe.turn.scale(MOST_LASTS)));
            let falls = probe.found.get().is_none_or(|found| found - rtt > share.service);
            if falls && now < self.ended && !self.sparing {
                let most = self.begun.saturating_add(probe.turn.scale(MOST_LASTS));
                self.ended = self.ended.max(now.saturating_add(probe.turn)).min(most);
            }
            probe.finds(now, rtt, tau);
            let deep = probe.before - probe.found.get().unwrap_or(probe.before);
            let back = probe.before - rtt <= deep.scale(DIP);
            if now - self.begun < probe.before {
                probe.before_it = probe.before_it.saturating_add(share.acked);
            }
            if self.judges && now - self.ended >= probe.short().scale(REFILLS) {
                probe.held.sample(rtt);
            }
            let (turn, released) = (probe.turn, self.released());
            let over = now - released;
            if now >= released && (over >= turn.scale(MOST_LASTS) || (over >= turn && back)) {
                return self.end(back, released);
            }
            return None;
        }
        let usual = self.late.sees(now, rtt, share.smoothed);
        let is_least = self.least.get().is_some_and(|least| rtt < least);
        self.least.sample(rtt);
        let apart = apart(share.own_kind_rtt);
        let soon = if self.is_new() { apart.scale(FIRST) } else { apart };
        let interval = self.interval.max(soon);
        self.freed |= now - self.filled >= apart.scale(0.5);
        let (since, unseen) = (now - self.begun, now - self.seen);
        let stood = self.stood(now, share.own_kind_rtt);
        let half = interval.scale(0.5);
        let rarer = competing_interval(self.most, share.smoothed);
        let due = if self.sparing {
            now - self.bottom.1 >= rarer || since >= rarer.scale(2.0) || ((self.freed || share.is_alone()) && since >= apart)
        } else {
            now - self.counted >= interval && since >= soon && unseen >= half
        };
        // After a loss of all who compete there may be no queue for seconds, whoever they are.
        let tells = stood || !share.competes || since >= rarer.scale(2.0);
        let least = !self.sparing && since >= half.max(apart.scale(0.5)) && unseen >= half && is_least;
        // Beside flows that fill the buffer every loss of theirs is a dip.
        let dips = !share.competes
            && since >= apart
            && rtt - tau > share.service
            && usual.is_some_and(|usual| {
                let shorter = (usual.rtt - tau).scale(DIP).max(usual.noise).max(NOISE);
                usual.rtt - rtt > shorter.saturating_add(share.service).saturating_add(share.bridge)
            });
        let own = (due && tells) || (self.called && since >= share.own_kind_rtt.scale(MOST_LASTS));
        if own || (least && tells) || dips {
            self.called = false;
            let turn = share.smoothed.min(rtt.scale(2.0));
            (self.begun, self.ended) = (now, now.saturating_add(turn.scale(LASTS)));
            self.bottom = (rtt, now);
            // Whoever joins in has seen the queue fall already, and perhaps more of the link than is its own.
            let before = if self.judges { share.smoothed.max(share.mean) } else { share.smoothed };
            let alone =
                share.flight.scale(1.0 - PROBE_RTT_CWND_GAIN * (self.tau().unwrap_or(share.smoothed).secs() / share.smoothed.secs()));
            let none = MinRtt::default();
            self.probe = Some(Probe {
                before,
                turn,
                alone,
                found: none,
                before_it: Span::ZERO,
                held: none,
                stood,
                long: now - self.emptied.by_own_kind() >= self.most.scale(LONG),
                // Flows of the kind would have emptied it by now.
                contested: share.contested || now - self.emptied.last() >= self.most.scale(0.5),
                joined: !own,
                // Opponents grow meanwhile.
                least: if self.sparing { before.scale(0.5) } else { (before - tau).scale(DIP) },
                halved: None,
                bridge: share.bridge,
            });
        }
        None
    }

    /// Whether no probe has been yet.
    fn is_new(&self) -> bool {
        self.interval < LEAST_INTERVAL
    }

    /// The next probe is to come soon: the last was a surprise.
    pub fn hasten(&mut self) {
        self.interval = LEAST_INTERVAL;
    }

    /// A probe is wanted at once.
    pub fn call(&mut self, now: Instant, smoothed: Span) {
        self.called = self.probe.is_none() && self.stood(now, smoothed);
    }

    /// Whether the queue has not been empty of late: for half of the time between probes, which empty it themselves.
    fn stood(&self, now: Instant, smoothed: Span) -> bool {
        now - self.emptied.last() >= apart(smoothed).scale(0.5)
    }

    /// No probe is wanted any longer.
    pub fn uncall(&mut self) {
        self.called = false;
    }

    /// The window gives up what stands in the queue: that is nobody's probe.
    pub fn leaves(&mut self, now: Instant) {
        (self.begun, self.late) = (now, Late::default());
    }

    /// Whether probes are to cost little.
    pub fn spare(&mut self, sparing: bool) {
        self.sparing = sparing;
    }

    /// All that left in a probe is back.
    fn end(&mut self, back: bool, released: Instant) -> Option<Verdict> {
        let Probe { before, alone, least, before_it, found, held, stood, long, joined, halved, bridge, .. } = self.probe.take()?;
        if !joined || back {
            self.counted = self.begun;
        }
        self.freed = false;
        let found = found.get().unwrap_or(before);
        let fell = before - found;
        // What was given up had been in no queue if none became shorter: none stood, or somebody filled it just then. What hosts keep is known.
        let tau = self.tau()?;
        let is_empty = fell < alone.scale(0.5) && alone > least && (bridge == Span::ZERO || found - tau > bridge);
        let empty = is_empty.then_some(found);
        if let (Some(before), Some(now)) = (self.empty, empty) {
            self.tau.restart(before.min(now));
        }
        // It came too soon to tell whose queue it is.
        let first = self.is_new() && !joined;
        self.interval = match empty {
            Some(found) if Some(found) > self.tau() => LEAST_INTERVAL,
            _ if fell.scale(0.5) > alone => self.most,
            _ => (self.interval * 2).min(self.most),
        };
        self.empty = empty;
        (self.least, self.late) = (MinRtt::default(), Late::default());
        let tau = self.tau()?;
        let path = tau.secs() / before.secs();
        let company = fell > alone.scale(JOINED).max((before - tau).scale(DIP));
        let (before, left) = (before - tau, held.get()? - tau);
        // A flow that holds puts back what it had taken in the probe. Of others who do so at the same time it knows nothing.
        let own = before_it.scale((1.0 - PROBE_RTT_CWND_GAIN) * path);
        let early = left > (found - tau).saturating_add(own).saturating_add(before.scale(DIP));
        // What was given up was in no queue, and none became empty: τ may have grown, and that is no verdict.
        let grown = alone > before.scale(DIP) && empty.is_some_and(|found| found - tau > before.scale(DIP));
        (!grown && !first).then_some(Verdict {
            asked: self.begun,
            released: halved.unwrap_or(self.begun).saturating_add(released - self.begun),
            before,
            left,
            stood,
            long,
            back,
            early,
            seen: alone > before.scale(DIP),
            company,
        })
    }

    /// Whether a probe is under way.
    pub fn under_way(&self, now: Instant) -> bool {
        self.probe.is_some() && now < self.released()
    }

    /// Between the release after a probe and its end, the least round-trip time that it found.
    pub fn refill_rtt(&self, now: Instant) -> Option<Span> {
        self.probe.as_ref().filter(|_| now >= self.released())?.found.get()
    }

    /// Whether what comes back left in a probe, or met the queue while it came back.
    pub fn is_heard(&self) -> bool {
        self.probe.is_some()
    }
}

/// A probe of one of more flows of the kind than this, which leave a `queue`, is no dip to the others, as far as the part decides: in queues of less than 8 ms 2 ms do.
pub fn unseen(tau: Span, queue: Span) -> f64 {
    (1.0 + (1.0 - PROBE_RTT_CWND_GAIN) * tau.secs() / queue.max(NOISE).secs()) / DIP
}

#[cfg(test)]
mod tests;
