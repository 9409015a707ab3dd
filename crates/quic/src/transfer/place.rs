//! Files by a folder that is held open, and a name in it: what is checked is what is opened, whatever others do to paths meanwhile.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, OpenHow, ResolveFlag, open, openat, openat2, renameat};
use nix::sys::stat::{Mode, SFlag, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use rustix::fs::{RenameFlags, renameat_with};

/// Ours to write, and others' to read.
const MODE: Mode = Mode::from_bits_truncate(0o644);

/// What has a name in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum There {
    Nothing,
    /// A regular file of that size.
    File(u64),
    Folder,
    /// A link, a pipe, a device or a socket: no file can be read there, and none may take its place.
    Other,
}

/// A folder that is held open.
#[derive(Debug)]
pub struct Dir(File);

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Dir {
    /// The folder at a path that its user gave: links in it are the user's.
    ///
    /// # Errors
    /// There is none, or it may not be opened.
    pub fn open(path: &Path) -> io::Result<Dir> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        Ok(Dir(open(path, flags, Mode::empty())?.into()))
    }

    /// Opens what a stranger named: below this folder, and through no link.
    fn beneath(&self, path: &Path, flags: OFlag) -> io::Result<OwnedFd> {
        let resolve = ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS | ResolveFlag::RESOLVE_NO_MAGICLINKS;
        let how = OpenHow::new().flags(flags | OFlag::O_CLOEXEC).resolve(resolve);
        // Where folders are moved about meanwhile, the kernel cannot tell for a moment.
        for _ in 0..16 {
            match openat2(&self.0, path, how) {
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                done => return Ok(done?),
            }
        }
        Err(Errno::EAGAIN.into())
    }

    /// A folder below this one, through no link.
    ///
    /// # Errors
    /// There is none, or a link leads to it.
    pub fn below(&self, path: &Path) -> io::Result<Dir> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Dir(self.beneath(path, OFlag::O_RDONLY | OFlag::O_DIRECTORY)?.into()))
    }

    /// A regular file below this folder, to be read.
    ///
    /// # Errors
    /// There is none, or it may not be read.
    pub fn read(&self, path: &Path) -> io::Result<File> {
        regular(self.beneath(path, OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK)?.into())
    }

    /// A regular file in this folder that has no other name, to be written; made if it is not there.
    pub(super) fn write(&self, name: &str) -> io::Result<File> {
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let file = regular(openat(&self.0, name, flags, MODE)?.into())?;
        match file.metadata()?.nlink() {
            1 => Ok(file),
            _ => Err(io::Error::other("it has other names")),
        }
    }

    /// What has that name in this folder.
    pub(super) fn there(&self, name: &str) -> io::Result<There> {
        let is = match fstatat(&self.0, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(is) => is,
            Err(Errno::ENOENT) => return Ok(There::Nothing),
            Err(error) => return Err(error.into()),
        };
        Ok(match SFlag::from_bits_truncate(is.st_mode) & SFlag::S_IFMT {
            SFlag::S_IFREG => There::File(is.st_size as u64),
            SFlag::S_IFDIR => There::Folder,
            _ => There::Other,
        })
    }

    /// Gives a file another name; one that has it already is replaced only if `force`.
    pub(super) fn rename(&self, from: &str, to: &str, force: bool) -> io::Result<()> {
        match force {
            true => renameat(&self.0, from, &self.0, to)?,
            false => renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE)?,
        }
        Ok(())
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, UnlinkatFlags::NoRemoveDir)?)
    }

    /// Sees to it that names in this folder outlast a failure of power.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// Bytes that may still be written here: but for a hundredth, which is left to whoever else needs the disk.
    pub(super) fn room(&self) -> io::Result<u64> {
        let disk = nix::sys::statvfs::fstatvfs(&self.0)?;
        let free = disk.blocks_available().saturating_sub(disk.blocks() / 100);
        Ok(free.saturating_mul(disk.fragment_size()))
    }
}

/// What was opened is a regular file: looked at after opening, so that it cannot be changed for another in between.
pub(super) fn regular(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no regular file")),
    }
}
