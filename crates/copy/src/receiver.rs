//! The end that wants the files.

mod ending;
mod settling;
mod target;

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use symbiosis_quic::exchange::{End, Frame, Step};

use crate::filter::Filter;
use crate::job::Options;
use crate::message::{Answer, Entry, Kind, Say, Settled, Time, frame, read, reason};
use crate::name::{checked, shown};
use crate::packing::unpacked;
use crate::part::{Fault, Part, Will};
use crate::place::settle;
use crate::removal::Seen;
use crate::sender::AHEAD;
use crate::tally::Tally;

use settling::{Outcome, settled};
use target::Place;
pub use target::Target;

/// Folders whose permissions and times wait for the end: some 100 MB of names. A sender that has more is refused.
const FOLDERS: usize = 1_000_000;

/// The end that wants the files.
pub struct Receiver {
    target: Option<Target>,
    place: Place,
    options: Options,
    filter: Filter,
    tally: Tally,
    told: u64,
    /// Entries whose content was asked for.
    pending: BTreeMap<u64, Pending>,
    /// Entries that are settled, and those of them of which everything was there, that the sender was not told of yet.
    settled: Settled,
    folders: Vec<(PathBuf, u32, Time)>,
    seen: Seen,
    current: Current,
    answers: VecDeque<Answer>,
    listed: Option<bool>,
    finished: bool,
}

struct Pending {
    name: PathBuf,
    stream: bool,
    /// What it had of it, and what therefore counts already.
    counted: u64,
}

enum Current {
    None,
    File(u64, Part),
    Stream(u64, Box<dyn Write + Send>),
    /// It does not arrive: what still comes of it is forgotten.
    Given(u64),
}

impl Receiver {
    /// Into that place.
    ///
    /// # Errors
    /// A glob is none.
    pub fn new(target: Target, options: Options, tally: Tally) -> Result<Receiver, String> {
        Ok(Receiver {
            target: Some(target),
            place: Place::Nowhere,
            filter: Filter::new(&options)?,
            options,
            tally,
            told: 0,
            pending: BTreeMap::new(),
            settled: Settled::default(),
            folders: Vec::new(),
            seen: Seen::default(),
            current: Current::None,
            answers: VecDeque::new(),
            listed: None,
            finished: false,
        })
    }

    fn entry(&mut self, entry: Entry) -> Result<(), String> {
        let index = self.told;
        self.told += 1;
        if self.pending.len() as u64 > AHEAD {
            return Err("more entries are told than were settled".into());
        }
        if self.options.list {
            self.tally.list(&entry);
            self.settles(false);
            return Ok(());
        }
        let name = match (&entry.kind, &entry.name[..]) {
            (Kind::Folder, b"") => PathBuf::new(),
            (_, name) => self.place.named(checked(name)?, index)?,
        };
        if self.options.delete {
            self.seen.add(&name);
        }
        if entry.kind == Kind::Folder {
            if self.folders.len() >= FOLDERS {
                return Err(format!("there are more than {FOLDERS} folders"));
            }
            self.folders.push((name.clone(), entry.mode, entry.mtime));
        }
        match settled(&mut self.place, &name, &entry, &self.options) {
            Ok(Outcome::Settled { unchanged }) => {
                if let Kind::File(bytes) = entry.kind {
                    self.settled.files += 1;
                    self.settled.bytes = self.settled.bytes.saturating_add(bytes);
                    self.tally
                        .update(|progress| (progress.files, progress.bytes) = (progress.files + 1, progress.bytes.saturating_add(bytes)));
                }
                if !unchanged && (self.options.dry_run || self.options.verbose) {
                    self.tally.tell("", &entry.name);
                }
                self.settles(unchanged);
            }
            Ok(Outcome::Wanted { have, unless }) => {
                self.tell_settled();
                self.answers.push_back(Answer::Want { index, have, unless });
                if self.options.dry_run {
                    self.tally.tell("would copy ", &entry.name);
                    self.tally.update(|progress| progress.copied += 1);
                } else {
                    self.pending.insert(index, Pending { name, stream: entry.kind == Kind::Stream, counted: 0 });
                }
            }
            Err(why) => self.fails(false, &format!("{}: {why}", shown(&entry.name))),
        }
        Ok(())
    }

