//! What noq's events mean to a controller of ours.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::growth::GrowthLimit;
use symbiosis_control::observer::Findings;
use symbiosis_control::{
    AckProcessed, Acked, Ask, Controller, Departure, LossKind, Lost, Migration, Notice, PacketLost, Permit, Report, Sent, Setup,
};

use crate::flight::Flight;
use crate::packets::{Arrived, FULL, Left};
use crate::untold::{Event, Untold};

/// A controller of ours with what noq does not keep for it.
///
/// Nothing passes before the handshake is complete: packet numbers begin anew in each of QUIC's three spaces, and what leaves until then
/// fits the first window anyway.
pub struct QuicController {
    controller: Box<dyn Controller>,
    /// The latest instant heard of: controllers are promised that time never goes back.
    pub(crate) now: Instant,
    /// A full packet on the wire, and of it what UDP and IP add.
    packet: Bytes,
    overhead: Bytes,
    initial_window: Bytes,
    /// What is to leave so soon leaves at once.
    timer: Span,
    flight: Flight,
    /// Packets of the ACK under way: number, and what is known of them.
    batch: Vec<(u64, crate::flight::Record)>,
    /// The newest packet left then that was acknowledged a round trip ago, and since then it is known.
    settled: Option<(Instant, Instant)>,
    /// Packets given up since the last congestion event.
    given_up: Bytes,
    /// When the last congestion event was: losses of packets that left before are of the same episode (RFC 9002 §7.3.2).
    episode: Option<Instant>,
    /// That episode is over when a packet is acknowledged that left after it began; a timeout ends it at once.
    recovers: bool,
    /// No packet was acknowledged yet that left after that episode began.
    recovering: bool,
    /// Since the last ACK the window, and not the departure, held a packet back.
    cwnd_limited: bool,
    established: bool,
    /// The last packet was held back by the window, or by the departure that the controller wants.
    limited: bool,
    untold: Untold,
    /// Times that congestion was persistent.
    timeouts: u64,
    /// Times that recovery began without that.
    recoveries: u64,
    /// The last full packet that left.
    left: Option<Left>,
    /// Since when nothing but the plan holds the next packet back; none while the window does, or nothing is there to be sent.
    ready: Option<Instant>,
    /// The window holds it back.
    full: bool,
    /// When the last packet left.
    last_sent: Option<Instant>,
}

/// What a QUIC stack that knows only windows is told of a permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing may leave before that instant.
    Until(Instant),
    /// So many bytes of UDP payload may be in flight.
    Window(u64),
}

impl QuicController {
    /// A controller for a connection that begins at `now`, and what it was set up with; of each packet on the wire `overhead` is UDP's and IP's.
    ///
    /// Until [`QuicController::establish`] the initial window holds and the controller hears nothing.
    pub fn new(controller: Box<dyn Controller>, setup: &Setup, overhead: Bytes, now: Instant) -> QuicController {
        QuicController {
            controller,
            now,
            packet: setup.packet,
            overhead,
            initial_window: setup.initial_window,
            timer: setup.timer,
            flight: Flight::default(),
            batch: Vec::new(),
            settled: None,
            given_up: Bytes::ZERO,
            episode: None,
            recovers: false,
            recovering: false,
            cwnd_limited: false,
            established: false,
            limited: false,
            untold: Untold::default(),
            timeouts: 0,
            recoveries: 0,
            left: None,
            ready: None,
            full: false,
            last_sent: None,
        }
    }

    fn reaches(&mut self, now: Instant) -> Instant {
        self.now = self.now.max(now);
        self.now
    }

    /// What is in flight on the wire.
    pub fn in_flight(&self) -> Bytes {
        self.flight.bytes()
    }

    /// Whether the handshake is done.
    pub fn established(&self) -> bool {
        self.established
    }

    /// The handshake is complete: what leaves from here on has packet numbers of one space.
    pub fn establish(&mut self, now: Instant) {
        self.reaches(now);
        self.established = true;
    }

    /// What the controller permits now.
    pub fn permit(&self) -> Permit {
        if !self.established {
            return Permit::window(self.initial_window);
        }
        self.controller.permit(&Ask::new(self.now, self.flight.bytes()))
    }

    /// A window on the wire as noq counts it: UDP payload alone.
    pub fn payload(&self, window: Bytes) -> u64 {
        let payload = (self.packet - self.overhead).as_f64();
        // Whatever the window, one packet may be in flight.
        (window.as_f64() * payload / self.packet.as_f64()).max(payload).ceil() as u64
    }

    /// The permit for a stack that knows only windows: what is due within what the host's timer can do leaves at once.
    pub fn gate(&self) -> Gate {
        let permit = self.permit();
        match permit.departure {
            Departure::At(at) | Departure::IgnoreWindow(at) if at > self.now.saturating_add(self.timer) => Gate::Until(at),
            Departure::IgnoreWindow(_) => Gate::Window(u64::MAX),
            Departure::Now | Departure::At(_) => Gate::Window(self.payload(permit.window)),
        }
    }

