//! An emulated path between real sockets: a UDP relay whose links are those of the simulator.
//!
//! Clients send to the relay as if it were the server. Each direction crosses a link: a [`Network`] says when a datagram comes
//! out, reckoned from the kernel's time of its arrival, and then it is sent at that time. Others' traffic takes its place in the link and is
//! nowhere else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::BytesMut;
use symbiosis_base::{Bytes, Instant, Random, Span};
use symbiosis_path::{LinkSample, LinkSpec, LinkStats, Network, NetworkLink, Traffic, TrafficSpec};

use crate::clock::Clock;
use crate::impairments::Impairments;
use crate::socket::{Lateness, TURN, Udp, wait};

/// The relay looks at least this often whether it is to end: a look takes microseconds, and nobody notices an end 20 ms late.
const LOOKS_EVERY: Span = Span::from_millis(20);

/// What a relay does to datagrams.
#[derive(Clone, Debug)]
pub struct Path {
    /// Towards the server.
    pub forth: LinkSpec,
    /// Towards clients.
    pub back: LinkSpec,
    /// Others on the way to the server, from the first datagram on.
    pub others: Option<TrafficSpec>,
    /// What UDP and IP add to a datagram.
    pub overhead: Bytes,
    /// What happens to datagrams behind the links, in both directions. Its times count from the first datagram on.
    pub impairments: Impairments,
    /// When clients seem to be elsewhere from then on, since the first datagram: somebody translates addresses, and has forgotten.
    pub rebinds: Vec<Instant>,
    /// Seeds losses, jitter and others.
    pub seed: u64,
    /// The link towards the server is looked at this often.
    pub sample_every: Span,
}

/// What a relay did.
#[derive(Clone, Debug)]
pub struct Relayed {
    /// The link towards the server.
    pub forth: LinkStats,
    /// The same link, at instants since the first datagram.
    pub samples: Vec<LinkSample>,
    /// How long each of the client's datagrams took to the link's end, by when it entered.
    pub crossings: Vec<(Instant, Span)>,
    /// How long it was there, from the first datagram on.
    pub time: Span,
    /// How late datagrams left.
    pub lateness: Lateness,
}

/// A datagram in the network, and when it entered.
struct Crossing {
    since: Instant,
    datagram: BytesMut,
}

/// A relay between one client and a server. A datagram from elsewhere is a new client's.
pub struct Relay {
    clock: Clock,
    front: Udp,
    back: Udp,
    client: Option<SocketAddr>,
    server: SocketAddr,
    path: Path,
    /// Stream and link 0 lead towards the server, 1 towards the client.
    network: Network<Crossing>,
    /// What is to be sent, by when: instant, order, direction.
    pending: BinaryHeap<Reverse<(Instant, u64, usize, BytesMut)>>,
    ordinal: u64,
    random: Random,
    crossings: Vec<(Instant, Span)>,
    /// When the first datagram came: the links' time begins there.
    began: Option<Instant>,
    /// The links were told nothing later than that.
    told: Instant,
}

impl Relay {
    /// A relay to `server`, for the calling thread.
    ///
    /// # Errors
    /// No sockets can be had.
    pub fn new(server: SocketAddr, path: Path) -> io::Result<Relay> {
        let clock = Clock::start();
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (front, back) = (Udp::bind(here, clock)?, Udp::bind(here, clock)?);
        back.connect(server)?;
        let link = |spec: &LinkSpec, source, sample_every| {
            let random = Random::new(path.seed, source);
            NetworkLink { spec: spec.clone(), random, from: Instant::START, to: Instant::NEVER, sample_every }
        };
        let links = vec![link(&path.forth, 0, Some(path.sample_every)), link(&path.back, 1, None)];
        let others = path.others.clone().map(|spec| (Traffic::new(spec, Random::new(path.seed, 2)), vec![0]));
        let network = Network::new(links, vec![vec![0], vec![1]], others.into_iter().collect());
        let random = Random::new(path.seed, 3);
        Ok(Relay {
            clock,
            front,
            back,
            client: None,
            server,
            path,
            network,
            pending: BinaryHeap::new(),
            ordinal: 0,
            random,
            crossings: Vec::new(),
            began: None,
            told: Instant::START,
        })
    }

