//! How far an exchange is.

use symbiosis_base::Instant;

use super::waits::Waits;
use crate::transfer::Failed;

/// How far an exchange is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes that were written to the stream.
    pub written: u64,
    /// Of these, such that the peer has acknowledged, as far as whole writes tell.
    pub acknowledged: u64,
    /// Bytes that were read from it.
    pub read: u64,
    /// When it began.
    pub began: Option<Instant>,
    /// Both sides have said everything.
    pub finished: Option<Instant>,
    /// Why they never will.
    pub failed: Option<Failed>,
    /// How long this side waited for what.
    pub waits: Waits,
    /// And the peer, as it last said.
    pub peer_waits: Waits,
}
