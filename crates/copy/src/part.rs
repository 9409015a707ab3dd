//! A file while it arrives: beside its place, under a name of its own, with a journal of its groups.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use symbiosis_quic::transfer::Dir;

use crate::groups::{GROUP, Tree, node};
use crate::journal::{Journal, Kept, kept};
use crate::message::{Hash, Have, Time, Version};
use crate::place::{make_file, remove, rename, settle_file};

/// Another copy that writes the same file may be one that is being ended: its process sees within a round trip that nobody is there any more.
const LOCKED_FOR: Duration = Duration::from_secs(10);
const LOOKS_EVERY: Duration = Duration::from_millis(20);

/// What a file will be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Will {
    pub(crate) bytes: u64,
    pub(crate) mode: u32,
    pub(crate) mtime: Time,
    pub(crate) version: Version,
    pub(crate) from: u64,
    /// How many bytes there will be is not known.
    pub(crate) stream: bool,
}

/// Why a file does not arrive.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nothing else can be written either.
    Disk(io::Error),
    /// This one.
    File(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem => Fault::Disk(error),
            _ => Fault::File(error.to_string()),
        }
    }
}

/// A file that arrives.
#[derive(Debug)]
pub(crate) struct Part {
    dir: Arc<Dir>,
    name: OsString,
    file: File,
    journal: Option<Journal>,
    offset: u64,
    tree: Option<Tree>,
    will: Will,
    over: bool,
}

/// The names of a part and of its journal.
fn names(name: &OsStr) -> (OsString, OsString) {
    // So much of the name that a user sees whose part it is; names have 255 bytes at the most.
    let short = &name.as_bytes()[..name.len().min(200)];
    let id = blake3::hash(name.as_bytes()).to_hex();
    let with = |end: &str| OsString::from_vec([&b"."[..], short, format!(".{}.{end}", &id[..32]).as_bytes()].concat());
    (with("part"), with("tree"))
}

/// Opens a file and waits until no other process writes it.
fn locked(dir: &Dir, name: &OsStr) -> Result<File, Fault> {
    let file = make_file(dir, name)?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < LOCKED_FOR => thread::sleep(LOOKS_EVERY),
            Err(TryLockError::WouldBlock) => return Err(Fault::File("another copy is writing it".into())),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// What is there of a file of which a part had come.
pub(crate) fn look(dir: &Dir, name: &OsStr) -> Option<Have> {
    let (part, journal) = names(name);
    let open = |name: &OsStr| dir.read(std::path::Path::new(name));
    let (part, journal) = (open(&part).ok()?, open(&journal).ok()?);
    let (version, kept) = kept(&journal, &part).ok()??;
    (kept.groups > 0).then_some(Have { version, groups: kept.groups })
}

impl Part {
    /// Begins a file, or goes on with it.
    pub(crate) fn begin(dir: Arc<Dir>, name: &OsStr, will: Will) -> Result<Part, Fault> {
        let (part, journal_name) = names(name);
        let file = locked(&dir, &part)?;
        let from = will.from.checked_mul(GROUP).filter(|from| *from <= will.bytes || will.from == 0);
        let offset = from.ok_or_else(|| Fault::File("it would begin behind its end".into()))?;
        let mut made = Part { dir, name: name.into(), file, journal: None, offset, tree: Some(Tree::default()), will, over: false };
        if will.from > 0 {
            let journal = make_file(&made.dir, &journal_name)?;
            let found = kept(&journal, &made.file)?.filter(|(version, kept)| *version == will.version && kept.groups == will.from);
            let Some((_, kept)) = found else { return Err(Fault::File("what had arrived of it has changed: copy it once more".into())) };
            made.journal = Some(Journal::go_on(journal, &kept)?);
            let Kept { tree, .. } = kept;
            made.tree = tree;
        } else if will.bytes > GROUP || will.stream {
            made.journal = Some(Journal::begin(make_file(&made.dir, &journal_name)?, will.version)?);
        }
        made.file.set_len(offset)?;
        Ok(made)
    }

    /// Takes the next group.
    pub(crate) fn write(&mut self, bytes: &[u8], told: &Hash) -> Result<(), Fault> {
        self.has_room(bytes.len() as u64)?;
        // A group of nothing has no node.
        if bytes.is_empty() || !self.offset.is_multiple_of(GROUP) || node(self.offset, bytes) != *told {
            return Err(Fault::File("it arrived damaged".into()));
        }
        self.file.write_all_at(bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        if let Some(tree) = &mut self.tree {
            tree.push(*told);
        }
        // A shorter group is the last one; who begins again after it begins before it.
        if bytes.len() as u64 == GROUP
            && let Some(journal) = &mut self.journal
        {
            journal.group(told)?;
        }
        Ok(())
    }

    /// Nothing is in the next groups.
    pub(crate) fn hole(&mut self, groups: u64) -> Result<(), Fault> {
        let bytes = groups.saturating_mul(GROUP).min(self.will.bytes.saturating_sub(self.offset));
        self.has_room(bytes)?;
        self.offset += bytes;
        self.tree = None;
        if self.offset.is_multiple_of(GROUP)
            && let Some(journal) = &mut self.journal
        {
            journal.hole(groups)?;
        }
        Ok(())
    }

    fn has_room(&self, bytes: u64) -> Result<(), Fault> {
        match self.offset.checked_add(bytes) {
            Some(end) if self.will.stream || end <= self.will.bytes => Ok(()),
            _ => Err(Fault::File(format!("more came than the {} bytes that were announced", self.will.bytes))),
        }
    }

    /// Everything is there: it gets its permissions, its time, and its name. Its hash, where it follows from the groups.
    pub(crate) fn complete(mut self, bytes: u64) -> Result<Option<blake3::Hash>, Fault> {
        if bytes != self.offset || (!self.will.stream && bytes != self.will.bytes) {
            return Err(Fault::File(format!("it ended after {} of {bytes} bytes", self.offset)));
        }
        self.file.set_len(bytes)?;
        if self.will.stream {
            use std::os::unix::fs::PermissionsExt;
            self.file.set_permissions(std::fs::Permissions::from_mode(self.will.mode))?;
        } else {
            settle_file(&self.file, self.will.mode, self.will.mtime)?;
        }
        let (part, journal) = names(&self.name);
        rename(&self.dir, &part, &self.name)?;
        if self.journal.take().is_some() {
            remove(&self.dir, &journal, false)?;
        }
        self.over = true;
        Ok(self.tree.take().and_then(Tree::root))
    }

    /// What came is of no use.
    pub(crate) fn discard(&mut self) {
        let (part, journal) = names(&self.name);
        // What stays although it is wrong is found out the next time.
        let _ = remove(&self.dir, &part, false);
        if self.journal.take().is_some() {
            let _ = remove(&self.dir, &journal, false);
        }
        self.over = true;
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Of a file of which no group came nothing stays.
        if !self.over && (self.journal.is_none() || self.offset < GROUP) {
            self.discard();
        }
    }
}
