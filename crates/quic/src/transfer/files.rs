//! Files as sources and sinks.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};

use super::ledger::Claim;
use super::part::part_name;
use super::place::{Dir, There, regular};
use super::storage::{FileKey, Sink, Source};

/// A file to be read.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    bytes: u64,
}

impl FileSource {
    /// Opens a file.
    ///
    /// # Errors
    /// It is no regular file, or cannot be read.
    pub fn open(path: &Path) -> io::Result<FileSource> {
        // What is no file must not block when it is opened.
        let file = OpenOptions::new().read(true).custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits()).open(path)?;
        FileSource::new(regular(file)?)
    }

    pub(super) fn new(file: File) -> io::Result<FileSource> {
        let bytes = file.metadata()?.len();
        Ok(FileSource { file, bytes })
    }
}

impl Source for FileSource {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(into, offset)
    }

    fn key(&self) -> Option<FileKey> {
        let is = self.file.metadata().ok()?;
        let nanos = |s: i64, ns: i64| i128::from(s) * 1_000_000_000 + i128::from(ns);
        let changed = (nanos(is.mtime(), is.mtime_nsec()), nanos(is.ctime(), is.ctime_nsec()));
        // A file that changed since it was opened is another one.
        (is.len() == self.bytes).then_some(FileKey { file: (is.dev(), is.ino()), changed, bytes: self.bytes })
    }

    fn another(&self) -> Option<Box<dyn Source>> {
        Some(Box::new(FileSource { file: self.file.try_clone().ok()?, bytes: self.bytes }))
    }
}

/// A name for a file that is to arrive.
#[derive(Clone, Debug)]
pub struct Target {
    pub(super) dir: Arc<Dir>,
    pub(super) name: String,
    /// What users may see of its place.
    pub(super) shown: String,
    pub(super) force: bool,
    /// Who sends it; on the client's side always the same.
    pub(super) sender: String,
}

impl Target {
    /// A file at `path`; one that is there already may be replaced if `force`.
    ///
    /// # Errors
    /// There is one, or something else that no file can replace.
    pub fn new(path: PathBuf, force: bool) -> Result<Target, String> {
        let shown = path.display().to_string();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| format!("{shown} is no name of a file"))?;
        let dir = Dir::open(path.parent().unwrap_or(Path::new("."))).map_err(|error| format!("{shown} cannot be written: {error}"))?;
        let target = Target { dir: Arc::new(dir), name: name.into(), shown, force, sender: String::new() };
        target.check()?;
        Ok(target)
    }

    /// Whether the name is free, or may be taken; the size of what it would replace.
    pub(super) fn check(&self) -> Result<u64, String> {
        let shown = &self.shown;
        match self.dir.there(&self.name) {
            Ok(There::Nothing) => Ok(0),
            Ok(There::File(bytes)) if self.force => Ok(bytes),
            Ok(There::File(_)) => Err(format!("{shown} is there already")),
            Ok(There::Folder) => Err(format!("{shown} is a folder")),
            Ok(There::Other) => Err(format!("{shown} is no regular file")),
            Err(error) => Err(format!("{shown} cannot be looked at: {error}")),
        }
    }

    /// The name of its part.
    pub(super) fn part(&self, bytes: u64, hash: &str) -> Result<String, String> {
        let hash_is_one = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        hash_is_one.then(|| part_name(&self.name, bytes, hash, &self.sender)).ok_or_else(|| "no name or no hash".to_string())
    }

    /// Opens the part of a file that is there already.
    pub(crate) fn sink(self, bytes: u64, hash: &str) -> Result<Box<dyn Sink>, String> {
        self.sink_with(bytes, hash, None)
    }

    /// The same, where the folder keeps account.
    pub(super) fn sink_with(self, bytes: u64, hash: &str, claim: Option<Claim>) -> Result<Box<dyn Sink>, String> {
        let part = self.part(bytes, hash)?;
        // What cannot be had in the end must not cost anything before.
        self.check()?;
        let fault = |error: io::Error| format!("{} cannot be written: {error}", self.shown);
        let file = self.dir.write(&part).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(format!("{} is being written by another transfer", self.shown)),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        let has = file.metadata().map_err(fault)?.len().min(bytes);
        let mut sink = FileSink { target: self, part, file, has, wrote: 0, over: false, claim };
        let fault = |error: io::Error| format!("{} cannot be written: {error}", sink.target.shown);
        let (room, missing) = (sink.target.dir.room().map_err(fault)?, bytes - has);
        let full = || format!("{}: writing failed: there is room for {room} bytes, and {missing} are missing", sink.target.shown);
        if missing > room {
            return Err(full());
        }
        sink.file.set_len(has).and_then(|()| sink.file.seek(SeekFrom::Start(has))).map_err(fault)?;
        // Files that come at once and have room one by one, but not together, would else all fail half way.
        match reserve(&sink.file, has, missing) {
            Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(full()),
            reserved => reserved.map_err(fault)?,
        }
        Ok(Box::new(sink))
    }
}

