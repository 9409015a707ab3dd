//! There is one agent at a time: a lock that ends with its process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::KernelError;

/// The folder of what an agent keeps while it runs.
pub(crate) const FOLDER: &str = "/run/symbiosis";

/// Held while an agent runs. The file stays: who removed it could not know whether somebody else waits for it.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, and writes down who has it.
    pub(crate) fn take() -> Result<Lock, KernelError> {
        fs::create_dir_all(FOLDER)?;
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(place())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(KernelError::Running(written(&mut file)?)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Lock { _file: file })
    }

    /// Who has it, if anybody has.
    pub(crate) fn holder() -> Option<u32> {
        let mut file = File::open(place()).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => written(&mut file).ok(),
            _ => None,
        }
    }
}

fn place() -> PathBuf {
    Path::new(FOLDER).join("agent.lock")
}

/// The process that wrote itself down.
fn written(file: &mut File) -> io::Result<u32> {
    let mut pid = String::new();
    file.read_to_string(&mut pid)?;
    Ok(pid.trim().parse().unwrap_or(0))
}
