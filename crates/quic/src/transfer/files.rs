//! Files as sources and sinks, and the folder that a server serves.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

use super::server::Store;
use super::{Sink, Source};

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
        // What is no file may block already when it is opened.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let file = File::open(path)?;
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
}

/// A name for a file that is to arrive.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    force: bool,
}

impl Target {
    /// A file at `path`; one that is there already may be replaced if `force`.
    ///
    /// # Errors
    /// There is one, or something else that no file can replace.
    pub fn new(path: PathBuf, force: bool) -> Result<Target, String> {
        let target = Target { path, force };
        target.check()?;
        Ok(target)
    }

    fn check(&self) -> Result<(), String> {
        match fs::symlink_metadata(&self.path) {
            Ok(there) if there.is_dir() => Err(format!("{} is a folder", self.path.display())),
            Ok(_) if !self.force => Err(format!("{} is there already", self.path.display())),
            _ => Ok(()),
        }
    }

    /// Opens the part of a file that is there already, under the file's hash.
    pub(crate) fn sink(self, bytes: u64, hash: &str) -> Result<Box<dyn Sink>, String> {
        let hash_is_one = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name = self.path.file_name().and_then(|name| name.to_str()).filter(|_| hash_is_one);
        let name = name.ok_or_else(|| "no name or no hash".to_string())?;
        let part = self.path.with_file_name(format!(".{name}.{}.part", &hash[..16]));
        let fault = |error: io::Error| format!("{} cannot be written: {error}", part.display());
        // A link in the part's place would lead the bytes elsewhere.
        if fs::symlink_metadata(&part).is_ok_and(|there| !there.is_file()) {
            return Err(format!("{} is no regular file", part.display()));
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&part).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(format!("{} is being written by another transfer", self.path.display())),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        let has = file.metadata().map_err(fault)?.len().min(bytes);
        file.set_len(has).and_then(|()| file.seek(SeekFrom::Start(has))).map_err(fault)?;
        Ok(Box::new(FileSink { target: self, part, file, has }))
    }
}

/// A file that arrives, beside the place where it will be.
#[derive(Debug)]
struct FileSink {
    target: Target,
    part: PathBuf,
    file: File,
    has: u64,
}

impl Sink for FileSink {
    fn has(&self) -> u64 {
        self.has
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(into, offset)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn complete(self: Box<Self>) -> Result<(), String> {
        // Somebody may have been faster.
        self.target.check()?;
        let fault = |error: io::Error| format!("{} cannot be written: {error}", self.target.path.display());
        self.file.sync_all().map_err(fault)?;
        fs::rename(&self.part, &self.target.path).map_err(fault)
    }

    fn discard(self: Box<Self>) {
        // A part that stays although it is wrong is found out again the next time.
        let _ = fs::remove_file(&self.part);
    }
}

/// Why a name does not name a file below a folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {why}")]
pub struct NameError {
    name: String,
    why: &'static str,
}

/// A folder whose files are served.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Without links in it.
    root: PathBuf,
    /// Files may also be put there.
    writable: bool,
}

impl Folder {
    /// The folder at `root`.
    ///
    /// # Errors
    /// It is none.
    pub fn new(root: &Path, writable: bool) -> io::Result<Folder> {
        let root = root.canonicalize()?;
        fs::read_dir(&root)?;
        Ok(Folder { root, writable })
    }

    /// The place of a file below the folder.
    ///
    /// # Errors
    /// The name leads out of the folder, by itself or by a link, or is hidden.
    pub fn place(&self, name: &str) -> Result<PathBuf, NameError> {
        let fault = |why| NameError { name: name.into(), why };
        let path = Path::new(name);
        if name.is_empty() || name.ends_with('/') || name.contains('\0') {
            return Err(fault("is no name of a file"));
        }
        for part in path.components() {
            match part {
                Component::Normal(part) if part.to_string_lossy().starts_with('.') => return Err(fault("is hidden")),
                Component::Normal(_) => {}
                _ => return Err(fault("leads out of the folder")),
            }
        }
        let place = self.root.join(path);
        let parent = place.parent().unwrap_or(&self.root).canonicalize().map_err(|_| fault("is in a folder that is not there"))?;
        let place = parent.join(path.file_name().ok_or_else(|| fault("is no name of a file"))?);
        let real = place.canonicalize().unwrap_or_else(|_| place.clone());
        if !parent.starts_with(&self.root) || !real.starts_with(&self.root) {
            return Err(fault("leads out of the folder"));
        }
        Ok(place)
    }
}

impl Store for Folder {
    fn open(&mut self, name: &str) -> Result<Box<dyn Source>, String> {
        let place = self.place(name).map_err(|error| error.to_string())?;
        match FileSource::open(&place) {
            Ok(source) => Ok(Box::new(source)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(format!("there is no file `{name}`")),
            Err(error) => Err(format!("`{name}` cannot be read: {error}")),
        }
    }

    fn create(&mut self, name: &str, bytes: u64, hash: &str, force: bool) -> Result<Box<dyn Sink>, String> {
        if !self.writable {
            return Err("this server takes no files".into());
        }
        let place = self.place(name).map_err(|error| error.to_string())?;
        // Where the folder is on the server is not the client's business.
        let shown = |why: String| why.replace(&*place.to_string_lossy(), name).replace(&*self.root.to_string_lossy(), "");
        Target::new(place.clone(), force).and_then(|target| target.sink(bytes, hash)).map_err(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_stay_inside() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("served");
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.join("link")).unwrap();
        std::os::unix::fs::symlink(folder.join("sub"), folder.join("in")).unwrap();
        let folder = Folder::new(&folder, true).unwrap();
        for name in ["a", "sub/a", "in/a", "a b", "ä", "a..b"] {
            assert!(folder.place(name).is_ok(), "{name}");
        }
        for name in [
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
        ] {
            assert!(folder.place(name).is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leads_out(parts in proptest::collection::vec("\\.{0,3}|/|[a-c]|sub|out|\\\\|%2e", 0..8)) {
            let outside = tempfile::tempdir().unwrap();
            let root = outside.path().join("served");
            fs::create_dir_all(root.join("sub")).unwrap();
            std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
            let folder = Folder::new(&root, true).unwrap();
            if let Ok(place) = folder.place(&parts.concat()) {
                prop_assert!(place.starts_with(root.canonicalize().unwrap()), "{}", place.display());
                prop_assert!(!place.components().any(|part| part == Component::ParentDir));
            }
        }
    }

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
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
