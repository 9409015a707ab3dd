//! TCP's sender: asks its controller how much and when, and sends what recovery says.

use symbiosis_base::{Bytes, Instant};
use symbiosis_control::growth::GrowthLimit;
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Departure, LossKind, Lost, Notice, PacketLost, Permit, Report, Sent, Setup};
use symbiosis_run::tally::Tally;
use symbiosis_run::{FlowPlan, FlowSample, Recovery};

use super::duplicates::Duplicates;
use super::eifel::Eifel;
use super::flight::{Fate, Flight, Record};
use super::halving::Halving;
use super::packets::{Ack, Data};
use super::rto::Rto;
use super::scoreboard::Scoreboard;
use super::send_timer::SendTimer;
use crate::load::Load;
use crate::transport::SendingEnd;

/// The sending end of a flow.
pub(crate) struct Sender {
    controller: Box<dyn Controller>,
    flight: Flight,
    board: Board,
    /// Only with rate halving.
    halving: Option<Halving>,
    rto: Rto,
    /// When the retransmission timer expires; never when nothing is outstanding.
    rto_at: Instant,
    /// When the controller lets the next packet leave.
    departure: Instant,
    /// Since the last ACK the window held a packet back.
    cwnd_limited: bool,
    eifel: Eifel,
    timer: SendTimer,
    load: Load,
    receiver_times: bool,
}

/// How losses are found.
enum Board {
    Duplicates(Duplicates),
    Sack(Box<Scoreboard>),
}

impl Sender {
    pub(crate) fn new(plan: &FlowPlan, seed: u64) -> Sender {
        let setup = Setup::new(plan.packet)
            .with_initial_window(Bytes(plan.initial_window * plan.packet.0))
            .with_timer(plan.send_timer)
            .with_seed(seed);
        Sender {
            controller: (plan.cc.build)(&setup, &plan.params),
            flight: Flight::new(),
            board: match plan.recovery {
                Recovery::Reno => Board::Duplicates(Duplicates::new(false)),
                Recovery::NewReno => Board::Duplicates(Duplicates::new(true)),
                Recovery::Sack | Recovery::RateHalving => Board::Sack(Box::default()),
                Recovery::Rack => Board::Sack(Box::new(Scoreboard::by_departures())),
            },
            halving: (plan.recovery == Recovery::RateHalving).then(Halving::default),
            rto: Rto::new(plan.min_rto),
            rto_at: Instant::NEVER,
            departure: Instant::START,
            cwnd_limited: false,
            eifel: Eifel::default(),
            timer: SendTimer::new(plan.send_timer),
            load: Load::new(plan),
            receiver_times: plan.receiver_times,
        }
    }

    fn in_flight(&self) -> u32 {
        match &self.board {
            Board::Duplicates(duplicates) => duplicates.in_flight(&self.flight),
            Board::Sack(scoreboard) => scoreboard.in_flight(),
        }
    }

    fn recovering(&self) -> bool {
        match &self.board {
            Board::Duplicates(duplicates) => duplicates.recovering(),
            Board::Sack(scoreboard) => scoreboard.recovering(),
        }
    }

    /// The controller has heard all that an ACK, or the timer, says.
    #[inline]
    fn processed(&mut self, now: Instant, in_flight: Bytes) {
        let (recovering, limited) = (self.recovering(), std::mem::take(&mut self.cwnd_limited));
        let ack = AckProcessed::new(now).with_in_flight(in_flight).with_recovering(recovering).with_cwnd_limited(limited);
        self.controller.ack_processed(&ack);
    }

    #[inline]
    fn permit(&mut self, now: Instant, in_flight: u32) -> Permit {
        let mut permit = self.controller.permit(&Ask::new(now, self.load.bytes(in_flight)));
        if let Some(halving) = &self.halving {
            let packets = halving.within(permit.window.packets(self.load.packet));
            permit.window = permit.window.min(Bytes::from_f64(packets * self.load.packet.as_f64()));
        }
        permit
    }

