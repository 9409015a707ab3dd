//! A controller under such events, and what must hold all the same.

use symbiosis_control::measurement::oracle::MOST_READ;
use symbiosis_control::observer::{Arrival, Observer};
use symbiosis_control::oscillation::{GREATEST_WINDOW, OSCILLATION};
use symbiosis_control::params::{Kind, Param, ParamError, Value, Values};
use symbiosis_control::registry::{Entry, Feedback};
use symbiosis_control::{
    AckProcessed, Acked, Ask, Basis, Bytes, Controller, Departure, Instant, Lost, Notice, PacketLost, Permit, Rate, Report, Sent, Setup,
    Span,
};

use super::events::{Event, PACKET, RTT, What};

pub const INITIAL: Bytes = Bytes(15_000);

/// Those that stop growing at the window their model, or their user, wants; all others must grow for as long as nothing is lost.
const MODEL_BASED: [&str; 12] =
    ["symbiosis", "symbiosis-paper", "symbiosis-early", "fast", "vegas", "bbr", "bbr3", "copa", "ledbat++", "c4", "probe", "hcc"];

/// A packet at 1 Gbit/s.
const SERVICE: Span = Span::from_micros(12);

/// A permitted value at `place` of the parameter's range.
fn value(param: &Param, place: f64) -> (String, Value) {
    let value = match param.kind {
        Kind::Number { min, max, .. } => Value::Number(min + (max - min) * place),
        Kind::Choice(words) => Value::Word(words[((words.len() as f64 * place) as usize).min(words.len() - 1)].to_string()),
        Kind::Flag(_) => Value::Flag(place < 0.5),
    };
    (param.name.to_string(), value)
}

pub fn values(entry: &Entry, places: Option<&[f64]>) -> Values {
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
pub struct Subject {
    entry: &'static Entry,
    values: Values,
    pub controller: Box<dyn Controller>,
    /// The receiver's half, if the controller has one, what a packet takes on the link to it, and when that has sent what left.
    pub observer: Option<Box<dyn Observer>>,
    serial: u64,
    service: Span,
    free_at: Instant,
    pub now: Instant,
    acks: f64,
    acked: f64,
    /// The greatest of K and RTT it was told of: no model wants more than their product.
    capacity: f64,
    rtt: Span,
}

impl Subject {
    pub fn new(entry: &'static Entry, values: Values, seed: u64) -> Subject {
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

    pub fn tell(&mut self, event: &Event) {
        self.now += event.later;
        let now = self.now;
        match event.what {
            What::Sent { number, bytes, in_flight, retransmission } => {
                self.controller.sent(&Sent::new(now, number, bytes, in_flight).with_retransmission(retransmission));
            }
            What::Acked { number, bytes, sent, rtt, in_flight, app_limited, recovering } => {
                let sent_at = sent.at(now);
                let (before, basis) = (self.window(), self.controller.basis(now));
                self.acked(
                    &Acked::new(now, number, bytes, sent_at)
                        .with_rtt(rtt)
                        .with_in_flight(in_flight)
                        .with_app_limited(app_limited)
                        .with_recovering(recovering)
                        .with_grows(!recovering),
                );
                // The end of a min-RTT probe gives back what it held. In recovery `symbiosis` follows its law, whose end bounds it as ever; to `copa` a loss says nothing.
                let stands = app_limited || (recovering && !["symbiosis", "copa"].contains(&self.entry.name));
                assert!(!stands || basis == Basis::ProbeRtt || self.window() <= before, "{} grew when it may not", self.entry.name);
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
                3 => Notice::AckFrequency { now, packets: bytes.0, delay: Span(bytes.0) },
                // A host's own window, no larger than one that nothing has made grow.
                _ => Notice::HostWindow { window: bytes.min(INITIAL), ssthresh: Some(bytes) },
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

    pub fn window(&mut self) -> Bytes {
        self.controller.permit(&Ask::new(self.now, Bytes(0))).window
    }

    pub fn permit(&self) -> Permit {
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
    pub fn endure(&mut self, events: &[Event]) {
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
    pub fn recover(&mut self) {
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
