//! Hashes of files, made beside the loop that sends and receives: whoever asks for a large file must not keep others waiting.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::message::Hash;
use super::storage::{FileKey, Source};

/// What a thread hashes of one file before the next has its turn: a few milliseconds.
const SLICE: u64 = 4 << 20;
/// What is hashed at a time.
const CHUNK: usize = 64 << 10;
/// Hashes that are kept: a few hundred kB.
const KEPT: usize = 4096;

/// Makes hashes in a thread of its own, for all connections of a server, and keeps them.
#[derive(Clone, Debug, Default)]
pub struct Hashes(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Whoever else wants the same file waits for the same job.
    under_way: BTreeMap<FileKey, Arc<Ticket>>,
    kept: BTreeMap<FileKey, Hash>,
    /// There is a thread.
    thread: bool,
}

struct Job {
    source: Box<dyn Source>,
    key: Option<FileKey>,
    hasher: Box<blake3::Hasher>,
    done: u64,
    end: u64,
    ticket: Arc<Ticket>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Job({} of {})", self.done, self.end)
    }
}

/// Something that will be hashed.
#[derive(Debug, Default)]
pub(crate) struct Ticket(Mutex<Option<Result<Box<blake3::Hasher>, String>>>);

impl Ticket {
    /// What came of it, if it is done.
    pub(crate) fn take(&self) -> Option<Result<Box<blake3::Hasher>, String>> {
        lock(&self.0).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hashes {
    /// The hash of a file that was hashed before.
    pub(crate) fn known(&self, key: Option<FileKey>) -> Option<Hash> {
        lock(&self.0.state).kept.get(&key?).cloned()
    }

    /// Takes note of a hash.
    pub(crate) fn keep(&self, key: Option<FileKey>, hash: &Hash) {
        let Some(key) = key else { return };
        let kept = &mut lock(&self.0.state).kept;
        if kept.len() >= KEPT {
            kept.pop_first();
        }
        kept.insert(key, hash.clone());
    }

    /// Hashes the first `end` bytes.
    pub(crate) fn begin(&self, source: Box<dyn Source>, end: u64) -> Arc<Ticket> {
        let key = source.key();
        let mut state = lock(&self.0.state);
        if let Some(ticket) = key.and_then(|key| state.under_way.get(&key)) {
            return ticket.clone();
        }
        let ticket = Arc::<Ticket>::default();
        if let Some(key) = key {
            state.under_way.insert(key, ticket.clone());
        }
        state.jobs.push_back(Job { source, key, hasher: Box::default(), done: 0, end, ticket: ticket.clone() });
        if !state.thread {
            let shared = self.0.clone();
            // Without a thread it is done here and now.
            state.thread = thread::Builder::new().name("hashes".into()).spawn(move || shared.work()).is_ok();
            if !state.thread {
                drop(state);
                self.0.work();
            }
        }
        ticket
    }
}

impl Shared {
    /// Hashes until nothing is left to do.
    fn work(&self) {
        loop {
            let mut state = lock(&self.state);
            let Some(mut job) = state.jobs.pop_front() else {
                state.thread = false;
                return;
            };
            // The list of what is under way holds one.
            let wanted = Arc::strong_count(&job.ticket) > 1 + usize::from(job.key.is_some());
            drop(state);
            let result = if wanted { job.slice() } else { Some(Err("nobody wants it".into())) };
            let mut state = lock(&self.state);
            let Some(result) = result else {
                state.jobs.push_back(job);
                continue;
            };
            if let Some(key) = job.key {
                state.under_way.remove(&key);
            }
            *lock(&job.ticket.0) = Some(result);
        }
    }
}

impl Job {
    /// Hashes a little; the result if that was the rest.
    fn slice(&mut self) -> Option<Result<Box<blake3::Hasher>, String>> {
        let turn = self.done.saturating_add(SLICE).min(self.end);
        match hash(&mut *self.source, &mut self.hasher, self.done, turn) {
            Ok(()) => self.done = turn,
            Err(error) => return Some(Err(error.to_string())),
        }
        (self.done == self.end).then(|| Ok(std::mem::take(&mut self.hasher)))
    }
}

/// Hashes what lies between two offsets.
fn hash(source: &mut dyn Source, hasher: &mut blake3::Hasher, mut from: u64, to: u64) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    while from < to {
        let wanted = (to - from).min(CHUNK as u64) as usize;
        let read = source.read_at(from, &mut chunk[..wanted])?;
        if read == 0 {
            return Err(io::Error::other("the file became shorter while it was read"));
        }
        hasher.update(&chunk[..read]);
        from += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::Pattern;

    fn key(inode: u64) -> FileKey {
        FileKey { file: (1, inode), changed: (0, 0), bytes: 1 }
    }

    #[test]
    fn what_is_hashed_beside_is_the_same_hash() {
        let hashes = Hashes::default();
        let tickets: Vec<_> = [10_000_000, 1, 0].map(|bytes| (bytes, hashes.begin(Box::new(Pattern(bytes)), bytes))).into();
        for (bytes, ticket) in tickets {
            let hasher = loop {
                match ticket.take() {
                    Some(hasher) => break hasher.unwrap(),
                    None => thread::yield_now(),
                }
            };
            let mut all = vec![0; bytes as usize];
            Pattern(bytes).read_at(0, &mut all).unwrap();
            assert_eq!(hasher.finalize(), blake3::hash(&all));
        }
    }

    #[test]
    fn so_many_hashes_are_kept_and_no_more() {
        let hashes = Hashes::default();
        (0..2 * KEPT as u64).for_each(|inode| hashes.keep(Some(key(inode)), &inode.to_string()));
        assert_eq!(lock(&hashes.0.state).kept.len(), KEPT);
        assert_eq!(hashes.known(Some(key(2 * KEPT as u64 - 1))), Some((2 * KEPT - 1).to_string()));
        assert_eq!(hashes.known(None), None);
    }
}
