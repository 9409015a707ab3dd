//! A socket, as its controller sees it: the kernel's records as events, and the controller's decisions as words.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use symbiosis_base::{Bytes, Nanos};
use symbiosis_control::params::Values;
use symbiosis_control::registry::Entry;
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Course, Departure, LossKind, Lost, Sent, Setup};

use super::cells::{Cell, Cells};
use super::layout::{PLAN, Record, WINDOW_BITS, Word, flag, kind, law};
use super::live::{LiveSocket, Phase};

/// A window grows for at most so many packets of one ACK, as in every world (RFC 3465's L).
const MOST_GROWING: usize = 2;
/// TCP's pacing places packets no closer than this: its timer takes as long (median 15 µs, p95 21 µs).
const TIMER: Nanos = Nanos::from_micros(20);
/// Who is held for longer than this part of the round-trip time waits for ACKs, at each of which a word may end the wait: pacing's timer, once
/// set, is not taken back.
const LONG_WAIT: f64 = 0.25;
/// What a word says holds for so long, and for two round trips at least.
const HOLDS: Nanos = Nanos::from_millis(300);

/// A connection's controller, and what is remembered for it.
pub(crate) struct Flow {
    controller: Box<dyn Controller>,
    packet: Bytes,
    mss: u32,
    cells: Cells,
    /// Controllers are promised that time never goes back.
    now: Nanos,
    last_sent: Nanos,
    last_ack: Nanos,
    /// Congestion events that the controller has heard of.
    losses: u32,
    serial: u32,
    latest: Record,
    told: Vec<Cell>,
}

/// What a flow needs to begin.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) entry: &'static Entry,
    pub(crate) params: Values,
    pub(crate) seed: u64,
}

impl Flow {
    /// A controller for the socket of which `first` is the first that is heard.
    pub(crate) fn new(start: &Start, first: &Record) -> Flow {
        let packet = Bytes(u64::from(first.mss) + u64::from(first.overhead));
        let setup = Setup::new(packet)
            .with_initial_window(Bytes(packet.0 * u64::from(first.cwnd)))
            .with_timer(TIMER)
            .with_seed(start.seed.wrapping_add(first.id));
        // Of what left before nothing is known.
        let begins = if first.kind == kind::SENT { first.from } else { first.nxt };
        Flow {
            controller: (start.entry.build)(&setup, &start.params),
            packet,
            mss: first.mss,
            cells: Cells::new(u64::from(first.mss), Bytes(first.overhead.into()), begins),
            now: Nanos::ZERO,
            last_sent: Nanos(first.at),
            last_ack: Nanos(first.at),
            losses: first.losses,
            // Another than that of any word that an agent before this one may have said.
            serial: first.at as u32,
            latest: *first,
            told: Vec::new(),
        }
    }

    /// Whether the record can be of this flow: packets of another size are of another path, and after a silence for more than a flight nothing
    /// that was remembered is on its way any more.
    pub(crate) fn continues(&self, record: &Record) -> bool {
        let gone = record.una / u64::from(self.mss.max(1));
        record.mss == self.mss && gone <= self.cells.next()
    }

    fn packets(&self, count: u32) -> Bytes {
        Bytes(self.packet.0 * u64::from(count))
    }

    /// Takes in what happened.
    pub(crate) fn take(&mut self, record: &Record) {
        self.now = self.now.max(Nanos(record.at));
        let now = self.now;
        match record.kind {
            kind::SENT => self.sent(record),
            kind::RESENT => {
                for number in self.cells.resent(record.count, now) {
                    self.controller.sent(&Sent::new(now, number, self.packet, self.packets(record.in_flight)).with_retransmission(true));
                }
            }
            kind::ACKED => self.acked(record),
            kind::REDUCED | kind::MARKED | kind::TIMEOUT => {
                let kind = match record.kind {
                    kind::REDUCED => LossKind::FastRetransmit,
                    kind::MARKED => LossKind::Ecn,
                    _ => LossKind::Timeout,
                };
                if kind == LossKind::Timeout {
                    self.cells.timed_out();
                }
                self.controller.lost(&Lost::new(now, kind, self.packets(record.in_flight)));
                self.losses = record.losses;
            }
            _ => {}
        }
        self.latest = *record;
    }

    fn sent(&mut self, record: &Record) {
        let app_limited = record.flags & flag::APP_LIMITED != 0;
        let in_flight = self.packets(record.in_flight);
        for cell in self.cells.sent(record.from, record.nxt, self.now, app_limited) {
            self.controller.sent(&Sent::new(self.now, cell.number, cell.bytes, in_flight));
            self.last_sent = self.now;
        }
    }

    fn acked(&mut self, record: &Record) {
        let now = self.now;
        let rtt = u64::try_from(record.rtt_us).ok().map(Nanos::from_micros);
        let left = rtt.map(|rtt| now - rtt);
        if record.nxt.div_ceil(u64::from(self.mss)) > self.cells.next() {
            // A record of a departure was lost. It left when this ACK says, or earlier.
            let from = self.cells.next() * u64::from(self.mss);
            self.sent(&Record { kind: kind::SENT, from, at: left.unwrap_or(now).0, ..*record });
        }
        let mut told = std::mem::take(&mut self.told);
        let in_order = self.cells.acked(record.una, record.nxt, record.sacked, left, &mut told);
        let recovering = record.flags & flag::RECOVERING != 0;
        for (i, cell) in told.iter().enumerate() {
            let later = (told.len() - 1 - i) as u32;
            let latest = later == 0 && !cell.resent;
            self.controller.acked(
                &Acked::new(now, cell.number, cell.bytes, cell.sent_at.min(now))
                    .with_rtt(rtt.filter(|_| latest).map(|_| now - cell.sent_at))
                    .with_in_flight(self.packets(record.in_flight + later))
                    .with_app_limited(cell.app_limited)
                    .with_recovering(recovering)
                    .with_grows(!recovering && i < in_order.min(MOST_GROWING)),
            );
        }
        if !told.is_empty() {
            let ack = AckProcessed::new(now).with_in_flight(self.packets(record.in_flight)).with_recovering(recovering);
            self.controller.ack_processed(&ack);
            self.last_ack = now;
        }
        self.told = told;
    }