    /// Nothing more is wanted of an entry.
    fn settles(&mut self, unchanged: bool) {
        self.settled.entries += 1;
        self.settled.unchanged += u64::from(unchanged);
        self.tally.update(|progress| progress.unchanged += u64::from(unchanged));
    }

    /// In few messages.
    fn tell_settled(&mut self) {
        let settled = std::mem::take(&mut self.settled);
        if settled.entries > 0 {
            self.answers.push_back(Answer::Settled(settled));
        }
    }

    fn fails(&mut self, wanted: bool, why: &str) {
        self.tally.fault(why);
        self.answers.push_back(Answer::Failed { wanted, why: reason(why) });
        if !wanted {
            self.settled.entries += 1;
        }
    }

    fn begin(&mut self, index: u64, will: Will) -> Result<(), String> {
        let Some(pending) = self.pending.get_mut(&index) else { return Err("a file begins that was not asked for".into()) };
        if !matches!(self.current, Current::None) {
            return Err("a file begins while another is under way".into());
        }
        let has = will.from.saturating_mul(crate::groups::GROUP);
        pending.counted = has;
        let (name, will) = (pending.name.clone(), Will { stream: pending.stream, ..will });
        self.tally.update(|progress| {
            progress.current = shown(name.as_os_str().as_bytes());
            (progress.bytes, progress.resumed) = (progress.bytes + has, progress.resumed + has);
        });
        self.current = match &mut self.place {
            Place::Stream(stream) => match stream.take() {
                Some(stream) => Current::Stream(index, stream),
                None => return Err("a second file for one stream".into()),
            },
            place => match place.parent(&name).map_err(Fault::from).and_then(|(dir, last)| Part::begin(dir, last, will)) {
                Ok(part) => Current::File(index, part),
                Err(fault) => {
                    self.lose(index, fault)?;
                    Current::Given(index)
                }
            },
        };
        Ok(())
    }

    /// A file does not arrive.
    fn lose(&mut self, index: u64, fault: Fault) -> Result<(), String> {
        let Some(pending) = self.pending.remove(&index) else { return Ok(()) };
        self.tally.update(|progress| progress.bytes -= pending.counted);
        let name = shown(pending.name.as_os_str().as_bytes());
        match fault {
            // What had come stays, for the next time.
            Fault::Disk(error) => Err(format!("{name}: writing failed: {error}")),
            Fault::File(why) => {
                self.fails(true, &format!("{name}: {why}"));
                Ok(())
            }
        }
    }

    fn data(&mut self, bytes: u64, write: impl FnOnce(&mut Current) -> Result<(), Fault>) -> Result<(), String> {
        let (Current::File(index, _) | Current::Stream(index, _) | Current::Given(index)) = self.current else {
            return Err("data of no file".into());
        };
        match write(&mut self.current) {
            Ok(()) => {
                if let Some(pending) = self.pending.get_mut(&index) {
                    pending.counted += bytes;
                    self.tally.update(|progress| (progress.bytes, progress.moved) = (progress.bytes + bytes, progress.moved + bytes));
                }
                Ok(())
            }
            Err(fault) => {
                self.current = Current::Given(index);
                self.lose(index, fault)
            }
        }
    }

    fn end(&mut self, bytes: u64) -> Result<(), String> {
        let (index, done) = match std::mem::replace(&mut self.current, Current::None) {
            Current::File(index, part) => (index, part.complete(bytes).map(|_| ())),
            Current::Stream(index, mut stream) => (index, stream.flush().map_err(Fault::from)),
            Current::Given(_) => return Ok(()),
            Current::None => return Err("an end of no file".into()),
        };
        match done {
            Ok(()) => {
                self.done(index, true);
                Ok(())
            }
            Err(fault) => self.lose(index, fault),
        }
    }

    fn done(&mut self, index: u64, copied: bool) {
        let Some(pending) = self.pending.remove(&index) else { return };
        if copied && self.options.verbose {
            self.tally.tell("", pending.name.as_os_str().as_bytes());
        }
        self.tally.update(|progress| {
            progress.files += 1;
            progress.copied += u64::from(copied);
            progress.unchanged += u64::from(!copied);
        });
        self.answers.push_back(Answer::Done { index });
    }

