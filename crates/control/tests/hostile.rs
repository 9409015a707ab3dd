//! Every controller of the registry under events that no sane world sends, and what must hold all the same.

use proptest::prelude::*;
use symbiosis_control::measurement::oracle::MOST_READ;
use symbiosis_control::observer::{Arrival, Excess, Findings, Observer};
use symbiosis_control::oscillation::{GREATEST_WINDOW, OSCILLATION};
use symbiosis_control::params::{Kind, Param, ParamError, Value, Values};
use symbiosis_control::registry::{self, Entry, Feedback};
use symbiosis_control::{
    AckProcessed, Acked, Ask, Bytes, Controller, Departure, EcnCounts, Instant, LossKind, Lost, Notice, PacketLost, Permit, Rate, Report,
    Sent, Setup, Span,
};

const PACKET: Bytes = Bytes(1500);
const INITIAL: Bytes = Bytes(15_000);
/// Of the sane part; no shorter than the sane samples of the hostile part, so that the least RTT is one of a real path.
const RTT: Span = Span::from_millis(20);

/// Those that stop growing at the window their model, or their user, wants; all others must grow for as long as nothing is lost.
const MODEL_BASED: [&str; 9] = ["symbiosis", "symbiosis-paper", "symbiosis-early", "fast", "vegas", "bbr3", "copa", "probe", "hcc"];

/// A packet at 1 Gbit/s.
const SERVICE: Span = Span::from_micros(12);

/// One event and how much later than the one before it comes.
#[derive(Clone, Debug)]
struct Event {
    later: Span,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
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
enum SentAt {
    Before(u64),
    Now,
    After(u64),
    Never,
}

impl SentAt {
    fn at(self, now: Instant) -> Instant {
        match self {
            SentAt::Before(span) => now - Span(span),
            SentAt::Now => now,
            SentAt::After(span) => now + Span(span),
            SentAt::Never => Instant::NEVER,
        }
    }
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![Just(0), Just(1), Just(PACKET.0), 0..4 * PACKET.0].prop_map(Bytes)
}

fn in_flight() -> impl Strategy<Value = Bytes> {
    prop_oneof![Just(0), 0..1_000_000u64, Just(u64::MAX)].prop_map(Bytes)
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..1000u64, Just(u64::MAX)]
}

fn rtt() -> impl Strategy<Value = Option<Span>> {
    prop_oneof![
        3 => (RTT.0..10 * RTT.0).prop_map(|rtt| Some(Span(rtt))),
        1 => Just(None),
        1 => Just(Some(Span::ZERO)),
        1 => Just(Some(Span::MAX)),
    ]
}

fn sent_at() -> impl Strategy<Value = SentAt> {
    prop_oneof![
        3 => (0..10 * RTT.0).prop_map(SentAt::Before),
        1 => Just(SentAt::Now),
        1 => (0..10 * RTT.0).prop_map(SentAt::After),
        1 => Just(SentAt::Never),
    ]
}

fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![1e3..1e9, Just(0.0), Just(-1.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(1e-300), Just(1e300)]
}

fn findings() -> impl Strategy<Value = Findings> {
    let span = || prop_oneof![Just(0), 0..1_000_000_000u64, Just(u64::MAX)].prop_map(Span);
    let weight = prop_oneof![3 => 0.0..=1.0, 1 => Just(f64::NAN), 1 => Just(-1.0), 1 => Just(1e300)];
    let excess = prop::option::of((span().prop_map(Instant::after), span()).prop_map(|(sent_at, jitter)| Excess { sent_at, jitter }));
    (span(), weight, span().prop_map(Instant::after), excess).prop_map(|(gap, weight, left, excess)| Findings { gap, weight, left, excess })
}

