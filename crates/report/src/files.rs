//! Files that are whole or not there.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file beside its place and renames it, so that a reader sees the old file or the new one, never a half. Missing folders are made.
pub fn write_atomically(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    write_atomically_with(path, |file| io::Write::write_all(file, bytes.as_ref()))
}

/// The same, with a writer for what is too large to be held in memory.
pub fn write_atomically_with(path: impl AsRef<Path>, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let path = path.as_ref();
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display())))?;
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(|error| at(dir, error))?;

    // Process and number: two writers of the same file must not share the half-written one.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let half = dir.join(format!(".{}.{}-{number}.tmp", name.display(), std::process::id()));
    fs::File::create(&half).and_then(|mut file| write(&mut file)).and_then(|()| fs::rename(&half, path)).map_err(|error| {
        let _ = fs::remove_file(&half);
        at(path, error)
    })
}

/// The error, with the path it is about.
fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A name as part of a file's name: what could leave the folder or trouble a shell becomes `-`.
pub fn file_stem(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let stem: String = name.chars().map(safe).collect();
    let stem = stem.trim_matches(['.', '-']);
    if stem.is_empty() { "unnamed".into() } else { stem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_whole_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.txt");
        write_atomically(&path, "a long first text").unwrap();
        write_atomically(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn failure_names_the_path_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("taken")).unwrap();
        let error = write_atomically(dir.path().join("taken"), "x").unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn stems_stay_in_their_folder() {
        assert_eq!(file_stem("I2/S1"), "I2-S1");
        assert_eq!(file_stem("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_stem("two flows, γ=0.9"), "two-flows--γ-0.9");
        assert_eq!(file_stem("…"), "unnamed");
    }
}
