//! An emulated path between real sockets: a UDP relay whose links are those of the simulator.
//!
//! Clients send to the relay as if it were the server. Each direction crosses a link: the answer to when a datagram comes out is
//! [`Link::offer`]'s, reckoned from the kernel's time of its arrival, and then it is sent at that time. Others' traffic takes its place in
//! the link and is nowhere else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::BytesMut;
use symbiosis_base::{Bytes, Nanos, Random};
use symbiosis_path::{Link, LinkSample, LinkSpec, LinkStats, Traffic, TrafficSpec};

use crate::clock::Clock;
use crate::socket::{Lateness, Udp, wait};

/// Datagrams that are taken from a socket before others get their turn.
const TURN: usize = 32;
/// The relay looks at least this often whether it is to end.
const LOOKS_EVERY: Nanos = Nanos::from_millis(20);

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
    /// Seeds losses, jitter and others.
    pub seed: u64,
    /// The link towards the server is looked at this often.
    pub sample_every: Nanos,
}

/// What a relay did.
#[derive(Clone, Debug)]
pub struct Relayed {
    /// The link towards the server.
    pub forth: LinkStats,
    /// The same link, at instants since the first datagram.
    pub samples: Vec<LinkSample>,
    /// How long it was there, from the first datagram on.
    pub time: Nanos,
    /// How late datagrams left.
    pub lateness: Lateness,
}

/// A relay between one client and a server. A datagram from elsewhere is a new client's.
pub struct Relay {
    clock: Clock,
    front: Udp,
    back: Udp,
    client: Option<SocketAddr>,
    server: SocketAddr,
    path: Path,
    links: [Link; 2],
    others: Option<std::iter::Peekable<Traffic>>,
    /// When the first datagram came: the links' time begins there.
    began: Option<Nanos>,
    /// The links were told nothing later than that.
    told: Nanos,
    /// When what is on its way comes out: instant, order, direction (0 towards the server), datagram.
    pending: BinaryHeap<Reverse<(Nanos, u64, usize, BytesMut)>>,
    ordinal: u64,
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
        let link = |spec: &LinkSpec, source, every| Link::watched(spec, Random::new(path.seed, source), Nanos::ZERO, Nanos::MAX, every);
        let links = [link(&path.forth, 0, Some(path.sample_every)), link(&path.back, 1, None)];
        let others = path.others.clone().map(|spec| Traffic::new(spec, Random::new(path.seed, 2)).peekable());
        Ok(Relay {
            clock,
            front,
            back,
            client: None,
            server,
            path,
            links,
            others,
            began: None,
            told: Nanos::ZERO,
            pending: BinaryHeap::new(),
            ordinal: 0,
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
                    let arrival = if direction == 0 { self.front.receive()? } else { self.back.receive()? };
                    let Some(arrival) = arrival else { break };
                    if direction == 0 {
                        self.client = Some(arrival.from);
                    }
                    self.enters(direction, arrival.at, arrival.datagram);
                    busy |= turn == TURN;
                }
            }
            self.leave(&mut lateness)?;
            if !busy {
                let next = self.pending.peek().map_or(Nanos::MAX, |Reverse((at, ..))| *at);
                wait(&self.clock, &[&self.front, &self.back], next.min(self.clock.now() + LOOKS_EVERY), false)?;
            }
        }
        self.reaches(self.clock.now() - self.began.unwrap_or(self.clock.now()));
        let (time, [forth, _]) = (self.told, self.links);
        let (forth, samples) = forth.finish(time);
        Ok(Relayed { forth, samples, time, lateness })
    }

    /// A datagram enters its link.
    fn enters(&mut self, direction: usize, at: Nanos, datagram: BytesMut) {
        let began = *self.began.get_or_insert(at);
        self.reaches(at - began);
        let bytes = Bytes(datagram.len() as u64) + self.path.overhead;
        if let Ok(out) = self.links[direction].offer(self.told, bytes)
            && out < Nanos::MAX
        {
            self.ordinal += 1;
            self.pending.push(Reverse((began + out, self.ordinal, direction, datagram)));
        }
    }

    /// The links' time goes on; others send what they have until then. It never goes back, though kernels' times of two sockets may.
    fn reaches(&mut self, at: Nanos) {
        self.told = self.told.max(at);
        while let Some((at, bytes)) = self.others.as_mut().and_then(|others| others.next_if(|(at, _)| *at <= self.told)) {
            // What becomes of it does not matter; the place it took does.
            let _ = self.links[0].offer(at, bytes);
        }
    }

    /// Sends what has come out by now.
    fn leave(&mut self, lateness: &mut Lateness) -> io::Result<()> {
        loop {
            let now = self.clock.now();
            if self.pending.peek().is_none_or(|Reverse((at, ..))| *at > now) {
                return Ok(());
            }
            let Some(Reverse((at, _, direction, datagram))) = self.pending.pop() else { return Ok(()) };
            // What the kernel has no room for is lost, as in any network.
            match (direction, self.client) {
                (0, _) => self.back.send(self.server, &datagram)?,
                (_, Some(client)) => self.front.send(client, &datagram)?,
                (_, None) => continue,
            };
            lateness.woke(at, now);
        }
    }
}
