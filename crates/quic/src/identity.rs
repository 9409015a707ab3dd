//! Who a server is, and a caller if it says so: a key and a certificate of its own, told from others by a fingerprint.

use std::fmt;
use std::sync::{Arc, Mutex};

use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, RootCertStore, SignatureScheme};

/// The name in certificates that nobody vouches for. The fingerprint is what counts.
pub const SERVER_NAME: &str = "symbiosis";

/// Protocols over QUIC are told apart by a name and a version (ALPN). This one moves single files ([`crate::transfer`]).
pub const FILES: &str = "symbiosis/1";

/// SHA-256 of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    fn of(certificate: &CertificateDer<'_>) -> Fingerprint {
        let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
        Fingerprint(digest.as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }

    /// Of the certificate that the other side of a connection showed, if it did.
    pub(crate) fn shown(connection: &noq_proto::Connection) -> Option<Fingerprint> {
        let shown = connection.crypto_session().peer_identity()?;
        shown.downcast::<Vec<CertificateDer<'static>>>().ok()?.first().map(Fingerprint::of)
    }

    /// Reads 64 hexadecimal digits; colons between bytes are allowed.
    pub fn parse(text: &str) -> Option<Fingerprint> {
        let digits: Vec<u8> = text.chars().filter(|c| *c != ':').map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        (digits.len() == 64).then(|| Fingerprint(bytes.try_into().expect("32 bytes of 64 digits")))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Whose a side is: a certificate with its key, and those that vouch for it.
pub struct Identity {
    /// Its own first, then that of whoever vouches for the one before (RFC 8446 §4.4.2).
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.fingerprint())
    }
}

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct IdentityError(String);

impl IdentityError {
    pub(crate) fn new(what: String) -> IdentityError {
        IdentityError(what)
    }
}

impl Identity {
    /// A new one. Ed25519: its signatures all have the same size, so that handshakes do, too.
    ///
    /// # Errors
    /// The system's source of randomness fails.
    pub fn generate() -> Result<(Identity, String), IdentityError> {
        let fault = |error: rcgen::Error| IdentityError(format!("no certificate can be made: {error}"));
        let key = KeyPair::generate_for(&PKCS_ED25519).map_err(fault)?;
        let certificate = CertificateParams::new([SERVER_NAME.to_string()]).and_then(|params| params.self_signed(&key)).map_err(fault)?;
        let pem = certificate.pem() + &key.serialize_pem();
        Ok((Identity::from_pem(&pem)?, pem))
    }

    /// Reads a private key and its certificate; behind that, certificates of whoever vouches for it.
    ///
    /// # Errors
    /// One of them is missing or damaged.
    pub fn from_pem(pem: &str) -> Result<Identity, IdentityError> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
        let chain = chain.map_err(|error| IdentityError(format!("holds a damaged certificate: {error}")))?;
        if chain.is_empty() {
            return Err(IdentityError("holds no certificate (PEM)".into()));
        }
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| IdentityError("holds no private key (PEM)".into()))?;
        Ok(Identity { chain, key })
    }

    /// What clients know it by.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.chain[0])
    }

    /// The server's side of TLS for a protocol; whether it asks who calls.
    pub(crate) fn tls(&self, protocol: &str, asks: bool) -> Result<rustls::ServerConfig, IdentityError> {
        let provider = provider();
        let mut config = rustls::ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map(|builder| match asks {
                true => builder.with_client_cert_verifier(Arc::new(Caller { provider })),
                false => builder.with_no_client_auth(),
            })
            .and_then(|builder| builder.with_single_cert(self.chain.clone(), self.key.clone_key()))
            .map_err(|error| IdentityError(format!("the certificate and its key do not serve: {error}")))?;
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        // Connections are few and long: a ticket to resume one is traffic without use.
        config.send_tls13_tickets = 0;
        Ok(config)
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Whom a client believes.
#[derive(Clone, Debug)]
pub enum Trust {
    /// The server whose certificate has this fingerprint, and nobody else.
    Pinned(Fingerprint),
    /// Servers for whose name one of these authorities vouches.
    Authorities(Arc<RootCertStore>),
    /// Nobody: a call then only tells what the server shows.
    Nobody,
}

impl Trust {
    /// Authorities of a PEM file.
    ///
    /// # Errors
    /// There is no certificate in it, or one is damaged.
    pub fn authorities(pem: &str) -> Result<Trust, IdentityError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let certificate = certificate.map_err(|error| IdentityError(format!("holds a damaged certificate: {error}")))?;
            roots.add(certificate).map_err(|error| IdentityError(format!("holds a damaged certificate: {error}")))?;
        }
        if roots.is_empty() {
            return Err(IdentityError("holds no certificate (PEM)".into()));
        }
        Ok(Trust::Authorities(Arc::new(roots)))
    }

    /// Whether a server of that fingerprint may be believed for its fingerprint's sake.
    pub fn believes(&self, shown: Fingerprint) -> bool {
        matches!(self, Trust::Pinned(pinned) if *pinned == shown)
    }

    /// The client's side of TLS; `seen` will tell the fingerprint that the server showed. A server that asks is shown `shows`.
    pub(crate) fn tls(&self, protocol: &str, seen: &Seen, shows: Option<&Identity>) -> Result<rustls::ClientConfig, IdentityError> {
        let provider = provider();
        let builder = rustls::ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| IdentityError(error.to_string()))?;
        let pinned = |fingerprint| Arc::new(Pinned { fingerprint, seen: seen.clone(), provider });
        let builder = match self {
            Trust::Pinned(fingerprint) => builder.dangerous().with_custom_certificate_verifier(pinned(Some(*fingerprint))),
            Trust::Nobody => builder.dangerous().with_custom_certificate_verifier(pinned(None)),
            Trust::Authorities(roots) => builder.with_root_certificates(roots.clone()),
        };
        let mut config = match shows {
            None => builder.with_no_client_auth(),
            Some(identity) => builder
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .map_err(|error| IdentityError(format!("the certificate and its key do not serve: {error}")))?,
        };
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        Ok(config)
    }
}

