//! The folder that a server serves.

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::files::{FileSource, Target};
use super::ledger::Ledger;
use super::place::{Dir, There};
use super::storage::{Sink, Source};
use super::store::{Put, Store, Stranger};
use crate::identity::Fingerprint;

/// Parts of files are kept so long if nobody says otherwise: until tomorrow.
const KEEP: Duration = Duration::from_secs(24 * 3600);

/// Why a name does not name a file below a folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {why}")]
pub struct NameError {
    name: String,
    why: &'static str,
}

/// Who may put files into a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Nobody.
    Nobody,
    /// Whoever can show one of these certificates, and has its key.
    These(BTreeSet<Fingerprint>),
    /// Whoever reaches the server.
    Anyone,
}

/// A folder whose files are served.
#[derive(Clone, Debug)]
pub struct Folder {
    root: Arc<Dir>,
    ledger: Ledger,
    writers: Writers,
}

impl Folder {
    /// The folder at `root`. Parts of files are kept for a day.
    ///
    /// # Errors
    /// It is none.
    pub fn new(root: &Path, writers: Writers) -> io::Result<Folder> {
        Folder::limited(root, writers, None, KEEP)
    }

    /// The same, with at most so many bytes in it, and parts of files kept for so long.
    ///
    /// # Errors
    /// It is none, or the kernel cannot open files below a folder only (Linux 5.6 can).
    pub fn limited(root: &Path, writers: Writers, most: Option<u64>, keep: Duration) -> io::Result<Folder> {
        let root = root.canonicalize()?;
        let dir = Dir::open(&root)?;
        dir.below(Path::new("")).map_err(|error| io::Error::other(format!("its files cannot be opened by openat2: {error}")))?;
        let folder = Folder { root: Arc::new(dir), ledger: Ledger::new(&root, most, keep), writers };
        let expired = folder.ledger.expired();
        folder.remove(expired);
        Ok(folder)
    }

    /// A file's folder, as a path below this one, and its name there.
    ///
    /// # Errors
    /// The name leads out of the folder, is hidden, or is none that a terminal shows as it is.
    fn split(name: &str) -> Result<(PathBuf, String), NameError> {
        let fault = |why| NameError { name: name.into(), why };
        if name.is_empty() || name.ends_with('/') || name.contains('\0') {
            return Err(fault("is no name of a file"));
        }
        if !crate::plain::is_plain(name) {
            return Err(fault("has characters in it that steer a terminal"));
        }
        let path = Path::new(name);
        for part in path.components() {
            match part {
                Component::Normal(part) if part.to_string_lossy().starts_with('.') => return Err(fault("is hidden")),
                Component::Normal(_) => {}
                _ => return Err(fault("leads out of the folder")),
            }
        }
        let last = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| fault("is no name of a file"))?;
        Ok((path.parent().unwrap_or(Path::new("")).into(), last.into()))
    }

    /// What went wrong with a name, for its user: nothing of where the folder is.
    fn fault(name: &str, error: &io::Error) -> String {
        use nix::errno::Errno;
        match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT) => format!("there is no file `{name}`"),
            Some(Errno::ELOOP | Errno::EXDEV) => format!("`{name}` leads out of the folder, or through a link"),
            _ => format!("`{name}` cannot be opened: {error}"),
        }
    }

    fn parent(&self, name: &str, path: &Path) -> Result<Dir, String> {
        self.root.below(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("`{name}` is in a folder that is not there"),
            _ => Folder::fault(name, &error),
        })
    }

    /// Removes parts for which nobody came back.
    fn remove(&self, parts: Vec<PathBuf>) {
        for part in parts {
            let (Some(parent), Some(name)) = (part.parent(), part.file_name().and_then(|name| name.to_str())) else { continue };
            let Ok(dir) = self.root.below(parent) else { continue };
            let bytes = match dir.there(name) {
                Ok(There::File(bytes)) => bytes,
                _ => continue,
            };
            if dir.remove(name).is_ok() {
                self.ledger.removed(bytes);
            }
        }
    }

    fn may_write(&self, from: &Stranger) -> Result<(), String> {
        match (&self.writers, from.shown) {
            (Writers::Anyone, _) => Ok(()),
            (Writers::These(known), Some(shown)) if known.contains(&shown) => Ok(()),
            (Writers::These(_), Some(shown)) => Err(format!("this server takes no files from {shown}: it does not know you")),
            (Writers::These(_), None) => Err("this server takes no files from you: you showed no certificate".into()),
            (Writers::Nobody, _) => Err("this server takes no files".into()),
        }
    }
}

