//! Links in a network and what is on its way over them, for relays, emulators and QUIC in virtual time.
//!
//! A [`Network`] carries cargo, whatever that is, over the links of a stream's route. It is told of time and of what enters, and says what
//! came out, when, and what was dropped. All instants are the links' own: a driver that is late delays what it delivers, never what follows.
//! (The simulator has its own way through links, without a heap and without an event at most of them: its packets are its own, so it plays
//! what follows from one as soon as it is certain, which may be before its time. Nobody can who has a clock, or a node to wake in between.)

mod build;
mod parcel;

use std::collections::{BinaryHeap, VecDeque};

use symbiosis_base::{Bytes, Instant, Random, Span};

use crate::{Drop, Link, LinkSample, LinkSpec, LinkStats, ManagedLink, Offered, Traffic};
use parcel::{Due, Parcel};

/// A link of a network.
#[derive(Clone, Debug)]
pub struct NetworkLink {
    /// What it is.
    pub spec: LinkSpec,
    /// Its own source of randomness.
    pub random: Random,
    /// Statistics count from here …
    pub from: Instant,
    /// … to here.
    pub to: Instant,
    /// Spacing of its samples; none are taken without it.
    pub sample_every: Option<Span>,
}

/// What came out of a network, or did not.
#[derive(Clone, Debug, PartialEq)]
pub struct Left<C> {
    /// When it came out, or was dropped.
    pub at: Instant,
    /// By which stream it went.
    pub stream: usize,
    /// Its size on the wire.
    pub size: Bytes,
    /// Why it did not come out, if it did not.
    pub dropped: Option<Drop>,
    /// What it is.
    pub cargo: C,
}

/// Links, streams over them, and the traffic of others.
#[derive(Debug)]
pub struct Network<C> {
    lines: Vec<Line>,
    streams: Vec<Stream<C>>,
    sources: Vec<Source>,
    /// Before links that several share.
    crossing: BinaryHeap<Due<C>>,
    /// Behind the last link, or dropped.
    leaving: BinaryHeap<Due<C>>,
    ordinal: u64,
    now: Instant,
    delays: Vec<Span>,
    /// From before a shared link to the end of its way nothing gets faster than this.
    rest: Span,
}

#[derive(Debug)]
enum Line {
    /// One stream alone uses it: crossed as soon as it is reached.
    Private(Link),
    /// In order of time.
    Shared(Link),
    /// It decides when a turn comes, on the stream and hop of each of those who use it.
    Managed(Box<ManagedLink>, Vec<(usize, usize)>),
}

#[derive(Debug)]
struct Stream<C> {
    route: Vec<usize>,
    /// In the queues of managed links, by hop.
    held: Vec<VecDeque<Parcel<C>>>,
}

#[derive(Debug)]
struct Source {
    traffic: Traffic,
    stream: usize,
    next: Option<(Instant, Bytes)>,
}

impl<C> Network<C> {
    /// Something enters by a stream. Time never goes back: what is said to enter before an instant that was told enters at that instant.
    pub fn enter(&mut self, at: Instant, stream: usize, size: Bytes, cargo: C) {
        self.now = self.now.max(at);
        self.reach(self.now, Parcel { stream, hop: 0, size, cargo: Some(cargo) });
    }

    /// `now` has come, if it has not been told before. What has come out or was dropped by then is to be taken: [`Network::pop`].
    pub fn advance(&mut self, now: Instant) {
        self.now = self.now.max(now);
        loop {
            let (at, turn) = self.turn_at();
            if at > self.now || at == Instant::NEVER {
                return;
            }
            match turn {
                Turn::Crossing => {
                    if let Some(due) = self.crossing.pop() {
                        self.cross(due.at, due.parcel);
                    }
                }
                Turn::Source(source) => {
                    let source = &mut self.sources[source];
                    let (stream, size) = (source.stream, source.next.map_or(Bytes::ZERO, |(_, size)| size));
                    source.next = source.traffic.next();
                    self.reach(at, Parcel { stream, hop: 0, size, cargo: None });
                }
                Turn::Link(line) => {
                    if let Line::Managed(link, _) = &mut self.lines[line] {
                        link.advance(at);
                    }
                    self.settle(line, at);
                }
            }
        }
    }

    /// The next thing that came out or was dropped by the instant that was told last, in order of time.
    pub fn pop(&mut self) -> Option<Left<C>> {
        while self.leaving.peek().is_some_and(|due| due.at <= self.now) {
            if let Some(Due { at, dropped, parcel: Parcel { stream, size, cargo: Some(cargo), .. }, .. }) = self.leaving.pop() {
                return Some(Left { at, stream, size, dropped, cargo });
            }
        }
        None
    }

    /// Nothing that enters no later comes out before this.
    pub fn wake_at(&self) -> Instant {
        let within = self.crossing.peek().map_or(Instant::NEVER, |due| due.at);
        let turns = self.lines.iter().filter_map(|line| match line {
            Line::Managed(link, _) => Some(link.turn_at()),
            _ => None,
        });
        let within = turns.fold(within, Instant::min).saturating_add(self.rest);
        self.leaving.peek().map_or(within, |due| due.at.min(within))
    }

