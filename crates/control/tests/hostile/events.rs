//! Events that no sane world sends.

use proptest::prelude::*;
use symbiosis_control::observer::{Excess, Findings};
use symbiosis_control::{Bytes, EcnCounts, Instant, LossKind, Span};

pub const PACKET: Bytes = Bytes(1500);
/// Of the sane part; no shorter than the sane samples of the hostile part, so that the least RTT is one of a real path.
pub const RTT: Span = Span::from_millis(20);

/// One event and how much later than the one before it comes.
#[derive(Clone, Debug)]
pub struct Event {
    pub later: Span,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Sent { number: u64, bytes: Bytes, in_flight: Bytes, retransmission: bool },
    Acked { number: u64, bytes: Bytes, sent: SentAt, rtt: Option<Span>, in_flight: Bytes, app_limited: bool, recovering: bool },
    PacketLost { number: u64, bytes: Bytes, sent: SentAt, in_flight: Bytes },
    Lost { kind: LossKind, bytes: Bytes, in_flight: Bytes, times: u32 },
    AckProcessed { in_flight: Bytes, recovering: bool, cwnd_limited: bool, ecn: Option<EcnCounts> },
    Notice(u8, Bytes),
    PathChanged,
    Report { capacity: f64, available: f64 },
    Findings(Findings),
    Arrival { serial: u64, bytes: Bytes, sent: SentAt, probe: bool },
    Permit { in_flight: Bytes },
    Gauges,
}

#[derive(Clone, Copy, Debug)]
pub enum SentAt {
    Before(u64),
    Now,
    After(u64),
    Never,
}

impl SentAt {
    pub fn at(self, now: Instant) -> Instant {
        match self {
            SentAt::Before(span) => now - Span(span),
            SentAt::Now => now,
            SentAt::After(span) => now + Span(span),
            SentAt::Never => Instant::NEVER,
        }
    }
}

pub fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![Just(0), Just(1), Just(PACKET.0), 0..4 * PACKET.0].prop_map(Bytes)
}

pub fn in_flight() -> impl Strategy<Value = Bytes> {
    prop_oneof![Just(0), 0..1_000_000u64, Just(u64::MAX)].prop_map(Bytes)
}

pub fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..1000u64, Just(u64::MAX)]
}

pub fn rtt() -> impl Strategy<Value = Option<Span>> {
    prop_oneof![
        3 => (RTT.0..10 * RTT.0).prop_map(|rtt| Some(Span(rtt))),
        1 => Just(None),
        1 => Just(Some(Span::ZERO)),
        1 => Just(Some(Span::MAX)),
    ]
}

pub fn sent_at() -> impl Strategy<Value = SentAt> {
    prop_oneof![
        3 => (0..10 * RTT.0).prop_map(SentAt::Before),
        1 => Just(SentAt::Now),
        1 => (0..10 * RTT.0).prop_map(SentAt::After),
        1 => Just(SentAt::Never),
    ]
}

pub fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![1e3..1e9, Just(0.0), Just(-1.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(1e-300), Just(1e300)]
}

pub fn findings() -> impl Strategy<Value = Findings> {
    let span = || prop_oneof![Just(0), 0..1_000_000_000u64, Just(u64::MAX)].prop_map(Span);
    let weight = prop_oneof![3 => 0.0..=1.0, 1 => Just(f64::NAN), 1 => Just(-1.0), 1 => Just(1e300)];
    let excess = prop::option::of((span().prop_map(Instant::after), span()).prop_map(|(sent_at, jitter)| Excess { sent_at, jitter }));
    (span(), weight, span().prop_map(Instant::after), excess).prop_map(|(gap, weight, left, excess)| Findings { gap, weight, left, excess })
}

pub fn what() -> impl Strategy<Value = What> {
    let kind =
        prop_oneof![Just(LossKind::FastRetransmit), Just(LossKind::Timeout), Just(LossKind::PersistentCongestion), Just(LossKind::Ecn)];
    let count = || prop_oneof![0..100u64, Just(u64::MAX)];
    let ecn = prop::option::of((count(), count(), count()).prop_map(|(ect0, ect1, ce)| EcnCounts::new(ect0, ect1, ce)));
    let often = prop_oneof![4 => Just(1u32), 1 => Just(3000)];
    prop_oneof![
        4 => (number(), bytes(), in_flight(), any::<bool>())
            .prop_map(|(number, bytes, in_flight, retransmission)| What::Sent { number, bytes, in_flight, retransmission }),
        12 => (number(), bytes(), sent_at(), rtt(), in_flight(), prop::bool::weighted(0.2), prop::bool::weighted(0.2)).prop_map(
            |(number, bytes, sent, rtt, in_flight, app_limited, recovering)| {
                What::Acked { number, bytes, sent, rtt, in_flight, app_limited, recovering }
            }
        ),
        2 => (number(), bytes(), sent_at(), in_flight())
            .prop_map(|(number, bytes, sent, in_flight)| What::PacketLost { number, bytes, sent, in_flight }),
        1 => (kind, bytes(), in_flight(), often).prop_map(|(kind, bytes, in_flight, times)| What::Lost { kind, bytes, in_flight, times }),
        6 => (in_flight(), any::<bool>(), any::<bool>(), ecn).prop_map(|(in_flight, recovering, cwnd_limited, ecn)| {
            What::AckProcessed { in_flight, recovering, cwnd_limited, ecn }
        }),
        1 => (0..5u8, in_flight()).prop_map(|(which, bytes)| What::Notice(which, bytes)),
        1 => Just(What::PathChanged),
        2 => (rate(), rate()).prop_map(|(capacity, available)| What::Report { capacity, available }),
        2 => findings().prop_map(What::Findings),
        4 => (number(), bytes(), sent_at(), any::<bool>())
            .prop_map(|(serial, bytes, sent, probe)| What::Arrival { serial, bytes, sent, probe }),
        2 => in_flight().prop_map(|in_flight| What::Permit { in_flight }),
        1 => Just(What::Gauges),
    ]
}

pub fn events() -> impl Strategy<Value = Vec<Event>> {
    let later = prop_oneof![4 => Just(0), 3 => 0..100_000_000u64, 1 => Just(3_600_000_000_000)];
    prop::collection::vec((later, what()).prop_map(|(later, what)| Event { later: Span(later), what }), 0..400)
}

/// Where each parameter lies in its range, 0 to 1; enough for any controller.
pub fn places() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0], 24)
}
