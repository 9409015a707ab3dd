//! What a server has, and takes of whom.

use std::net::IpAddr;

use super::storage::{Sink, Source};
use crate::identity::Fingerprint;

/// What a server has, and takes.
pub trait Store: Send {
    /// A file to give.
    ///
    /// # Errors
    /// Why not, for the client's user.
    fn open(&mut self, name: &str) -> Result<Box<dyn Source>, String>;

    /// A place for a file.
    ///
    /// # Errors
    /// Why not, for the client's user.
    fn create(&mut self, put: &Put<'_>) -> Result<Box<dyn Sink>, String>;
}

/// A file that somebody wants to send.
#[derive(Clone, Copy, Debug)]
pub struct Put<'a> {
    /// The name that it is to have.
    pub name: &'a str,
    /// Its size.
    pub bytes: u64,
    /// Its hash.
    pub hash: &'a str,
    /// A file of that name may be replaced.
    pub force: bool,
    /// Who sends it.
    pub from: Stranger,
}

/// Who wants something of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stranger {
    /// Where it called from.
    pub host: Option<IpAddr>,
    /// The certificate that it showed, and whose key it has.
    pub shown: Option<Fingerprint>,
}

impl Stranger {
    /// Its parts are told from others' by this.
    pub(super) fn name(&self) -> String {
        match (self.shown, self.host) {
            (Some(fingerprint), _) => fingerprint.to_string(),
            (None, host) => host.map(|host| host.to_string()).unwrap_or_default(),
        }
    }
}
