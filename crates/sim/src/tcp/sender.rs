//! TCP's sender: asks its controller how much and when, and sends what recovery says.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::growth::{ABC_L, GrowthLimit};
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Departure, EcnCounts, LossKind, Lost, Notice, Permit, Report, Sent, Setup};
use symbiosis_run::tally::Tally;
use symbiosis_run::{FlowPlan, FlowSample, Recovery};

use super::board::Board;
use super::burst::Burst;
use super::cap::{Cap, Step};
use super::ecn::Marks;
use super::eifel::Eifel;
use super::flight::{Fate, Flight, Record};
use super::packets::{Ack, Data};
use super::probe::Probe;
use super::rto::Rto;
use super::scoreboard::Clock;
use super::send_timer::SendTimer;
use super::silence::Silence;
use crate::load::Load;
use crate::transport::SendingEnd;

/// The sending end of a flow.
pub(crate) struct Sender {
    controller: Box<dyn Controller>,
    flight: Flight,
    board: Board,
    cap: Cap,
    /// Losses are found by time, a probe finds those at the tail, and what was no loss is undone (RFC 8985).
    by_time: bool,
    probe: Probe,
    rto: Rto,
    /// When the retransmission timer expires; never when nothing is outstanding.
    rto_at: Instant,
    /// When the controller lets the next packet leave.
    departure: Instant,
    /// Since the last ACK the window held a packet back.
    cwnd_limited: bool,
    eifel: Eifel,
    marks: Marks,
    burst: Burst,
    growth_limit: u32,
    timer: SendTimer,
    load: Load,
    silence: Silence,
    receiver_times: bool,
}

impl Sender {
    pub(crate) fn new(plan: &FlowPlan, seed: u64, phase: Span) -> Sender {
        let setup = Setup::new(plan.packet)
            .with_initial_window(Bytes(plan.initial_window * plan.packet.0))
            .with_timer(plan.send_timer)
            .with_seed(seed);
        Sender {
            controller: (plan.cc.build)(&setup, &plan.params),
            flight: Flight::new(),
            board: Board::new(plan.recovery),
            cap: Cap::new(plan.recovery),
            by_time: plan.recovery == Recovery::Rack,
            probe: Probe::default(),
            rto: Rto::new(plan.min_rto),
            rto_at: Instant::NEVER,
            departure: Instant::START,
            cwnd_limited: false,
            eifel: Eifel::default(),
            marks: Marks::new(plan.hosts.ecn),
            burst: Burst::new(plan.hosts.gso_packets),
            growth_limit: plan.hosts.growth_limit.unwrap_or(ABC_L),
            timer: SendTimer::new(plan.send_timer, phase, plan.hosts.catch_up),
            load: Load::new(plan),
            silence: Silence::new(plan),
            receiver_times: plan.receiver_times,
        }
    }

    fn in_flight(&self) -> u32 {
        self.board.in_flight(&self.flight)
    }

    /// Now, with the smoothed round-trip time.
    #[inline]
    fn clock(&self, now: Instant) -> Clock {
        let srtt = self.rto.srtt();
        Clock { now, srtt: if srtt == Span::ZERO { Span::MAX } else { srtt } }
    }

    /// The controller has heard all that an ACK, or the timer, says.
    #[inline]
    fn processed(&mut self, now: Instant, in_flight: Bytes, ecn: Option<EcnCounts>) {
        let (recovering, limited) = (self.board.recovering(), std::mem::take(&mut self.cwnd_limited));
        let ack = AckProcessed::new(now).with_in_flight(in_flight).with_recovering(recovering).with_cwnd_limited(limited).with_ecn(ecn);
        self.controller.ack_processed(&ack);
    }

    #[inline]
    fn permit(&mut self, now: Instant, in_flight: u32) -> Permit {
        let mut permit = self.controller.permit(&Ask::new(now, self.load.bytes(in_flight)));
        permit.window = self.cap.within(permit.window, self.load.packet);
        permit
    }

