//! Where a receiver puts what it gets.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use symbiosis_quic::transfer::Dir;

use crate::message::{Time, Totals};
use crate::name::shown;
use crate::place::settle;

/// Where a receiver puts what it gets.
pub enum Target {
    /// A folder, or the name of a file or of a folder, as its user wrote it.
    Path(PathBuf),
    /// One file's bytes go there.
    Stream(Box<dyn Write + Send>),
    /// Nothing is wanted but the list.
    Nothing,
}

/// The same, looked at.
pub(super) enum Place {
    Nowhere,
    Folder {
        root: Arc<Dir>,
        /// The one file that comes gets this name.
        single: Option<OsString>,
        /// The folder that was used last.
        last: Option<(PathBuf, Arc<Dir>)>,
    },
    /// It would be made.
    Planned,
    Stream(Option<Box<dyn Write + Send>>),
}

impl Target {
    /// Looks at it, and makes the folder if there is none.
    pub(super) fn open(self, totals: &Totals, dry_run: bool) -> Result<Place, String> {
        let path = match self {
            Target::Nothing => return Ok(Place::Nowhere),
            Target::Stream(_) if !totals.single => return Err("one file can be written to stdout, and there is more".into()),
            Target::Stream(stream) => return Ok(Place::Stream(Some(stream))),
            Target::Path(path) => path,
        };
        let fault = |error: io::Error| format!("{}: {error}", shown(path.as_os_str().as_bytes()));
        let ends_in_slash = path.as_os_str().as_bytes().ends_with(b"/");
        let is_folder = path.as_os_str().is_empty() || path.is_dir();
        if totals.single && !is_folder && !ends_in_slash {
            let name = path.file_name().ok_or_else(|| format!("{} is no name", shown(path.as_os_str().as_bytes())))?;
            let root = Dir::open(path.parent().unwrap_or(Path::new(""))).map_err(fault)?;
            return Ok(Place::Folder { root: Arc::new(root), single: Some(name.into()), last: None });
        }
        if !is_folder && dry_run {
            return Ok(Place::Planned);
        }
        if !is_folder {
            std::fs::create_dir(&path).map_err(fault)?;
        }
        Ok(Place::Folder { root: Arc::new(Dir::open(&path).map_err(fault)?), single: None, last: None })
    }
}

impl Place {
    /// What an entry is called here.
    pub(super) fn named(&self, name: &Path, index: u64) -> Result<PathBuf, String> {
        match self {
            Place::Folder { single: Some(single), .. } if index == 0 => Ok(single.into()),
            Place::Folder { single: Some(_), .. } => Err("it was one file, and now there are more".into()),
            _ => Ok(name.into()),
        }
    }

    /// A folder.
    pub(super) fn folder(&mut self, name: &Path) -> io::Result<Arc<Dir>> {
        let Place::Folder { root, last, .. } = self else { return Err(io::ErrorKind::NotFound.into()) };
        match last {
            _ if name.as_os_str().is_empty() => Ok(root.clone()),
            Some((path, dir)) if path == name => Ok(dir.clone()),
            _ => {
                let dir = Arc::new(root.below(name)?);
                *last = Some((name.into(), dir.clone()));
                Ok(dir)
            }
        }
    }

    /// The folder of an entry, and its name there.
    pub(super) fn parent<'a>(&mut self, name: &'a Path) -> io::Result<(Arc<Dir>, &'a OsStr)> {
        let last = name.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.folder(name.parent().unwrap_or(Path::new("")))?, last))
    }

    /// Gives a folder its permissions and its time.
    pub(super) fn settle_folder(&mut self, name: &Path, mode: u32, mtime: Time) -> io::Result<()> {
        match name.as_os_str().is_empty() {
            true => settle(&*self.folder(name)?, OsStr::new("."), Some(mode), mtime),
            false => {
                let (dir, last) = self.parent(name)?;
                settle(&dir, last, Some(mode), mtime)
            }
        }
    }
}