    /// Rate halving takes note of an ACK.
    fn halve(&mut self, now: Instant, begins: bool) {
        let in_flight = self.in_flight();
        let recovering = matches!(&self.board, Board::Sack(scoreboard) if scoreboard.recovering());
        let ask = Ask::new(now, self.load.bytes(in_flight));
        let window = self.controller.permit(&ask).window.packets(self.load.packet);
        if let Some(halving) = &mut self.halving {
            if begins {
                halving.begin(in_flight, window);
            }
            halving.acked(recovering, in_flight, window);
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
        self.rto_at.min(self.departure)
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
        let recovering = self.recovering();
        let (packet, last, packets) = (self.load.packet, self.load.last, self.load.packets);
        let controller = &mut self.controller;
        // An ACK brings one measurement. A flag costs less than `Option::take`, by 4 % of a run's cycles: an option is written in two pieces
        // and read in one, for which the processor waits.
        let mut brought = false;
        let mut limit = GrowthLimit::of_ack(recovering);
        let mut lost = Bytes::ZERO;
        let tell = |fate: Fate, number: u32, record: Record, in_flight: u32| {
            let bytes = if number + 1 == packets { last } else { packet };
            let in_flight = Bytes(in_flight as u64 * packet.0);
            if fate == Fate::Lost {
                lost += bytes;
                controller.packet_lost(&PacketLost::new(now, number.into(), bytes, record.sent_at).with_in_flight(in_flight));
                return;
            }
            let grows = limit.grows(number < ack.next);
            let brings = !brought && record.sent_at == ack.echo;
            brought |= brings;
            controller.acked(
                &Acked::new(now, number.into(), bytes, record.sent_at)
                    // Made here for the same reason.
                    .with_received_at(receiver_times.then_some(ack.received_at))
                    .with_rtt(brings.then_some(rtt))
                    .with_in_flight(in_flight)
                    .with_app_limited(record.app_limited)
                    .with_recovering(recovering)
                    .with_grows(grows),
            );
        };
        let (begins, restarts) = match &mut self.board {
            Board::Duplicates(duplicates) => (duplicates.acked(&mut self.flight, ack, tell), duplicates.restarts_timer()),
            Board::Sack(scoreboard) => (scoreboard.acked(&mut self.flight, ack, tell), true),
        };
        if self.flight.una() > una && restarts {
            let outstanding = self.flight.una() < self.flight.end();
            self.rto_at = if outstanding { now + self.rto.timeout() } else { Instant::NEVER };
        }
        let in_flight = self.load.bytes(self.in_flight());
        if self.flight.una() > una && self.eifel.acceptable(ack.echo) {
            self.controller.notice(&Notice::Spurious { now, in_flight });
        }
        if begins {
            self.controller.lost(&Lost::new(now, LossKind::FastRetransmit, in_flight + lost).with_bytes(lost));
            self.eifel.begins();
            tally.loss_event(now);
        }
        self.processed(now, in_flight);
        if self.halving.is_some() {
            self.halve(now, begins);
        }
        if self.load.complete(self.flight.una()) {
            tally.completed(now);
        }
    }

    fn wake(&mut self, now: Instant, tally: &mut Tally) {
        if now < self.rto_at {
            return;
        }
        let in_flight = self.load.bytes(self.in_flight());
        let (controller, load, mut lost) = (&mut self.controller, &self.load, Bytes::ZERO);
        let tell = |_, number: u32, record: Record, in_flight: u32| {
            lost += load.size(number);
            controller.packet_lost(&load.lost(now, number, &record, in_flight));
        };
        match &mut self.board {
            Board::Duplicates(duplicates) => duplicates.timed_out(&mut self.flight, tell),
            Board::Sack(scoreboard) => scoreboard.timed_out(&mut self.flight, tell),
        }
        self.controller.lost(&Lost::new(now, LossKind::Timeout, in_flight).with_bytes(lost));
        self.eifel.begins();
        self.processed(now, Bytes::ZERO);
        tally.timeout(now);
        self.rto.expired();
        if let Some(halving) = &mut self.halving {
            halving.end();
        }
        self.rto_at = now + self.rto.timeout();
    }

    fn report(&mut self, report: &Report) {
        self.controller.report(report);
    }

    #[inline]
    fn send(&mut self, now: Instant, tally: &mut Tally, mut out: impl FnMut(Data)) {
        self.departure = Instant::NEVER;
        loop {
            let nothing_new = self.flight.end() == self.load.packets;
            let again = match &mut self.board {
                Board::Duplicates(duplicates) => duplicates.next(&self.flight),
                Board::Sack(scoreboard) => scoreboard.next(&mut self.flight, nothing_new),
            };
            let (again, urgent) = again.map_or((None, false), |(number, urgent)| (Some(number), urgent));
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
            let at = self.timer.departure(now, asked);
            if at > now {
                self.departure = at;
                return;
            }
            let number = match again {
                Some(number) => {
                    self.eifel.resent(now);
                    match &mut self.board {
                        Board::Duplicates(duplicates) => duplicates.resent(&mut self.flight, number, now),
                        Board::Sack(scoreboard) => scoreboard.resent(&mut self.flight, number, now),
                    }
                    number
                }
                None => {
                    match &mut self.board {
                        Board::Duplicates(duplicates) => duplicates.sent(),
                        Board::Sack(scoreboard) => scoreboard.sent(),
                    }
                    self.flight.push(now, self.flight.end() + 1 == self.load.packets)
                }
            };
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
            out(Data { sent_at: now, number, bytes: bytes.0 as u32 });
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
