//! What is asked of an end.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Serialize};

/// A path in JSON: a text where it is one, else its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Bytes {
    /// UTF-8.
    Text(String),
    /// Anything.
    Raw(Vec<u8>),
}

impl From<&OsStr> for Bytes {
    fn from(path: &OsStr) -> Bytes {
        path.to_str().map_or_else(|| Bytes::Raw(path.as_bytes().to_vec()), |text| Bytes::Text(text.into()))
    }
}

impl From<&Bytes> for OsString {
    fn from(bytes: &Bytes) -> OsString {
        match bytes {
            Bytes::Text(text) => text.into(),
            Bytes::Raw(raw) => OsString::from_vec(raw.clone()),
        }
    }
}

/// Whether groups are packed on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compress {
    /// As they are.
    #[default]
    Never,
    /// Where that makes it faster.
    Auto,
    /// All that can be packed.
    Always,
}

/// How trees are copied: the same for both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Only files that match one of these; all without any.
    pub include: Vec<String>,
    /// Nothing that matches one of these.
    pub exclude: Vec<String>,
    /// What the sender does not have is removed.
    pub delete: bool,
    /// Nothing is written, and it is told what would be.
    pub dry_run: bool,
    /// Files are compared by their hashes, also where size and time are the same.
    pub checksum: bool,
    /// Files are copied to which symbolic links lead, and not the links.
    pub copy_links: bool,
    /// Nothing is wanted but the list.
    pub list: bool,
    /// Of folders only what is directly in them.
    pub shallow: bool,
    /// What changed is told by name.
    pub verbose: bool,
    /// Whether groups are packed.
    pub compress: Compress,
}
