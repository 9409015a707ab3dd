//! How far a copy is, for whoever watches.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::message::{Entry, Kind, Totals};
use crate::name::shown;

/// Faults and changes that are kept until somebody reads them: beyond, they are counted only.
const KEPT: usize = 10_000;

/// How far a copy is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What there is to do; nothing is known before it was all looked at.
    pub totals: Option<Totals>,
    /// Files that are done: copied, or found to be there.
    pub files: u64,
    /// Their bytes so far, those included that were there.
    pub bytes: u64,
    /// Files that were copied.
    pub copied: u64,
    /// Bytes of files that moved; where they are sent from, that were read to be sent.
    pub moved: u64,
    /// Where they are sent from: bytes of the stream that carry them, fewer where they are packed.
    pub carried: u64,
    /// Bytes that had come before and were not sent again.
    pub resumed: u64,
    /// Files, folders and links that were there as they should be.
    pub unchanged: u64,
    /// Entries that were removed.
    pub removed: u64,
    /// Files that changed while they were read, and were read again.
    pub changed: u64,
    /// What did not succeed.
    pub faults: u64,
    /// Everything is done.
    pub finished: bool,
    /// The file that moves.
    pub current: String,
}

#[derive(Debug, Default)]
struct State {
    progress: Progress,
    faults: VecDeque<String>,
    lines: VecDeque<String>,
    listed: VecDeque<Listed>,
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// As a terminal may be given it.
    pub name: String,
    /// What it is, as `ls` has it: `-` a file, `d` a folder, `l` a link.
    pub kind: char,
    /// A file's size.
    pub bytes: u64,
    /// Permissions.
    pub mode: u32,
    /// Seconds since 1970.
    pub mtime: i64,
}

/// Shared by an end and whoever watches it.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Mutex<State>>);

impl Tally {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.lock().progress.clone()
    }

    /// What went wrong, in words that a terminal may be given.
    pub fn faults(&self) -> Vec<String> {
        self.lock().faults.drain(..).collect()
    }

    /// What was told by name since this was last asked.
    pub fn lines(&self) -> Vec<String> {
        self.lock().lines.drain(..).collect()
    }

    /// What was listed since this was last asked.
    pub fn listed(&self) -> Vec<Listed> {
        self.lock().listed.drain(..).collect()
    }

    pub(crate) fn list(&self, entry: &Entry) {
        let (kind, bytes) = match &entry.kind {
            Kind::File(bytes) => ('-', *bytes),
            Kind::Stream => ('-', 0),
            Kind::Folder => ('d', 0),
            Kind::Link(_) => ('l', 0),
        };
        let name = if entry.name.is_empty() { ".".into() } else { shown(&entry.name) };
        self.lock().listed.push_back(Listed { name, kind, bytes, mode: entry.mode, mtime: entry.mtime.0 });
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.lock().progress);
    }

    pub(crate) fn fault(&self, why: &str) {
        let mut state = self.lock();
        state.progress.faults += 1;
        if state.faults.len() < KEPT {
            state.faults.push_back(symbiosis_quic::plain::plain(why));
        }
    }

    /// Tells of an entry, with what became of it before its name.
    pub(crate) fn tell(&self, what: &str, name: &[u8]) {
        let mut state = self.lock();
        if state.lines.len() < KEPT {
            state.lines.push_back(format!("{what}{}", shown(name)));
        }
    }
}