fn what() -> impl Strategy<Value = What> {
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
        1 => (0..4u8, in_flight()).prop_map(|(which, bytes)| What::Notice(which, bytes)),
        1 => Just(What::PathChanged),
        2 => (rate(), rate()).prop_map(|(capacity, available)| What::Report { capacity, available }),
        2 => findings().prop_map(What::Findings),
        4 => (number(), bytes(), sent_at(), any::<bool>())
            .prop_map(|(serial, bytes, sent, probe)| What::Arrival { serial, bytes, sent, probe }),
        2 => in_flight().prop_map(|in_flight| What::Permit { in_flight }),
        1 => Just(What::Gauges),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let later = prop_oneof![4 => Just(0), 3 => 0..100_000_000u64, 1 => Just(3_600_000_000_000)];
    prop::collection::vec((later, what()).prop_map(|(later, what)| Event { later: Span(later), what }), 0..400)
}

/// Where each parameter lies in its range, 0 to 1; enough for any controller.
fn places() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0], 24)
}

/// A permitted value at `place` of the parameter's range.
fn value(param: &Param, place: f64) -> (String, Value) {
    let value = match param.kind {
        Kind::Number { min, max, .. } => Value::Number(min + (max - min) * place),
        Kind::Choice(words) => Value::Word(words[((words.len() as f64 * place) as usize).min(words.len() - 1)].to_string()),
        Kind::Flag(_) => Value::Flag(place < 0.5),
    };
    (param.name.to_string(), value)
}

fn values(entry: &Entry, places: Option<&[f64]>) -> Values {
    let mut given: Vec<_> = places.map_or(Vec::new(), |places| entry.params.iter().zip(places).map(|(p, at)| value(p, *at)).collect());
    loop {
        match Values::resolve(entry.params, &given) {
            Ok(values) => return values,
            // It does not apply beside the others.
            Err(ParamError::Idle { name, .. }) => given.retain(|(other, _)| *other != name),
            Err(error) => panic!("{error}"),
        }
    }
}

/// A controller and what it was told, as far as a bound on its window needs it.
struct Subject {
    entry: &'static Entry,
    values: Values,
    controller: Box<dyn Controller>,
    /// The receiver's half, if the controller has one, what a packet takes on the link to it, and when that has sent what left.
    observer: Option<Box<dyn Observer>>,
    serial: u64,
    service: Span,
    free_at: Instant,
    now: Instant,
    acks: f64,
    acked: f64,
    /// The greatest of K and RTT it was told of: no model wants more than their product.
    capacity: f64,
    rtt: Span,
}

