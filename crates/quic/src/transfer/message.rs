//! What the two sides say to each other.

use serde::{Deserialize, Serialize};

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
