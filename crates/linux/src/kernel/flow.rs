//! A socket, as its controller sees it: the kernel's records become events, and what the controller is going to do a decision.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry::Entry;
use symbiosis_control::{AckProcessed, Acked, Ask, Basis, Controller, LossKind, Lost, Notice, Sent, Setup, Unknown};

use super::cells::{Cell, Cells};
use super::foresight::Foresight;
use super::layout::{Decision, HOLDS, PLAN, Record, WINDOW_BITS, flag, kind, law};
use super::live::{LiveSocket, Phase};
use super::rehearsal::{Known, Planned, rehearse};
use super::rest::Rest;

/// TCP's pacing places packets no closer than this: its timer takes as long (median 15 µs, p95 21 µs).
const TIMER: Span = Span::from_micros(20);
/// The kernel's slow-start threshold of a connection that has not lost a packet (`TCP_INFINITE_SSTHRESH`).
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// A connection's controller, and what is remembered for it.
pub(crate) struct Flow {
    controller: Box<dyn Controller>,
    packet: Bytes,
    mss: u32,
    cells: Cells,
    /// Controllers are promised that time never goes back.
    now: Instant,
    last_sent: Instant,
    last_ack: Instant,
    /// The window has had room since then, and the application something to send: what leaves next was held back by the host, which collects
    /// two segments at least before it sends, paces a burst by its bytes, or whose queue is full.
    room: Option<Instant>,
    /// Congestion events that the controller has heard of.
    losses: u32,
    serial: u32,
    /// When a decision held last.
    decided: Instant,
    latest: Record,
    told: Vec<Cell>,
    rest: Rest,
    foresight: Foresight,
    /// The last decision leaves the window to the kernel's Reno.
    host_rules: bool,
    /// The agent looks by itself after this, and records do not wake it.
    looks: Option<Span>,
    /// What the log says of it, and what it may say next, if that lasts.
    pub(crate) logged: [Option<&'static str>; 2],
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
            .with_ssthresh(threshold(first, packet))
            .with_timer(TIMER)
            .with_clock(TIMER)
            .with_seed(start.seed.wrapping_add(first.id));
        // Of what left before nothing is known.
        let begins = if first.kind == kind::SENT { first.from } else { first.nxt };
        Flow {
            controller: (start.entry.build)(&setup, &start.params),
            packet,
            mss: first.mss,
            cells: Cells::new(u64::from(first.mss), Bytes(first.overhead.into()), begins),
            now: Instant::START,
            last_sent: Instant(first.at),
            last_ack: Instant(first.at),
            room: None,
            losses: first.losses,
            // Differs from those of an agent before this one.
            serial: first.at as u32,
            decided: Instant(first.at),
            latest: *first,
            told: Vec::new(),
            rest: Rest::default(),
            foresight: Foresight::default(),
            host_rules: true,
            looks: None,
            logged: [None; 2],
        }
    }

    /// With what outlasts the flow before this one on the same socket.
    pub(crate) fn after(self, before: &Flow) -> Flow {
        Flow { rest: before.rest.over(), logged: before.logged, ..self }
    }

    /// Whether the record can be of this flow: packets of another size are of another path, and after a silence for more than a flight nothing
    /// that was remembered is on its way any more. So it is when a rest ends. Of a flight of two an ACK may tell that they left and that they came.
    pub(crate) fn continues(&self, record: &Record) -> bool {
        let (rested, rests) = (self.is_silent(&self.latest), self.is_silent(record));
        record.mss == self.mss && (rests || (!rested && record.una.min(record.from) <= self.cells.end()))
    }

    /// Whether little was reported then, because the agent rested or packets came too fast.
    fn is_silent(&self, record: &Record) -> bool {
        record.flags & flag::TOO_FAST != 0 || self.rest.holds(Instant(record.at))
    }

    fn packets(&self, count: u32) -> Bytes {
        Bytes(self.packet.0 * u64::from(count))
    }

    /// Takes in what happened.
    pub(crate) fn take(&mut self, record: &Record) {
        // After a pause no decision holds, and the agent is not late.
        if record.flags & flag::UNDECIDED == 0 || Instant(record.at) - Instant(self.latest.at) > Span(HOLDS) {
            self.decided = Instant(record.at);
        }
        if self.is_silent(record) {
            self.now = self.now.max(Instant(record.at));
            (self.losses, self.latest) = (record.losses, *record);
            return;
        }
        if record.nxt > record.from {
            self.sent(record);
        }
        self.now = self.now.max(Instant(record.at));
        let now = self.now;
        match record.kind {
            kind::RESENT => {
                for number in self.cells.resent(record.count, now) {
                    self.controller.sent(&Sent::new(now, number, self.packet, self.packets(record.in_flight)).with_retransmission(true));
                }
            }
            kind::ACKED => {
                self.acked(record);
                self.host_window(record);
            }
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
            kind::UNDONE => self.controller.notice(&Notice::Spurious { now, in_flight: self.packets(record.in_flight) }),
            _ => {}
        }
        self.latest = *record;
    }