    /// The cap takes note of an ACK, or of losses found without one.
    fn cap(&mut self, now: Instant, step: &Step) {
        let in_flight = self.in_flight();
        let window = self.controller.permit(&Ask::new(now, self.load.bytes(in_flight))).window.packets(self.load.packet);
        self.cap.acked(step, in_flight, window);
    }

    /// An episode of loss begins.
    fn begins(&mut self, now: Instant, lost: Bytes, tally: &mut Tally) {
        let in_flight = self.load.bytes(self.in_flight());
        self.controller.lost(&Lost::new(now, LossKind::FastRetransmit, in_flight + lost).with_bytes(lost));
        self.eifel.begins();
        self.probe.forget();
        tally.loss_event(now);
    }

    /// The last episode of loss was none.
    fn undo(&mut self, now: Instant) {
        self.board.undo(&mut self.flight);
        self.eifel.ends();
        self.cap.end();
        self.controller.notice(&Notice::Spurious { now, in_flight: self.load.bytes(self.in_flight()) });
    }

    /// The time of a packet that is doubted has run out.
    fn look(&mut self, now: Instant, tally: &mut Tally) {
        let (clock, controller, load) = (self.clock(now), &mut self.controller, &self.load);
        let (mut bytes, mut packets) = (Bytes::ZERO, 0);
        let tell = |_, number: u32, record: Record, in_flight: u32| {
            bytes += load.size(number);
            packets += 1;
            controller.packet_lost(&load.lost(now, number, &record, in_flight));
        };
        let begins = self.board.expired(&mut self.flight, clock, tell);
        if begins {
            self.begins(now, bytes, tally);
        }
        if packets > 0 {
            self.processed(now, self.load.bytes(self.in_flight()), None);
            let recovering = self.board.recovering();
            self.cap(now, &Step { begins, recovering, delivered: 0, lost: packets, advances: false });
        }
    }

    /// More has come to be sent: a controller whose path was silent for long hears of it.
    fn refill(&mut self, now: Instant) {
        let silent = self.load.waits(self.flight.end()) && self.flight.una() == self.flight.end();
        self.load.refill(now);
        if let Some(timeouts) = self.silence.heard(now, self.rto.timeout()).filter(|_| silent) {
            self.controller.notice(&Notice::Idle { now, timeouts });
        }
    }

    /// Sets the probe's timer after what was acknowledged and sent.
    #[inline]
    fn arm(&mut self, now: Instant) {
        let outstanding = self.flight.end() - self.flight.una();
        if outstanding > 0 && self.board.wants_probe() {
            self.probe.arm(now, self.rto.srtt(), outstanding == 1, self.rto_at);
        } else {
            self.probe.disarm();
        }
    }

