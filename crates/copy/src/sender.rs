//! The end that has the files.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use symbiosis_quic::exchange::{End, Frame, Step};

use crate::compare::hash;
use crate::filter::Filter;
use crate::groups::{GROUP, node};
use crate::job::Options;
use crate::message::{Answer, Entry, Hash, Have, Kind, Say, Totals, frame, read, reason};
use crate::name::shown;
use crate::packing::Packer;
use crate::reading::{Piece, Reading, version};
use crate::tally::Tally;
use crate::walk::{Found, MODE, Walked, mtime, walk};

/// Entries that the receiver has not settled: it keeps each of them in memory (a few MB), and with 4 kB each they are 64 MB that it can ask for
/// ahead, what 1 Gbit/s takes for half a second.
pub(crate) const AHEAD: u64 = 16_384;
/// A file that changes while it is read is begun so many times in all.
const TRIES: u32 = 3;

/// What a sender gives.
pub enum Sources {
    /// Files and trees.
    Paths(Vec<PathBuf>),
    /// Bytes whose number is not known, under this name.
    Stream(String, Box<dyn Read + Send>),
}

/// The end that has the files.
pub struct Sender {
    sources: Option<Sources>,
    options: Options,
    filter: Filter,
    tally: Tally,
    entries: Vec<Found>,
    stream: Option<Box<dyn Read + Send>>,
    complete: bool,
    /// Entries that were told, and such that the receiver has settled.
    told: u64,
    settled: u64,
    listed: bool,
    wants: VecDeque<Want>,
    packer: Packer,
    /// What is sent, and how many times it was begun.
    current: Option<(u64, u32, Source)>,
    /// Files that are under way or done there, with what is known of them.
    asked: BTreeMap<u64, u64>,
    /// To be said before anything else.
    first: VecDeque<Frame>,
    finished: bool,
}

struct Want {
    index: u64,
    have: Option<Have>,
    unless: Option<Hash>,
}

enum Source {
    File(Reading),
    Stream(Box<dyn Read + Send>, u64),
}

impl Sender {
    /// Of these sources.
    ///
    /// # Errors
    /// A glob is none.
    pub fn new(sources: Sources, options: Options, tally: Tally) -> Result<Sender, String> {
        Ok(Sender {
            sources: Some(sources),
            filter: Filter::new(&options)?,
            packer: Packer::new(options.compress),
            options,
            tally,
            entries: Vec::new(),
            stream: None,
            complete: false,
            told: 0,
            settled: 0,
            listed: false,
            wants: VecDeque::new(),
            current: None,
            asked: BTreeMap::new(),
            first: VecDeque::new(),
            finished: false,
        })
    }

    fn say(&mut self, say: &Say) {
        self.first.push_back(frame(say, Vec::new()));
    }

    fn look(&mut self, sources: Sources) {
        let found = match sources {
            Sources::Paths(paths) => walk(&paths, &self.filter, &self.options),
            Sources::Stream(name, stream) => {
                self.stream = Some(stream);
                let entry = Entry { name: name.into_bytes(), kind: Kind::Stream, mode: 0o644, mtime: (0, 0) };
                let totals = Totals { files: 1, single: true, ..Totals::default() };
                Walked { entries: vec![Found { entry, path: PathBuf::new() }], totals, faults: Vec::new() }
            }
        };
        self.complete = found.faults.is_empty();
        self.tally.update(|progress| progress.totals = Some(found.totals));
        self.say(&Say::Totals(found.totals));
        for why in &found.faults {
            self.tally.fault(why);
            self.say(&Say::Fault(reason(why)));
        }
        self.entries = found.entries;
    }

    fn fault(&mut self, index: u64, error: &dyn std::fmt::Display) {
        let why = reason(&format!("{}: {error}", shown(self.entries[index as usize].path.as_os_str().as_bytes())));
        self.tally.fault(&why);
        self.say(&Say::Unread { index, why });
    }