    /// What the kernel's half shall do from `now` on.
    pub(crate) fn word(&mut self, now: Nanos) -> Word {
        self.serial = self.serial.wrapping_add(1);
        let in_flight = self.packets(self.latest.in_flight);
        let ask = Ask::new(self.now, in_flight);
        let window = self.controller.permit(&ask).window;
        let outlook = self.controller.outlook(self.now);
        let srtt = Nanos::from_micros(self.latest.srtt_us.into());
        let mut word = Word {
            expires: (now + HOLDS.max(srtt * 2)).0,
            at: self.last_ack.0,
            window: self.segments(window),
            start: 0,
            equilibrium: 0,
            growth: 0,
            kept: 0,
            held_until: 0,
            first: self.cells.next(),
            serial: self.serial,
            losses: self.losses,
            law: law::STILL,
            gap: 0,
            gaps: [0; PLAN],
        };
        match outlook.course {
            Course::Reno => word.law = law::RENO,
            Course::Still => {}
            Course::Logistic(logistic) => {
                word.law = law::LOGISTIC;
                word.start = self.segments(logistic.start);
                word.equilibrium = self.segments(logistic.equilibrium);
                word.growth = (logistic.growth.max(0.0) * 4_294_967_296.0) as u64;
                word.kept = self.segments(logistic.kept);
            }
        }
        if let Some(rehearsal) = outlook.rehearsal {
            self.plan(rehearsal, ask, &mut word);
        }
        word
    }

    /// Lets a copy of the controller send the next packets when it wants to, and writes down when that is.
    fn plan(&self, mut copy: Box<dyn Controller>, ask: Ask, word: &mut Word) {
        let srtt = Nanos::from_micros(self.latest.srtt_us.into());
        let (mut now, mut before) = (self.now, self.last_sent);
        let mut told = [(0_u64, false); PLAN];
        for (i, told) in told.iter_mut().enumerate() {
            let departure = copy.permit(&Ask::new(now, ask.in_flight)).departure;
            let (at, regardless) = match departure {
                Departure::Now => (now, false),
                Departure::At(at) => (at, false),
                Departure::Regardless(at) => (at, true),
            };
            let held = i == 0 && !regardless && at > self.now + srtt.scale(LONG_WAIT);
            if held {
                word.held_until = at.0;
            }
            now = now.max(at);
            let paced = departure != Departure::Now && !held;
            *told = (if paced { (now - before).0 } else { 0 }, regardless);
            if paced && !regardless && i > 0 {
                word.gap = u32::try_from(told.0).unwrap_or(u32::MAX);
            }
            let number = word.first + i as u64;
            let sent = Sent::new(now, number, self.packet, ask.in_flight);
            copy.sent(&sent);
            before = now;
        }
        for (gap, (ns, regardless)) in word.gaps.iter_mut().zip(told) {
            // A packet that may leave at once may do so when pacing lets it. Even numbers: the lowest bit is a flag.
            let ns = if ns == 0 && !regardless { word.gap } else { u32::try_from(ns).unwrap_or(u32::MAX) };
            *gap = ns & !1 | u32::from(regardless);
        }
    }

    /// Windows count bytes on the wire here, and segments in the kernel.
    fn segments(&self, window: Bytes) -> u64 {
        (window.packets(self.packet) * f64::from(1_u32 << WINDOW_BITS)) as u64
    }

    /// When something was last heard of it.
    pub(crate) fn heard(&self) -> Nanos {
        Nanos(self.latest.at)
    }

    /// For whoever looks.
    pub(crate) fn show(&self) -> LiveSocket {
        let record = &self.latest;
        let mut gauges = BTreeMap::new();
        self.controller.gauges(&mut |name, value| {
            gauges.insert(name.to_string(), value);
        });
        let phase = match self.controller.outlook(self.now).course {
            _ if record.flags & flag::RECOVERING != 0 => Phase::Recovery,
            Course::Reno => Phase::Reno,
            Course::Still => Phase::Still,
            Course::Logistic(logistic) if self.segments(logistic.start) > u64::from(record.cwnd) << WINDOW_BITS => Phase::Start,
            Course::Logistic(_) => Phase::Law,
        };
        LiveSocket {
            id: record.id,
            local_port: record.local_port as u16,
            remote_port: u16::from_be(record.remote_port as u16),
            remote: (record.remote_ip != 0).then(|| IpAddr::V4(Ipv4Addr::from(record.remote_ip.to_ne_bytes()))),
            phase,
            cwnd_packets: record.cwnd,
            rtt_ms: Nanos::from_micros(record.srtt_us.into()).millis(),
            losses: record.losses,
            gauges,
        }
    }
}

#[cfg(test)]
mod tests;
