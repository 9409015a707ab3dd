//! Which packet number a datagram has: noq tells the number of what it sends, and not of what it receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use noq_proto::crypto::{ClientConfig, ServerConfig};

use crate::watched::{self, Watch};

/// No number: QUIC's are below 2⁶².
const NONE: u64 = u64::MAX;

/// The number of the last packet of application data that was decrypted. A datagram holds one at the most: its header tells no length, so it
/// is the last of a datagram (RFC 9000 §12.2).
#[derive(Clone, Debug)]
pub(crate) struct PacketNumberTap(Arc<Last>);

#[derive(Debug)]
struct Last(AtomicU64);

impl Watch for Last {
    fn came(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }
}

impl Default for PacketNumberTap {
    fn default() -> PacketNumberTap {
        PacketNumberTap(Arc::new(Last(AtomicU64::new(NONE))))
    }
}

impl PacketNumberTap {
    /// The number, once.
    pub(crate) fn take(&self) -> Option<u64> {
        let number = self.0.0.swap(NONE, Ordering::Relaxed);
        (number != NONE).then_some(number)
    }

    /// The client's side of TLS, watched.
    pub(crate) fn client(self, inner: Arc<dyn ClientConfig>) -> Arc<dyn ClientConfig> {
        watched::client(inner, self.0)
    }

    /// The server's.
    pub(crate) fn server(self, inner: Arc<dyn ServerConfig>) -> Arc<dyn ServerConfig> {
        watched::server(inner, self.0)
    }
}