/// The fingerprint that a server showed.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<Mutex<Option<Fingerprint>>>);

impl Seen {
    /// What was shown; nothing before the handshake came so far.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// How either side checks that the other has its certificate's key: as the provider of cryptography does.
macro_rules! checks_signatures {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.provider.signature_verification_algorithms.supported_schemes()
        }
    };
}

/// Accepts one certificate, or none, and checks that the server has its key.
#[derive(Debug)]
struct Pinned {
    fingerprint: Option<Fingerprint>,
    seen: Seen,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let shown = Fingerprint::of(end_entity);
        *self.seen.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(shown);
        if Some(shown) == self.fingerprint {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(rustls::CertificateError::ApplicationVerificationFailure.into())
        }
    }

    checks_signatures!();
}

/// Lets every caller in, and checks that those who show a certificate have its key. What they may do is said elsewhere.
#[derive(Debug)]
struct Caller {
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for Caller {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    checks_signatures!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_survives_its_file() {
        let (identity, pem) = Identity::generate().unwrap();
        let read = Identity::from_pem(&pem).unwrap();
        assert_eq!(read.fingerprint(), identity.fingerprint());
        assert_ne!(Identity::generate().unwrap().0.fingerprint(), identity.fingerprint());
        assert_eq!(Identity::from_pem("").unwrap_err().to_string(), "holds no certificate (PEM)");
        let certificate = pem.split_inclusive("-----END CERTIFICATE-----").next().unwrap();
        assert_eq!(Identity::from_pem(certificate).unwrap_err().to_string(), "holds no private key (PEM)");
        assert!(Trust::authorities(&pem).is_ok());
        assert!(Trust::authorities("nothing").is_err());
    }

    /// A handshake of TLS, without QUIC around it.
    fn shakes_hands(identity: &Identity, trust: &Trust, shows: Option<&Identity>) -> Result<(), rustls::Error> {
        let name = ServerName::try_from("server.example").unwrap();
        let client = Arc::new(trust.tls(FILES, &Seen::default(), shows).unwrap());
        let mut client = rustls::ClientConnection::new(client, name).unwrap();
        let mut server = rustls::ServerConnection::new(Arc::new(identity.tls(FILES, shows.is_some()).unwrap())).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut bytes = Vec::new();
            client.write_tls(&mut bytes).unwrap();
            server.read_tls(&mut bytes.as_slice()).unwrap();
            server.process_new_packets()?;
            bytes.clear();
            server.write_tls(&mut bytes).unwrap();
            client.read_tls(&mut bytes.as_slice()).unwrap();
            client.process_new_packets()?;
        }
        let shown = server.peer_certificates().map(|chain| Fingerprint::of(&chain[0]));
        assert_eq!(shown, shows.map(Identity::fingerprint));
        Ok(())
    }

    #[test]
    fn a_chain_is_shown_as_a_whole() {
        let authority = |name: &str| {
            let mut params = CertificateParams::new(Vec::new()).unwrap();
            params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
            params.distinguished_name.push(rcgen::DnType::CommonName, name);
            (params, KeyPair::generate_for(&PKCS_ED25519).unwrap())
        };
        let (root, root_key) = authority("root");
        let root_pem = root.self_signed(&root_key).unwrap().pem();
        let root = rcgen::Issuer::new(root, root_key);
        let (between, between_key) = authority("between");
        let between_pem = between.signed_by(&between_key, &root).unwrap().pem();
        let between = rcgen::Issuer::new(between, between_key);
        let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
        let leaf = CertificateParams::new(["server.example".to_string()]).unwrap().signed_by(&key, &between).unwrap().pem();
        let trust = Trust::authorities(&root_pem).unwrap();
        let whole = Identity::from_pem(&(leaf.clone() + &between_pem + &key.serialize_pem())).unwrap();
        let leaf = Identity::from_pem(&(leaf + &key.serialize_pem())).unwrap();
        assert_eq!(whole.fingerprint(), leaf.fingerprint(), "it is known by its own certificate");
        assert!(shakes_hands(&leaf, &trust, None).is_err(), "nobody vouches for it");
        assert_eq!(shakes_hands(&whole, &trust, None), Ok(()));
        let (own, _) = Identity::generate().unwrap();
        assert_eq!(shakes_hands(&whole, &trust, Some(&own)), Ok(()));
    }

    #[test]
    fn a_fingerprint_reads_what_it_writes() {
        let (identity, _) = Identity::generate().unwrap();
        let text = identity.fingerprint().to_string();
        assert_eq!(Fingerprint::parse(&text), Some(identity.fingerprint()));
        let with_colons: Vec<&str> = (0..32).map(|at| &text[2 * at..2 * at + 2]).collect();
        assert_eq!(Fingerprint::parse(&with_colons.join(":").to_uppercase()), Some(identity.fingerprint()));
        for wrong in ["", "12", &text[1..], &(text.clone() + "0"), &text.replace(&text[..1], "x")] {
            assert_eq!(Fingerprint::parse(wrong), None, "{wrong}");
        }
    }
}
