//! Packets that are rewritten before they are encrypted: TLS whose keys let others have a look.

use std::any::Any;
use std::sync::{Arc, Mutex};

use bytes::BytesMut;
use noq_proto::crypto::rustls::QuicClientConfig;
use noq_proto::crypto::{ClientConfig as Tls, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, Session};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ClientConfig, ConnectError, ConnectionId, PathId, Side, TransportError};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

/// Packets of application data on their way.
pub trait Packets: Send {
    /// Rewrites the frames of one that leaves.
    fn leaves(&mut self, frames: &mut [u8]);

    /// One came, of that number.
    fn came(&mut self, _number: u64) {}
}

impl<F: FnMut(&mut [u8]) + Send> Packets for F {
    fn leaves(&mut self, frames: &mut [u8]) {
        self(frames);
    }
}

/// Somebody who looks at the packets of a connection.
pub type Rewrite = Arc<Mutex<dyn Packets>>;

/// A client that believes every server.
pub fn client(rewrite: Option<Rewrite>) -> ClientConfig {
    let tls: Arc<dyn Tls> = Arc::new(QuicClientConfig::try_from(tls()).unwrap());
    ClientConfig::new(match rewrite {
        Some(rewrite) => Arc::new(Rewriting { inner: tls, rewrite }),
        None => tls,
    })
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
        pair.remote = Box::new(Key { inner: pair.remote, rewrite: self.rewrite.clone() });
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
        self.rewrite.lock().unwrap().leaves(&mut buf[header_len..end]);
        self.inner.encrypt(path_id, packet, buf, header_len);
    }

    fn decrypt(&self, path_id: PathId, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        self.inner.decrypt(path_id, packet, header, payload)?;
        self.rewrite.lock().unwrap().came(packet);
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
