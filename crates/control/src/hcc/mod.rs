//! HCC, homeostatic congestion control (Magalhaes, Monteiro, Carrano; H): a rate kept by two opposing measurements at the receiver.
//!
//! Packets leave with a period P. Pairs read the capacity of the path and pull P down to it, whoever else is there; jitter shows when that
//! was too much, and pushes P up:
//!
//! - start: one pair, `P = 2·gap`;
//! - every fifth packet leaves with the one before it: `P ← (1 − α)P + α·gap`;
//! - two consecutive positive jitters: `P ← P + mean jitter`;
//! - a loss: `P ← 2P`, if `now > last + RTT + 2P`, `last` being when P was last doubled ("once for each RTT", H §9);
//! - up to a tenth is added to each new P, `P(1 + u)`, u uniform in [0, 0.1).
//!
//! [`HccReceiver`] measures, [`Hcc`] obeys. Where H is silent or its letter does not work over a round trip:
//! - P is kept at the sender, and reports carry what the receiver would do to it. Kept at the receiver, it and a doubling at the sender
//!   would undo each other.
//! - A pair takes two periods, so the mean rate is 1/P.
//! - The jitter is added to the P that those packets were sent with (see `period`).
//! - The part u is added where P is used and not to P itself: in the average it would add up, to u/α of the period.
//! - A timeout doubles P, once; then a pair for each further timeout, until the receiver is heard again.
//! - What may be in flight is bounded, by twice what a round trip takes, so that nothing is poured into a path that went silent.

pub mod facts;
mod jitter;
mod pair;
mod period;
mod randomiser;
mod receiver;

use alloc::boxed::Box;

pub use receiver::HccReceiver;

use crate::entry::{Entry, Feedback, Recovery};
use crate::measurement::imtcp::ImTcp;
use crate::measurement::{Host, News};
use crate::params::Param;
use crate::rtt::MinRtt;
use crate::{Acked, Ask, Bytes, Controller, Departure, Instant, LossKind, Lost, PacketLost, Permit, Rate, Report, Sent, Setup, Span};

use pair::Probes;
use period::Period;
use randomiser::Randomiser;

/// HCC.
pub const ENTRY: Entry = Entry {
    name: "hcc",
    about: "HCC: a rate between packet pairs, which raise it, and jitter, which lowers it (Magalhaes et al.)",
    params: &[
        Param::number("alpha", ALPHA, 0.001, 1.0, "weight of a pair in the period (H §7; ours)"),
        Param::number("probe_every", PROBE_EVERY, 2.0, 1e6, "one packet of this many is the second of a pair (H §7: 5)")
            .only_if("source", &["pairs"]),
        Param::number("jitters", 2.0, 1.0, 100.0, "consecutive positive jitters that raise the period (H §6.1: 2)"),
        Param::number("randomiser", RANDOMISER, 0.0, 1.0, "greatest part added to the period (H §9: 0.1)"),
        Param::number("reports", REPORTS, 1.0, 1000.0, "reports in an RTT, if nothing is urgent (H is silent; ours)")
            .only_if("source", &["pairs"]),
        Param::number(
            "probe_rtts",
            0.0,
            0.0,
            10.0,
            "pairs are at least this many RTTs apart (H §9 names it as future work; 0: by packets alone)",
        )
        .only_if("source", &["pairs"]),
        Param::choice(
            "source",
            &["pairs", "imtcp"],
            "what pulls the period down: packet pairs (H), or available bandwidth as ImTCP reads it (ours)",
        ),
        Param::flag("fresh_pairs", false, "pairs that left before the last doubling do not take it back (ours)")
            .only_if("source", &["pairs"]),
        Param::choice("losses", &["all", "queued"], "which losses double the period: all (H), or those beside which packets wait (ours)"),
    ],
    recovery: Recovery::Rack,
    feedback: Feedback::Reports(|setup, values| {
        let each = values.word("source") == "imtcp";
        let (alpha, jitters, reports) = (values.number("alpha"), values.number("jitters") as u32, values.number("reports"));
        Box::new(HccReceiver::new(setup, alpha, jitters, reports, each))
    }),
    build: |setup, values| {
        let settings = Settings {
            alpha: values.number("alpha"),
            probe_every: values.number("probe_every") as u32,
            probe_rtts: values.number("probe_rtts"),
            randomiser: values.number("randomiser"),
            fresh_pairs: values.flag("fresh_pairs"),
            all_losses: values.word("losses") == "all",
        };
        let imtcp = || Host::new(Box::new(ImTcp::new(setup)));
        Box::new(Hcc::new(setup, settings, (values.word("source") == "imtcp").then(imtcp)))
    },
};

