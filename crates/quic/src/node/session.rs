//! What is done with a connection, and what leaves for it.

use std::net::SocketAddr;

use noq_proto::{Connection, ConnectionError};
use symbiosis_base::Instant;

use super::admission::Activity;

/// What is done with a connection.
pub trait Session {
    /// Makes what progress can be made: reads what came, writes what fits. Called when the handshake is complete, and whenever anything
    /// moved.
    fn progress(&mut self, now: Instant, connection: &mut Connection) -> Next;

    /// The connection has ended, and not by this session.
    fn ended(&mut self, why: &ConnectionError);

    /// What it has to do, and has done. By default nobody knows, and so it is taken to be at work.
    fn activity(&self) -> Activity {
        Activity { asks: true, moved: 0 }
    }
}

/// How a session wants to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// With what comes.
    Wait,
    /// At once: there is work left that needs nobody else.
    Again,
    /// In a millisecond: what it waits for is done in another thread.
    Soon,
    /// With what comes, and then at the latest.
    At(Instant),
    /// Not at all: the connection closes, with a reason that the peer may read.
    Close(String),
}

/// What a caller is told who has to go because others want its place.
pub const BUSY: &str = "the server is busy";

/// Datagrams that leave together, one after another in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The destination.
    pub to: SocketAddr,
    /// How long each is \[bytes\]; the last may be shorter.
    pub each: usize,
}
