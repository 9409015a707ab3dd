//! The folder of a sweep: what has been found so far, and the dataset.
//!
//! Chunks of runs that have ended lie in `.unfinished` until all of their part have; then the part's files of the dataset are written and its
//! chunks go. So what a sweep needs on disk beside its results, and in memory, does not grow with the runs. Every file is whole or not there, and
//! what stands in it follows from the sweep alone: to write one twice, as after a task that was tried again, changes nothing.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use symbiosis_report::files::write_atomically;

use crate::dataset::PartWriter;
use crate::execute::{chunk_length, chunks};
use crate::record::{Record, decode, encode};
use crate::sweep::Sweep;

/// Runs in a part: a power of two, so that it holds whole chunks. Its files have some megabytes, as readers of Parquet like them.
const PART: u64 = 1 << 16;
/// The folder of what is not finished.
const UNFINISHED: &str = ".unfinished";

/// A folder with a sweep in it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    sweep: Arc<Sweep>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether each chunk is there, by itself or in a part.
    chunks: Vec<bool>,
    /// How many chunks of each part are not.
    missing: Vec<u64>,
}

/// What is written of a part.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Part {
    files: Vec<String>,
    failed: u64,
}

/// What a sweep came to: `sweep.json`, which is there when the dataset is whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// [`Sweep::id`].
    pub id: String,
    /// Runs that there were.
    pub runs: u64,
    /// Of these, runs that were not possible.
    pub failed: u64,
    /// The files of the dataset.
    pub files: Vec<String>,
}

/// Why a folder cannot be used.
#[derive(Debug)]
pub enum StoreError {
    /// Something else is in it, or something is missing from it.
    Unfit(String),
    /// Reading or writing fails.
    Io(io::Error),
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> StoreError {
        StoreError::Io(error)
    }
}

impl Store {
    /// What a finished sweep in the folder came to.
    pub fn done(folder: &Path, sweep: &Sweep) -> Option<Done> {
        finished(folder).filter(|done| done.id == sweep.id())
    }

