//! What the two ends say to each other: postcard in the heads of frames.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use symbiosis_quic::exchange::{Frame, HEAD};

/// A BLAKE3 hash, or an inner node of its tree.
pub(crate) type Hash = [u8; 32];

/// What a file is known by as long as nobody changes it: made of inode, size and times, and opaque to the receiver.
pub(crate) type Version = [u8; 16];

/// What there will be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Regular files.
    pub files: u64,
    /// Their sizes in sum.
    pub bytes: u64,
    /// Folders.
    pub folders: u64,
    /// Symbolic links.
    pub links: u64,
    /// It is one thing, and no folder: it may get another name.
    pub single: bool,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A regular file of that size.
    File(u64),
    Folder,
    /// A symbolic link that leads there.
    Link(Vec<u8>),
    /// A stream: its size shows at its end.
    Stream,
}

/// A modification time: seconds and nanoseconds since 1970.
pub(crate) type Time = (i64, u32);

/// Something that the sender has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Its path below the receiver's folder; none for that folder itself.
    pub(crate) name: Vec<u8>,
    pub(crate) kind: Kind,
    /// Permissions.
    pub(crate) mode: u32,
    pub(crate) mtime: Time,
}

/// What a sender says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Say {
    /// First of all.
    Totals(Totals),
    /// The next entry: they are counted from 0 on. Folders come before what is in them.
    Entry(Entry),
    /// Something was not read, and is no entry.
    Fault(String),
    /// There are no more entries. `complete`: nothing was left out by a fault.
    Listed { complete: bool },
    /// A file that was asked for, from that group on.
    Begin { index: u64, bytes: u64, mode: u32, mtime: Time, version: Version, from: u64 },
    /// Its next group, in the body, and the node of that group in its tree.
    Data(Hash),
    /// So many groups of zeros.
    Hole(u64),
    /// It is complete with so many bytes.
    End { bytes: u64 },
    /// It is what the receiver has.
    Same { index: u64, mode: u32, mtime: Time },
    /// It changed while it was read: what came of it is to be forgotten. It may begin again, or there will be no more of it.
    Changed { again: bool },
    /// It cannot be read.
    Unread { index: u64, why: String },
    /// As [`Say::Data`], with the group packed: so many bytes when it is unpacked.
    Packed { node: Hash, bytes: u32 },
}

/// What a receiver has of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Have {
    pub(crate) version: Version,
    pub(crate) groups: u64,
}

/// Entries of which nothing more is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) entries: u64,
    /// Of these, such that were there as they should be.
    pub(crate) unchanged: u64,
    /// Of all, such that are files, and their bytes.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// What a receiver says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The content of an entry is wanted: from there on, and unless its hash is this.
    Want { index: u64, have: Option<Have>, unless: Option<Hash> },
    /// Nothing more is wanted of some entries.
    Settled(Settled),
    /// A file that was wanted is there.
    Done { index: u64 },
    /// What was wanted, or would not do, and why.
    Failed { wanted: bool, why: String },
    /// Something was removed that the sender does not have.
    Removed(Vec<u8>),
    /// Everything is done.
    Finished,
}

/// A message as a frame.
pub(crate) fn frame(message: &impl Serialize, body: Vec<u8>) -> Frame {
    let mut head = postcard::to_stdvec(message).expect("numbers, names and texts can be written");
    // Texts are cut where they are made; two paths fit.
    head.truncate(HEAD);
    Frame { head, body }
}

/// A frame's message.
pub(crate) fn read<T: DeserializeOwned>(frame: &Frame) -> Result<T, String> {
    postcard::from_bytes(&frame.head).map_err(|error| format!("a message that is none of this protocol: {error}"))
}

/// Longest reason that is told \[bytes\]: a path, and a sentence.
const REASON: usize = 8 << 10;

/// A reason, no longer than one may be.
pub(crate) fn reason(text: &str) -> String {
    text.chars()
        .scan(0, |bytes, c| {
            *bytes += c.len_utf8();
            (*bytes <= REASON).then_some(c)
        })
        .collect()
}
