//! Clients that do what they like: connections of noq's whose packets may be rewritten before they are encrypted.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use noq_proto::crypto::rustls::QuicClientConfig;
use noq_proto::crypto::{ClientConfig as Tls, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, Session};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{
    ClientConfig, ConnectError, Connection, ConnectionError, ConnectionHandle, ConnectionId, DatagramEvent, Endpoint, EndpointConfig,
    Event, FourTuple, PathId, Side, TransportConfig, TransportError,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

/// Rewrites the frames of a packet of application data.
pub type Rewrite = Arc<Mutex<dyn FnMut(&mut [u8]) + Send>>;

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
        let tls: Arc<dyn Tls> = Arc::new(QuicClientConfig::try_from(tls()).unwrap());
        let tls = match rewrite {
            Some(rewrite) => Arc::new(Rewriting { inner: tls, rewrite }),
            None => tls,
        };
        let mut config = ClientConfig::new(tls);
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

fn tls() -> rustls::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let schemes = provider.signature_verification_algorithms.supported_schemes();
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(schemes)))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"symbiosis/1".to_vec()];
    config
}

/// An attacker believes every server.
#[derive(Debug)]
struct Anybody(Vec<SignatureScheme>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.clone()
    }
}

struct Rewriting {
    inner: Arc<dyn Tls>,
    rewrite: Rewrite,
}

impl Tls for Rewriting {
    fn start_session(&self, version: u32, name: &str, params: &TransportParameters) -> Result<Box<dyn Session>, ConnectError> {
        let inner = self.inner.start_session(version, name, params)?;
        Ok(Box::new(Rewritten { inner, rewrite: self.rewrite.clone(), spaces: 0 }))
    }
}

/// TLS whose keys for application data rewrite what they encrypt.
struct Rewritten {
    inner: Box<dyn Session>,
    rewrite: Rewrite,
    spaces: u8,
}

impl Rewritten {
    fn keys(&self, mut pair: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
        pair.local = Box::new(Key { inner: pair.local, rewrite: self.rewrite.clone() });
        pair
    }
}

impl Session for Rewritten {
    fn initial_keys(&self, dst_cid: ConnectionId, side: Side) -> Keys {
        self.inner.initial_keys(dst_cid, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.inner.early_crypto()
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.inner.read_handshake(buf)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let keys = self.inner.write_handshake(buf)?;
        self.spaces += 1;
        Some(if self.spaces == 2 { Keys { header: keys.header, packet: self.keys(keys.packet) } } else { keys })
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        let pair = self.inner.next_1rtt_keys()?;
        Some(self.keys(pair))
    }

    fn is_valid_retry(&self, orig_dst_cid: ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(orig_dst_cid, header, payload)
    }

    fn export_keying_material(&self, output: &mut [u8], label: &[u8], context: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

struct Key {
    inner: Box<dyn PacketKey>,
    rewrite: Rewrite,
}

impl PacketKey for Key {
    fn encrypt(&self, path_id: PathId, packet: u64, buf: &mut [u8], header_len: usize) {
        let end = buf.len() - self.inner.tag_len();
        (self.rewrite.lock().unwrap())(&mut buf[header_len..end]);
        self.inner.encrypt(path_id, packet, buf, header_len);
    }

    fn decrypt(&self, path_id: PathId, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        self.inner.decrypt(path_id, packet, header, payload)
    }

    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.inner.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.inner.integrity_limit()
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

/// Leaves out byte 0 of each stream: full packets become one piece of a stream, each behind the last.
pub fn without_the_first_byte() -> Rewrite {
    let (mut stream, mut offset) = (0_u64, 1_u64);
    Arc::new(Mutex::new(move |frames: &mut [u8]| {
        if frames.len() < 1000 {
            return;
        }
        let data = frames.len() - 11;
        // STREAM with an offset, to the end of the packet (RFC 9000 §19.8); client's bidirectional streams are 0, 4, 8…
        frames[0] = 0x0c;
        frames[1..3].copy_from_slice(&(0x4000 | (4 * stream) as u16).to_be_bytes());
        frames[3..11].copy_from_slice(&(3 << 62 | offset).to_be_bytes());
        offset += data as u64;
        if offset > 60_000_000 {
            (stream, offset) = (stream + 1, 1);
        }
    }))
}

/// Every second byte of each stream, each in a frame of its own.
pub fn every_second_byte() -> Rewrite {
    let (mut stream, mut offset) = (0_u64, 1_u64);
    Arc::new(Mutex::new(move |frames: &mut [u8]| {
        if frames.len() < 1000 {
            return;
        }
        for frame in frames.chunks_mut(13) {
            frame.fill(0);
            if frame.len() == 13 {
                // With an offset and a length.
                frame[0] = 0x0e;
                frame[1..3].copy_from_slice(&(0x4000 | (4 * stream) as u16).to_be_bytes());
                frame[3..11].copy_from_slice(&(3 << 62 | offset).to_be_bytes());
                (frame[11], frame[12]) = (1, 7);
                offset += 2;
            }
        }
        if offset > 1_000_000 {
            (stream, offset) = (stream + 1, 1);
        }
    }))
}

/// A variable-length integer (RFC 9000 §16), and the bytes that it takes.
fn integer(bytes: &[u8]) -> (u64, usize) {
    let length = 1 << (bytes[0] >> 6);
    let value = bytes[1..length].iter().fold(u64::from(bytes[0] & 0x3f), |value, byte| value << 8 | u64::from(*byte));
    (value, length)
}

/// The same, in as many bytes as are given.
fn write_integer(into: &mut [u8], value: u64) {
    into.copy_from_slice(&value.to_be_bytes()[8 - into.len()..]);
    into[0] |= (into.len().trailing_zeros() as u8) << 6;
}

/// Acknowledges everything up to the largest number that came, whether it came or not; takes note of that number.
pub fn acknowledges_all(largest_seen: &Arc<Mutex<u64>>) -> Rewrite {
    let largest_seen = largest_seen.clone();
    Arc::new(Mutex::new(move |frames: &mut [u8]| {
        if frames.first() != Some(&2) {
            return;
        }
        // ACK (RFC 9000 §19.3): largest number, delay, number of gaps, length of the first range. Gaps are filled by saying that there are none.
        let (largest, long) = integer(&frames[1..]);
        *largest_seen.lock().unwrap() = largest;
        let (_, delay) = integer(&frames[1 + long..]);
        let (gaps, count) = integer(&frames[1 + long + delay..]);
        let (first, length) = integer(&frames[1 + long + delay + count..]);
        let mut end = 1 + long + delay + count + length;
        for _ in 0..2 * gaps {
            end += integer(&frames[end..]).1;
        }
        // Delay and number in a byte each, and the range in as many as the number has; the rest is padding. Where there is no room it is honest.
        if first < largest && 1 + long + 2 + long <= end {
            frames[1 + long] = 0;
            frames[2 + long] = 0;
            write_integer(&mut frames[3 + long..3 + 2 * long], largest);
            frames[3 + 2 * long..end].fill(0);
        }
    }))
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
