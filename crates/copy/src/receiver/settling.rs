//! What is to be done about an entry: looked at here, so that the sender is asked for no more than is missing.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::sys::stat::FileStat;
use symbiosis_quic::transfer::Dir;

use super::target::Place;
use crate::compare::hash;
use crate::groups::GROUP;
use crate::job::Options;
use crate::message::{Entry, Hash, Have, Kind, Time};
use crate::part::look;
use crate::place::{There, make_folder, make_link, open_folder, remove, rename, settle, there};
use crate::walk::MODE;

/// What is to be done about an entry.
pub(super) enum Outcome {
    /// Nothing more.
    Settled { unchanged: bool },
    /// Its content is wanted.
    Wanted { have: Option<Have>, unless: Option<Hash> },
}

/// Does what can be done without the sender.
pub(super) fn settled(place: &mut Place, name: &Path, entry: &Entry, options: &Options) -> Result<Outcome, String> {
    let changed = Outcome::Settled { unchanged: false };
    let wanted = Outcome::Wanted { have: None, unless: None };
    if name.as_os_str().is_empty() {
        return Ok(Outcome::Settled { unchanged: true });
    }
    if let Place::Stream(_) = place {
        return match entry.kind {
            Kind::File(_) | Kind::Stream => Ok(wanted),
            Kind::Folder | Kind::Link(_) => Err("it is no file, and cannot be written to stdout".into()),
        };
    }
    let looked = place.parent(name).and_then(|(dir, last)| Ok((there(&dir, last)?, dir, last)));
    let (is, dir, last) = match looked {
        Ok(looked) => looked,
        // In a folder that would be made.
        Err(error) if options.dry_run && error.kind() == io::ErrorKind::NotFound => {
            return Ok(if matches!(entry.kind, Kind::File(_) | Kind::Stream) { wanted } else { changed });
        }
        Err(error) => return Err(error.to_string()),
    };
    let dry = options.dry_run;
    let done = match (&entry.kind, is) {
        (Kind::Folder, There::Nothing) => if dry { Ok(()) } else { make_folder(&dir, last) }.map(|()| changed),
        (Kind::Folder, There::Folder) => if dry { Ok(()) } else { open_folder(&dir, last) }.map(|()| Outcome::Settled { unchanged: true }),
        (Kind::Folder, _) => return Err("there is something by that name that is no folder".into()),
        (_, There::Folder) => return Err("there is a folder by that name".into()),
        (Kind::Link(to), There::Link(there)) if there.as_bytes() == &to[..] => Ok(Outcome::Settled { unchanged: true }),
        (Kind::Link(to), _) => if dry { Ok(()) } else { replace_by_link(&dir, last, to, entry.mtime) }.map(|()| changed),
        (Kind::File(bytes), There::File(is)) if is.st_size as u64 == *bytes => compared(&dir, last, entry, (*bytes, &is), options),
        (Kind::File(bytes), _) => Ok(Outcome::Wanted { have: had(&dir, last, *bytes), unless: None }),
        (Kind::Stream, _) => Ok(wanted),
    };
    done.map_err(|error| error.to_string())
}

fn had(dir: &Dir, name: &std::ffi::OsStr, bytes: u64) -> Option<Have> {
    if bytes > GROUP { look(dir, name) } else { None }
}

/// A file of the same size is there.
fn compared(dir: &Dir, name: &std::ffi::OsStr, entry: &Entry, (bytes, is): (u64, &FileStat), options: &Options) -> io::Result<Outcome> {
    let (seconds, nanos) = entry.mtime;
    // A file system that knows whole seconds has none of their parts.
    let same_time = is.st_mtime == seconds && (is.st_mtime_nsec == i64::from(nanos) || is.st_mtime_nsec == 0);
    if same_time && !options.checksum {
        let same_mode = is.st_mode & MODE == entry.mode & MODE;
        if !same_mode && !options.dry_run {
            settle(dir, name, Some(entry.mode), entry.mtime)?;
        }
        return Ok(Outcome::Settled { unchanged: same_mode });
    }
    // Nobody may read it: then its sender need not compare it.
    let unless = dir.read(Path::new(name)).and_then(|file| hash(&file)).ok();
    Ok(Outcome::Wanted { have: had(dir, name, bytes), unless })
}

/// A link under another name first, so that the name is never without either.
fn replace_by_link(dir: &Dir, name: &std::ffi::OsStr, to: &[u8], mtime: Time) -> io::Result<()> {
    let beside = OsString::from(format!(".{}.link", &blake3::hash(name.as_bytes()).to_hex()[..32]));
    match make_link(dir, &beside, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove(dir, &beside, false)?;
            make_link(dir, &beside, to)?;
        }
        made => made?,
    }
    settle(dir, &beside, None, mtime)?;
    rename(dir, &beside, name)
}