impl Subject {
    fn new(entry: &'static Entry, values: Values, seed: u64) -> Subject {
        let setup = Setup::new(PACKET).with_initial_window(INITIAL).with_seed(seed);
        let controller = (entry.build)(&setup, &values);
        let observer = match entry.feedback {
            Feedback::Acks => None,
            Feedback::Reports(observer) => Some(observer(&setup, &values)),
        };
        let (serial, service, free_at) = (0, SERVICE, Instant::START);
        Subject {
            entry,
            values,
            controller,
            observer,
            serial,
            service,
            free_at,
            now: Instant::START,
            acks: 0.0,
            acked: 0.0,
            capacity: 0.0,
            rtt: Span::ZERO,
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.acks += 1.0;
        self.acked += ack.bytes.as_f64();
        self.rtt = self.rtt.max(ack.rtt.unwrap_or_default());
        self.controller.acked(ack);
    }

    /// The `number`th packet of a flight leaves now.
    fn leaves(&mut self, number: u64) {
        let in_flight = Bytes(number * PACKET.0);
        let now = self.now;
        if let Some(observer) = &mut self.observer {
            let probe = matches!(self.controller.permit(&Ask::new(now, in_flight)).departure, Departure::IgnoreWindow(_));
            self.serial += 1;
            self.free_at = self.free_at.max(now) + self.service;
            observer.arrived(&Arrival { now: self.free_at.into(), serial: self.serial, bytes: PACKET, sent_at: now, probe });
        }
        self.controller.sent(&Sent::new(now, number, PACKET, in_flight));
    }

    /// What the receiver's half found.
    fn reports(&mut self) {
        if let Some(observer) = &mut self.observer {
            let findings = observer.take();
            assert!((0.0..=1.0).contains(&findings.weight), "{findings:?}");
            assert!(!observer.urgent(), "it has been told");
            self.controller.report(&Report::Receiver { now: self.now, findings });
        }
    }

    fn report(&mut self, report: Report) {
        if let Report::Path { capacity, .. } = report
            && capacity.bytes_per_s().is_finite()
        {
            self.capacity = self.capacity.max(capacity.bytes_per_s());
        }
        self.controller.report(&report);
    }

    fn tell(&mut self, event: &Event) {
        self.now += event.later;
        let now = self.now;
        match event.what {
            What::Sent { number, bytes, in_flight, retransmission } => {
                self.controller.sent(&Sent::new(now, number, bytes, in_flight).with_retransmission(retransmission));
            }
            What::Acked { number, bytes, sent, rtt, in_flight, app_limited, recovering } => {
                let sent_at = sent.at(now);
                let before = self.window();
                self.acked(
                    &Acked::new(now, number, bytes, sent_at)
                        .with_rtt(rtt)
                        .with_in_flight(in_flight)
                        .with_app_limited(app_limited)
                        .with_recovering(recovering)
                        .with_grows(!recovering),
                );
                // In recovery `symbiosis` follows its law, whose end bounds it as ever; to `copa` a loss says nothing.
                let stands = app_limited || (recovering && !["symbiosis", "copa"].contains(&self.entry.name));
                assert!(!stands || self.window() <= before, "{} grew when it may not", self.entry.name);
            }
            What::PacketLost { number, bytes, sent, in_flight } => {
                self.controller.packet_lost(&PacketLost::new(now, number, bytes, sent.at(now)).with_in_flight(in_flight));
            }
            What::AckProcessed { in_flight, recovering, cwnd_limited, ecn } => {
                let ack = AckProcessed::new(now).with_in_flight(in_flight).with_recovering(recovering);
                self.controller.ack_processed(&ack.with_cwnd_limited(cwnd_limited).with_ecn(ecn));
            }
            What::Notice(which, bytes) => self.controller.notice(&match which {
                0 => Notice::Spurious { now, in_flight: bytes },
                1 => Notice::AppLimited { now, in_flight: bytes },
                2 => Notice::PacketSize { now, packet: PACKET },
                _ => Notice::AckFrequency { now, packets: bytes.0, delay: Span(bytes.0) },
            }),
            What::PathChanged => {
                self.controller.path_changed(now);
            }
            What::Lost { kind, bytes, in_flight, times } => {
                for _ in 0..times {
                    self.controller.lost(&Lost::new(now, kind, in_flight).with_bytes(bytes));
                }
            }
            What::Report { capacity, available } => {
                let (capacity, available) = (Rate::from_bytes_per_s(capacity), Rate::from_bytes_per_s(available));
                self.report(Report::Path { now, capacity, available });
            }
            What::Findings(findings) => {
                self.controller.report(&Report::Receiver { now, findings });
                self.reports();
            }
            What::Arrival { serial, bytes, sent, probe } => {
                if let Some(observer) = &mut self.observer {
                    observer.arrived(&Arrival { now: now.into(), serial, bytes, sent_at: sent.at(now), probe });
                }
            }
            What::Permit { in_flight } => {
                self.controller.permit(&Ask::new(now, in_flight));
            }
            What::Gauges => self.controller.gauges(&mut |name, value| assert!(!value.is_nan(), "{name} is NaN")),
        }
    }

    fn window(&mut self) -> Bytes {
        self.controller.permit(&Ask::new(self.now, Bytes(0))).window
    }

    fn permit(&self) -> Permit {
        self.controller.permit(&Ask::new(self.now, Bytes(0)))
    }

    /// Whether its window has a random walk beside its law.
    fn oscillates(&self) -> bool {
        self.values.iter().any(|(name, value)| name == OSCILLATION.name && *value != Value::Number(0.0))
    }

    /// Whether its oracle is told to err all the time.
    fn is_misled(&self) -> bool {
        self.values.iter().any(|(name, value)| ["k_bias", "k_noise", "a_bias"].contains(&name) && *value != Value::Number(0.0))
    }

    /// The greatest K that its measurement may have read.
    fn capacity_read(&self) -> f64 {
        if self.is_misled() { self.capacity * MOST_READ } else { self.capacity }
    }

    /// No law gains more than slow start's packet a packet, but for the two whose step is a parameter; a random walk has its own end.
    fn bound(&self) -> f64 {
        if self.oscillates() {
            return GREATEST_WINDOW * PACKET.as_f64();
        }
        INITIAL.as_f64()
            + match self.entry.name {
                "symbiosis" | "symbiosis-paper" => self.acked.max(self.capacity_read() * self.rtt.secs()),
                "symbiosis-early" => self.acked * self.values.number("epsilon").max(1.0),
                "fast" => self.acks * self.values.number("gain") * self.values.number("alpha") * PACKET.as_f64(),
                // Twice an RTT's packets, no more than ten million a second, and four.
                "hcc" => (4.0 + 2.0 * self.rtt.secs() * 1e7) * PACKET.as_f64(),
                _ => self.acked,
            }
    }

    /// Bears `events`, and its window stays a window.
    fn endure(&mut self, events: &[Event]) {
        for event in events {
            self.tell(event);
            let (window, bound) = (self.window(), self.bound());
            assert!(window >= PACKET, "{}: {window} after {event:?}", self.entry.name);
            assert!(window.as_f64() <= bound * (1.0 + 1e-9), "{}: {window} above {bound} after {event:?}", self.entry.name);
        }
    }

    /// Round trips of full windows (of 300 packets at most) without loss on an empty path of 1 Gbit/s.
    fn sane_rounds(&mut self, rounds: u64) {
        let gigabit = Rate::from_mbps(1000.0);
        self.report(Report::Path { now: self.now, capacity: gigabit, available: gigabit });
        for _ in 0..rounds {
            let packets = (self.window().0 / PACKET.0).min(300);
            let sent_at = self.now;
            for i in 1..=packets {
                self.leaves(i);
            }
            self.now += RTT;
            self.reports();
            for i in 1..=packets {
                let in_flight = Bytes((packets - i) * PACKET.0);
                self.acked(&Acked::new(self.now, i, PACKET, sent_at).with_rtt(Some(RTT)).with_in_flight(in_flight));
                self.processed(in_flight);
            }
        }
    }

    /// The ACK is over.
    fn processed(&mut self, in_flight: Bytes) {
        self.controller.ack_processed(&AckProcessed::new(self.now).with_in_flight(in_flight));
    }

    /// After whatever happened, a sane path is used again.
    fn recover(&mut self) {
        self.sane_rounds(100);
        let half_way = self.window();
        self.sane_rounds(100);
        let end = self.window();
        // Who is told that nothing is free need not grow.
        assert!(end > PACKET || self.is_misled(), "{} is stuck at {end}", self.entry.name);
        assert!(end.as_f64() <= self.bound() * (1.0 + 1e-9), "{}: {end} above {}", self.entry.name, self.bound());
        if !MODEL_BASED.contains(&self.entry.name) && !self.oscillates() {
            assert!(end > half_way, "{} does not grow from {half_way}", self.entry.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_events_are_borne_with_default_parameters(events in events(), seed in any::<u64>()) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, None), seed);
            subject.endure(&events);
            subject.recover();
        }
    }