    /// What left before the event that the record is of.
    fn sent(&mut self, record: &Record) {
        self.now = self.now.max(Instant(record.sent_at));
        let app_limited = record.flags & flag::APP_LIMITED != 0;
        let left_and_came = record.una.saturating_sub(self.cells.end()).div_ceil(u64::from(self.mss));
        let taken = if record.kind == kind::ACKED { self.cells.taken(record.una, record.sacked) + left_and_came } else { 0 };
        let in_flight = Bytes(self.packet.0 * (u64::from(record.in_flight) + taken));
        for cell in self.cells.sent(record.from, record.nxt, self.now, app_limited) {
            let ready_at = self.room.take().filter(|_| !app_limited).unwrap_or(self.now).min(self.now);
            self.controller.sent(&Sent::new(self.now, cell.number, cell.bytes, in_flight).with_ready_at(ready_at));
            self.last_sent = self.now;
        }
    }

    fn acked(&mut self, record: &Record) {
        let now = self.now;
        let rtt = u64::try_from(record.rtt_us).ok().map(Span::from_micros);
        let left = rtt.map(|rtt| now - rtt);
        let from = self.cells.end();
        if record.nxt > from {
            // A record of a departure was lost. It left when this ACK says, or earlier.
            self.sent(&Record { from, sent_at: left.unwrap_or(now).0, ..*record });
        }
        let mut told = std::mem::take(&mut self.told);
        let in_order = self.cells.acked(record.una, record.sacked, left, &mut told);
        let recovering = record.flags & flag::RECOVERING != 0;
        for (i, cell) in told.iter().enumerate() {
            let later = (told.len() - 1 - i) as u32;
            let latest = later == 0 && !cell.resent;
            // All that is acknowledged in order grows a window, as the kernel's Reno counts it (tcp_slow_start): where receive offload answers
            // dozens of packets with one ACK, RFC 3465's limit of two would leave a window behind Reno's. After a retransmission, for which
            // the limit is, the kernel still recovers.
            self.controller.acked(
                &Acked::new(now, cell.number, cell.bytes, cell.sent_at.min(now))
                    .with_rtt(rtt.filter(|_| latest).map(|_| now - cell.sent_at))
                    .with_in_flight(self.packets(record.in_flight + later))
                    .with_app_limited(cell.app_limited)
                    .with_recovering(recovering)
                    .with_grows(!recovering && i < in_order),
            );
        }
        if !told.is_empty() {
            let full = u64::from(record.in_flight) + told.len() as u64 >= u64::from(record.cwnd);
            let ack = AckProcessed::new(now)
                .with_in_flight(self.packets(record.in_flight))
                .with_recovering(recovering)
                .with_cwnd_limited(full && record.flags & flag::APP_LIMITED == 0);
            self.controller.ack_processed(&ack);
            self.last_ack = now;
            let room = record.in_flight < record.cwnd && record.flags & flag::APP_LIMITED == 0;
            self.room = room.then(|| self.room.unwrap_or(now));
        }
        self.told = told;
    }

    /// What the kernel's Reno has made of the window: the controller's may have been none to go on from when it ceased to know the path.
    fn host_window(&mut self, record: &Record) {
        if self.host_rules && record.flags & flag::RECOVERING == 0 {
            self.controller.notice(&Notice::HostWindow { window: self.packets(record.cwnd), ssthresh: threshold(record, self.packet) });
        }
    }

