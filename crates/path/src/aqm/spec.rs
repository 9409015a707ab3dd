//! What a managed queue holds to.

use symbiosis_base::{Bytes, Span};

/// In which order a queue is served, and what is dropped beside what finds no room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Discipline {
    /// In order of arrival; nothing else is dropped.
    #[default]
    DropTail,
    /// In order of arrival; packets are dropped when all have waited too long for too long (RFC 8289).
    CoDel(CoDelSpec),
    /// In turns between streams, those with little to send first; CoDel for each (RFC 8290).
    FqCoDel(FqCoDelSpec),
}

/// What CoDel holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelSpec {
    /// A standing wait that is acceptable.
    pub target: Span,
    /// How long the wait may stay above it before the first drop: about the longest usual round-trip time.
    pub interval: Span,
}

impl Default for CoDelSpec {
    /// RFC 8289 §4: 5 ms and 100 ms.
    fn default() -> CoDelSpec {
        CoDelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) }
    }
}

/// What FQ-CoDel holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelSpec {
    /// Of each stream's queue.
    pub codel: CoDelSpec,
    /// Queues that streams are hashed to; at least one.
    pub flows: usize,
    /// Bytes that a queue may send in its turn; at least one.
    pub quantum: Bytes,
}

impl Default for FqCoDelSpec {
    /// RFC 8290 §5.2: 1024 queues. A quantum is a full packet; there is no Ethernet header here.
    fn default() -> FqCoDelSpec {
        FqCoDelSpec { codel: CoDelSpec::default(), flows: 1024, quantum: Bytes(1500) }
    }
}
