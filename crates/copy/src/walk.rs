//! Walks what is to be copied.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use crate::filter::Filter;
use crate::job::Options;
use crate::message::{Entry, Kind, Time, Totals};
use crate::name::shown;

/// Permissions that are copied: those of owner, group and others. Set-user-ID and its like are not handed on to another machine.
pub(crate) const MODE: u32 = 0o777;

/// An entry, and where it is.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) entry: Entry,
    pub(crate) path: PathBuf,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) entries: Vec<Found>,
    pub(crate) totals: Totals,
    pub(crate) faults: Vec<String>,
}

pub(crate) fn mtime(is: &Metadata) -> Time {
    (is.mtime(), is.mtime_nsec() as u32)
}

/// A source as its user wrote it.
struct Root {
    path: PathBuf,
    /// What it is called at the receiver; nothing if its content is meant and not itself.
    name: Vec<u8>,
}

impl Root {
    /// As rsync has it: `a/b` is `b` there, and of `a/b/` the content is meant.
    fn new(path: &Path) -> Root {
        let whole = path.as_os_str().as_bytes().ends_with(b"/");
        let name = match path.components().next_back() {
            Some(Component::Normal(last)) if !whole && !path.as_os_str().as_bytes().ends_with(b"/.") => last.as_bytes().to_vec(),
            _ => Vec::new(),
        };
        Root { path: path.into(), name }
    }
}

/// Walks sources, in the order of their names.
pub(crate) fn walk(sources: &[PathBuf], filter: &Filter, options: &Options) -> Walked {
    let copy_links = options.copy_links;
    let mut found = Walked::default();
    let mut names = std::collections::BTreeSet::new();
    for source in sources {
        let root = Root::new(source);
        if !root.name.is_empty() && !names.insert(root.name.clone()) {
            found.faults.push(format!("two sources would be `{}`: one of them is not copied", shown(&root.name)));
            continue;
        }
        // What its user names is meant, also where a link leads to it: as long as it ends in a slash.
        let looked = if root.name.is_empty() || copy_links { fs::metadata(&root.path) } else { fs::symlink_metadata(&root.path) };
        match looked {
            Ok(is) => {
                let single = sources.len() == 1 && !is.is_dir();
                visit(&mut found, (root.path, root.name, is), (filter, options), &mut Vec::new());
                found.totals.single = single;
            }
            Err(error) => found.faults.push(format!("{}: {error}", shown(root.path.as_os_str().as_bytes()))),
        }
    }
    found
}

type Place = (PathBuf, Vec<u8>, Metadata);

fn visit(found: &mut Walked, (path, name, is): Place, (filter, options): (&Filter, &Options), above: &mut Vec<(u64, u64)>) {
    let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", shown(path.as_os_str().as_bytes()));
    let id = (is.dev(), is.ino());
    let kind = if is.is_dir() {
        found.totals.folders += 1;
        Kind::Folder
    } else if is.is_file() {
        found.totals.files += 1;
        found.totals.bytes += is.len();
        Kind::File(is.len())
    } else if is.is_symlink() {
        match fs::read_link(&path) {
            Ok(to) => {
                found.totals.links += 1;
                Kind::Link(to.into_os_string().into_vec())
            }
            Err(error) => return found.faults.push(fault(&error)),
        }
    } else {
        return found.faults.push(fault(&"it is no file, folder or link, and is not copied"));
    };
    let is_folder = is.is_dir();
    if is_folder && above.contains(&id) {
        return found.faults.push(fault(&"links lead back to a folder above it"));
    }
    found.entries.push(Found { entry: Entry { name: name.clone(), kind, mode: is.mode() & MODE, mtime: mtime(&is) }, path: path.clone() });
    if !is_folder || (options.shallow && !above.is_empty()) {
        return;
    }
    let listed = fs::read_dir(&path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut inside = match listed {
        Ok(inside) => inside,
        Err(error) => return found.faults.push(fault(&error)),
    };
    inside.sort_by_key(fs::DirEntry::file_name);
    above.push(id);
    for entry in inside {
        let mut below = name.clone();
        if !below.is_empty() {
            below.push(b'/');
        }
        below.extend_from_slice(entry.file_name().as_bytes());
        let path = entry.path();
        let looked = if options.copy_links { fs::metadata(&path) } else { fs::symlink_metadata(&path) };
        match looked {
            Ok(is) if filter.keeps(Path::new(std::ffi::OsStr::from_bytes(&below)), is.is_dir()) => {
                visit(found, (path, below, is), (filter, options), above);
            }
            Ok(_) => {}
            Err(error) => found.faults.push(format!("{}: {error}", shown(path.as_os_str().as_bytes()))),
        }
    }
    above.pop();
}
