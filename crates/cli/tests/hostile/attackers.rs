//! Clients that do what they like: connections of noq's, whose packets may be rewritten (see `rewriting`).

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use noq_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, Event, FourTuple, TransportConfig,
};

use super::rewriting::{Rewrite, client};

/// What is done with a connection whenever something happened.
pub type Act = Box<dyn FnMut(&mut Connection)>;

/// Connections over one socket.
pub struct Attackers {
    endpoint: Endpoint,
    socket: UdpSocket,
    to: SocketAddr,
    connections: BTreeMap<usize, Attacker>,
}

struct Attacker {
    handle: ConnectionHandle,
    connection: Connection,
    established: bool,
    lost: Option<ConnectionError>,
    act: Act,
}

impl Attackers {
    pub fn from(here: &str, to: SocketAddr) -> Attackers {
        let socket = UdpSocket::bind(here).unwrap();
        socket.set_nonblocking(true).unwrap();
        let endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), None, false);
        Attackers { endpoint, socket, to, connections: BTreeMap::new() }
    }

    pub fn call(&mut self, rewrite: Option<Rewrite>, act: impl FnMut(&mut Connection) + 'static) {
        let mut config = client(rewrite);
        let mut transport = TransportConfig::default();
        transport.initial_mtu(1452).mtu_discovery_config(None).keep_alive_interval(Some(Duration::from_secs(1)));
        config.transport_config(Arc::new(transport));
        let (handle, connection) = self.endpoint.connect(Instant::now(), config, self.to, "symbiosis").unwrap();
        self.connections.insert(handle.0, Attacker { handle, connection, established: false, lost: None, act: Box::new(act) });
    }

    /// The first datagram of a call that will never be answered.
    pub fn first_datagram(&mut self) -> Vec<u8> {
        self.call(None, |_| {});
        let (_, mut attacker) = self.connections.pop_last().unwrap();
        let mut buffer = Vec::new();
        let transmit = attacker.connection.poll_transmit(Instant::now(), 1.try_into().unwrap(), &mut buffer).unwrap();
        buffer.truncate(transmit.size);
        buffer
    }

    /// Ends all connections, and sees to it that the server hears of it.
    pub fn hang_up(mut self) {
        for attacker in self.connections.values_mut() {
            attacker.act = Box::new(|connection| connection.close(Instant::now(), 0_u32.into(), bytes::Bytes::new()));
        }
        self.run(Duration::from_millis(300), |_| false);
    }

    /// Connections that are established and not over.
    pub fn alive(&self) -> usize {
        self.connections.values().filter(|attacker| attacker.established && attacker.lost.is_none()).count()
    }

    /// Why connections ended.
    pub fn ends(&self) -> Vec<&ConnectionError> {
        self.connections.values().filter_map(|attacker| attacker.lost.as_ref()).collect()
    }

    /// Goes on for so long, or until `enough`.
    pub fn run(&mut self, long: Duration, mut enough: impl FnMut(&Attackers) -> bool) {
        let start = Instant::now();
        let mut buffer = Vec::new();
        while start.elapsed() < long && !enough(self) {
            let mut idle = true;
            for _ in 0..64 {
                let mut datagram = BytesMut::zeroed(2048);
                let Ok((bytes, from)) = self.socket.recv_from(&mut datagram) else { break };
                idle = false;
                datagram.truncate(bytes);
                let mut reply = Vec::new();
                let now = Instant::now();
                match self.endpoint.handle(now, FourTuple::from_remote(from), None, datagram, &mut reply) {
                    Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                        if let Some(attacker) = self.connections.get_mut(&handle.0) {
                            attacker.connection.handle_event(event);
                        }
                    }
                    Some(DatagramEvent::Response(transmit)) => {
                        let _ = self.socket.send_to(&reply[..transmit.size], transmit.destination);
                    }
                    _ => {}
                }
            }
            for attacker in self.connections.values_mut() {
                let now = Instant::now();
                if attacker.connection.poll_timeout().is_some_and(|at| at <= now) {
                    attacker.connection.handle_timeout(now);
                }
                while let Some(event) = attacker.connection.poll_endpoint_events() {
                    if let Some(answer) = self.endpoint.handle_event(attacker.handle, event) {
                        attacker.connection.handle_event(answer);
                    }
                }
                while let Some(event) = attacker.connection.poll() {
                    match event {
                        Event::Connected => attacker.established = true,
                        Event::ConnectionLost { reason } => attacker.lost = Some(reason),
                        _ => {}
                    }
                }
                if attacker.established && attacker.lost.is_none() {
                    (attacker.act)(&mut attacker.connection);
                }
                for _ in 0..32 {
                    buffer.clear();
                    let Some(transmit) = attacker.connection.poll_transmit(now, 1.try_into().unwrap(), &mut buffer) else { break };
                    idle = false;
                    let _ = self.socket.send_to(&buffer[..transmit.size], transmit.destination);
                }
            }
            if idle {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Writes as much as finds room into so many streams, without end.
pub fn floods(streams: usize) -> impl FnMut(&mut Connection) {
    let mut open = Vec::new();
    let bytes = vec![7; 64 << 10];
    move |connection| {
        while open.len() < streams {
            let Some(id) = connection.streams().open(noq_proto::Dir::Bi) else { break };
            open.push(id);
        }
        for id in &open {
            for _ in 0..8 {
                if !connection.send_stream(*id).write(&bytes).is_ok_and(|written| written > 0) {
                    break;
                }
            }
        }
    }
}

/// A message as the protocol has it: its length, then JSON.
pub fn message(json: &str) -> Vec<u8> {
    [&(json.len() as u16).to_be_bytes()[..], json.as_bytes()].concat()
}

/// What was heard on streams, each with how long it took.
pub type Heard = Arc<Mutex<Vec<(Duration, String)>>>;

/// Opens a stream for each request as long as there are any, so many at a time; says it, and takes note of the first
/// message that comes back.
pub fn asks(mut requests: impl Iterator<Item = Vec<u8>> + 'static, at_once: usize, heard: &Heard) -> Act {
    let heard = heard.clone();
    let mut open: Vec<(noq_proto::StreamId, Instant, Vec<u8>)> = Vec::new();
    Box::new(move |connection| {
        while open.len() < at_once {
            let Some(id) = connection.streams().open(noq_proto::Dir::Bi) else { break };
            let Some(request) = requests.next() else { break };
            let _ = connection.send_stream(id).write(&request);
            open.push((id, Instant::now(), Vec::new()));
        }
        open.retain_mut(|(id, since, read)| {
            let mut stream = connection.recv_stream(*id);
            let Ok(mut chunks) = stream.read(true) else { return false };
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                read.extend_from_slice(&chunk.bytes);
            }
            let _ = chunks.finalize();
            let length = read.first_chunk().map_or(usize::MAX, |length| 2 + usize::from(u16::from_be_bytes(*length)));
            let Some(said) = read.get(2..length.max(2)).filter(|_| read.len() >= length) else { return true };
            heard.lock().unwrap().push((since.elapsed(), String::from_utf8_lossy(said).into()));
            let _ = connection.send_stream(*id).reset(0_u32.into());
            let _ = connection.recv_stream(*id).stop(0_u32.into());
            false
        });
    })
}