    /// Opens the folder for a sweep: a new or an empty one, or one in which the same sweep was begun.
    ///
    /// # Errors
    /// Something else is in the folder, or writing fails.
    pub fn open(folder: &Path, sweep: Arc<Sweep>) -> Result<Store, StoreError> {
        let id = folder.join(UNFINISHED).join("id");
        match fs::read_to_string(&id) {
            Ok(begun) if begun == sweep.id() => {}
            Ok(_) => return Err(StoreError::Unfit("another sweep, or one of another version, was begun in it".into())),
            Err(_) if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) => {
                return Err(StoreError::Unfit("the folder is not empty".into()));
            }
            Err(_) => {
                write_atomically(folder.join("sweep.toml"), sweep.text())?;
                write_atomically(folder.join("scenario.toml"), sweep.scenario())?;
                write_atomically(&id, sweep.id())?;
            }
        }
        let store = Store { folder: folder.into(), sweep, state: Mutex::default() };
        store.look()?;
        Ok(store)
    }

    /// Sees what is there.
    fn look(&self) -> io::Result<()> {
        let all = chunks(&self.sweep);
        let mut state = State { chunks: vec![false; all as usize], missing: Vec::new() };
        for entry in fs::read_dir(self.unfinished())? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u64>().ok();
            if let Some(chunk) = number("chunk-").filter(|chunk| *chunk < all) {
                state.chunks[chunk as usize] = true;
            }
            if let Some(part) = number("part-").filter(|part| *part < self.parts()) {
                self.chunks_of(part).for_each(|chunk| state.chunks[chunk as usize] = true);
            }
        }
        state.missing =
            (0..self.parts()).map(|part| self.chunks_of(part).filter(|chunk| !state.chunks[*chunk as usize]).count() as u64).collect();
        *self.lock() = state;
        Ok(())
    }

    /// Its sweep.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// How many chunks its sweep has.
    pub fn chunks(&self) -> u64 {
        chunks(&self.sweep)
    }

    /// The chunks among these that are not there.
    pub fn missing(&self, chunks: Range<u64>) -> Vec<u64> {
        let state = self.lock();
        chunks.filter(|chunk| !state.chunks[*chunk as usize]).collect()
    }

    /// Keeps a chunk that has ended; when it was the last of its part, writes the part.
    ///
    /// # Errors
    /// Writing fails.
    pub fn keep(&self, chunk: u64, records: &[Record]) -> io::Result<()> {
        write_atomically(self.chunk(chunk), encode(records))?;
        let part = chunk * chunk_length(self.sweep.size()) / PART;
        let last = {
            let mut state = self.lock();
            let new = !std::mem::replace(&mut state.chunks[chunk as usize], true);
            state.missing[part as usize] -= u64::from(new);
            new && state.missing[part as usize] == 0
        };
        if last { self.write_part(part) } else { Ok(()) }
    }

    /// Ends the dataset, if everything is there; none if not.
    ///
    /// # Errors
    /// Reading or writing fails.
    pub fn finish(&self) -> io::Result<Option<Done>> {
        if !self.missing(0..chunks(&self.sweep)).is_empty() {
            return Ok(None);
        }
        let mut done =
            Done { id: self.sweep.id(), runs: self.sweep.runs(), failed: 0, files: vec!["sweep.toml".into(), "scenario.toml".into()] };
        for part in 0..self.parts() {
            if !self.part(part).exists() {
                self.write_part(part)?;
            }
            let Part { files, failed } = serde_json::from_slice(&fs::read(self.part(part))?).map_err(io::Error::other)?;
            done.files.extend(files);
            done.failed += failed;
        }
        write_atomically(self.folder.join("sweep.json"), serde_json::to_string_pretty(&done).map_err(io::Error::other)? + "\n")?;
        fs::remove_dir_all(self.unfinished())?;
        Ok(Some(done))
    }

    /// Takes over what a shard of the same sweep has found.
    ///
    /// # Errors
    /// It is a shard of another sweep, or copying fails.
    pub fn absorb(&self, shard: &Path) -> Result<(), StoreError> {
        let begun = fs::read_to_string(shard.join(UNFINISHED).join("id"));
        if begun.map_or(true, |id| id != self.sweep.id()) {
            return Err(StoreError::Unfit(format!("{} holds no shard of this sweep", shard.display())));
        }
        for entry in fs::read_dir(shard.join(UNFINISHED))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("part-") {
                let bytes = fs::read(entry.path())?;
                let part: Part = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
                part.files.iter().try_for_each(|file| copy(&shard.join(file), &self.folder.join(file)))?;
                write_atomically(self.unfinished().join(name), bytes)?;
            } else if name.starts_with("chunk-") {
                copy(&entry.path(), &self.unfinished().join(name))?;
            }
        }
        let traces = shard.join("traces");
        for run in fs::read_dir(&traces).into_iter().flatten() {
            let run = run?.file_name();
            for file in fs::read_dir(traces.join(&run))? {
                let file = Path::new("traces").join(&run).join(file?.file_name());
                copy(&shard.join(&file), &self.folder.join(&file))?;
            }
        }
        Ok(self.look()?)
    }

    /// The runs that are not there, as ranges.
    pub fn gaps(&self) -> Vec<Range<u64>> {
        let length = chunk_length(self.sweep.size());
        let mut gaps: Vec<Range<u64>> = Vec::new();
        for chunk in self.missing(0..chunks(&self.sweep)) {
            let (start, end) = (chunk * length, ((chunk + 1) * length).min(self.sweep.size()));
            match gaps.last_mut().filter(|gap| gap.end == start) {
                Some(gap) => gap.end = end,
                None => gaps.push(start..end),
            }
        }
        gaps
    }

    fn write_part(&self, part: u64) -> io::Result<()> {
        let mut writer = PartWriter::new(&self.folder, self.sweep.grid(), self.sweep.size());
        for chunk in self.chunks_of(part) {
            let path = self.chunk(chunk);
            let broken = || io::Error::other(format!("{} is not whole: remove it, and run the sweep again", path.display()));
            for record in decode(&fs::read(&path)?).ok_or_else(broken)? {
                writer.push(&record)?;
            }
        }
        let (files, failed) = writer.end()?;
        write_atomically(self.part(part), serde_json::to_string(&Part { files, failed }).map_err(io::Error::other)?)?;
        self.chunks_of(part).try_for_each(|chunk| fs::remove_file(self.chunk(chunk)))
    }

    fn parts(&self) -> u64 {
        self.sweep.size().div_ceil(PART)
    }

    fn chunks_of(&self, part: u64) -> Range<u64> {
        let each = PART / chunk_length(self.sweep.size());
        part * each..((part + 1) * each).min(chunks(&self.sweep))
    }

    fn unfinished(&self) -> PathBuf {
        self.folder.join(UNFINISHED)
    }

    fn chunk(&self, chunk: u64) -> PathBuf {
        self.unfinished().join(format!("chunk-{chunk}"))
    }

    fn part(&self, part: u64) -> PathBuf {
        self.unfinished().join(format!("part-{part}"))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the folder's sweep came to, if it is finished.
pub(crate) fn finished(folder: &Path) -> Option<Done> {
    serde_json::from_slice(&fs::read(folder.join("sweep.json")).ok()?).ok()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    write_atomically(to, fs::read(from)?)
}
