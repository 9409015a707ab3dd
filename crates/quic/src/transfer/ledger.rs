//! What a folder keeps for strangers: how many bytes, and how many parts of files that never became whole.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::part::is_part;

/// Parts that a sender may have: as many as it may have requests open.
const PARTS_OF_ONE: usize = 16;
/// Parts of all senders together.
const PARTS: usize = 1024;
/// Folders are counted so deep.
const DEPTH: usize = 32;
/// After a refusal the folder is counted anew, but not more often than this: somebody may have made room.
const COUNT_EVERY: Duration = Duration::from_secs(10);

/// An account of a folder.
#[derive(Clone, Debug)]
pub(super) struct Ledger(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    root: PathBuf,
    most: Option<u64>,
    keep: Duration,
    /// In files. What was only promised does not count: promises cost nothing.
    used: u64,
    counted: Instant,
    parts: BTreeMap<PathBuf, Part>,
}

#[derive(Debug)]
struct Part {
    sender: String,
    /// When it was last used.
    last: Instant,
    in_use: bool,
}

/// What one file that arrives may take.
#[derive(Debug)]
pub(super) struct Claim {
    ledger: Ledger,
    part: PathBuf,
    /// The part is no more.
    gone: bool,
}

impl Ledger {
    pub(super) fn new(root: &Path, most: Option<u64>, keep: Duration) -> Ledger {
        let now = Instant::now();
        let mut state = State { root: root.into(), most, keep, used: 0, counted: now, parts: BTreeMap::new() };
        state.count(now);
        Ledger(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a part, of which so much is to come, if there is one; and the parts that have to go, below the root.
    pub(super) fn claim(&self, part: &Path, sender: &str, missing: u64) -> (Result<Claim, String>, Vec<PathBuf>) {
        let now = Instant::now();
        let mut state = self.state();
        let mut gone = state.expired(now);
        let promised = state.promise(now, part, sender, missing, &mut gone);
        drop(state);
        (promised.map(|()| Claim { ledger: self.clone(), part: part.into(), gone: false }), gone)
    }

    /// A part of that size was removed.
    pub(super) fn removed(&self, bytes: u64) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(bytes);
    }

    /// Parts that nobody came back for.
    pub(super) fn expired(&self) -> Vec<PathBuf> {
        self.state().expired(Instant::now())
    }
}

impl State {
    fn promise(&mut self, now: Instant, part: &Path, sender: &str, missing: u64, gone: &mut Vec<PathBuf>) -> Result<(), String> {
        if !self.parts.contains_key(part) {
            for (of, most) in [(Some(sender), PARTS_OF_ONE), (None, PARTS)] {
                let mine = self.parts.iter().filter(|(_, part)| of.is_none_or(|sender| part.sender == sender));
                if mine.clone().count() < most {
                    continue;
                }
                let oldest = mine.filter(|(_, part)| !part.in_use).min_by_key(|(_, part)| part.last).map(|(path, _)| path.clone());
                let oldest = oldest.ok_or("too many files are under way at once")?;
                self.parts.remove(&oldest);
                gone.push(oldest);
            }
        }
        if let Some(most) = self.most {
            if self.beyond(most, missing) && now - self.counted > COUNT_EVERY {
                self.count(now);
            }
            if self.beyond(most, missing) {
                return Err(format!("writing failed: this server keeps no more than {most} bytes, and {missing} more would come"));
            }
        }
        self.parts.insert(part.into(), Part { sender: sender.into(), last: now, in_use: true });
        Ok(())
    }

    fn beyond(&self, most: u64, missing: u64) -> bool {
        self.used.saturating_add(missing) > most
    }

    fn expired(&mut self, now: Instant) -> Vec<PathBuf> {
        let keep = self.keep;
        let old = |part: &Part| !part.in_use && now.saturating_duration_since(part.last) > keep;
        let gone: Vec<PathBuf> = self.parts.iter().filter(|(_, part)| old(part)).map(|(path, _)| path.clone()).collect();
        gone.iter().for_each(|path| {
            self.parts.remove(path);
        });
        gone
    }

