//! How a network is put together.

use std::collections::{BinaryHeap, VecDeque};

use symbiosis_base::{Instant, Span};

use super::{Line, Network, NetworkLink, Source, Stream};
use crate::{Discipline, Link, ManagedLink, Traffic};

impl<C> Network<C> {
    /// A network of these links. Streams are numbered as their routes are given, and name links by index; the traffic of others goes its
    /// own routes.
    ///
    /// # Panics
    /// When a route names a link that there is not.
    pub fn new(links: Vec<NetworkLink>, mut routes: Vec<Vec<usize>>, others: Vec<(Traffic, Vec<usize>)>) -> Network<C> {
        let (others, ways): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        let streams = routes.len();
        routes.extend(ways);
        let alone = |link: usize| routes.iter().flatten().filter(|other| **other == link).count() <= 1;
        let mut network = Network::made_of(links, alone);
        for route in routes {
            network.add(route);
        }
        for (at, traffic) in others.into_iter().enumerate() {
            network.send(traffic, streams + at);
        }
        network
    }

    /// A network of these links, which streams and the traffic of others join later. Every link is one that several may share, which costs
    /// an event at each; nothing else differs from a network that knows its routes from the start.
    pub fn open(links: Vec<NetworkLink>) -> Network<C> {
        Network::made_of(links, |_| false)
    }

    fn made_of(links: Vec<NetworkLink>, alone: impl Fn(usize) -> bool) -> Network<C> {
        Network {
            delays: links.iter().map(|link| link.spec.delay).collect(),
            lines: links.into_iter().enumerate().map(|(at, link)| line(link, alone(at))).collect(),
            streams: Vec::new(),
            sources: Vec::new(),
            crossing: BinaryHeap::new(),
            leaving: BinaryHeap::new(),
            ordinal: 0,
            now: Instant::START,
            rest: Span::MAX,
        }
    }

    /// Another stream of an open network, on its way over these links; its number.
    ///
    /// # Panics
    /// When the route names a link that there is not, or that the network was made to give to another stream alone.
    pub fn join(&mut self, route: Vec<usize>) -> usize {
        let open = route.iter().all(|line| !matches!(self.lines[*line], Line::Private(_)));
        assert!(open, "only an open network is joined");
        self.add(route)
    }

    fn add(&mut self, route: Vec<usize>) -> usize {
        let stream = self.streams.len();
        for (hop, line) in route.iter().enumerate() {
            if let Line::Managed(_, users) = &mut self.lines[*line] {
                users.push((stream, hop));
            }
            if !matches!(self.lines[*line], Line::Private(_)) {
                self.rest = self.rest.min(route[hop..].iter().fold(Span::ZERO, |sum, link| sum + self.delays[*link]));
            }
        }
        self.streams.push(Stream { held: route.iter().map(|_| VecDeque::new()).collect(), route });
        stream
    }

    /// Others send over these links of an open network, to which no time has been told yet.
    ///
    /// # Panics
    /// As [`Network::join`].
    pub fn join_traffic(&mut self, traffic: Traffic, route: Vec<usize>) {
        let stream = self.join(route);
        self.send(traffic, stream);
    }

    fn send(&mut self, mut traffic: Traffic, stream: usize) {
        self.sources.push(Source { next: traffic.next(), traffic, stream });
    }
}

fn line(link: NetworkLink, alone: bool) -> Line {
    let NetworkLink { spec, random, from, to, sample_every } = link;
    match spec.discipline {
        Discipline::DropTail if alone => Line::Private(Link::watched(&spec, random, from, to, sample_every)),
        Discipline::DropTail => Line::Shared(Link::watched(&spec, random, from, to, sample_every)),
        _ => Line::Managed(Box::new(ManagedLink::new(&spec, random, (from, to), sample_every)), Vec::new()),
    }
}
