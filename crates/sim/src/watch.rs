//! Who waits before a link, for whoever wants to see the queue packet by packet.

use std::collections::VecDeque;

use symbiosis_base::{Instant, Span};
use symbiosis_path::Offered;
use symbiosis_run::LinkId;

/// Packets before one link, or on their way onto it, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Watch {
    link: LinkId,
    /// What a packet takes from the end of its transmission to the link's other end.
    delay: Span,
    packets: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    owner: usize,
    since: Instant,
    /// The end of its transmission; never while the link has not decided.
    until: Instant,
}

impl Watch {
    pub(crate) fn new(link: LinkId, delay: Span) -> Watch {
        Watch { link, delay, packets: VecDeque::new() }
    }

    /// A link that decides at once has taken a packet.
    pub(crate) fn offered(&mut self, link: LinkId, owner: usize, now: Instant, offered: Offered) {
        if let Ok(out) = offered
            && link == self.link
        {
            self.packets.push_back(Waiting { owner, since: now, until: out - self.delay });
        }
    }

    /// A packet joined the queue of a link that decides later.
    pub(crate) fn joined(&mut self, link: LinkId, owner: usize, now: Instant) {
        if link == self.link {
            self.packets.push_back(Waiting { owner, since: now, until: Instant::NEVER });
        }
    }

    /// That link has decided on the oldest packet of its owner.
    pub(crate) fn decided(&mut self, link: LinkId, owner: usize, now: Instant, offered: Offered) {
        let oldest = |packet: &&mut Waiting| packet.owner == owner && packet.until == Instant::NEVER;
        if let Some(packet) = self.packets.iter_mut().find(oldest).filter(|_| link == self.link) {
            packet.until = offered.map_or(now, |out| out - self.delay);
        }
    }

    /// Owners of the packets that are there at `now`, the oldest first. What is gone by then is forgotten.
    pub(crate) fn there(&mut self, now: Instant) -> Vec<usize> {
        self.packets.retain(|packet| packet.until > now);
        self.packets.iter().filter(|packet| packet.since <= now).map(|packet| packet.owner).collect()
    }
}
