//! Files over QUIC: sent or fetched, checked end to end, taken up again where they broke off.
//!
//! Each file has a bidirectional stream of its own, opened by the client. Messages are JSON behind their length in two bytes, and between
//! them are the file's bytes as they are:
//!
//! | | client | server |
//! |---|---|---|
//! | send | `Put` | `Start` with the offset from which on bytes are missing |
//! | | the bytes, end of stream | `Done` |
//! | fetch | `Get` | `Found` |
//! | | `Begin` with the offset | the bytes, end of stream |
//! | measure | `Drain` | `Start` at 0 |
//! | | bytes, end of stream | `Done` |
//!
//! In place of any answer the server may say `Refused`. A file is known by its BLAKE3 hash, which is told before its first byte. So what
//! has arrived of it can be kept under that hash and be continued only by the same file; and when all is there, it is hashed again before
//! it gets its name.

pub(crate) mod broken;
mod client;
mod files;
mod flow;
mod folder;
mod hashes;
mod ledger;
mod memory;
mod message;
mod part;
pub(crate) mod pipe;
mod place;
pub(crate) mod pool;
mod server;
mod storage;
mod store;

use std::net::SocketAddr;

use noq_proto::{Connection, ConnectionError};
use symbiosis_base::Instant;

pub use client::{Client, Failed, Progress, Task};
pub use files::{FileSource, Target};
pub use folder::{Folder, NameError, Writers};
pub use memory::{Endless, Pattern};
pub use message::Hash;
pub use part::part_name;
pub use place::Dir;
pub(crate) use pool::FIRST;
pub use server::{Common, Nothing, Server, UNKNOWN};
pub use storage::{FileKey, Sink, Source};
pub use store::{Put, Store, Stranger};

use crate::node::{Activity, Next, Session, host};

/// Reads bytes as what either side may say.
#[cfg(fuzzing)]
pub(crate) fn reads(bytes: &[u8]) {
    pipe::reads::<message::Request>(bytes);
    pipe::reads::<message::Reply>(bytes);
}

/// Either side of a transfer, so that a world can hold both.
#[derive(Debug)]
pub enum Transfer {
    /// Asks.
    Client(Box<Client>),
    /// Answers.
    Server(Server),
}

impl Transfer {
    /// A side that asks for one thing after another.
    pub fn client(tasks: impl IntoIterator<Item = Task>) -> Transfer {
        Transfer::Client(Box::new(Client::new(tasks)))
    }

    /// A side that answers with what is in the store.
    pub fn server(store: Box<dyn Store>) -> Transfer {
        Transfer::Server(Server::new(store, &Common::default(), None))
    }

    /// The same of a server with other connections, for somebody who called from that address.
    pub fn server_among(store: Box<dyn Store>, common: &Common, from: SocketAddr) -> Transfer {
        Transfer::Server(Server::new(store, common, Some(host(from))))
    }

    /// What the asking side has not begun to do.
    pub fn undone(&mut self) -> Vec<Task> {
        match self {
            Transfer::Client(client) => client.undone(),
            Transfer::Server(_) => Vec::new(),
        }
    }

    /// How far the asking side is.
    pub fn progress_made(&self) -> Option<&Progress> {
        match self {
            Transfer::Client(client) => Some(client.status()),
            Transfer::Server(_) => None,
        }
    }

    /// Bytes that the answering side has taken and forgotten.
    pub fn drained(&self) -> Option<u64> {
        match self {
            Transfer::Client(_) => None,
            Transfer::Server(server) => Some(server.drained()),
        }
    }
}

impl Session for Transfer {
    fn progress(&mut self, now: Instant, connection: &mut Connection) -> Next {
        match self {
            Transfer::Client(client) => client.progress(now, connection),
            Transfer::Server(server) => server.progress(now, connection),
        }
    }

    fn ended(&mut self, why: &ConnectionError) {
        match self {
            Transfer::Client(client) => client.ended(why),
            Transfer::Server(server) => server.ended(why),
        }
    }

    fn activity(&self) -> Activity {
        match self {
            Transfer::Client(_) => Activity::default(),
            Transfer::Server(server) => server.activity(),
        }
    }
}