    /// The content is there already: its permissions and time may not be.
    fn same(&mut self, index: u64, mode: u32, mtime: Time) -> Result<(), String> {
        let Some(pending) = self.pending.get(&index) else { return Err("a file is the same that was not asked for".into()) };
        if let Err(error) = self.place.parent(&pending.name).and_then(|(dir, last)| settle(&dir, last, Some(mode), mtime)) {
            return self.lose(index, error.into());
        }
        self.done(index, false);
        Ok(())
    }

    fn changed(&mut self, again: bool) -> Result<(), String> {
        let (Current::File(index, _) | Current::Stream(index, _) | Current::Given(index)) = self.current else {
            return Err("a file changed that had not begun".into());
        };
        if let Current::File(_, part) = &mut self.current {
            part.discard();
        }
        self.current = Current::None;
        let Some(pending) = self.pending.get_mut(&index) else { return Ok(()) };
        let counted = std::mem::take(&mut pending.counted);
        self.tally.update(|progress| {
            progress.bytes -= counted;
            progress.changed += u64::from(again);
        });
        if !again {
            return self.lose(index, Fault::File("it changed while it was read".into()));
        }
        Ok(())
    }

    fn hears(&mut self, say: Say, body: &[u8]) -> Result<(), String> {
        match say {
            Say::Totals(totals) => {
                let target = self.target.take().ok_or("there are totals already")?;
                self.tally.update(|progress| progress.totals = Some(totals));
                if self.options.list {
                    return Ok(());
                }
                self.place = target.open(&totals, self.options.dry_run)?;
                Ok(())
            }
            _ if self.target.is_some() => Err("there are no totals".into()),
            Say::Entry(entry) => self.entry(entry),
            Say::Fault(why) => {
                self.tally.fault(&why);
                Ok(())
            }
            Say::Listed { complete } => {
                self.listed = Some(complete);
                Ok(())
            }
            Say::Begin { index, bytes, mode, mtime, version, from } => {
                self.begin(index, Will { bytes, mode, mtime, version, from, stream: false })
            }
            Say::Data(node) => self.data(body.len() as u64, |current| match current {
                Current::File(_, part) => part.write(body, &node),
                Current::Stream(_, stream) => Ok(stream.write_all(body)?),
                Current::None | Current::Given(_) => Ok(()),
            }),
            Say::Packed { node, bytes } => self.hears(Say::Data(node), &unpacked(body, bytes)?),
            Say::Hole(groups) => self.data(0, |current| match current {
                Current::File(_, part) => part.hole(groups),
                Current::Stream(_, stream) => {
                    let bytes = groups.saturating_mul(crate::groups::GROUP);
                    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), bytes), stream)?;
                    Ok(())
                }
                Current::None | Current::Given(_) => Ok(()),
            }),
            Say::End { bytes } => self.end(bytes),
            Say::Same { index, mode, mtime } => self.same(index, mode, mtime),
            Say::Changed { again } => self.changed(again),
            Say::Unread { index, why } => {
                if let Current::File(current, part) = &mut self.current
                    && *current == index
                {
                    part.discard();
                    self.current = Current::None;
                }
                let Some(pending) = self.pending.remove(&index) else { return Err("a file fails that was not asked for".into()) };
                self.tally.update(|progress| progress.bytes -= pending.counted);
                self.tally.fault(&why);
                // The sender knows, and counts it as settled by this.
                self.settled.entries += 1;
                Ok(())
            }
        }
    }
}

impl End for Receiver {
    fn take(&mut self, frame: Frame) -> Result<(), String> {
        if self.finished {
            return Err("something comes after the end".into());
        }
        let say = read(&frame)?;
        self.hears(say, &frame.body)
    }

    fn next(&mut self) -> Result<Step, String> {
        loop {
            if let Some(answer) = self.answers.pop_front() {
                return Ok(Step::Say(frame(&answer, Vec::new())));
            }
            self.tell_settled();
            if !self.answers.is_empty() {
                continue;
            }
            if self.finished {
                return Ok(Step::Over);
            }
            if self.listed.is_none() || !self.pending.is_empty() || !matches!(self.current, Current::None) {
                return Ok(Step::Wait);
            }
            self.finish();
        }
    }
}
