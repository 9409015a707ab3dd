//! One connection of a node.

use std::num::NonZeroUsize;

use bytes::Bytes;
use noq_proto::{Connection, ConnectionError, ConnectionHandle, Event, PathId, VarInt};
use symbiosis_base::{Bytes as Size, Instant, Span};

use crate::clock::Clock;
use crate::feedback::packet_number_tap::PacketNumberTap;
use crate::feedback::{Feedback, Host};
use crate::identity::Seen;
use crate::passing::Pass;
use symbiosis_noq::ControllerHandle;

use super::admission::{Caller, Limits};
use super::pulse::Pulse;
use super::session::{Leaving, Next, Session};
use super::settings::Made;

/// A probe is due no sooner than a round trip and so much after the last packet that wants an ACK (RFC 9002 §6.2.1, `kGranularity`).
const GRANULARITY: Span = Span::from_millis(1);

/// Probes that may be due at once: two for each timer (RFC 9002 §6.2.4), which may expire again before the system has taken any.
const PROBES: u8 = 4;

/// What is done in another thread is asked for this often.
const SOON: Span = Span::from_millis(1);

pub(super) struct Peer<S> {
    pub(super) handle: ConnectionHandle,
    pub(super) connection: Connection,
    controller: Option<ControllerHandle>,
    pass: Pass,
    pub(super) feedback: Feedback,
    /// UDP payload of a full packet, and what UDP and IP add to it.
    payload: u16,
    overhead: Size,
    /// Something to be said to the peer has not left.
    unsaid: bool,
    seen: Seen,
    pulse: Pulse,
    pub(super) session: S,
    pub(super) established: bool,
    /// Of a peer that has called this node.
    pub(super) caller: Option<Caller>,
    /// The session wants to go on at once.
    pub(super) again: bool,
    /// The session wants to go on then.
    pub(super) soon: Instant,
    /// Something moved since it was last found that nothing can leave.
    pub(super) may_transmit: bool,
    /// The controller holds a packet back until then.
    held_until: Instant,
    /// So many datagrams may be probes, and leave one by one.
    alone: u8,
}

/// What is known of a connection from outside. Sizes are on the wire.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The handshake is done.
    pub established: bool,
    /// Nothing will leave or come any more.
    pub closed: bool,
    /// The certificate's fingerprint that a server showed.
    pub seen: Seen,
    /// Smoothed round-trip time.
    pub rtt: Span,
    /// How many ACKs have measured a round-trip time, and what the last of them measured.
    pub latest_rtt: (u64, Span),
    /// A full packet.
    pub packet: Size,
    /// Congestion window.
    pub window: Size,
    /// In flight after the last ACK.
    pub in_flight: Size,
    /// Acknowledged since the start.
    pub delivered: Size,
    /// Arrived since the start.
    pub received: Size,
    /// Packets sent, those that only acknowledge included.
    pub sent: u64,
    /// Packets given up as lost.
    pub lost: u64,
    /// Congestion events as noq counts them: one for each moment at which packets were found lost.
    pub congestion_events: u64,
    /// Times that congestion was persistent, as a controller of ours was told.
    pub timeouts: u64,
    /// Times that recovery began without, as a controller of ours was told (RFC 9002 §7.3.2); of noq's, its congestion events.
    pub recoveries: u64,
    /// ACK frames that came.
    pub acks: u64,
    /// The controller's gauges.
    pub gauges: Vec<(&'static str, f64)>,
}

/// What is known of a connection's ends.
pub(super) struct Ends {
    pub(super) tap: PacketNumberTap,
    pub(super) seen: Seen,
    pub(super) pulse: Pulse,
    pub(super) host: Host,
    /// UDP payload of a full packet.
    pub(super) payload: u16,
}

impl<S: Session> Peer<S> {
    pub(super) fn new(handle: ConnectionHandle, connection: Connection, made: Made, ends: Ends, session: S) -> Peer<S> {
        Peer {
            handle,
            connection,
            controller: made.controller,
            pass: made.pass,
            feedback: Feedback::new(ends.tap, ends.host, made.wants),
            payload: ends.payload,
            overhead: ends.host.overhead,
            unsaid: false,
            seen: ends.seen,
            pulse: ends.pulse,
            session,
            established: false,
            caller: None,
            again: false,
            soon: Instant::NEVER,
            may_transmit: true,
            held_until: Instant::NEVER,
            alone: 0,
        }
    }

