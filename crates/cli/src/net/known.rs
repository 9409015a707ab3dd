//! Known hosts: the servers that were believed before, and by which fingerprint.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use symbiosis_quic::identity::Fingerprint;
use symbiosis_quic::plain::plain;

use super::own::in_home;
use crate::failure::Failure;

/// The file with a line for each server.
#[derive(Debug)]
pub struct KnownHosts(PathBuf);

/// How a server is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub fingerprint: Fingerprint,
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
}

impl KnownHosts {
    /// That file, or the user's; none without a home.
    pub fn at(file: Option<&Path>) -> Option<KnownHosts> {
        let own = || Some(in_home("XDG_CONFIG_HOME", ".config")?.join("known_hosts"));
        file.map(Path::to_path_buf).or_else(own).map(KnownHosts)
    }

    /// Where it is.
    pub fn file(&self) -> &Path {
        &self.0
    }

    fn fault(&self, why: &str, help: &str) -> Failure {
        Failure::input(format!("{}: {why}", self.0.display()), help)
    }

    fn read(&self) -> Result<String, Failure> {
        match fs::read_to_string(&self.0) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(self.fault(&format!("known hosts cannot be read: {error}"), "say which with --known-hosts FILE")),
        }
    }

    /// How a server is known, if it is.
    ///
    /// # Errors
    /// A line means nothing, or two disagree about that server: who is to be believed must be clear.
    pub fn find(&self, server: &str) -> Result<Option<Known>, Failure> {
        let mut found: Option<Known> = None;
        for (at, text) in self.read()?.lines().enumerate() {
            let line = at + 1;
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let mut words = text.split_whitespace();
            let (Some(name), Some(fingerprint), None) = (words.next(), words.next().and_then(Fingerprint::parse), words.next()) else {
                let why = format!("line {line} is none of known hosts: {}", plain(text));
                return Err(self.fault(&why, "a line has HOST:PORT and a fingerprint of 64 hexadecimal digits; mend or remove it"));
            };
            match &found {
                _ if !name.eq_ignore_ascii_case(server) => {}
                None => found = Some(Known { fingerprint, file: self.0.clone(), line }),
                Some(before) if before.fingerprint == fingerprint => {}
                Some(before) => {
                    let why = format!("lines {} and {line} have two fingerprints for {server}", before.line);
                    return Err(self.fault(&why, "remove the one that is not its server's any more"));
                }
            }
        }
        Ok(found)
    }

    /// Makes a server known, in one piece behind what others may be adding.
    ///
    /// # Errors
    /// It cannot be written down.
    pub fn add(&self, server: &str, fingerprint: Fingerprint) -> Result<Known, Failure> {
        let before = self.read()?;
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let write = || -> io::Result<()> {
            if let Some(folder) = self.0.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            let mut file = fs::File::options().create(true).append(true).mode(0o600).open(&self.0)?;
            file.write_all(format!("{gap}{server} {fingerprint}\n").as_bytes())
        };
        write().map_err(|error| self.fault(&format!("it cannot be written: {error}"), "say where with --known-hosts FILE"))?;
        Ok(Known { fingerprint, file: self.0.clone(), line: before.lines().count() + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_and_what_means_nothing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/known_hosts");
        let hosts = KnownHosts::at(Some(&file)).unwrap();
        let (a, b) = (Fingerprint::parse(&"a".repeat(64)).unwrap(), Fingerprint::parse(&"b".repeat(64)).unwrap());
        assert_eq!(hosts.find("host:1").unwrap(), None);
        hosts.add("host:1", a).unwrap();
        hosts.add("[::1]:4433", b).unwrap();
        let line = |fingerprint, line| Some(Known { fingerprint, file: file.clone(), line });
        assert_eq!(hosts.find("host:1").unwrap(), line(a, 1));
        assert_eq!(hosts.find("HOST:1").unwrap(), line(a, 1));
        assert_eq!(hosts.find("[::1]:4433").unwrap(), line(b, 2));
        assert_eq!(hosts.find("host:2").unwrap(), None);
        // Edited by hand, without the last line's end.
        fs::write(&file, format!("# mine\n\nhost:1 {a}\nhost:1 {a}")).unwrap();
        assert_eq!(hosts.add("host:2", b).unwrap(), line(b, 5).unwrap());
        assert_eq!(hosts.find("host:1").unwrap(), line(a, 3), "twice the same is no quarrel");
        assert_eq!(hosts.find("host:2").unwrap(), line(b, 5));
        for (text, says) in [
            (format!("host:1 {a}\nhost:1 {b}\n"), "lines 1 and 2 have two fingerprints for host:1"),
            (format!("host:1 {a} more"), "line 1 is none of known hosts"),
            (format!("host:2 {a}\nhost:1 12\n"), "line 2 is none of known hosts: host:1 12"),
        ] {
            fs::write(&file, text).unwrap();
            let Err(Failure::Input(said)) = hosts.find("host:1") else { panic!("{says}") };
            assert!(said.to_string().contains(says), "{said}");
        }
    }
}
