//! There is one agent at a time: a lock that ends with its process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

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
        let path = Path::new(FOLDER).join("agent.lock");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                file.read_to_string(&mut pid)?;
                return Err(KernelError::Running(pid.trim().parse().unwrap_or(0)));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Lock { _file: file })
    }
}
