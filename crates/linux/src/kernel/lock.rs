//! There is one agent at a time: a lock that ends with its process, in a folder that no other user may enter.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nix::libc;

use super::error::KernelError;

/// The folder of what an agent keeps while it runs.
pub(crate) const FOLDER: &str = "/run/symbiosis";
const FILE: &str = "agent.lock";

/// Held while an agent runs. The file stays: who removed it could not know whether another agent waits for it.
pub(crate) struct Lock {
    file: File,
}

/// Closing does not end it while a process that was forked and has not executed its program yet has the file, too.
impl Drop for Lock {
    fn drop(&mut self) {
        // If it cannot be unlocked, it ends with the last of those who have it.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Takes the lock, and writes down who has it.
    pub(crate) fn take() -> Result<Lock, KernelError> {
        Lock::take_in(Path::new(FOLDER))
    }

    fn take_in(folder: &Path) -> Result<Lock, KernelError> {
        let mut file = kept(folder, FILE)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(KernelError::Running(written(&mut file)?)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Lock { file })
    }

    /// The process that has it, if one has.
    pub(crate) fn holder() -> Option<u32> {
        let mut file = File::open(Path::new(FOLDER).join(FILE)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => written(&mut file).ok(),
            _ => None,
        }
    }
}

/// A file in the folder, for the agent's user alone, with whatever is in it.
pub(crate) fn kept(folder: &Path, name: &str) -> io::Result<File> {
    keep(folder)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let file = options.open(folder.join(name))?;
    // Whatever the umask is, and whatever it was when the file was made.
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// Makes the folder, for the agent's user alone. One that is there already must be that user's, and no link.
fn keep(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != nix::unistd::geteuid().as_raw() {
        return Err(io::Error::other(format!("{} is not a folder of the user that the agent runs as", folder.display())));
    }
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// The process that wrote itself down.
fn written(file: &mut File) -> io::Result<u32> {
    let mut pid = String::new();
    file.read_to_string(&mut pid)?;
    Ok(pid.trim().parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn nobody_else_may_enter_or_lock() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("symbiosis");
        // As an earlier version left it.
        fs::create_dir(&place).unwrap();
        fs::set_permissions(&place, Permissions::from_mode(0o755)).unwrap();
        fs::write(place.join(FILE), "1").unwrap();
        fs::set_permissions(place.join(FILE), Permissions::from_mode(0o644)).unwrap();
        let lock = Lock::take_in(&place).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((mode(&place), mode(&place.join(FILE))), (0o700, 0o600));
        assert!(matches!(Lock::take_in(&place), Err(KernelError::Running(pid)) if pid == std::process::id()));
        // As a child has it between `fork` and `execve`.
        let inherited = lock.file.try_clone().unwrap();
        drop(lock);
        assert!(Lock::take_in(&place).is_ok());
        drop(inherited);
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        assert!(matches!(Lock::take_in(&link), Err(KernelError::Io(_))));
        symlink("/nowhere/at/all", real.join(FILE)).unwrap();
        assert!(matches!(Lock::take_in(&real), Err(KernelError::Io(_))));
    }
}
