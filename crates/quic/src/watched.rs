//! TLS whose keys for application data let somebody look at packets: noq lets others make the keys, and who decrypts a packet must know its number.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use noq_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, PathId, Side, TransportError};

/// Somebody who looks at packets of application data.
pub trait Watch: Send + Sync + 'static {
    /// Whether it wants to see what leaves, too.
    const LEAVING: bool = false;

    /// The frames of a packet are about to be encrypted.
    fn leaves(&self, _frames: &mut [u8]) {}

    /// A packet of that number was decrypted.
    fn came(&self, number: u64);
}

/// The client's side of TLS, watched.
pub fn client<W: Watch>(inner: Arc<dyn ClientConfig>, watch: Arc<W>) -> Arc<dyn ClientConfig> {
    Arc::new(Watched { inner, watch })
}

/// The server's.
pub fn server<W: Watch>(inner: Arc<dyn ServerConfig>, watch: Arc<W>) -> Arc<dyn ServerConfig> {
    Arc::new(Watched { inner, watch })
}

struct Watched<T: ?Sized, W> {
    inner: Arc<T>,
    watch: Arc<W>,
}

impl<W: Watch> ClientConfig for Watched<dyn ClientConfig, W> {
    fn start_session(&self, version: u32, server_name: &str, params: &TransportParameters) -> Result<Box<dyn Session>, ConnectError> {
        let inner = self.inner.start_session(version, server_name, params)?;
        Ok(Box::new(Watching { inner, watch: self.watch.clone(), spaces: 0 }))
    }
}

impl<W: Watch> ServerConfig for Watched<dyn ServerConfig, W> {
    fn initial_keys(&self, version: u32, dst_cid: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        self.inner.initial_keys(version, dst_cid)
    }

    fn retry_tag(&self, version: u32, orig_dst_cid: ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.retry_tag(version, orig_dst_cid, packet)
    }

    fn start_session(&self, version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(Watching { inner: self.inner.start_session(version, params), watch: self.watch.clone(), spaces: 0 })
    }
}

/// A session of TLS whose keys for application data are watched.
struct Watching<W> {
    inner: Box<dyn Session>,
    watch: Arc<W>,
    /// Packet number spaces for which there were keys: first the handshake's, then that of application data (RFC 9001 §4).
    spaces: u8,
}

impl<W: Watch> Watching<W> {
    fn keys(&self, pair: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
        let watched = |inner| Box::new(Key { inner, watch: self.watch.clone() });
        KeyPair { local: if W::LEAVING { watched(pair.local) } else { pair.local }, remote: watched(pair.remote) }
    }
}

impl<W: Watch> Session for Watching<W> {
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

struct Key<W> {
    inner: Box<dyn PacketKey>,
    watch: Arc<W>,
}

impl<W: Watch> PacketKey for Key<W> {
    fn encrypt(&self, path_id: PathId, packet: u64, buf: &mut [u8], header_len: usize) {
        if W::LEAVING {
            let end = buf.len() - self.inner.tag_len();
            self.watch.leaves(&mut buf[header_len..end]);
        }
        self.inner.encrypt(path_id, packet, buf, header_len);
    }

    fn decrypt(&self, path_id: PathId, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        self.inner.decrypt(path_id, packet, header, payload)?;
        self.watch.came(packet);
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