impl Store for Folder {
    fn open(&mut self, name: &str) -> Result<Box<dyn Source>, String> {
        let (parent, last) = Folder::split(name).map_err(|error| error.to_string())?;
        let file = self.root.read(&parent.join(last)).and_then(FileSource::new).map_err(|error| Folder::fault(name, &error))?;
        Ok(Box::new(file))
    }

    fn create(&mut self, put: &Put<'_>) -> Result<Box<dyn Sink>, String> {
        self.may_write(&put.from)?;
        let (parent, last) = Folder::split(put.name).map_err(|error| error.to_string())?;
        let dir = Arc::new(self.parent(put.name, &parent)?);
        let sender = put.from.name();
        let target = Target { dir: dir.clone(), name: last, shown: put.name.into(), force: put.force, sender: sender.clone() };
        target.check()?;
        let part = target.part(put.bytes, put.hash)?;
        let there = match dir.there(&part) {
            Ok(There::File(bytes)) => bytes.min(put.bytes),
            _ => 0,
        };
        let (claim, gone) = self.ledger.claim(&parent.join(&part), &sender, put.bytes - there);
        self.remove(gone);
        target.sink_with(put.bytes, put.hash, Some(claim?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn put(folder: &mut Folder, name: &str, from: Stranger) -> Result<Box<dyn Sink>, String> {
        folder.create(&Put { name, bytes: 1, hash: &"0".repeat(64), force: true, from })
    }

    #[test]
    fn names_stay_inside() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("served");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("sub"), root.join("in")).unwrap();
        nix::unistd::mkfifo(&root.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut folder = Folder::new(&root, Writers::Anyone).unwrap();
        for name in ["a", "sub/a", "a b", "ä", "a..b"] {
            assert!(put(&mut folder, name, Stranger::default()).is_ok(), "{name}");
            fs::write(root.join(name), "s").unwrap();
            assert!(folder.open(name).is_ok(), "{name}");
        }
        let wrong = [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../secret",
            "sub/../../secret",
            "out/secret",
            "link",
            ".",
            "./a",
            ".a",
            "sub/.a",
            "a/",
            "none/a",
            "a\0",
            "in/a",
            "sub",
            "pipe",
            "a\nb",
            "a\x1b[2Jb",
            "a\u{202e}b",
        ];
        for name in wrong {
            let why = put(&mut folder, name, Stranger::default()).err().unwrap_or_else(|| panic!("{name} was taken"));
            assert!(!why.contains(outside.path().to_str().unwrap()), "{why}");
            let why = folder.open(name).err().unwrap_or_else(|| panic!("{name} was given"));
            assert!(!why.contains(outside.path().to_str().unwrap()), "{why}");
        }
        assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"s");
    }

    proptest! {
        #[test]
        fn no_name_leads_out(parts in proptest::collection::vec("\\.{0,3}|/|[a-c]|sub|out|\\\\|%2e", 0..8)) {
            let outside = tempfile::tempdir().unwrap();
            let root = outside.path().join("served");
            fs::create_dir_all(root.join("sub")).unwrap();
            std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
            let mut folder = Folder::new(&root, Writers::Anyone).unwrap();
            if let Ok(mut sink) = put(&mut folder, &parts.concat(), Stranger::default()) {
                sink.write(b"x").unwrap();
                let _ = sink.complete();
            }
            let around: Vec<_> = fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            prop_assert_eq!(around, ["served"]);
        }
    }

    #[test]
    fn only_those_put_files_who_may() {
        let root = tempfile::tempdir().unwrap();
        let known = Fingerprint::parse(&"a".repeat(64)).unwrap();
        let other = Fingerprint::parse(&"b".repeat(64)).unwrap();
        let mut folder = Folder::new(root.path(), Writers::These([known].into())).unwrap();
        let from = |shown| Stranger { host: None, shown };
        assert!(put(&mut folder, "a", from(Some(known))).is_ok());
        assert!(put(&mut folder, "a", from(Some(other))).err().unwrap().contains("does not know you"));
        assert!(put(&mut folder, "a", from(None)).err().unwrap().contains("you showed no certificate"));
        assert!(put(&mut Folder::new(root.path(), Writers::Nobody).unwrap(), "a", from(Some(known))).is_err());
    }
}