    /// What the BPF program shall do from `now` on.
    pub(crate) fn decision(&mut self, now: Instant) -> Decision {
        // Zero is no decision's.
        self.serial = self.serial.wrapping_add(1).max(1);
        let srtt = self.srtt();
        let known = Known {
            cells: &self.cells,
            packet: self.packet,
            ask: Ask::new(self.now, self.packets(self.latest.in_flight)),
            srtt,
            last_sent: self.last_sent,
            last_ack: self.last_ack,
        };
        let basis = self.controller.basis(self.now);
        let too_fast = self.latest.flags & flag::TOO_FAST != 0;
        if too_fast || self.rest.begins(self.now, basis) {
            (self.looks, self.host_rules) = (None, true);
            return self.silence(now);
        }
        let foreseen = rehearse(&*self.controller, &known);
        self.looks = self.foresight.looks(basis, &foreseen, self.last_ack, srtt);
        self.host_rules = matches!(basis, Basis::Reno(_));
        let law = if self.host_rules { law::RENO } else { law::TABLE };
        let ns = |span: Span| u32::try_from(span.0).unwrap_or(u32::MAX);
        let entry = |planned: &Planned| {
            // A packet that may leave at once may do so when pacing lets it. Even numbers: the lowest bit is a flag.
            let after = if planned.after == Span::ZERO && !planned.ignores_window { foreseen.gap } else { planned.after };
            ns(after) & !1 | u32::from(planned.ignores_window)
        };
        let mut gaps = [ns(foreseen.gap) & !1; PLAN];
        gaps.iter_mut().zip(&foreseen.plan).for_each(|(gap, planned)| *gap = entry(planned));
        Decision {
            expires: (now + Span(HOLDS).max(srtt * 2)).0,
            at: self.last_ack.0,
            slow_start: self.segments(foreseen.slow_start),
            held_until: foreseen.held_until.0,
            first: self.cells.end(),
            rests: 0,
            serial: self.serial,
            losses: self.losses,
            law,
            gap: ns(foreseen.gap),
            kept: (foreseen.kept * 65_536.0) as u32,
            after: foreseen.window.map(|(after, _)| ns(after)),
            looks: u32::from(self.looks.is_some()),
            window: foreseen.window.map(|(_, window)| self.segments(window)),
            gaps,
        }
    }

    /// The kernel's Reno without pacing, for as long as little is reported.
    fn silence(&self, now: Instant) -> Decision {
        Decision {
            expires: (now + Span(HOLDS).max(self.srtt() * 2)).0,
            rests: self.rest.until().0,
            serial: self.serial,
            losses: self.losses,
            law: law::RENO,
            ..Decision::NOTHING
        }
    }

    fn srtt(&self) -> Span {
        Span::from_micros(self.latest.srtt_us.into())
    }

    /// Windows count bytes on the wire here, and segments in the kernel.
    fn segments(&self, window: Bytes) -> u64 {
        (window.packets(self.packet) * f64::from(1_u32 << WINDOW_BITS)) as u64
    }

    /// When the agent looks by itself, if records do not wake it.
    pub(crate) fn looks(&self) -> Option<Span> {
        self.looks
    }

    /// When something was last heard of it.
    pub(crate) fn heard(&self) -> Instant {
        Instant(self.latest.at)
    }

    /// Decisions expire before the next ones come.
    fn agent_is_late(&self) -> bool {
        self.latest.flags & flag::UNDECIDED != 0 && self.now - self.decided > Span(HOLDS)
    }

    /// What its window follows, and why.
    pub(crate) fn phase(&self) -> (Phase, &'static str) {
        match self.controller.basis(self.now) {
            _ if self.latest.flags & flag::RECOVERING != 0 => (Phase::Recovery, "the kernel repairs a loss"),
            _ if self.agent_is_late() => (Phase::Reno, "agent late"),
            _ if self.latest.flags & flag::TOO_FAST != 0 => (Phase::Reno, Unknown::Timer.text()),
            _ if let Some(unknown) = self.rest.why(self.now) => (Phase::Reno, unknown.text()),
            Basis::Reno(unknown) => (Phase::Reno, unknown.text()),
            Basis::ProbeRtt => (Phase::ProbeRtt, "the queue empties, so that the least RTT shows"),
            Basis::SlowStart => (Phase::Start, "up to where the law takes over"),
            _ => (Phase::Law, "the controller decides"),
        }
    }

    /// For a user who looks.
    pub(crate) fn show(&self) -> LiveSocket {
        let record = &self.latest;
        let mut gauges = BTreeMap::new();
        self.controller.gauges(&mut |name, value| {
            gauges.insert(name.to_string(), value);
        });
        let (phase, why) = self.phase();
        LiveSocket {
            id: record.id,
            local_port: record.local_port as u16,
            remote_port: u16::from_be(record.remote_port as u16),
            remote: (record.remote_ip != 0).then(|| IpAddr::V4(Ipv4Addr::from(record.remote_ip.to_ne_bytes()))),
            phase,
            why: why.into(),
            cwnd_packets: record.cwnd,
            rtt_ms: self.srtt().millis(),
            losses: record.losses,
            gauges,
        }
    }
}

/// The kernel's slow-start threshold, once there is one.
fn threshold(record: &Record, packet: Bytes) -> Option<Bytes> {
    (record.ssthresh < INFINITE_SSTHRESH).then(|| Bytes(packet.0 * u64::from(record.ssthresh)))
}

#[cfg(test)]
mod tests;
