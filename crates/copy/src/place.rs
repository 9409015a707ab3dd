//! What a receiver does in its folder: through folders that are held open, and through no link.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, readlinkat, renameat};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, SFlag, UtimensatFlags, fchmodat, fstatat, futimens, mkdirat, utimensat};
use nix::sys::time::TimeSpec;
use nix::unistd::{UnlinkatFlags, symlinkat, unlinkat};
use symbiosis_quic::transfer::Dir;

use crate::message::Time;

/// What has a name in a folder.
pub(crate) enum There {
    Nothing,
    File(Box<FileStat>),
    Folder,
    Link(OsString),
    /// A pipe, a device or a socket.
    Other,
}

pub(crate) fn there(dir: &Dir, name: &OsStr) -> io::Result<There> {
    let is = match fstatat(dir.as_fd(), name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(is) => is,
        Err(Errno::ENOENT) => return Ok(There::Nothing),
        Err(error) => return Err(error.into()),
    };
    Ok(match SFlag::from_bits_truncate(is.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => There::File(Box::new(is)),
        SFlag::S_IFDIR => There::Folder,
        SFlag::S_IFLNK => There::Link(readlinkat(dir.as_fd(), name)?),
        _ => There::Other,
    })
}

/// A folder for the time being: its owner's alone.
pub(crate) fn make_folder(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(mkdirat(dir.as_fd(), name, Mode::S_IRWXU)?)
}

/// A folder that is there: what comes can be written into it, whatever its permissions will be.
pub(crate) fn open_folder(dir: &Dir, name: &OsStr) -> io::Result<()> {
    let mode = Mode::from_bits_truncate(fstatat(dir.as_fd(), name, AtFlags::AT_SYMLINK_NOFOLLOW)?.st_mode);
    if !mode.contains(Mode::S_IRWXU) {
        fchmodat(dir.as_fd(), name, (mode | Mode::S_IRWXU) & Mode::from_bits_truncate(0o7777), FchmodatFlags::NoFollowSymlink)?;
    }
    Ok(())
}

/// A symbolic link under a name that is free.
pub(crate) fn make_link(dir: &Dir, name: &OsStr, to: &[u8]) -> io::Result<()> {
    Ok(symlinkat(OsStr::from_bytes(to), dir.as_fd(), name)?)
}

/// A file of its owner's alone, to be read and written; made if it is not there.
pub(crate) fn make_file(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let file = File::from(openat(dir.as_fd(), name, flags, Mode::S_IRUSR | Mode::S_IWUSR)?);
    let is = file.metadata()?;
    match is.is_file() && std::os::unix::fs::MetadataExt::nlink(&is) == 1 {
        true => Ok(file),
        false => Err(io::Error::other("it is no file of its own")),
    }
}

pub(crate) fn rename(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(renameat(dir.as_fd(), from, dir.as_fd(), to)?)
}

pub(crate) fn remove(dir: &Dir, name: &OsStr, is_folder: bool) -> io::Result<()> {
    Ok(unlinkat(dir.as_fd(), name, if is_folder { UnlinkatFlags::RemoveDir } else { UnlinkatFlags::NoRemoveDir })?)
}

fn times(mtime: Time) -> [TimeSpec; 2] {
    // A peer may say what is no time.
    let at = TimeSpec::new(mtime.0, i64::from(mtime.1.min(999_999_999)));
    [at, at]
}

/// Permissions and time of an open file.
pub(crate) fn settle_file(file: &File, mode: u32, mtime: Time) -> io::Result<()> {
    let [atime, mtime] = times(mtime);
    nix::sys::stat::fchmod(file, Mode::from_bits_truncate(mode & crate::walk::MODE))?;
    Ok(futimens(file, &atime, &mtime)?)
}

/// Permissions and time of what has a name and is no link, or the time of a link.
pub(crate) fn settle(dir: &Dir, name: &OsStr, mode: Option<u32>, mtime: Time) -> io::Result<()> {
    let [atime, mtime] = times(mtime);
    utimensat(dir.as_fd(), name, &atime, &mtime, UtimensatFlags::NoFollowSymlink)?;
    if let Some(mode) = mode {
        fchmodat(dir.as_fd(), name, Mode::from_bits_truncate(mode & crate::walk::MODE), FchmodatFlags::NoFollowSymlink)?;
    }
    Ok(())
}

/// The names in a folder, and which of them are folders.
pub(crate) fn list(dir: &Dir) -> io::Result<Vec<(OsString, bool)>> {
    let here = dir.below(Path::new(""))?;
    let mut names = Vec::new();
    for entry in nix::dir::Dir::from_fd(here.as_fd().try_clone_to_owned()?)?.iter() {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            let name = OsString::from_vec(name);
            let is_folder = matches!(there(dir, &name)?, There::Folder);
            names.push((name, is_folder));
        }
    }
    names.sort();
    Ok(names)
}