    /// Counts what there is. What is under way is counted as far as it has come.
    fn count(&mut self, now: Instant) {
        let (mut used, mut found) = (0, Vec::new());
        walk(&self.root, DEPTH, &mut |path, is| {
            used += is.len();
            if path.file_name().and_then(|name| name.to_str()).is_some_and(is_part) {
                // By a clock that somebody may have set: what seems to come from the future is new.
                let age = SystemTime::now().duration_since(is.modified().unwrap_or(SystemTime::now())).unwrap_or_default();
                found.push((path.to_path_buf(), age));
            }
        });
        for (path, age) in found {
            let Ok(path) = path.strip_prefix(&self.root) else { continue };
            let last = now.checked_sub(age).unwrap_or_else(|| now.checked_sub(self.keep * 2).unwrap_or(now));
            self.parts.entry(path.into()).or_insert(Part { sender: String::new(), last, in_use: false });
        }
        (self.used, self.counted) = (used, now);
    }
}

/// Looks at every regular file, and through no link.
fn walk(folder: &Path, depth: usize, look: &mut impl FnMut(&Path, &std::fs::Metadata)) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // Not of what a link leads to.
        let Ok(is) = entry.metadata() else { continue };
        if is.is_dir() && depth > 0 {
            walk(&entry.path(), depth - 1, look);
        } else if is.is_file() {
            look(&entry.path(), &is);
        }
    }
}

impl Claim {
    /// So much more of it is to be written.
    ///
    /// # Errors
    /// Others have written meanwhile, and there is no room.
    pub(super) fn writes(&self, bytes: u64) -> io::Result<()> {
        let mut state = self.ledger.state();
        if state.most.is_some_and(|most| state.beyond(most, bytes)) {
            return Err(io::Error::other("this server keeps no more"));
        }
        state.used += bytes;
        Ok(())
    }

    /// The file has its name, in place of one of that size.
    pub(super) fn completes(mut self, replaced: u64) {
        self.gone = true;
        self.ledger.removed(replaced);
    }

    /// The part, of that size, was removed.
    pub(super) fn discards(mut self, bytes: u64) {
        self.gone = true;
        self.ledger.removed(bytes);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.ledger.state();
        if self.gone {
            state.parts.remove(&self.part);
        } else if let Some(part) = state.parts.get_mut(&self.part) {
            (part.in_use, part.last) = (false, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(most: Option<u64>) -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), [0; 100]).unwrap();
        let ledger = Ledger::new(folder.path(), most, Duration::from_secs(3600));
        (folder, ledger)
    }

    #[test]
    fn what_was_written_counts_and_what_was_promised_does_not() {
        let (_folder, ledger) = ledger(Some(1000));
        let first = ledger.claim(Path::new("a"), "x", 900).0.unwrap();
        assert!(ledger.claim(Path::new("b"), "y", 901).0.unwrap_err().contains("no more than 1000 bytes"));
        let second = ledger.claim(Path::new("b"), "y", 900).0.unwrap();
        first.writes(600).unwrap();
        second.writes(300).unwrap();
        assert!(second.writes(1).is_err() && first.writes(1).is_err(), "with the 100 that were there it is full");
        second.discards(300);
        first.writes(300).unwrap();
        first.completes(100);
        assert!(ledger.claim(Path::new("c"), "z", 101).0.is_err() && ledger.claim(Path::new("c"), "z", 100).0.is_ok());
    }

    #[test]
    fn a_sender_removes_its_own_parts_and_nobody_elses() {
        let (_folder, ledger) = ledger(None);
        let path = |sender: &str, at: usize| PathBuf::from(format!("{sender}{at}"));
        drop(ledger.claim(&path("honest", 0), "honest", 1).0.unwrap());
        let mut gone = Vec::new();
        for at in 0..5000 {
            let (claim, old) = ledger.claim(&path("hostile", at), "hostile", 1);
            assert!(claim.is_ok());
            gone.extend(old);
        }
        assert_eq!(gone.len(), 5000 - PARTS_OF_ONE);
        assert!(!gone.contains(&path("honest", 0)));
        let held: Vec<_> = (0..PARTS_OF_ONE).map(|at| ledger.claim(&path("busy", at), "busy", 1).0.unwrap()).collect();
        assert!(ledger.claim(&path("busy", 99), "busy", 1).0.unwrap_err().contains("too many"));
        drop(held);
    }

    #[test]
    fn parts_expire_when_nobody_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let name = crate::transfer::part_name("file", 9, "0", "x");
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(folder.path().join("sub").join(&name), "old").unwrap();
        let young = Ledger::new(folder.path(), None, Duration::from_secs(3600));
        assert!(young.expired().is_empty());
        let file = std::fs::File::open(folder.path().join("sub").join(&name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(7200)).unwrap();
        let old = Ledger::new(folder.path(), None, Duration::from_secs(3600));
        assert_eq!(old.expired(), [Path::new("sub").join(&name)]);
        // A clock that was set back.
        file.set_modified(SystemTime::now() + Duration::from_secs(7200)).unwrap();
        assert!(Ledger::new(folder.path(), None, Duration::from_secs(3600)).expired().is_empty());
    }
}