    /// Sends what the window and the clock let out.
    #[inline]
    fn fill(&mut self, now: Instant, tally: &mut Tally, mut out: impl FnMut(Data)) {
        self.departure = Instant::NEVER;
        loop {
            let nothing_new = self.flight.end() == self.load.packets;
            let probes = self.probe.pending();
            let again = match probes {
                // New data, or the last packet once more (RFC 8985 §7.3).
                true => nothing_new.then(|| (self.flight.end() - 1, true)),
                false => self.board.next(&mut self.flight, nothing_new),
            };
            let (again, urgent) = again.map_or((None, probes), |(number, urgent)| (Some(number), urgent));
            let in_flight = self.in_flight();
            let permit = self.permit(now, in_flight);
            tally.window(now, permit.window);
            if again.is_none() && nothing_new {
                return;
            }
            let paired = matches!(permit.departure, Departure::IgnoreWindow(_));
            let fits = self.load.bytes(in_flight + 1) <= permit.window || in_flight == 0;
            if !(fits || urgent || paired) {
                self.cwnd_limited = true;
                return;
            }
            let asked = match permit.departure {
                Departure::Now => now,
                Departure::At(at) | Departure::IgnoreWindow(at) => at,
            };
            let at = if probes || self.burst.goes_on(now) { now } else { self.timer.departure(now, asked) };
            if at > now {
                self.departure = at;
                return;
            }
            let room = permit.window.packets(self.load.packet) as u64;
            if again.is_none() && !probes && !self.burst.begins(now, room, in_flight.into(), (self.load.packets - self.flight.end()).into())
            {
                self.cwnd_limited = true;
                return;
            }
            let number = match again {
                Some(number) => {
                    if !probes {
                        self.eifel.resent(now, number);
                    }
                    self.board.resent(&mut self.flight, number, now);
                    if self.by_time && number == self.flight.una() {
                        // As in Linux: the first packet's new copy has as long as the first had, or each that is lost costs a timeout.
                        self.rto_at = now + self.rto.timeout();
                    }
                    number
                }
                None => {
                    self.board.sent();
                    self.flight.push(now, self.flight.end() + 1 == self.load.packets)
                }
            };
            self.cap.sent();
            if probes {
                self.probe.sent(now, self.flight.end(), again.is_some());
            }
            if self.rto_at == Instant::NEVER {
                self.rto_at = now + self.rto.timeout();
            }
            let bytes = self.load.size(number);
            self.controller.sent(
                &Sent::new(now, number as u64, bytes, self.load.bytes(in_flight + 1))
                    .with_retransmission(again.is_some())
                    .with_app_limited(number + 1 == self.load.packets),
            );
            tally.sent(now, again.is_some());
            self.silence.sent(now);
            let (ecn, cwr) = (self.marks.codepoint(again.is_some()), self.marks.answers(again.is_some()));
            out(Data { sent_at: now, number, bytes: bytes.0 as u16, ecn, cwr });
        }
    }
}

impl SendingEnd for Sender {
    type Data = Data;
    type Ack = Ack;

    fn stop(&mut self) {
        self.load.stop(self.flight.end());
    }

    fn wake_at(&self) -> Instant {
        self.rto_at.min(self.departure).min(self.board.timer()).min(self.probe.at()).min(self.load.due())
    }

    #[inline]
    fn acked(&mut self, now: Instant, ack: &Ack, tally: &mut Tally) {
        let una = self.flight.una();
        let rtt = now - ack.echo;
        tally.rtt(now, rtt);
        if ack.next > una {
            // RFC 7323 §4.1: only what moves the left edge.
            self.rto.measured(rtt);
        }
        // An ACK carries the arrival of one packet, which is known to be a certain one if no other is acknowledged with it.
        let receiver_times = self.receiver_times && ack.next == una + 1;
        let (recovering, clock) = (self.board.recovering(), self.clock(now));
        let (load, waits, controller) = (&self.load, self.load.waits(self.flight.end()), &mut self.controller);
        let (timed, left) = self.flight.timed(ack.next, ack.echo);
        // An ACK brings one measurement. A flag costs less than `Option::take`, by 4 % of a run's cycles: an option is written in two pieces
        // and read in one, for which the processor waits.
        let mut brought = false;
        let mut limit = GrowthLimit::at_most(self.growth_limit, recovering);
        let (mut lost, mut packets_lost, mut delivered) = (Bytes::ZERO, 0, 0);
        let tell = |fate: Fate, number: u32, record: Record, in_flight: u32| {
            let bytes = load.size(number);
            if fate == Fate::Lost {
                lost += bytes;
                packets_lost += 1;
                controller.packet_lost(&load.lost(now, number, &record, in_flight));
                return;
            }
            delivered += 1;
            let grows = limit.grows(number < ack.next);
            let brings = !brought && record.sent_at == left && timed.is_none_or(|timed| timed == number);
            brought |= brings;
            controller.acked(
                &Acked::new(now, number.into(), bytes, record.sent_at)
                    // Made here for the same reason.
                    .with_received_at(receiver_times.then_some(ack.received_at))
                    .with_rtt(brings.then_some(now - left))
                    .with_in_flight(load.bytes(in_flight))
                    .with_app_limited(record.app_limited || waits)
                    .with_recovering(recovering)
                    .with_grows(grows),
            );
        };
        let found = self.board.acked(&mut self.flight, ack, clock, tell);
        let advances = self.flight.una() > una;
        if advances && self.board.restarts_timer() {
            let outstanding = self.flight.una() < self.flight.end();
            self.rto_at = if outstanding { now + self.rto.timeout() } else { Instant::NEVER };
        }
        let mut begins = found.begins;
        if self.by_time {
            // The ring keeps the record until another packet takes its place.
            let late = advances && self.eifel.acceptable(ack.echo, self.flight.at(una).sent_at);
            if late || found.original || ack.duplicate.is_some_and(|number| self.eifel.duplicate(number)) {
                self.undo(now);
                // What this ACK shows lost it does by a window that was too short.
                begins = false;
            }
        }
        if begins {
            self.begins(now, lost, tally);
        }
        if advances && self.probe.repaired(ack.next, ack.echo) && !self.board.recovering() {
            self.controller.lost(&Lost::new(now, LossKind::FastRetransmit, self.load.bytes(self.in_flight())));
            tally.loss_event(now);
        }
        let counts = self.marks.counts(ack);
        let marked = counts.is_some_and(|counts| counts.ce > 0);
        if self.marks.event(ack, marked, self.flight.end(), self.board.recovering()) {
            self.controller.lost(&Lost::new(now, LossKind::Ecn, self.load.bytes(self.in_flight())));
            tally.loss_event(now);
        }
        self.processed(now, self.load.bytes(self.in_flight()), counts);
        if self.cap.is_some() {
            let recovering = self.board.recovering();
            if begins || recovering || self.cap.is_active() {
                self.cap(now, &Step { begins, recovering, delivered, lost: packets_lost, advances });
            }
        }
        self.load.acknowledged(now, self.flight.una(), tally);
    }