    #[test]
    fn any_events_are_borne_with_any_parameters(events in events(), places in places(), seed in any::<u64>()) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, Some(&places)), seed);
            subject.endure(&events);
            subject.recover();
        }
    }

    #[test]
    fn a_receiver_that_measures_bears_any_arrivals(
        packets in prop::collection::vec((0..100_000_000u64, number(), bytes(), sent_at(), any::<bool>(), any::<bool>()), 0..300),
        places in places(),
    ) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, Some(&places)), 0);
            let Some(mut observer) = subject.observer.take() else { continue };
            let mut now = Instant::START;
            for (later, serial, bytes, sent, probe, asked) in &packets {
                now += Span(*later);
                observer.arrived(&Arrival { now: now.into(), serial: *serial, bytes: *bytes, sent_at: sent.at(now), probe: *probe });
                if *asked {
                    let (urgent, found) = (observer.urgent(), observer.take());
                    prop_assert!(urgent || found.excess.is_none());
                    prop_assert!((0.0..=1.0).contains(&found.weight) && (found.weight > 0.0 || found.gap == Span::ZERO), "{:?}", found);
                    prop_assert!(found.gap <= now.since_start() && found.excess.is_none_or(|excess| excess.jitter <= now.since_start()), "{:?}", found);
                    prop_assert_eq!((observer.take(), observer.urgent()), (Findings::default(), false));
                }
            }
        }
    }

    #[test]
    fn the_same_seed_and_events_give_the_same_permits(events in events(), places in places(), seed in any::<u64>()) {
        for entry in registry::ALL {
            let permits = || {
                let mut subject = Subject::new(entry, values(entry, Some(&places)), seed);
                let ask = |subject: &mut Subject| subject.controller.permit(&Ask::new(subject.now, Bytes(0)));
                let permits = events.iter().map(|event| (subject.tell(event), ask(&mut subject)).1);
                permits.collect::<Vec<_>>()
            };
            prop_assert_eq!(permits(), permits(), "{}", entry.name);
        }
    }

    #[test]
    fn a_copy_foresees_what_the_original_will_do_and_changes_nothing_of_it(
        before in events(), after in events(), places in places(), seed in any::<u64>(),
    ) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, Some(&places)), seed);
            before.iter().for_each(|event| subject.tell(event));
            let (now, permit) = (subject.now, subject.permit());
            let original = subject.controller;
            subject.controller = original.clone();
            prop_assert_eq!(subject.permit(), permit, "{}: a copy begins where the original is", entry.name);
            // What the receiver's half finds is told to whichever controller runs, so here there is none.
            subject.observer = None;
            let mut permits = |controller: Box<dyn Controller>| {
                (subject.now, subject.controller) = (now, controller);
                let permits = after.iter().map(|event| (subject.tell(event), subject.permit()).1);
                permits.collect::<Vec<_>>()
            };
            let foreseen = permits(original.clone());
            prop_assert_eq!(original.permit(&Ask::new(now, Bytes(0))), permit, "{}: the original has heard nothing", entry.name);
            prop_assert_eq!(permits(original), foreseen, "{}", entry.name);
        }
    }
}

#[test]
fn every_entry_builds_with_its_defaults() {
    for (i, entry) in registry::ALL.iter().enumerate() {
        // A default outside its own bounds would be refused when given; a parameter that is read but not declared panics.
        let defaults = values(entry, None);
        let given: Vec<_> = defaults.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        assert_eq!(Values::resolve(entry.params, &given), Ok(defaults.clone()), "{}", entry.name);
        let mut subject = Subject::new(entry, defaults, 0);
        assert!(subject.window() >= PACKET && subject.window() <= INITIAL, "{}", entry.name);

        assert!(registry::ALL[..i].iter().all(|other| other.name != entry.name), "two are named {}", entry.name);
        assert!(!entry.about.is_empty() && entry.params.iter().all(|param| !param.about.is_empty()), "{}", entry.name);
        for (j, param) in entry.params.iter().enumerate() {
            assert!(entry.params[..j].iter().all(|other| other.name != param.name), "{} twice in {}", param.name, entry.name);
        }
    }
}
