//! `symbiosis identity`: this side's own identity, and the file in which it is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use miette::miette;
use symbiosis_quic::identity::Identity;

use crate::failure::Failure;
use crate::print::print;

/// Whose fingerprint to show.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The certificate and private key (PEM); made on first use
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
}

/// Runs `symbiosis identity`.
///
/// # Errors
/// There is no identity, and none can be made.
pub fn run(args: &Args) -> Result<(), Failure> {
    let identity = kept_identity(args.identity.clone().or_else(default_identity).as_deref())?;
    print(&format!("{}\n", identity.fingerprint()))
}

/// A folder of this program's for one user: in `variable`, or below the home.
pub fn in_home(variable: &str, below: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(below));
    Some(named.or_else(home)?.join("symbiosis"))
}

/// Where the identity is kept if nobody says otherwise; nowhere without a home.
pub fn default_identity() -> Option<PathBuf> {
    Some(in_home("XDG_DATA_HOME", ".local/share")?.join("identity.pem"))
}

/// The identity in a file; a new one if there is no such file.
pub fn kept_identity(file: Option<&Path>) -> Result<Identity, Failure> {
    let Some(file) = file else {
        return Err(Failure::input("there is no home folder to keep an identity in", "say where with --identity FILE"));
    };
    let fault = |why: String| {
        Failure::input(
            format!("--identity {}: {why}", file.display()),
            "give a PEM file with a certificate and its private key, or a new name",
        )
    };
    let read = || fs::read_to_string(file).map(|pem| Identity::from_pem(&pem).map_err(|error| fault(format!("it {error}"))));
    match read() {
        Ok(identity) => identity,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (identity, pem) = Identity::generate().map_err(|error| Failure::Other(miette!("{error}")))?;
            match keep(file, &pem) {
                Ok(()) => Ok(identity),
                // Another process was faster: its identity is the one that is kept.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    read().map_err(|error| fault(format!("it cannot be read: {error}")))?
                }
                Err(error) => Err(fault(format!("it cannot be written: {error}"))),
            }
        }
        Err(error) => Err(fault(format!("it cannot be read: {error}"))),
    }
}

/// Writes a secret that only its owner may read. It has its name only when it is whole.
fn keep(file: &Path, pem: &str) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Only its owner may read a temporary file, and no two have one name.
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut unfinished, pem.as_bytes())?;
    unfinished.as_file().sync_all()?;
    unfinished.persist_noclobber(file)?;
    fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_whole_or_not_there_and_everybody_has_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/identity.pem");
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| kept_identity(Some(&file)).map(|identity| identity.fingerprint()))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let got: std::collections::BTreeSet<_> = all.into_iter().map(Result::unwrap).collect();
        assert_eq!(got.len(), 1);
        assert_eq!(kept_identity(Some(&file)).unwrap().fingerprint(), *got.first().unwrap());
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing unfinished is left");
    }
}