    /// The world looks for packets to send.
    pub fn on_transmit_start(&mut self, now: Instant) {
        self.reaches(now);
        self.limited = false;
    }

    /// The window or the departure held a packet back.
    pub fn on_cwnd_limited(&mut self) {
        self.limited = true;
        self.cwnd_limited |= matches!(self.gate(), Gate::Window(_));
    }

    /// The world found no more to send. When to look again, if the controller holds a packet back until then.
    pub fn on_transmit_end(&mut self) -> Option<Instant> {
        if !self.limited {
            (self.ready, self.full) = (None, false);
            self.flight.ran_dry();
            if self.established {
                self.controller.notice(&Notice::AppLimited { now: self.now, in_flight: self.flight.bytes() });
            }
            return None;
        }
        let gate = self.gate();
        // What the stack counts as in flight is its own business: it says that the window is full.
        self.full = matches!(gate, Gate::Window(_)) || !self.has_room();
        self.ready = if self.full { None } else { self.ready.or(Some(self.now)) };
        match gate {
            Gate::Until(at) => Some(at),
            Gate::Window(_) => None,
        }
    }

    /// Whether the window has room for a packet, or lets one pass that it has none for.
    fn has_room(&self) -> bool {
        let permit = self.permit();
        matches!(permit.departure, Departure::IgnoreWindow(_)) || self.flight.bytes() + self.packet <= permit.window
    }

    /// A packet that asks for an ACK left: its UDP payload and its packet number, which rises within a space.
    pub fn sent(&mut self, now: Instant, payload: u64, pn: u64) {
        let now = self.reaches(now);
        if !self.established {
            return;
        }
        let bytes = Bytes(payload) + self.overhead;
        self.last_sent = Some(now);
        let number = self.flight.push(pn, now, bytes);
        if payload >= FULL {
            let probe = matches!(self.permit().departure, Departure::IgnoreWindow(_));
            self.left = Some(Left { pn, serial: number, at: now, probe });
        }
        // What is repeated in QUIC is data, in new packets with new numbers: an ACK never leaves open which copy it answers. Whether the
        // application has more is known only when the next packet is looked for; the packet's ACK tells it.
        // Whoever's timer is exact is no host, and holds nothing up.
        let ready_at = self.ready.filter(|_| self.timer > Span::ZERO).unwrap_or(now);
        self.controller.sent(&Sent::new(now, number, bytes, self.flight.bytes()).with_ready_at(ready_at));
    }

    /// One packet of an ACK.
    pub fn acked(&mut self, now: Instant, sent_at: Instant, pn: u64) {
        self.reaches(now);
        self.batch.extend(self.flight.settle(pn, Some(sent_at)));
    }

    /// The last full packet that left, once.
    pub fn take_left(&mut self) -> Option<Left> {
        self.left.take()
    }

    /// The receiver says when packets arrived. Of those that it acknowledges in the same datagram the controller has not heard yet; what was
    /// acknowledged before, or never sent, is no news.
    pub fn arrived(&mut self, arrivals: &[Arrived]) {
        for arrived in arrivals {
            if let Some(received_at) = self.untold.received_at(arrived.pn).or_else(|| self.flight.received_at(arrived.pn)) {
                received_at.get_or_insert(arrived.at);
            }
        }
    }

    /// The receiver's half of the controller found something.
    pub fn found(&mut self, now: Instant, findings: Findings) {
        let now = self.reaches(now);
        self.tell();
        self.controller.report(&Report::Receiver { now, findings });
    }

    /// The controller hears what happened.
    pub fn tell(&mut self) {
        if !self.untold.tell(&mut *self.controller, self.timer) {
            return;
        }
        if self.full && self.has_room() {
            (self.ready, self.full) = (Some(self.now), false);
        }
        let limited = std::mem::take(&mut self.cwnd_limited);
        let (in_flight, recovering) = (self.flight.bytes(), self.recovering);
        // noq tells of marks as of losses, and not how many there were.
        let ack = AckProcessed::new(self.now).with_in_flight(in_flight).with_recovering(recovering).with_cwnd_limited(limited);
        self.controller.ack_processed(&ack);
    }

    /// Something happened beside packets and ACKs.
    fn notice(&mut self, notice: Notice) {
        if self.established {
            self.untold.push(Event::Notice(notice));
        }
    }

    /// The packets of the last congestion event were not lost.
    pub fn spurious(&mut self) {
        self.notice(Notice::Spurious { now: self.now, in_flight: self.flight.bytes() });
    }

    /// Full packets carry another UDP payload.
    pub fn resized(&mut self, payload: u16) {
        self.packet = Bytes(payload.into()) + self.overhead;
        self.notice(Notice::PacketSize { now: self.now, packet: self.packet });
    }

    /// The peer was asked to acknowledge at other times.
    pub fn answers(&mut self, packets: u64, delay: Span) {
        self.notice(Notice::AckFrequency { now: self.now, packets, delay });
    }

