//! A flow's statistics over the window of measurement, whoever carries the flow.

use hdrhistogram::Histogram;
use symbiosis_base::{Bytes, Instant, Rate, Span};

use crate::plan::FlowPlan;
use crate::result::{FlowSummary, RttSummary, WindowSummary};

/// What is counted where packets arrive or are lost.
#[derive(Debug)]
pub struct Arrivals {
    from: Instant,
    to: Instant,
    dropped: u64,
    bytes: Bytes,
    new_payload: Bytes,
}

impl Arrivals {
    /// Of a flow, over the part of the window `from..to` in which it is there.
    pub fn new(plan: &FlowPlan, from: Instant, to: Instant) -> Arrivals {
        let (dropped, bytes, new_payload) = (0, Bytes::ZERO, Bytes::ZERO);
        Arrivals { from: from.max(plan.start), to, dropped, bytes, new_payload }
    }

    /// A packet of that size arrived, with so much payload that had not been there before.
    #[inline]
    pub fn arrived(&mut self, now: Instant, size: Bytes, new_payload: Bytes) {
        if self.from <= now && now < self.to {
            self.bytes += size;
            self.new_payload += new_payload;
        }
    }

    /// A packet was lost.
    pub fn dropped(&mut self, now: Instant) {
        self.dropped += u64::from(self.from <= now && now < self.to);
    }
}

/// What is counted at the sender.
#[derive(Debug)]
pub struct Tally {
    from: Instant,
    to: Instant,
    packet: Bytes,
    sent: u64,
    resent: Count,
    timeouts: Count,
    loss_events: u64,
    /// Round-trip times \[µs\], three digits; the ends are kept exactly.
    rtts: Histogram<u32>,
    rtt_min: Span,
    rtt_max: Span,
    window: Bytes,
    window_since: Instant,
    window_area: f64,
    window_max: Bytes,
    completed: Option<Instant>,
    bursts: Vec<f64>,
}

/// How often: in the window of measurement, and in the whole run.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    measured: u64,
    total: u64,
}

impl Tally {
    /// Of a flow, over the part of the window `from..to` in which it is there.
    pub fn new(plan: &FlowPlan, from: Instant, to: Instant) -> Tally {
        Tally {
            from: from.max(plan.start),
            to,
            packet: plan.packet,
            sent: 0,
            resent: Count::default(),
            timeouts: Count::default(),
            loss_events: 0,
            rtts: Histogram::new(3).expect("three digits are allowed"),
            rtt_min: Span::MAX,
            rtt_max: Span::ZERO,
            window: Bytes::ZERO,
            window_since: Instant::START,
            window_area: 0.0,
            window_max: Bytes::ZERO,
            completed: None,
            bursts: Vec::new(),
        }
    }

    #[inline]
    fn measures(&self, now: Instant) -> bool {
        self.from <= now && now < self.to
    }

    /// A packet left, for the first time or again.
    #[inline]
    pub fn sent(&mut self, now: Instant, again: bool) {
        let measured = u64::from(self.measures(now));
        self.sent += measured;
        if again {
            self.resent.measured += measured;
            self.resent.total += 1;
        }
    }

    /// What a packet held is retransmitted, in packets that are counted as any other: QUIC's way.
    pub fn retransmitted(&mut self, now: Instant) {
        self.resent.measured += u64::from(self.measures(now));
        self.resent.total += 1;
    }

    /// A retransmission timeout.
    pub fn timeout(&mut self, now: Instant) {
        self.timeouts.measured += u64::from(self.measures(now));
        self.timeouts.total += 1;
    }

    /// Loss recovery began without a timeout.
    pub fn loss_event(&mut self, now: Instant) {
        self.loss_events += u64::from(self.measures(now));
    }

    /// A round-trip time was measured.
    #[inline]
    pub fn rtt(&mut self, now: Instant, rtt: Span) {
        if self.measures(now) {
            self.rtt_min = self.rtt_min.min(rtt);
            self.rtt_max = self.rtt_max.max(rtt);
            self.rtts.record(rtt.0 / 1000).expect("the histogram grows");
        }
    }

    /// The window is `window` from `now` on.
    #[inline]
    pub fn window(&mut self, now: Instant, window: Bytes) {
        let until = now.min(self.to);
        let since = self.window_since.max(self.from);
        if until > since {
            self.window_area += self.window.as_f64() * (until - since).secs();
            self.window_max = self.window_max.max(self.window);
        }
        if now <= self.to {
            self.window = window;
        }
        self.window_since = now;
    }

    /// Everything that there was to send has been acknowledged; the first time counts.
    pub fn completed(&mut self, now: Instant) {
        self.completed.get_or_insert(now);
    }

    /// The oldest burst of which not everything was acknowledged now is, so long after the application had it.
    pub fn burst(&mut self, took: Span) {
        self.bursts.push(took.secs());
    }

    /// Packets retransmitted, and timeouts, in the whole run.
    pub fn totals(&self) -> (u64, u64) {
        (self.resent.total, self.timeouts.total)
    }

    /// The summary of a flow whose measurement ends now.
    pub fn summary(mut self, plan: &FlowPlan, arrivals: &Arrivals) -> FlowSummary {
        self.window(self.to, self.window);
        let span = self.to - self.from;
        let packets = |bytes: f64| bytes / self.packet.as_f64();
        // A bucket is as wide as a thousandth; the ends are exact.
        let quantile = |q| (self.rtts.value_at_quantile(q) as f64 / 1e3).max(self.rtt_min.millis()).min(self.rtt_max.millis());
        FlowSummary {
            id: plan.id.clone(),
            cc: plan.cc.name.into(),
            throughput_mbps: Rate::of(arrivals.bytes, span).mbps(),
            goodput_mbps: Rate::of(arrivals.new_payload, span).mbps(),
            packets_sent: self.sent,
            packets_lost: arrivals.dropped,
            retransmissions: self.resent.measured,
            timeouts: self.timeouts.measured,
            loss_events: self.loss_events,
            completion_s: self.completed.map(|at| (at - plan.start).secs()),
            bursts_s: self.bursts,
            rtt_ms: (!self.rtts.is_empty()).then(|| RttSummary {
                min: self.rtt_min.millis(),
                p50: quantile(0.5),
                p95: quantile(0.95),
                p99: quantile(0.99),
                max: self.rtt_max.millis(),
            }),
            cwnd_packets: WindowSummary {
                mean: if span == Span::ZERO { 0.0 } else { packets(self.window_area / span.secs()) },
                max: packets(self.window_max.as_f64()),
                last: packets(self.window.as_f64()),
            },
        }
    }
}
