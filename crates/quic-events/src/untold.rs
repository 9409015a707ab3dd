//! What a controller has still to hear of the datagram under way: noq tells of its ACK before the receiver's word on the same packets is read.

use symbiosis_base::{ReceiverInstant, Span};
use symbiosis_control::{Acked, Controller, Lost, Notice, PacketLost};

use crate::answers::Answers;

/// What a controller is to hear.
#[derive(Debug)]
pub(crate) enum Event {
    /// Packet number, and the rest.
    Acked(u64, Acked),
    PacketLost(PacketLost),
    Lost(Lost),
    Notice(Notice),
}

/// What it has not heard yet, in order.
#[derive(Debug, Default)]
pub(crate) struct Untold {
    events: Vec<Event>,
    answers: Answers,
}

impl Untold {
    /// It happened last.
    pub(crate) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// When a packet of the ACK reached the receiver, to be filled in.
    pub(crate) fn received_at(&mut self, pn: u64) -> Option<&mut Option<ReceiverInstant>> {
        self.events.iter_mut().rev().find_map(|event| match event {
            Event::Acked(number, acked) if *number == pn => Some(&mut acked.received_at),
            _ => None,
        })
    }

    /// The controller hears it all; whether the peer has answered anything. A host whose `timer` is exact does not answer late.
    pub(crate) fn tell(&mut self, controller: &mut dyn Controller, timer: Span) -> bool {
        let mut answered = false;
        for event in self.events.drain(..) {
            answered |= !matches!(event, Event::Notice(_));
            match event {
                Event::Acked(_, acked) => {
                    let received_at = acked.received_at.filter(|_| timer > Span::ZERO);
                    let late = received_at.map_or(Span::ZERO, |at| self.answers.late(acked.now, at));
                    controller.acked(&acked.with_answered_late(late));
                }
                Event::PacketLost(packet) => controller.packet_lost(&packet),
                Event::Lost(lost) => controller.lost(&lost),
                Event::Notice(notice) => controller.notice(&notice),
            }
        }
        answered
    }
}