/// How the sending half is set.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Weight of a reading, where readings take the place of pairs.
    pub alpha: f64,
    /// One packet of so many is the second of a pair.
    pub probe_every: u32,
    /// Least distance of pairs in smoothed round-trip times.
    pub probe_rtts: f64,
    /// Greatest part added to the period.
    pub randomiser: f64,
    /// Pairs that left before the last doubling do not count.
    pub fresh_pairs: bool,
    /// Every loss doubles the period; else only one beside which packets wait.
    pub all_losses: bool,
}

/// Weight of a pair. H §8.2 has a flow back from 0.5 to 2 Mbit/s in 2 to 3 s; see docs/algorithms.md.
pub const ALPHA: f64 = 0.1;
/// One packet of so many is the second of a pair (H §7).
pub const PROBE_EVERY: f64 = 5.0;
/// Greatest part added to the period (H §9).
pub const RANDOMISER: f64 = 0.1;
/// Reports in a round trip, if nothing is urgent. See docs/algorithms.md.
pub const REPORTS: f64 = 4.0;
/// Packets in flight while the receiver has not been heard: a pair is two (H §3).
const PAIR: f64 = 2.0;
/// With fewer packets in a round trip data packets measure nothing any more: no reading takes the rate below. Measured with five flows of
/// `source = "imtcp"` on 10 Mbit/s and 60 ms: 2 leave 22 % of the link and Jain's index 0.87, 4 leave 19 % and 0.998, 8 leave 20 %.
const MEASURING: f64 = 4.0;
/// Packets in flight are bounded by this multiple of what a round trip takes at the period, so that a queue as long as the path does not
/// bind the rate. Measured with `simulate scenarios/hcc-beside-tcp.toml` (5 seeds, share of two flows of five): 1.2 gives 0.23, 2 gives 0.29,
/// 4 gives 0.31 and half as many timeouts again.
const ROOM: f64 = 2.0;
/// Packets in flight beyond that: at a period of a round trip the multiple alone is two packets, of which none may leave before a report
/// comes. From 1 to 8 nothing depends on it (the same scenario, and 50 flows on 2 Mbit/s): one for each report of a round trip
/// ([`REPORTS`]).
const SPARE: f64 = REPORTS;
/// A loss is a queue's if so many packets waited: one more than a pair, which waits for itself in an empty queue. Measured with
/// `losses = "queued"` at 1 % of random loss: 1 takes some of them for a queue's and costs 0.9 % of the link, 2 to 5 cost nothing.
const WAITING: u64 = 3;

/// HCC's sending half.
#[derive(Clone)]
pub struct Hcc {
    packet: Bytes,
    /// Granularity of the host's.
    timer: Span,
    settings: Settings,
    /// Tells the available bandwidth in the place of pairs.
    host: Option<Host>,
    period: Period,
    randomiser: Randomiser,
    probes: Probes,
    /// Smoothed round-trip time, zero before the first.
    rtt: Span,
    /// The latest and the least.
    latest_rtt: Span,
    least_rtt: MinRtt<Span>,
    /// How far apart pairs arrived lately: what a packet takes.
    service: Span,
    /// When P was last doubled.
    doubled: Option<Instant>,
    /// The receiver has not been heard since the start or the last timeout.
    silent: bool,
    window: Bytes,
    /// When a packet last left, and how many periods later the next may: one, and what was borrowed by leaving early, as in a pair.
    last: Instant,
    owed: f64,
}

impl Hcc {
    /// For a new connection; a measurement takes the place of pairs.
    pub fn new(setup: &Setup, settings: Settings, host: Option<Host>) -> Hcc {
        Hcc {
            packet: setup.packet,
            timer: setup.timer,
            settings,
            host,
            period: Period::default(),
            randomiser: Randomiser::new(settings.randomiser, setup.seed),
            probes: Probes::new(settings.probe_every),
            rtt: Span::ZERO,
            latest_rtt: Span::ZERO,
            least_rtt: MinRtt::default(),
            service: Span::ZERO,
            doubled: None,
            silent: true,
            window: Bytes::from_f64(PAIR * setup.packet.as_f64()),
            last: Instant::START,
            owed: 0.0,
        }
    }

    /// The period at which packets leave, once there is one.
    fn applied(&self) -> Option<Span> {
        self.period.get().map(|period| self.randomiser.applied(period))
    }

    /// The least round-trip time; for ever before the first.
    fn least_rtt(&self) -> Span {
        self.least_rtt.get().unwrap_or(Span::MAX)
    }

    /// Whether packets waited for others when the latest one crossed the path.
    fn queued(&self) -> bool {
        self.latest_rtt - self.least_rtt() > Span(self.service.0.saturating_mul(WAITING))
    }

