//! A QUIC endpoint without I/O and without a clock: datagrams and instants in, datagrams and instants out.
//!
//! Whoever drives a node does four things: gives it what arrives ([`Node::receive`]), takes from it what is to leave
//! ([`Node::transmit`]), and comes back ([`Node::wake`]) when it says ([`Node::wake_at`]). What is done with a connection is said by
//! a [`Session`].

mod admission;
mod peer;
mod pulse;
mod session;
mod settings;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::BytesMut;
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::{
    ClientConfig, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, EndpointEvent, FourTuple, Incoming, ServerConfig,
};
use symbiosis_base::{Instant, Random, Span};

use crate::choice::Choice;
use crate::clock::Clock;
use crate::feedback::packet_number_tap::PacketNumberTap;
use crate::identity::{Identity, IdentityError, SERVER_NAME, Seen, Trust};

pub(crate) use admission::host;
pub use admission::{Activity, LEAST, Limits};
use admission::{Caller, Verdict};
pub use peer::View;
use peer::{Ends, Peer};
pub use session::{BUSY, Leaving, Next, Session};
pub use settings::{QLOG, Settings};

/// A connection that has ended still answers what is on its way to it. At most so many times the connections that a node takes are kept for that.
const WITH_ENDED: usize = 4;

/// Datagrams that belong to no connection and wait to leave: beyond these they are lost, as on their way.
const MOST_REPLIES: usize = 1024;

/// A connection of a node.
pub type PeerId = usize;

/// Makes a session for a new connection.
type Accept<S> = Box<dyn FnMut(SocketAddr) -> S>;

/// A QUIC endpoint.
pub struct Node<S> {
    endpoint: Endpoint,
    clock: Clock,
    settings: Settings,
    choice: Choice,
    random: Random,
    peers: BTreeMap<PeerId, Peer<S>>,
    server: Option<(Arc<QuicServerConfig>, Accept<S>)>,
    /// What servers are shown that ask who calls.
    shows: Option<Arc<Identity>>,
    /// Where each connection is written down.
    qlog: Option<PathBuf>,
    /// Datagrams that belong to no connection.
    replies: VecDeque<(SocketAddr, Vec<u8>)>,
}