    /// Where clients find it.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.front.address()
    }

    /// Relays until it is enough.
    ///
    /// # Errors
    /// A socket is broken.
    pub fn run(mut self, enough: &Arc<AtomicBool>) -> io::Result<Relayed> {
        let mut lateness = Lateness::default();
        while !enough.load(Ordering::Relaxed) {
            let mut busy = false;
            for direction in 0..2 {
                for turn in 1..=TURN {
                    let arrival = unless_refused(if direction == 0 { self.front.receive() } else { self.back.receive() }, None)?;
                    let Some(arrival) = arrival else { break };
                    if direction == 0 {
                        self.client = Some(arrival.from);
                    }
                    self.enters(direction, arrival.at, arrival.datagram);
                    busy |= turn == TURN;
                }
            }
            self.rebind()?;
            self.leave(&mut lateness)?;
            if !busy {
                let next = self.began.map_or(Instant::NEVER, |began| began.saturating_add(self.wake_at().since_start()));
                wait(&self.clock, &[&self.front, &self.back], next.min(self.clock.now() + LOOKS_EVERY), false)?;
            }
        }
        self.reaches(self.began.map_or(Instant::START, |began| Instant::after(self.clock.now() - began)));
        let (forth, samples) = self.network.finish(self.told).swap_remove(0);
        let time = self.told.since_start();
        Ok(Relayed { forth, samples, crossings: self.crossings, time, lateness })
    }

    /// A datagram enters its link.
    fn enters(&mut self, direction: usize, at: Instant, datagram: BytesMut) {
        let began = *self.began.get_or_insert(at);
        self.told = self.told.max(Instant::after(at - began));
        let bytes = Bytes(datagram.len() as u64) + self.path.overhead;
        self.network.enter(self.told, direction, bytes, Crossing { since: self.told, datagram });
    }

    /// Sends what has come out by now.
    fn leave(&mut self, lateness: &mut Lateness) -> io::Result<()> {
        let Some(began) = self.began else { return Ok(()) };
        let now = Instant::after(self.clock.now() - began);
        // No further than what is due: the kernel may have received something before now that has not been looked at yet.
        while self.network.wake_at() <= now {
            self.reaches(self.network.wake_at());
            while let Some(left) = self.network.pop() {
                if left.dropped.is_some() {
                    continue;
                }
                if left.stream == 0 {
                    self.crossings.push((left.cargo.since, left.at - left.cargo.since));
                }
                for (at, datagram) in self.path.impairments.delivers(left.at, left.cargo.datagram, &mut self.random) {
                    self.ordinal += 1;
                    self.pending.push(Reverse((at, self.ordinal, left.stream, datagram)));
                }
            }
        }
        while self.pending.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            let Some(Reverse((at, _, direction, datagram))) = self.pending.pop() else { break };
            // What the kernel has no room for is lost, as in any network.
            match (direction, self.client) {
                (0, _) => unless_refused(self.back.send_one(self.server, &datagram), true)?,
                (_, Some(client)) => unless_refused(self.front.send_one(client, &datagram), true)?,
                (_, None) => continue,
            };
            lateness.woke(began + at.since_start(), self.clock.now());
        }
        Ok(())
    }

    /// When something will be to be done by itself, since the first datagram.
    fn wake_at(&self) -> Instant {
        self.network.wake_at().min(self.pending.peek().map_or(Instant::NEVER, |Reverse((at, ..))| *at))
    }

    /// Sends to the server from another port from now on, if it is time.
    fn rebind(&mut self) -> io::Result<()> {
        let Some(began) = self.began else { return Ok(()) };
        let now = Instant::after(self.clock.now() - began);
        if self.path.rebinds.iter().any(|at| *at <= now) {
            self.path.rebinds.retain(|at| *at > now);
            self.back = Udp::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), self.clock)?;
            self.back.connect(self.server)?;
        }
        Ok(())
    }

    /// The links' time goes on.
    fn reaches(&mut self, at: Instant) {
        self.told = self.told.max(at);
        self.network.advance(self.told);
    }
}

/// A path does not end where nobody listens at its other end any more: what is refused there is lost.
fn unless_refused<T>(done: io::Result<T>, lost: T) -> io::Result<T> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(lost),
        done => done,
    }
}