    fn back_off(&mut self, now: Instant) {
        let Some(period) = self.period.get() else { return };
        let pause = self.rtt.saturating_add(period * 2);
        if self.doubled.is_none_or(|last| now > last.saturating_add(pause)) {
            self.doubled = Some(now);
            self.period.double(now);
            self.randomiser.draw();
        }
    }
}

impl Controller for Hcc {
    fn sent(&mut self, packet: &Sent) {
        // A measurement has pairs of its own.
        let spacing = if self.host.is_some() { Span::MAX } else { self.rtt.scale(self.settings.probe_rtts) };
        self.probes.sent(packet.now, self.silent, spacing);
        if let Some(host) = &mut self.host {
            host.sent(packet);
        }
        // Who leaves late does not catch up, but for what the host's timer rounds up.
        let periods = |span: Span, period: Span| span.secs() / period.secs();
        let left =
            self.applied().map_or(0.0, |period| (self.owed - periods(packet.now - self.last, period)).max(-periods(self.timer, period)));
        (self.last, self.owed) = (packet.now, 1.0 + left);
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        if let Some(host) = &mut self.host {
            host.packet_lost(packet);
        }
    }

    fn acked(&mut self, ack: &Acked) {
        if let Some(rtt) = ack.rtt.filter(|rtt| rtt.0 > 0) {
            // Weight 1/8, as RFC 6298.
            self.rtt = if self.rtt == Span::ZERO { rtt } else { Span(self.rtt.0 - self.rtt.0 / 8 + rtt.0 / 8) };
            self.latest_rtt = rtt;
            self.least_rtt.sample(rtt);
        }
        if let Some(News::Reading(reading)) = self.host.as_mut().map(|host| host.acked(ack))
            && self.period.get().is_some()
        {
            let gap = reading.bandwidth.available.time_for(self.packet);
            self.period.measured(ack.now, gap.min(self.rtt.scale(1.0 / MEASURING)), self.settings.alpha);
            self.randomiser.draw();
        }
    }

    fn lost(&mut self, loss: &Lost) {
        let timeout = loss.kind.collapses();
        let counts = match loss.kind {
            LossKind::Timeout | LossKind::PersistentCongestion => !self.silent,
            LossKind::Ecn => true,
            LossKind::FastRetransmit => self.settings.all_losses || self.queued(),
        };
        if counts {
            self.back_off(loss.now);
        }
        if timeout {
            self.silent = true;
            self.probes.abandon();
            if let Some(host) = &mut self.host {
                host.forget();
            }
            self.window = Bytes::from_f64(PAIR * self.packet.as_f64());
        }
    }

    fn report(&mut self, report: &Report) {
        let Report::Receiver { now, findings } = *report else { return };
        let fresh = self.doubled.is_none_or(|at| findings.left > at);
        let counts = self.host.is_none() || self.period.get().is_none();
        let pairs = counts && findings.weight > 0.0 && (fresh || !self.settings.fresh_pairs);
        if pairs {
            // A round trip contains what a packet takes. What is longer is no service (nor a queue, H §7) but an outage that is over.
            self.service = findings.gap.min(self.least_rtt());
            self.period.measured(now, self.service, findings.weight.min(1.0));
        }
        if let Some(excess) = findings.excess {
            self.period.exceeded(now, excess.sent_at, excess.jitter.min(self.least_rtt()));
        }
        if pairs || findings.excess.is_some() {
            self.randomiser.draw();
        }
        self.period.forget(now - self.rtt - self.rtt);
        if let Some(period) = self.period.get() {
            self.silent = false;
            let packets = SPARE + ROOM * self.rtt.secs() / period.secs();
            self.window = Bytes::from_f64(packets * self.packet.as_f64());
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let wanted = self.host.as_ref().map_or(Departure::Now, Host::departure);
        let departure = match (self.probes.due(), self.applied()) {
            (Some(at), _) => Departure::IgnoreWindow(at),
            (None, Some(_)) if !self.silent && wanted != Departure::Now => wanted,
            (None, Some(period)) if !self.silent => Departure::At(self.last.saturating_add(period.scale(self.owed.max(0.0)))),
            // One pair at a time, while there is no answer.
            (None, _) if ask.in_flight == Bytes::ZERO => Departure::Now,
            (None, _) => Departure::At(Instant::NEVER),
        };
        Permit { window: self.window, departure }
    }

    fn wants_arrivals(&self) -> bool {
        self.host.as_ref().is_some_and(Host::wants_arrivals)
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let (Some(period), Some(applied)) = (self.period.get(), self.applied()) {
            plot("period_ms", period.millis());
            plot("rate_mbps", Rate::of(self.packet, applied).mbps());
        }
        if let Some(host) = &self.host {
            host.gauges(plot);
        }
    }
}

#[cfg(test)]
mod tests;
