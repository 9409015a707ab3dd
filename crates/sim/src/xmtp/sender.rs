//! XMTP's sender: keeps the rate that its controller says, and retransmits what is missing.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Departure, LossKind, Lost, Report as Told, Sent};
use symbiosis_run::tally::Tally;
use symbiosis_run::{FlowPlan, FlowSample};

use super::board::Board;
use super::packets::{Data, Report};
use crate::load::Load;
use crate::tcp::{Fate, Flight, Rto, SendTimer};
use crate::transport::SendingEnd;

/// The sending end of a flow.
pub(crate) struct Sender {
    controller: Box<dyn Controller>,
    flight: Flight,
    board: Board,
    load: Load,
    rto: Rto,
    /// When no report has come for too long; never when nothing is outstanding.
    rto_at: Instant,
    /// When the controller lets the next packet leave.
    departure: Instant,
    /// Since the last report the window held a packet back.
    cwnd_limited: bool,
    timer: SendTimer,
    receiver_times: bool,
}

impl Sender {
    pub(crate) fn new(plan: &FlowPlan, controller: Box<dyn Controller>, phase: Span) -> Sender {
        Sender {
            controller,
            flight: Flight::new(),
            board: Board::default(),
            load: Load::new(plan),
            rto: Rto::new(plan.min_rto),
            rto_at: Instant::NEVER,
            departure: Instant::START,
            cwnd_limited: false,
            timer: SendTimer::new(plan.send_timer, phase, plan.hosts.catch_up),
            receiver_times: plan.receiver_times,
        }
    }

    /// How long a report may stay out: the receiver may let it wait for another round trip.
    fn patience(&self) -> Span {
        self.rto.timeout() + self.rto.srtt()
    }

    /// The controller has heard all that a report, or the timer, says.
    fn processed(&mut self, now: Instant, in_flight: Bytes) {
        let (recovering, limited) = (self.board.recovering(&self.flight), std::mem::take(&mut self.cwnd_limited));
        let ack = AckProcessed::new(now).with_in_flight(in_flight).with_recovering(recovering).with_cwnd_limited(limited);
        self.controller.ack_processed(&ack);
    }
}

impl SendingEnd for Sender {
    type Data = Data;
    type Ack = Report;

    fn stop(&mut self) {
        self.load.stop(self.flight.end());
    }

    fn wake_at(&self) -> Instant {
        self.rto_at.min(self.departure).min(self.load.due())
    }

    fn acked(&mut self, now: Instant, report: &Report, tally: &mut Tally) {
        let rtt = now - report.echo - report.held;
        tally.rtt(now, rtt);
        self.rto.measured(rtt);
        let recovering = self.board.recovering(&self.flight);
        let (controller, load, receiver_times) = (&mut self.controller, &self.load, self.receiver_times);
        let mut lost = Bytes::ZERO;
        let begins = self.board.reported(&mut self.flight, report, |fate, number, record, in_flight| {
            if fate == Fate::Lost {
                lost += load.size(number);
                controller.packet_lost(&load.lost(now, number, &record, in_flight));
                return;
            }
            // The latest transmission is the one that the report times.
            let timed = record.sent_at == report.echo;
            controller.acked(
                &Acked::new(now, u64::from(number), load.size(number), record.sent_at)
                    .with_received_at((timed && receiver_times).then_some(report.received_at))
                    .with_rtt(timed.then_some(rtt))
                    .with_in_flight(load.bytes(in_flight))
                    .with_app_limited(record.app_limited)
                    .with_recovering(recovering)
                    .with_grows(!recovering),
            );
        });
        // Any report shows that both ways are open.
        self.rto_at = if self.board.in_flight() > 0 { now + self.patience() } else { Instant::NEVER };
        let in_flight = self.load.bytes(self.board.in_flight());
        if begins {
            self.controller.lost(&Lost::new(now, LossKind::FastRetransmit, in_flight + lost).with_bytes(lost));
            tally.loss_event(now);
        }
        self.processed(now, in_flight);
        self.controller.report(&Told::Receiver { now, findings: report.findings });
        self.load.acknowledged(now, self.flight.una(), tally);
    }

    fn wake(&mut self, now: Instant, tally: &mut Tally) {
        self.load.refill(now);
        if now < self.rto_at {
            return;
        }
        let in_flight = self.load.bytes(self.board.in_flight());
        let (controller, load, mut lost) = (&mut self.controller, &self.load, Bytes::ZERO);
        self.board.timed_out(&mut self.flight, |_, number, record, in_flight| {
            lost += load.size(number);
            controller.packet_lost(&load.lost(now, number, &record, in_flight));
        });
        self.controller.lost(&Lost::new(now, LossKind::Timeout, in_flight).with_bytes(lost));
        self.processed(now, Bytes::ZERO);
        tally.timeout(now);
        self.rto.expired();
        // Armed again by the packet that is sent now or when the controller lets one leave.
        self.rto_at = Instant::NEVER;
    }

    fn report(&mut self, report: &Told) {
        self.controller.report(report);
    }

    fn send(&mut self, now: Instant, tally: &mut Tally, mut out: impl FnMut(Data)) {
        self.departure = Instant::NEVER;
        loop {
            let nothing_new = self.flight.end() == self.load.packets;
            let again = self.board.next(&mut self.flight);
            let in_flight = self.board.in_flight();
            let permit = self.controller.permit(&Ask::new(now, self.load.bytes(in_flight)));
            tally.window(now, permit.window);
            if again.is_none() && nothing_new {
                return;
            }
            let probe = matches!(permit.departure, Departure::IgnoreWindow(_));
            let fits = self.load.bytes(in_flight + 1) <= permit.window || in_flight == 0;
            if !(fits || probe) {
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
            let number = again.unwrap_or_else(|| self.flight.push(now, self.flight.end() + 1 == self.load.packets));
            let serial = self.board.serial();
            self.board.sent(&mut self.flight, number, now, again.is_some());
            if self.rto_at == Instant::NEVER {
                self.rto_at = now + self.patience();
            }
            let (bytes, last) = (self.load.size(number), number + 1 == self.load.packets);
            self.controller.sent(
                &Sent::new(now, u64::from(number), bytes, self.load.bytes(in_flight + 1))
                    .with_retransmission(again.is_some())
                    .with_app_limited(last),
            );
            tally.sent(now, again.is_some());
            out(Data { sent_at: now, rtt: self.rto.srtt(), number, serial, bytes: bytes.0 as u32, probe, last });
        }
    }

    fn sample(&mut self, now: Instant, tally: &Tally) -> FlowSample {
        let (retransmissions, timeouts) = tally.totals();
        let in_flight = self.board.in_flight();
        let window = self.controller.permit(&Ask::new(now, self.load.bytes(in_flight))).window;
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
