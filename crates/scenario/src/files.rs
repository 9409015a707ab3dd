//! Files that scenarios name.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Where the files are that a scenario names.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// Names are paths relative to this folder, or to the working directory.
    Folder(Option<&'a Path>),
    /// Their texts by name, for whoever has no file system.
    Given(&'a BTreeMap<String, String>),
}

impl Files<'_> {
    /// The text of a file.
    pub(super) fn read(&self, name: &str) -> io::Result<String> {
        match self {
            Files::Folder(_) => std::fs::read_to_string(self.path(name)),
            Files::Given(texts) => texts.get(name).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    /// Where a file is.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        match self {
            Files::Folder(base) => base.unwrap_or(Path::new("")).join(name),
            Files::Given(_) => name.into(),
        }
    }
}