    /// Takes note of what happened, and lets the session go on.
    pub(super) fn advance(&mut self, now: Instant, clock: &Clock) {
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => {
                    self.established = true;
                    if let Some(caller) = &mut self.caller {
                        caller.establishes(now);
                    }
                    if let Some(controller) = &self.controller {
                        controller.establish(now);
                    }
                }
                Event::ConnectionLost { reason } => self.session.ended(&reason),
                _ => {}
            }
        }
        while let Some(message) = self.connection.datagrams().recv() {
            self.feedback.hears(now, &message, self.controller.as_ref());
        }
        if let Some(controller) = &self.controller {
            controller.tell();
        }
        (self.again, self.soon) = (false, Instant::NEVER);
        self.may_transmit = true;
        if self.established && !self.connection.is_closed() {
            match self.session.progress(now, &mut self.connection) {
                Next::Wait => {}
                Next::Again => self.again = true,
                Next::Soon => self.soon = now + SOON,
                Next::At(at) => self.soon = at,
                Next::Close(why) => self.close(now, clock, &why),
            }
            if let Some(caller) = &mut self.caller {
                caller.looks(now, self.session.activity());
            }
        }
    }

    pub(super) fn close(&mut self, now: Instant, clock: &Clock, why: &str) {
        self.connection.close(clock.instant(now), VarInt::from_u32(0), Bytes::copy_from_slice(why.as_bytes()));
        self.may_transmit = true;
    }

    /// Ends a connection whose peer shows no life, as if nothing had come from it.
    pub(super) fn feel(&mut self, now: Instant, clock: &Clock, limits: &Limits) {
        if self.connection.is_closed() {
            return;
        }
        if self.pulse.has_stopped(now, &mut self.connection) {
            self.end(now, clock, "no sign of life");
        } else if self.patience(limits) <= now {
            self.end(now, clock, if self.established { "no request came" } else { "the handshake takes too long" });
        }
    }

    /// Ends a connection that the session would go on with.
    pub(super) fn end(&mut self, now: Instant, clock: &Clock, why: &str) {
        self.session.ended(&ConnectionError::TimedOut);
        self.close(now, clock, why);
    }

    /// When the peer has to go if nothing else comes.
    fn patience(&self, limits: &Limits) -> Instant {
        self.caller.map_or(Instant::NEVER, |caller| caller.ends(self.established, limits))
    }

    /// What the controller held back may leave if its time has come.
    pub(super) fn release(&mut self, now: Instant) {
        self.may_transmit |= self.held_until <= now || self.feedback.wake_at() <= now;
    }

    pub(super) fn transmit(&mut self, now: Instant, clock: &Clock, together: usize, buffer: &mut Vec<u8>) -> Option<Leaving> {
        if let Some(controller) = &self.controller {
            controller.on_transmit_start(now);
        }
        let rtt = self.rtt();
        if let Some(report) = self.feedback.reports(now, rtt) {
            self.say(report);
            self.unsaid = true;
        }
        self.pass.on_transmit_start(self.unsaid);
        self.held_until = Instant::NEVER;
        // Of datagrams that leave together noq (1.4) makes none longer than the first. The second of two probes panics then where it repeats an
        // ACK_FREQUENCY frame for which there is no room.
        let instant = clock.instant(now);
        if !self.established || self.pass.quiet(instant) >= rtt + GRANULARITY {
            self.alone = PROBES;
        }
        // Each packet tells of the one before it, which must have left by then.
        let together = if self.alone > 0 || self.feedback.tells_of_each() { 1 } else { together };
        let most = NonZeroUsize::new(together).unwrap_or(NonZeroUsize::MIN);
        let found = self.connection.poll_transmit(instant, most, buffer);
        self.alone = self.alone.saturating_sub(u8::from(found.is_some()));
        self.pass.on_transmit_end(found.is_some());
        self.unsaid &= found.is_none();
        match (&self.controller, &found) {
            (Some(controller), Some(_)) => {
                self.feedback.left(now, rtt, controller).into_iter().flatten().for_each(|message| self.say(message))
            }
            (Some(controller), None) => self.held_until = controller.on_transmit_end().unwrap_or(Instant::NEVER),
            (None, _) => {}
        }
        self.may_transmit = found.is_some();
        found.map(|transmit| Leaving { to: transmit.destination, each: transmit.segment_size.unwrap_or(transmit.size) })
    }

    fn rtt(&self) -> Span {
        self.connection.rtt(PathId::ZERO).map_or(Span::ZERO, |rtt| Span(rtt.as_nanos() as u64))
    }

    /// Says something to the peer, with the next packet or in one of its own. Whoever takes no messages is not told.
    fn say(&mut self, message: Bytes) {
        // Of too many the oldest is forgotten.
        let _ = self.connection.datagrams().send(message, true);
    }

    pub(super) fn wake_at(&self, clock: &Clock, limits: &Limits) -> Instant {
        if self.again {
            return Instant::START;
        }
        let timer = self.connection.poll_timeout().map_or(Instant::NEVER, |at| clock.nanos(at));
        let pulse = if self.connection.is_closed() { Instant::NEVER } else { self.pulse.next().min(self.patience(limits)).min(self.soon) };
        timer.min(self.held_until).min(self.feedback.wake_at()).min(pulse)
    }

    pub(super) fn latest_rtt(&self) -> (u64, Span) {
        self.pass.latest_rtt()
    }

    pub(super) fn view(&mut self) -> View {
        let stats = self.connection.path_stats(PathId::ZERO);
        let all = self.connection.stats();
        let packet = Size(self.payload.into()) + self.overhead;
        let in_packets = |payload: u64| Size::from_f64(payload as f64 * packet.as_f64() / f64::from(self.payload));
        let congestion_events = stats.map_or(0, |stats| stats.congestion_events);
        let (window, (timeouts, recoveries), gauges) = match &self.controller {
            Some(controller) => (controller.window().0, controller.episodes(), controller.gauges()),
            None => (in_packets(stats.map_or(0, |stats| stats.cwnd)), (0, congestion_events), Vec::new()),
        };
        let (in_flight, delivered, packets) = self.pass.flight();
        let on_wire = |payload: u64, packets: u64| Size(payload + packets * self.overhead.0);
        View {
            established: self.established,
            closed: self.connection.is_closed(),
            seen: self.seen.clone(),
            latest_rtt: self.pass.latest_rtt(),
            rtt: Span(stats.map_or(0, |stats| stats.rtt.as_nanos() as u64)),
            packet,
            window,
            in_flight: in_packets(in_flight),
            delivered: on_wire(delivered, packets),
            received: on_wire(all.udp_rx.bytes, all.udp_rx.datagrams),
            sent: stats.map_or(0, |stats| stats.sent_packets),
            lost: stats.map_or(0, |stats| stats.lost_packets),
            congestion_events,
            timeouts,
            recoveries,
            acks: all.frame_rx.acks,
            gauges,
        }
    }
}
