//! What a receiver tells a sender beside ACKs: when each packet arrived, and what the receiver's half of a controller found.
//!
//! An ACK says when it comes, not when the packet came: the way back and a receiver that answers in bursts blur what a measurement reads in
//! its packets' distances. So a sender whose controller wants it ([`symbiosis_control::Controller::wants_arrivals`]) asks, and the
//! receiver puts the arrivals, by packet number, beside the ACK of the same packets. Not one packet more goes back for it.
//!
//! A controller that goes by reports needs more: its receiving half must know when packets *left*. That is told one packet later, in the
//! next; and what that half finds goes back like arrivals.
//!
//! Everything is in DATAGRAM frames, and may be lost. Nothing that is said is believed further than a measurement is: whoever lies here lies
//! as he might by his ACKs.

mod listener;
pub(crate) mod packet_number_tap;
pub(crate) mod wire;

use bytes::Bytes as Payload;
use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};

pub(crate) use listener::{Host, Listener};
use packet_number_tap::PacketNumberTap;
use symbiosis_noq::ControllerHandle;
use symbiosis_quic_events::{Arrived, FULL};
use wire::{Ask, Message, Observes};

/// Whoever is not answered asks again after a round trip, and not sooner than this.
const ASKS_EVERY: Span = Span::from_millis(10);

/// Both ends of one connection's feedback: each side may send data.
pub(crate) struct Feedback {
    tap: PacketNumberTap,
    host: Host,
    listener: Listener,
    /// What this side's controller wants to hear of its packets.
    wants: Wants,
    answered: bool,
    ask_at: Instant,
    arrived_at: ReceiverInstant,
}

/// What a side wants to hear of its packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wants {
    /// Arrivals, if its controller wants them.
    pub(crate) arrivals: bool,
    /// What its controller's other half finds.
    pub(crate) observer: Option<Observes>,
}

impl Feedback {
    pub(crate) fn new(tap: PacketNumberTap, host: Host, wants: Wants) -> Feedback {
        let (ask_at, arrived_at) = (Instant::START, ReceiverInstant(0));
        Feedback { tap, host, listener: Listener::default(), wants, answered: false, ask_at, arrived_at }
    }

    /// A datagram with so much payload arrived, and was understood or not.
    pub(crate) fn arrived(&mut self, at: Instant, payload: usize) {
        let Some(pn) = self.tap.take().filter(|_| payload as u64 >= FULL) else { return };
        // The kernel's times are made from a clock that can be set.
        self.arrived_at = self.arrived_at.max(at.into());
        self.listener.arrived(Arrived { pn, at: self.arrived_at }, Bytes(payload as u64) + self.host.overhead);
    }

    /// The peer says something; whatever is no message is not heard.
    pub(crate) fn hears(&mut self, now: Instant, message: &[u8], controller: Option<&ControllerHandle>) {
        match (Message::decode(message), controller) {
            (Some(Message::Ask(ask)), _) => self.listener.asked(ask, self.host),
            (Some(Message::Left(left)), _) => self.listener.left(&left),
            (Some(Message::Arrivals(arrivals)), Some(controller)) => {
                self.answered |= self.wants.observer.is_none();
                controller.arrived(&arrivals);
            }
            (Some(Message::Found(findings)), Some(controller)) => {
                self.answered = true;
                controller.found(now, findings);
            }
            _ => {}
        }
    }

    /// What is to be said to the peer about its packets.
    pub(crate) fn reports(&mut self, now: Instant, rtt: Span) -> Option<Payload> {
        self.listener.says(now, rtt).map(|message| message.encode())
    }

    /// Whether the peer must hear of each packet when it left.
    pub(crate) fn tells_of_each(&self) -> bool {
        self.wants.observer.is_some()
    }

    /// A packet of this side left: what is to be said to the peer about that.
    pub(crate) fn left(&mut self, now: Instant, rtt: Span, controller: &ControllerHandle) -> [Option<Payload>; 2] {
        let Some(left) = controller.take_left() else { return [None, None] };
        let ask = (!self.answered && now >= self.ask_at)
            .then(|| Ask { arrivals: self.wants.arrivals && controller.wants_arrivals(), observer: self.wants.observer.clone() })
            .filter(|ask| *ask != Ask::default());
        if ask.is_some() {
            self.ask_at = now + rtt.max(ASKS_EVERY);
        }
        let left = self.tells_of_each().then_some(Message::Left(left));
        [ask.map(Message::Ask), left].map(|message| message.map(|message| message.encode()))
    }

    /// When there will be something to say though nothing arrives.
    pub(crate) fn wake_at(&self) -> Instant {
        self.listener.wake_at()
    }
}

#[cfg(test)]
mod tests;