    fn wake(&mut self, now: Instant, tally: &mut Tally) {
        if now >= self.load.due() {
            self.refill(now);
        }
        if now >= self.board.timer() {
            self.look(now, tally);
        }
        if now >= self.probe.at() && self.probe.at() <= self.rto_at {
            self.probe.expired();
            self.rto_at = now + self.rto.timeout();
        }
        if now < self.rto_at {
            return;
        }
        let in_flight = self.load.bytes(self.in_flight());
        let (clock, controller, load, mut lost) = (self.clock(now), &mut self.controller, &self.load, Bytes::ZERO);
        let tell = |_, number: u32, record: Record, in_flight: u32| {
            lost += load.size(number);
            controller.packet_lost(&load.lost(now, number, &record, in_flight));
        };
        self.board.timed_out(&mut self.flight, clock, tell);
        self.controller.lost(&Lost::new(now, LossKind::Timeout, in_flight).with_bytes(lost));
        self.eifel.begins();
        let left = if self.by_time { self.load.bytes(self.in_flight()) } else { Bytes::ZERO };
        self.processed(now, left, None);
        tally.timeout(now);
        self.rto.expired();
        self.cap.end();
        self.probe.forget();
        self.rto_at = now + self.rto.timeout();
    }

    fn report(&mut self, report: &Report) {
        self.controller.report(report);
    }

    #[inline]
    fn send(&mut self, now: Instant, tally: &mut Tally, out: impl FnMut(Data)) {
        self.fill(now, tally, out);
        if self.by_time {
            self.arm(now);
        }
    }

    fn sample(&mut self, now: Instant, tally: &Tally) -> FlowSample {
        let (retransmissions, timeouts) = tally.totals();
        let in_flight = self.in_flight();
        let window = self.permit(now, in_flight).window;
        let mut gauges = Vec::new();
        self.controller.gauges(&mut |name, value| gauges.push((name, value)));
        FlowSample {
            at: now,
            cwnd_packets: window.packets(self.load.packet),
            in_flight_packets: in_flight as f64,
            srtt_ms: self.rto.srtt().millis(),
            delivered_bytes: 0,
            retransmissions,
            timeouts,
            gauges,
        }
    }
}
