//! Which packet number a datagram has: noq tells the number of what it sends, and not of what it receives. But who decrypts a packet must
//! know its number, and noq lets others make the keys; so these here are TLS's keys, and take note of each number.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::BytesMut;
use noq_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, PathId, Side, TransportError};

/// No number: QUIC's are below 2⁶².
const NONE: u64 = u64::MAX;

/// The number of the last packet of application data that was decrypted. A datagram holds one at the most: its header tells no length, so it
/// is the last of a datagram (RFC 9000 §12.2).
#[derive(Clone, Debug)]
pub(crate) struct PacketNumberTap(Arc<AtomicU64>);

impl Default for PacketNumberTap {
    fn default() -> PacketNumberTap {
        PacketNumberTap(Arc::new(AtomicU64::new(NONE)))
    }
}

impl PacketNumberTap {
    /// The number, once.
    pub(crate) fn take(&self) -> Option<u64> {
        let number = self.0.swap(NONE, Ordering::Relaxed);
        (number != NONE).then_some(number)
    }

    fn saw(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }

    /// The client's side of TLS, watched.
    pub(crate) fn client(self, inner: Arc<dyn ClientConfig>) -> Arc<dyn ClientConfig> {
        Arc::new(Watched { inner, tap: self })
    }

    /// The server's.
    pub(crate) fn server(self, inner: Arc<dyn ServerConfig>) -> Arc<dyn ServerConfig> {
        Arc::new(Watched { inner, tap: self })
    }

    fn session(&self, inner: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(Watching { inner, tap: self.clone(), spaces: 0 })
    }

    fn keys(&self, mut pair: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
        pair.remote = Box::new(Key { inner: pair.remote, tap: self.clone() });
        pair
    }
}

struct Watched<T: ?Sized> {
    tap: PacketNumberTap,
    inner: Arc<T>,
}

impl ClientConfig for Watched<dyn ClientConfig> {
    fn start_session(&self, version: u32, server_name: &str, params: &TransportParameters) -> Result<Box<dyn Session>, ConnectError> {
        Ok(self.tap.session(self.inner.start_session(version, server_name, params)?))
    }
}

impl ServerConfig for Watched<dyn ServerConfig> {
    fn initial_keys(&self, version: u32, dst_cid: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        self.inner.initial_keys(version, dst_cid)
    }

    fn retry_tag(&self, version: u32, orig_dst_cid: ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.retry_tag(version, orig_dst_cid, packet)
    }

    fn start_session(&self, version: u32, params: &TransportParameters) -> Box<dyn Session> {
        self.tap.session(self.inner.start_session(version, params))
    }
}

/// A session of TLS whose keys for application data are watched.
struct Watching {
    inner: Box<dyn Session>,
    tap: PacketNumberTap,
    /// Packet number spaces for which there were keys: first the handshake's, then that of application data (RFC 9001 §4).
    spaces: u8,
}

impl Session for Watching {
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
        Some(if self.spaces == 2 { Keys { header: keys.header, packet: self.tap.keys(keys.packet) } } else { keys })
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(self.tap.keys(self.inner.next_1rtt_keys()?))
    }

    fn is_valid_retry(&self, orig_dst_cid: ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(orig_dst_cid, header, payload)
    }

    fn export_keying_material(&self, output: &mut [u8], label: &[u8], context: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

/// A key that takes note of what it decrypts.
struct Key {
    inner: Box<dyn PacketKey>,
    tap: PacketNumberTap,
}

impl PacketKey for Key {
    fn encrypt(&self, path_id: PathId, packet: u64, buf: &mut [u8], header_len: usize) {
        self.inner.encrypt(path_id, packet, buf, header_len);
    }

    fn decrypt(&self, path_id: PathId, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        self.inner.decrypt(path_id, packet, header, payload)?;
        self.tap.saw(packet);
        Ok(())
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