    /// The connection goes on, on another path: whether its controller does.
    pub fn migrates(&mut self, now: Instant) -> Migration {
        let now = self.reaches(now);
        self.tell();
        self.controller.path_changed(now)
    }

    /// Forgets packets of which nothing will be heard. The client's last packets of the handshake are such: their space is discarded
    /// unacknowledged (RFC 9001 §4.9.2). As long as one counts as in flight it is a hole, and the window does not grow.
    ///
    /// What left before a packet that was acknowledged, and is neither acknowledged nor lost a whole round trip after that, is none: it would be
    /// lost after 9/8 of one since it left (RFC 9002 §6.1.2).
    fn forget_unheard(&mut self) {
        let Some(newest) = self.batch.iter().map(|(_, record)| record.sent_at).max() else { return };
        match self.settled {
            Some((_, since)) if newest < since => return,
            Some((left, _)) => self.flight.forget_before(left),
            None => {}
        }
        self.settled = Some((newest, self.now));
    }

    /// The ACK's last packet was told.
    pub fn ack_ends(&mut self) {
        self.forget_unheard();
        let mut batch = std::mem::take(&mut self.batch);
        batch.sort_unstable_by_key(|(number, _)| *number);
        let mut in_flight = batch.iter().fold(self.flight.bytes(), |sum, (_, record)| sum + record.bytes);
        let mut limit = GrowthLimit::of_ack(false);
        for (at, (number, record)) in batch.iter().enumerate() {
            in_flight -= record.bytes;
            let recovering = self.recovers && self.episode.is_some_and(|began| record.sent_at <= began);
            self.recovering &= recovering;
            let grows = limit.grows(!recovering && *number < self.flight.oldest());
            let latest = at + 1 == batch.len();
            let acked = Acked::new(self.now, *number, record.bytes, record.sent_at)
                .with_received_at(record.received_at)
                .with_rtt(latest.then(|| self.now - record.sent_at))
                .with_in_flight(in_flight)
                .with_app_limited(record.app_limited)
                .with_recovering(recovering)
                .with_grows(grows);
            self.untold.push(Event::Acked(record.pn, acked));
        }
        batch.clear();
        self.batch = batch;
    }

    /// A packet was given up; a congestion event follows when all of the same moment were told.
    pub fn gave_up(&mut self, now: Instant, pn: u64) {
        self.reaches(now);
        if let Some((number, record)) = self.flight.settle(pn, None) {
            self.given_up += record.bytes;
            let packet = PacketLost::new(self.now, number, record.bytes, record.sent_at).with_in_flight(self.flight.bytes());
            if self.established {
                self.untold.push(Event::PacketLost(packet));
            }
        }
    }

    /// Packets were lost, or came marked; `sent_at` is when the latest of them left. An episode begins with a packet that left after the
    /// one before began (RFC 9002 §7.3.2).
    pub fn congested(&mut self, now: Instant, sent_at: Instant, persistent: bool, marked: bool) {
        let now = self.reaches(now);
        let given_up = std::mem::take(&mut self.given_up);
        if !self.established || (given_up == Bytes::ZERO && !marked) {
            return;
        }
        let in_flight = self.flight.bytes() + given_up;
        if !persistent && self.episode.is_some_and(|began| sent_at <= began) {
            return;
        }
        (self.episode, self.recovers, self.recovering) = (Some(now), !persistent, !persistent);
        self.timeouts += u64::from(persistent);
        self.recoveries += u64::from(!persistent);
        let kind = match (persistent, marked) {
            (true, _) => LossKind::PersistentCongestion,
            (false, true) => LossKind::Ecn,
            (false, false) => LossKind::FastRetransmit,
        };
        self.untold.push(Event::Lost(Lost::new(now, kind, in_flight).with_bytes(given_up)));
    }

    /// Times that congestion was persistent, and that recovery began without.
    pub fn episodes(&self) -> (u64, u64) {
        (self.timeouts, self.recoveries)
    }

    /// The controller.
    pub fn controller(&self) -> &dyn Controller {
        &*self.controller
    }

    /// The controller, for a connection that goes on elsewhere.
    pub fn into_controller(self) -> Box<dyn Controller> {
        self.controller
    }

    /// The rate at which the next packet leaves at its departure, seen from the packet before \[bytes/s\]; none if it may leave at once. For a stack
    /// that paces by a rate.
    pub fn pacing_rate(&self) -> Option<f64> {
        let (Departure::At(at) | Departure::IgnoreWindow(at)) = self.permit().departure else { return None };
        let gap = (at - self.last_sent?).secs();
        (gap > 0.0).then(|| (self.packet - self.overhead).as_f64() / gap)
    }

    /// The stack found nothing more to send, and nothing held it back.
    pub fn ran_dry(&mut self) {
        self.flight.ran_dry();
    }

    /// The path changed under the connection: nothing of what is in flight will be heard of.
    pub fn moved(&mut self) {
        self.flight.clear();
        self.settled = None;
    }
}