/// Keeps room for so many bytes behind those that are there, where the file system can.
fn reserve(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    let (Ok(from), Ok(bytes)) = (i64::try_from(from), i64::try_from(bytes)) else { return Err(io::ErrorKind::StorageFull.into()) };
    if bytes == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::FALLOC_FL_KEEP_SIZE, from, bytes) {
        Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => Ok(()),
        reserved => Ok(reserved?),
    }
}

/// A file that arrives, beside the place where it will be.
#[derive(Debug)]
struct FileSink {
    target: Target,
    part: String,
    file: File,
    /// Was there before, and came since.
    has: u64,
    wrote: u64,
    /// It has its name, or is gone.
    over: bool,
    claim: Option<Claim>,
}

impl Sink for FileSink {
    fn has(&self) -> u64 {
        self.has
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(into, offset)
    }

    fn reader(&self) -> Option<Box<dyn Source>> {
        Some(Box::new(FileSource { file: self.file.try_clone().ok()?, bytes: self.has }))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(claim) = &self.claim {
            claim.writes(bytes.len() as u64)?;
        }
        self.wrote += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    fn complete(mut self: Box<Self>) -> Result<(), String> {
        // Somebody may have been faster.
        let replaced = self.target.check()?;
        let Target { dir, name, shown, force, .. } = &self.target;
        let fault = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => format!("{shown} is there already"),
            _ => format!("{shown} cannot be written: {error}"),
        };
        self.file.sync_all().map_err(fault)?;
        dir.rename(&self.part, name, *force).map_err(fault)?;
        dir.sync().map_err(fault)?;
        self.over = true;
        if let Some(claim) = self.claim.take() {
            claim.completes(replaced);
        }
        Ok(())
    }

    fn discard(mut self: Box<Self>) {
        // A part that stays although it is wrong is found out again the next time.
        let _ = self.target.dir.remove(&self.part);
        self.over = true;
        if let Some(claim) = self.claim.take() {
            claim.discards(self.file.metadata().map_or(0, |is| is.len()));
        }
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        if !self.over {
            // Room that is kept for what does not come now is for others.
            let _ = self.file.metadata().and_then(|is| self.file.set_len(is.len()));
        }
        // Of a file of which nothing came nothing stays.
        if !self.over
            && self.has + self.wrote == 0
            && self.target.dir.remove(&self.part).is_ok()
            && let Some(claim) = self.claim.take()
        {
            claim.discards(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let hash = blake3::hash(b"abcd").to_hex().to_string();
        let open = |force| Target::new(path.clone(), force)?.sink(4, &hash);
        let mut sink = open(false).unwrap();
        assert!(open(false).err().unwrap().contains("another transfer"));
        sink.write(b"ab").unwrap();
        drop(sink);
        assert!(!path.exists());
        let mut sink = open(false).unwrap();
        assert_eq!(sink.has(), 2);
        sink.write(b"cd").unwrap();
        sink.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcd");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        assert!(open(false).err().unwrap().contains("is there already"));
        open(true).unwrap().discard();
        drop(open(true).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn whoever_is_faster_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let hash = blake3::hash(b"a").to_hex().to_string();
        let mut sink = Target::new(path.clone(), false).unwrap().sink(1, &hash).unwrap();
        sink.write(b"a").unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(sink.complete().unwrap_err().contains("is there already"));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
    }

    #[test]
    fn what_is_no_file_is_not_opened_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
        for path in [&pipe, &link] {
            assert!(Target::new(path.clone(), true).unwrap_err().contains("is no regular file"), "{}", path.display());
        }
        // It would wait for a writer for ever.
        assert!(FileSource::open(&pipe).unwrap_err().to_string().contains("no regular file"));
    }
}
