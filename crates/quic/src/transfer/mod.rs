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

mod client;
mod files;
mod flow;
mod folder;
mod hashes;
mod ledger;
mod memory;
mod pipe;
mod place;
mod pool;
mod server;

use std::net::SocketAddr;

use noq_proto::{Connection, ConnectionError};
use serde::{Deserialize, Serialize};
use symbiosis_base::Instant;

pub use client::{Client, Failed, Progress, Task};
pub use files::{FileSource, Target, part_name};
pub use folder::{Folder, NameError, Stranger, Writers};
pub use hashes::FileKey;
pub use memory::{Endless, Pattern};
pub(crate) use pool::FIRST;
pub use server::{Common, Nothing, Put, Server, Store};

use crate::node::{Activity, Next, Session, host};

/// BLAKE3 of a file, in hexadecimal digits.
pub type Hash = String;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Take a file.
    Put {
        /// Its name below the served folder.
        name: String,
        /// Its size.
        bytes: u64,
        /// Its hash.
        hash: Hash,
        /// A file of that name may be replaced.
        force: bool,
    },
    /// Give a file.
    Get {
        /// Its name below the served folder.
        name: String,
    },
    /// Begin to give it.
    Begin {
        /// From this byte on.
        offset: u64,
    },
    /// Take bytes and forget them.
    Drain,
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// Begin to send.
    Start {
        /// From this byte on.
        offset: u64,
    },
    /// There is such a file.
    Found {
        /// Its size.
        bytes: u64,
        /// Its hash.
        hash: Hash,
    },
    /// It is there, whole, and has its name.
    Done,
    /// No.
    Refused {
        /// Why not, for the user.
        why: String,
    },
}

/// Where bytes come from.
pub trait Source: Send {
    /// How many there are.
    fn bytes(&self) -> u64;

    /// Reads from an offset on; how many bytes were read, zero only at the end.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> std::io::Result<usize>;

    /// What it is known by, if that can be said: as long as this is the same, so are the bytes.
    fn key(&self) -> Option<FileKey> {
        None
    }

    /// The same bytes for another thread, if that can be.
    fn another(&self) -> Option<Box<dyn Source>> {
        None
    }
}

/// Where bytes go.
pub trait Sink: Send {
    /// How many are there already, of the same file.
    fn has(&self) -> u64;

    /// Reads what is there already.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> std::io::Result<usize>;

    /// What is there already, for another thread, if that can be.
    fn reader(&self) -> Option<Box<dyn Source>> {
        None
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// Writing fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()>;

    /// All is there and is what it should be: gives it its name.
    ///
    /// # Errors
    /// It cannot have the name.
    fn complete(self: Box<Self>) -> Result<(), String>;

    /// What is there is wrong: forgets it.
    fn discard(self: Box<Self>);
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