    /// Packets that wait before a link at the instant that was told last.
    pub fn queue_packets(&mut self, link: usize) -> u64 {
        match &mut self.lines[link] {
            Line::Private(link) | Line::Shared(link) => link.queue_packets(self.now),
            Line::Managed(link, _) => link.queue_packets(),
        }
    }

    /// How long a packet would wait that came before a link at the instant that was told last. None where a managed queue decides.
    pub fn wait(&self, link: usize) -> Option<Span> {
        match &self.lines[link] {
            Line::Private(link) | Line::Shared(link) => Some(link.wait(self.now)),
            Line::Managed(..) => None,
        }
    }

    /// What has entered and neither come out nor been dropped yet, or was not taken since, each with its stream.
    pub fn under_way(&self) -> impl Iterator<Item = (usize, &C)> {
        let due = self.crossing.iter().chain(&self.leaving).map(|due| &due.parcel);
        let held = self.streams.iter().flat_map(|stream| &stream.held).flatten();
        due.chain(held).filter_map(|parcel| Some((parcel.stream, parcel.cargo.as_ref()?)))
    }

    /// Ends the run at `end`, which must not lie before the instant that was told last: every link's statistics and samples.
    pub fn finish(mut self, end: Instant) -> Vec<(LinkStats, Vec<LinkSample>)> {
        self.advance(end);
        let end = self.now;
        let finish = |line| match line {
            Line::Private(link) | Line::Shared(link) => link.finish(end),
            Line::Managed(link, _) => link.finish(end),
        };
        self.lines.into_iter().map(finish).collect()
    }

    /// Whose turn is next, and when. The first of equals: what is on its way goes before what sets out.
    fn turn_at(&self) -> (Instant, Turn) {
        let mut next = (self.crossing.peek().map_or(Instant::NEVER, |due| due.at), Turn::Crossing);
        for (at, line) in self.lines.iter().enumerate() {
            if let Line::Managed(link, _) = line
                && link.turn_at() < next.0
            {
                next = (link.turn_at(), Turn::Link(at));
            }
        }
        for (at, source) in self.sources.iter().enumerate() {
            if let Some((when, _)) = source.next
                && when < next.0
            {
                next = (when, Turn::Source(at));
            }
        }
        next
    }

    /// A parcel gets to its next link, or out.
    fn reach(&mut self, mut at: Instant, mut parcel: Parcel<C>) {
        while let Some(line) = self.streams[parcel.stream].route.get(parcel.hop) {
            let Line::Private(link) = &mut self.lines[*line] else {
                self.ordinal += 1;
                return self.crossing.push(Due { at, ordinal: self.ordinal, dropped: None, parcel });
            };
            match link.offer(at, parcel.size) {
                Ok(out) => at = out,
                Err(drop) => return self.leave(at, Some(drop), parcel),
            }
            parcel.hop += 1;
        }
        self.leave(at, None, parcel);
    }

    /// It is a parcel's turn before a link that others use too, or that is managed.
    fn cross(&mut self, at: Instant, parcel: Parcel<C>) {
        let line = self.streams[parcel.stream].route[parcel.hop];
        match &mut self.lines[line] {
            Line::Private(link) | Line::Shared(link) => {
                let offered = link.offer(at, parcel.size);
                self.crossed(at, offered, parcel);
            }
            Line::Managed(link, users) => {
                let me = users.iter().position(|user| *user == (parcel.stream, parcel.hop)).expect("whoever crosses a link uses it");
                match link.arrive(at, me, parcel.size) {
                    Ok(()) => self.streams[parcel.stream].held[parcel.hop].push_back(parcel),
                    Err(drop) => self.leave(at, Some(drop), parcel),
                }
                self.settle(line, at);
            }
        }
    }

    /// Carries out what a managed link has decided.
    fn settle(&mut self, line: usize, at: Instant) {
        loop {
            let Line::Managed(link, users) = &mut self.lines[line] else { return };
            let Some(fate) = link.fate() else { return };
            let (stream, hop) = users[fate.stream];
            let held = self.streams[stream].held[hop].pop_front();
            self.crossed(at, fate.offered, held.expect("a link decides on what it holds"));
        }
    }

    /// A link has said what becomes of a parcel.
    fn crossed(&mut self, at: Instant, offered: Offered, mut parcel: Parcel<C>) {
        match offered {
            Ok(out) => {
                parcel.hop += 1;
                self.reach(out, parcel);
            }
            Err(drop) => self.leave(at, Some(drop), parcel),
        }
    }

    /// A parcel has come out, or was dropped. Nobody waits for what others sent.
    fn leave(&mut self, at: Instant, dropped: Option<Drop>, parcel: Parcel<C>) {
        if parcel.cargo.is_some() {
            self.ordinal += 1;
            self.leaving.push(Due { at, ordinal: self.ordinal, dropped, parcel });
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    Crossing,
    Link(usize),
    Source(usize),
}

#[cfg(test)]
mod tests;
