//! Who waits before a link, for whoever wants to see the queue packet by packet.

use std::collections::VecDeque;

use symbiosis_base::{Instant, Span};
use symbiosis_path::Offered;
use symbiosis_run::LinkId;

/// Packets before one link, or on their way onto it, at the instant up to which a run advances.
///
/// It holds what waits at that instant and what the link has not decided on, and nothing else: however long a run advances at a time, what is
/// held is bounded by the queue.
#[derive(Debug)]
pub(crate) struct Watch {
    link: LinkId,
    /// What a packet takes from the end of its transmission to the link's other end.
    delay: Span,
    /// The instant of the picture.
    at: Instant,
    /// How many packets have come.
    came: u64,
    /// By owner, what the link has not decided on, the oldest first.
    held: Vec<VecDeque<Waiting>>,
    /// What is in transmission, or will be, after the instant of the picture.
    leaving: Vec<(Instant, Waiting)>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u64,
    owner: usize,
    since: Instant,
}

impl Watch {
    pub(crate) fn new(link: LinkId, delay: Span) -> Watch {
        Watch { link, delay, at: Instant::START, came: 0, held: vec![], leaving: vec![] }
    }

    /// The run advances up to that instant.
    pub(crate) fn advances(&mut self, at: Instant) {
        self.at = at;
        self.leaving.retain(|(until, _)| *until > at);
    }

    /// A link that decides at once has taken a packet.
    pub(crate) fn offered(&mut self, link: LinkId, owner: usize, now: Instant, offered: Offered) {
        if link == self.link {
            let packet = self.arrives(owner, now);
            self.leaves(packet, offered);
        }
    }

    /// A packet joined the queue of a link that decides later.
    pub(crate) fn joined(&mut self, link: LinkId, owner: usize, now: Instant) {
        if link == self.link {
            let packet = self.arrives(owner, now);
            if self.held.len() <= owner {
                self.held.resize_with(owner + 1, VecDeque::new);
            }
            self.held[owner].push_back(packet);
        }
    }

    /// That link has decided on the oldest packet of its owner.
    pub(crate) fn decided(&mut self, link: LinkId, owner: usize, offered: Offered) {
        if link == self.link
            && let Some(packet) = self.held.get_mut(owner).and_then(VecDeque::pop_front)
        {
            self.leaves(packet, offered);
        }
    }

    fn arrives(&mut self, owner: usize, since: Instant) -> Waiting {
        self.came += 1;
        Waiting { number: self.came, owner, since }
    }

    /// It is seen if its transmission ends after the instant of the picture.
    fn leaves(&mut self, packet: Waiting, offered: Offered) {
        if let Ok(out) = offered
            && out - self.delay > self.at
        {
            self.leaving.push((out - self.delay, packet));
        }
    }

    /// Owners of the packets that are there, the oldest first.
    pub(crate) fn there(&self) -> Vec<usize> {
        let all = self.held.iter().flatten().chain(self.leaving.iter().map(|(_, packet)| packet));
        let mut there: Vec<&Waiting> = all.filter(|packet| packet.since <= self.at).collect();
        there.sort_unstable_by_key(|packet| packet.number);
        there.into_iter().map(|packet| packet.owner).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn what_has_left_is_not_held_however_far_a_run_advances() {
        let mut watch = Watch::new(0, Span::from_millis(5));
        watch.advances(at(100_000));
        for ms in 0..100_000 {
            // One owner's packets go at once; the other's are decided on a moment later.
            watch.offered(0, 0, at(ms), Ok(at(ms + 1) + Span::from_millis(5)));
            watch.joined(0, 1, at(ms));
            watch.decided(0, 1, if ms % 2 == 0 { Ok(at(ms + 2) + Span::from_millis(5)) } else { Err(symbiosis_path::Drop::Queue) });
            assert!(watch.leaving.len() + watch.held.iter().map(VecDeque::len).sum::<usize>() <= 2);
        }
        assert_eq!(watch.there(), []);
        watch.joined(0, 1, at(100_000));
        watch.offered(0, 0, at(100_000), Ok(at(100_001) + Span::from_millis(5)));
        watch.offered(1, 7, at(100_000), Ok(at(100_001)));
        assert_eq!(watch.there(), [1, 0], "in the order in which they came; another link's is not seen");
        watch.advances(at(100_001));
        assert_eq!(watch.there(), [1]);
    }
}
