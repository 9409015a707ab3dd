//! Every controller, and every receiver's half, under sequences of events that no sane world sends: the events and the subject of
//! `crates/control/tests/hostile.rs`, chosen by the input in place of a generator.
#![no_main]

#[path = "../../crates/control/tests/hostile/events.rs"]
#[allow(dead_code, reason = "tests draw them, too")]
mod events;
#[path = "../../crates/control/tests/hostile/subject.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod subject;

use events::{Event, PACKET, RTT, SentAt, What};
use libfuzzer_sys::fuzz_target;
use subject::{Subject, values};
use symbiosis_control::observer::{Excess, Findings};
use symbiosis_control::{Bytes, EcnCounts, Instant, LossKind, Span, registry};

/// An input, read from its beginning; behind its end are zeros.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, end: u64) -> u64 {
        let wide = (0..4).fold(0, |wide, _| wide << 8 | u64::from(self.byte()));
        wide * end >> 32
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn bytes(&mut self) -> Bytes {
        let any = self.below(4 * PACKET.0);
        Bytes(self.one(&[0, 1, PACKET.0, PACKET.0, any]))
    }

    fn in_flight(&mut self) -> Bytes {
        let any = self.below(1_000_000);
        Bytes(self.one(&[0, any, any, u64::MAX]))
    }

    fn number(&mut self) -> u64 {
        let any = self.below(1000);
        self.one(&[any, any, any, u64::MAX])
    }

    fn sent(&mut self) -> SentAt {
        let any = self.below(10 * RTT.0);
        self.one(&[SentAt::Before(any), SentAt::Before(any), SentAt::Before(any), SentAt::Now, SentAt::After(any), SentAt::Never])
    }

    fn rtt(&mut self) -> Option<Span> {
        let any = Some(Span(RTT.0 + self.below(9 * RTT.0)));
        self.one(&[any, any, any, None, Some(Span::ZERO), Some(Span::MAX)])
    }

    fn rate(&mut self) -> f64 {
        let any = 1e3 + self.below(1_000_000_000) as f64;
        self.one(&[any, any, any, 0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-300, 1e300])
    }

    fn span(&mut self) -> Span {
        let any = self.below(1_000_000_000);
        Span(self.one(&[0, any, any, u64::MAX]))
    }

    fn place(&mut self) -> f64 {
        let any = f64::from(self.byte()) / 255.0;
        self.one(&[0.0, 1.0, any, any])
    }

    fn findings(&mut self) -> Findings {
        let any = self.place();
        let weight = self.one(&[any, any, any, f64::NAN, -1.0, 1e300]);
        let excess = self.flag().then(|| Excess { sent_at: Instant::after(self.span()), jitter: self.span() });
        Findings { gap: self.span(), weight, left: Instant::after(self.span()), excess }
    }

    fn event(&mut self) -> Event {
        let any = self.below(100_000_000);
        let later = Span(self.one(&[0, 0, 0, 0, any, any, any, 3_600_000_000_000]));
        let what = match self.byte() % 16 {
            0..5 => What::Acked {
                number: self.number(),
                bytes: self.bytes(),
                sent: self.sent(),
                rtt: self.rtt(),
                in_flight: self.in_flight(),
                app_limited: self.byte() < 50,
                recovering: self.byte() < 50,
            },
            5 => What::Sent { number: self.number(), bytes: self.bytes(), in_flight: self.in_flight(), retransmission: self.flag() },
            6 => What::PacketLost { number: self.number(), bytes: self.bytes(), sent: self.sent(), in_flight: self.in_flight() },
            7 => What::Lost {
                kind: self.one(&[LossKind::FastRetransmit, LossKind::Timeout, LossKind::PersistentCongestion, LossKind::Ecn]),
                bytes: self.bytes(),
                in_flight: self.in_flight(),
                times: self.one(&[1, 1, 1, 1, 300]),
            },
            8 | 9 => What::AckProcessed {
                in_flight: self.in_flight(),
                recovering: self.flag(),
                cwnd_limited: self.flag(),
                ecn: self.flag().then(|| EcnCounts::new(self.number(), self.number(), self.number())),
            },
            10 => What::Notice(self.byte() % 4, self.in_flight()),
            11 => What::PathChanged,
            12 => What::Report { capacity: self.rate(), available: self.rate() },
            13 => What::Findings(self.findings()),
            14 => What::Arrival { serial: self.number(), bytes: self.bytes(), sent: self.sent(), probe: self.flag() },
            _ if self.flag() => What::Permit { in_flight: self.in_flight() },
            _ => What::Gauges,
        };
        Event { later, what }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    // Which controller, with its defaults or any parameters, and whether a sane path follows; then the events.
    let entry = input.one(&registry::ALL.iter().collect::<Vec<_>>());
    let how = input.byte();
    let places: Vec<f64> = (0..24).map(|_| if how & 1 == 1 { input.place() } else { 0.0 }).collect();
    let mut subject = Subject::new(entry, values(entry, (how & 1 == 1).then_some(&places[..])), 1);
    while !input.0.is_empty() {
        let event = input.event();
        subject.endure(&[event]);
    }
    if how & 2 == 2 {
        subject.recover();
    }
});