impl<S: Session> Node<S> {
    /// A node that only calls others. Connections run the controller of `choice`.
    pub fn client(clock: Clock, settings: Settings, choice: Choice, seed: u64) -> Node<S> {
        let mut random = Random::new(seed, 0);
        let mut config = EndpointConfig::default();
        if settings.repeatable {
            let mut bytes = [0; 32];
            bytes.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.seed().to_le_bytes()));
            config.rng_seed(Some(bytes));
        }
        let endpoint = Endpoint::new(Arc::new(config), None, false);
        Node {
            endpoint,
            clock,
            settings,
            choice,
            random,
            peers: BTreeMap::new(),
            server: None,
            shows: None,
            qlog: None,
            replies: VecDeque::new(),
        }
    }

    /// A node that others may call; `accept` makes the session of each caller.
    ///
    /// # Errors
    /// The identity's certificate and key do not fit together.
    pub fn server(
        clock: Clock,
        settings: Settings,
        choice: Choice,
        seed: u64,
        identity: &Identity,
        accept: Accept<S>,
    ) -> Result<Node<S>, IdentityError> {
        let mut node = Node::client(clock, settings, choice, seed);
        let tls =
            QuicServerConfig::try_from(identity.tls(settings.protocol, settings.asks_who)?).expect("TLS 1.3 has QUIC's first cipher suite");
        let tls = Arc::new(tls);
        let config = ServerConfig::with_crypto(tls.clone());
        node.endpoint.set_server_config(Some(Arc::new(config)));
        node.server = Some((tls, accept));
        Ok(node)
    }

    /// Writes down what happens in each connection from now on: a file of its own in that folder, in the form that qlog's tools read
    /// (draft-ietf-quic-qlog-main-schema). Nothing is written unless [`QLOG`].
    pub fn log_to(&mut self, folder: PathBuf) {
        self.qlog = Some(folder);
    }

    /// From now on servers that ask who calls are shown this.
    pub fn show(&mut self, identity: Arc<Identity>) {
        self.shows = Some(identity);
    }

    /// Calls somebody. What was shown as certificate is told by [`Node::view`].
    ///
    /// # Errors
    /// The address is none that can be called.
    pub fn connect(
        &mut self,
        now: Instant,
        to: SocketAddr,
        name: Option<&str>,
        trust: &Trust,
        session: S,
    ) -> Result<PeerId, IdentityError> {
        let seen = Seen::default();
        let tls = QuicClientConfig::try_from(trust.tls(self.settings.protocol, &seen, self.shows.as_deref())?)
            .expect("TLS 1.3 has QUIC's first cipher suite");
        let made = self.settings.transport(&self.choice, self.clock, self.random.seed(), self.qlog.as_deref());
        let tap = PacketNumberTap::default();
        let mut config = ClientConfig::new(tap.clone().client(Arc::new(tls)));
        config.transport_config(made.transport.clone());
        let (handle, connection) = self
            .endpoint
            .connect(self.clock.instant(now), config, to, name.unwrap_or(SERVER_NAME))
            .map_err(|error| IdentityError::new(format!("{to} cannot be called: {error}")))?;
        self.peers.insert(
            handle.0,
            Peer::new(
                handle,
                connection,
                made,
                Ends { tap, seen, pulse: self.settings.pulse(now), host: self.settings.host(), payload: self.settings.payload },
                session,
            ),
        );
        Ok(handle.0)
    }

    /// A datagram is here, and arrived at `at`: before `now`, or then.
    pub fn receive(&mut self, now: Instant, at: Instant, from: SocketAddr, datagram: BytesMut) {
        let mut reply = Vec::new();
        let payload = datagram.len();
        let event = self.endpoint.handle(self.clock.instant(now), FourTuple::from_remote(from), None, datagram, &mut reply);
        match event {
            None => {}
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                self.apart(handle, |peer| {
                    peer.connection.handle_event(event);
                    peer.feedback.arrived(at, payload);
                });
                self.settle(now, handle);
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(now, incoming, reply),
            Some(DatagramEvent::Response(transmit)) => self.reply(transmit.destination, transmit.size, reply),
        }
    }

    fn reply(&mut self, to: SocketAddr, size: usize, mut bytes: Vec<u8>) {
        bytes.truncate(size);
        if self.replies.len() < MOST_REPLIES {
            self.replies.push_back((to, bytes));
        }
    }

    fn accept(&mut self, now: Instant, incoming: Incoming, mut reply: Vec<u8>) {
        let from = incoming.remote_address();
        let limits = self.settings.limits;
        let there = self.peers.iter().filter(|(_, peer)| !peer.connection.is_closed());
        let there = there.filter_map(|(id, peer)| Some((*id, peer.caller?)));
        let validated = incoming.remote_address_validated();
        let verdict = match self.peers.len() >= WITH_ENDED * limits.connections {
            true => Verdict::Refuse,
            false => admission::decide((now, from, validated), there, &limits),
        };
        if verdict == Verdict::Retry {
            let Ok(transmit) = self.endpoint.retry(incoming, &mut reply) else { return };
            return self.reply(transmit.destination, transmit.size, reply);
        }
        if verdict == Verdict::Refuse {
            let transmit = self.endpoint.refuse(incoming, &mut reply);
            return self.reply(transmit.destination, transmit.size, reply);
        }
        if let Verdict::Replace(id) = verdict
            && let Some(peer) = self.peers.get_mut(&id)
        {
            peer.end(now, &self.clock, BUSY);
        }
        let Some((tls, accept)) = &mut self.server else { return };
        let made = self.settings.transport(&self.choice, self.clock, self.random.seed(), self.qlog.as_deref());
        let tap = PacketNumberTap::default();
        let mut config = ServerConfig::with_crypto(tap.clone().server(tls.clone()));
        config.transport_config(made.transport.clone());
        match self.endpoint.accept(incoming, self.clock.instant(now), &mut reply, Some(Arc::new(config))) {
            Ok((handle, connection)) => {
                let session = accept(from);
                let ends = Ends {
                    tap,
                    seen: Seen::default(),
                    pulse: self.settings.pulse(now),
                    host: self.settings.host(),
                    payload: self.settings.payload,
                };
                let mut peer = Peer::new(handle, connection, made, ends, session);
                peer.caller = Some(Caller::new(now, from, validated));
                self.peers.insert(handle.0, peer);
                self.settle(now, handle);
            }
            Err(error) => {
                if let Some(transmit) = error.response {
                    self.reply(transmit.destination, transmit.size, reply);
                }
            }
        }
    }

    /// Sees through what an event caused.
    fn settle(&mut self, now: Instant, handle: ConnectionHandle) {
        let clock = self.clock;
        if self.apart(handle, |peer| peer.advance(now, &clock)).is_some() {
            self.exchange(handle);
        }
    }

    /// Does something with a connection whose peer decides what that leads to. Where it leads to a panic, a server gives up that connection and
    /// serves the others. None if there is no such connection, or not any more.
    fn apart<R>(&mut self, handle: ConnectionHandle, act: impl FnOnce(&mut Peer<S>) -> R) -> Option<R> {
        let peer = self.peers.get_mut(&handle.0)?;
        if self.server.is_none() {
            return Some(act(peer));
        }
        let result = catch_unwind(AssertUnwindSafe(|| act(peer)));
        if result.is_err() {
            // Whatever state it is in, nothing of it is used any more.
            self.peers.remove(&handle.0);
            self.endpoint.handle_event(handle, EndpointEvent::drained());
        }
        result.ok()
    }

    /// Carries what a connection and the endpoint have to say to each other.
    fn exchange(&mut self, handle: ConnectionHandle) {
        let Some(peer) = self.peers.get_mut(&handle.0) else { return };
        while let Some(event) = peer.connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(handle, event) {
                peer.connection.handle_event(answer);
            }
        }
    }

    /// Time has passed.
    pub fn wake(&mut self, now: Instant) {
        let instant = self.clock.instant(now);
        let handles: Vec<ConnectionHandle> = self.peers.values().map(|peer| peer.handle).collect();
        for handle in handles {
            let Some(peer) = self.peers.get_mut(&handle.0) else { continue };
            let due = peer.connection.poll_timeout().is_some_and(|at| at <= instant);
            let goes_on = due || peer.again || peer.soon <= now;
            if due {
                self.apart(handle, |peer| peer.connection.handle_timeout(instant));
            }
            if goes_on {
                self.settle(now, handle);
            }
            let (clock, limits) = (self.clock, self.settings.limits);
            self.apart(handle, |peer| {
                if !goes_on {
                    peer.release(now);
                }
                peer.feel(now, &clock, &limits);
            });
        }
        // A drained connection has been heard of for the last time. The session of a caller stays: it knows how the call went.
        if self.server.is_some() {
            self.peers.retain(|_, peer| !peer.connection.is_drained());
        }
    }

    /// When time will have passed. [`Instant::NEVER`] if nothing will happen by itself.
    pub fn wake_at(&self) -> Instant {
        self.peers.values().map(|peer| peer.wake_at(&self.clock, &self.settings.limits)).min().unwrap_or(Instant::NEVER)
    }

    /// The next datagrams to leave at `now`, written into `buffer`: one, or as many as [`Settings::together`] allows. To be asked until there is
    /// none.
    pub fn transmit(&mut self, now: Instant, buffer: &mut Vec<u8>) -> Option<Leaving> {
        buffer.clear();
        if let Some((to, bytes)) = self.replies.pop_front() {
            buffer.extend_from_slice(&bytes);
            return Some(Leaving { to, each: buffer.len() });
        }
        let handles: Vec<ConnectionHandle> = self.peers.values().filter(|peer| peer.may_transmit).map(|peer| peer.handle).collect();
        for handle in handles {
            let (clock, together) = (self.clock, self.settings.together);
            let Some(found) = self.apart(handle, |peer| peer.transmit(now, &clock, together, buffer)) else {
                buffer.clear();
                continue;
            };
            self.exchange(handle);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The session of a connection.
    pub fn session(&mut self, id: PeerId) -> Option<&mut S> {
        self.peers.get_mut(&id).map(|peer| &mut peer.session)
    }

    /// Whether a connection's handshake is done.
    pub fn established(&self, id: PeerId) -> bool {
        self.peers.get(&id).is_some_and(|peer| peer.established)
    }

    /// What is known of a connection from outside.
    pub fn view(&mut self, id: PeerId) -> Option<View> {
        self.peers.get_mut(&id).map(Peer::view)
    }

    /// How many ACKs of a connection have measured a round-trip time, and what the last of them measured.
    pub fn latest_rtt(&self, id: PeerId) -> Option<(u64, Span)> {
        self.peers.get(&id).map(Peer::latest_rtt)
    }

    /// Every connection there is.
    pub fn peers(&self) -> Vec<PeerId> {
        self.peers.keys().copied().collect()
    }

    /// Ends a connection with a word to the peer.
    pub fn close(&mut self, now: Instant, id: PeerId, why: &str) {
        if let Some(peer) = self.peers.get_mut(&id) {
            peer.close(now, &self.clock, why);
        }
    }
}