    /// Begins what is wanted next.
    fn begin(&mut self, want: &Want) {
        if let Some(stream) = self.stream.take() {
            self.say(&Say::Begin { index: want.index, bytes: 0, mode: 0o644, mtime: (0, 0), version: [0; 16], from: 0 });
            self.current = Some((want.index, TRIES, Source::Stream(stream, 0)));
            return;
        }
        if let Err(error) = self.open(want.index, want.have, want.unless, 1) {
            self.fault(want.index, &error);
        }
    }

    fn open(&mut self, index: u64, have: Option<Have>, unless: Option<Hash>, tries: u32) -> io::Result<()> {
        let found = &self.entries[index as usize];
        let mut reading = Reading::open(&found.path)?;
        if let Some(unless) = unless
            && hash(&std::fs::File::open(&found.path)?)? == unless
        {
            self.say(&Say::Same { index, mode: reading.is.mode() & MODE, mtime: mtime(&reading.is) });
            return Ok(());
        }
        let version = version(&reading.is);
        let from = have.filter(|have| have.version == version && have.groups.saturating_mul(GROUP) <= reading.is.len());
        let from = from.map_or(0, |have| have.groups);
        reading.offset = from * GROUP;
        let name = shown(&found.entry.name);
        let has = reading.offset;
        self.tally.update(|progress| {
            progress.bytes += has;
            progress.resumed += has;
            progress.current = name;
        });
        let begin = Say::Begin { index, bytes: reading.is.len(), mode: reading.is.mode() & MODE, mtime: mtime(&reading.is), version, from };
        self.say(&begin);
        self.asked.insert(index, has);
        self.current = Some((index, tries, Source::File(reading)));
        Ok(())
    }

    /// The next of the file that is sent.
    fn goes_on(&mut self) -> Frame {
        let (index, tries, mut source) = self.current.take().expect("there is one");
        let (piece, at) = match &mut source {
            Source::File(reading) => {
                let at = reading.offset;
                (reading.next(), at)
            }
            Source::Stream(stream, offset) => {
                let at = *offset;
                (next_of(stream.as_mut(), offset), at)
            }
        };
        match piece {
            Ok(Piece::Data(bytes)) => {
                self.current = Some((index, tries, source));
                let node = node(at, &bytes);
                let packed = self.packer.packs(&bytes);
                self.moved(index, bytes.len() as u64, packed.as_ref().unwrap_or(&bytes).len() as u64);
                match packed {
                    Some(packed) => frame(&Say::Packed { node, bytes: bytes.len() as u32 }, packed),
                    None => frame(&Say::Data(node), bytes),
                }
            }
            Ok(Piece::Hole(groups)) => {
                if let Source::File(reading) = &source {
                    self.moved(index, reading.offset - at, 0);
                }
                self.current = Some((index, tries, source));
                frame(&Say::Hole(groups), Vec::new())
            }
            Ok(Piece::End) => frame(&Say::End { bytes: at }, Vec::new()),
            Ok(Piece::Changed) => self.changed(index, tries),
            Err(error) => {
                self.forget(index);
                self.fault(index, &error);
                self.first.pop_front().expect("it was just said")
            }
        }
    }

    fn changed(&mut self, index: u64, tries: u32) -> Frame {
        self.forget(index);
        let again = tries < TRIES && self.open(index, None, None, tries + 1).is_ok();
        let found = &self.entries[index as usize];
        // Where it is given up, the receiver says so.
        if again {
            self.tally.update(|progress| progress.changed += 1);
            self.tally.tell("changed while it was read, and is read again: ", found.entry.name.as_slice());
        }
        frame(&Say::Changed { again }, Vec::new())
    }

    fn moved(&mut self, index: u64, bytes: u64, carried: u64) {
        *self.asked.entry(index).or_default() += bytes;
        self.tally.update(|progress| {
            progress.bytes += bytes;
            progress.moved += bytes;
            progress.carried += carried;
        });
    }

    /// What came of a file does not count.
    fn forget(&mut self, index: u64) {
        if let Some(bytes) = self.asked.remove(&index) {
            self.tally.update(|progress| progress.bytes -= bytes);
        }
    }

