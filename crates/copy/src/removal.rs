//! What the sender does not have, and is removed where that was asked for.

use std::collections::HashSet;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use symbiosis_quic::transfer::Dir;

use crate::filter::Filter;
use crate::place::{list, remove};

/// Names that were told, by their hashes: 16 bytes each, however long they are.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashSet<[u8; 16]>);

impl Seen {
    fn key(name: &Path) -> [u8; 16] {
        blake3::hash(name.as_os_str().as_bytes()).as_bytes()[..16].try_into().expect("it has 32")
    }

    pub(crate) fn add(&mut self, name: &Path) {
        self.0.insert(Seen::key(name));
    }

    fn has(&self, name: &Path) -> bool {
        self.0.contains(&Seen::key(name))
    }
}

/// Removes what is in a folder and was not told. Folders that were told are looked at by themselves.
pub(crate) fn remove_others(
    dir: &Dir,
    folder: &Path,
    (seen, filter, dry): (&Seen, &Filter, bool),
    tell: &mut dyn FnMut(&Path),
) -> io::Result<()> {
    for (name, is_folder) in list(dir)? {
        let path = folder.join(&name);
        if seen.has(&path) || !filter.keeps(&path, is_folder) {
            continue;
        }
        if is_folder {
            remove_others(&dir.below(Path::new(&name))?, &path, (seen, filter, dry), tell)?;
        }
        if !dry {
            match remove(dir, &name, is_folder) {
                // Something that is left alone is in it.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => continue,
                done => done?,
            }
        }
        tell(&path);
    }
    Ok(())
}
