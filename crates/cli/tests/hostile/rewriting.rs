//! Packets that are rewritten before they are encrypted: TLS whose keys let others have a look.

use std::sync::{Arc, Mutex};

use noq_proto::ClientConfig;
use noq_proto::crypto::ClientConfig as Tls;
use noq_proto::crypto::rustls::QuicClientConfig;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use symbiosis_quic::watched::{self, Watch};

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
        Some(rewrite) => watched::client(tls, Arc::new(Rewriting(rewrite))),
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

struct Rewriting(Rewrite);

impl Watch for Rewriting {
    const LEAVING: bool = true;

    fn leaves(&self, frames: &mut [u8]) {
        self.0.lock().unwrap().leaves(frames);
    }

    fn came(&self, number: u64) {
        self.0.lock().unwrap().came(number);
    }
}