    fn entry(&self, index: u64) -> Result<&Entry, String> {
        let known = usize::try_from(index).ok().filter(|_| index < self.told).and_then(|index| self.entries.get(index));
        known.map(|found| &found.entry).ok_or_else(|| format!("entry {index} is asked for, and was not told"))
    }

    fn settle(&mut self, entries: u64) -> Result<(), String> {
        self.settled = self.settled.saturating_add(entries);
        if self.settled > self.told { Err("more is settled than was told".into()) } else { Ok(()) }
    }
}

/// The next of a stream.
fn next_of(stream: &mut dyn Read, offset: &mut u64) -> io::Result<Piece> {
    let mut bytes = Vec::new();
    stream.take(GROUP).read_to_end(&mut bytes)?;
    *offset += bytes.len() as u64;
    Ok(if bytes.is_empty() { Piece::End } else { Piece::Data(bytes) })
}

impl End for Sender {
    fn take(&mut self, frame: Frame) -> Result<(), String> {
        match read::<Answer>(&frame)? {
            Answer::Want { index, have, unless } => {
                let entry = self.entry(index)?;
                let (Kind::File(_) | Kind::Stream) = entry.kind else { return Err("a folder or a link is asked for".into()) };
                if self.options.dry_run {
                    let name = entry.name.clone();
                    self.tally.tell("would copy ", &name);
                    self.tally.update(|progress| progress.copied += 1);
                    return self.settle(1);
                }
                self.wants.push_back(Want { index, have, unless });
                if self.wants.len() as u64 > self.told { Err("more is asked for than was told".into()) } else { Ok(()) }
            }
            Answer::Settled(settled) => {
                self.tally.update(|progress| {
                    progress.unchanged = progress.unchanged.saturating_add(settled.unchanged);
                    progress.files = progress.files.saturating_add(settled.files);
                    progress.bytes = progress.bytes.saturating_add(settled.bytes);
                });
                self.settle(settled.entries)
            }
            Answer::Done { index } => {
                let name = self.entry(index)?.name.clone();
                let was_sent = self.asked.remove(&index).is_some();
                self.tally.update(|progress| {
                    progress.files += 1;
                    progress.copied += u64::from(was_sent);
                    progress.unchanged += u64::from(!was_sent);
                });
                if self.options.verbose && was_sent {
                    self.tally.tell("", &name);
                }
                self.settle(1)
            }
            Answer::Failed { wanted, why } => {
                self.tally.fault(&reason(&why));
                self.settle(u64::from(wanted))
            }
            Answer::Removed(name) => {
                self.tally.update(|progress| progress.removed += 1);
                if self.options.dry_run || self.options.verbose {
                    self.tally.tell(if self.options.dry_run { "would remove " } else { "removed " }, &name);
                }
                Ok(())
            }
            Answer::Finished if self.listed => {
                self.tally.update(|progress| progress.finished = true);
                self.finished = true;
                Ok(())
            }
            Answer::Finished => Err("it is finished before everything was told".into()),
        }
    }

    fn next(&mut self) -> Result<Step, String> {
        if let Some(sources) = self.sources.take() {
            self.look(sources);
        }
        loop {
            if let Some(frame) = self.first.pop_front() {
                return Ok(Step::Say(frame));
            }
            // Entries before data: who waits for a long file should have something to ask for behind it.
            if self.told < self.entries.len() as u64 && self.told - self.settled < AHEAD {
                let say = Say::Entry(self.entries[self.told as usize].entry.clone());
                self.told += 1;
                return Ok(Step::Say(frame(&say, Vec::new())));
            }
            if self.told == self.entries.len() as u64 && !self.listed {
                self.listed = true;
                return Ok(Step::Say(frame(&Say::Listed { complete: self.complete }, Vec::new())));
            }
            if self.current.is_some() {
                return Ok(Step::Say(self.goes_on()));
            }
            match self.wants.pop_front() {
                Some(want) => self.begin(&want),
                None if self.finished => return Ok(Step::Over),
                None => return Ok(Step::Wait),
            }
        }
    }
}
