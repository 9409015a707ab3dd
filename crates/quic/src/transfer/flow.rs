//! A file's bytes on their way out, and on their way in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use bytes::Bytes;
use noq_proto::{Connection, PathId};

use super::broken::Broken;
use super::hashes::{Hashes, Ticket};
use super::message::Hash;
use super::pipe::{Pipe, Read};
use super::pool::Credit;
use super::storage::{Sink, Source};

/// Bytes that a connection hashes, reads or writes before others get their turn: 4 ms at a gigabyte a second.
const TURN: usize = 4 << 20;
/// Bytes that pass at a time: 2000 reads of a file in a second at 1 Gbit/s.
const CHUNK: usize = 64 << 10;

/// What is no longer than this is hashed at once where hashes are made beside, too: that takes less than to wait for them.
const AT_ONCE: u64 = 256 << 10;

/// What all streams of a connection may do together before others get their turn \[bytes\].
#[derive(Debug)]
pub(crate) struct Turn(usize);

impl Turn {
    /// What was done of it.
    pub(crate) fn used(&self) -> u64 {
        (TURN - self.0) as u64
    }
}

impl Default for Turn {
    fn default() -> Turn {
        Turn(TURN)
    }
}

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It waits for the peer.
    Wait,
    /// There is more to do at once.
    Again,
    /// It waits for what is done beside, in this process.
    Soon,
    /// Done.
    Done,
}

/// Hashes what is on this side already.
#[derive(Debug, Default)]
pub(crate) struct Hashing {
    hasher: Box<blake3::Hasher>,
    pub(crate) done: u64,
    /// Somebody else does it.
    ticket: Option<Arc<Ticket>>,
}

impl Hashing {
    /// Hashes on, up to `end`: at once, or beside if there are `hashes` and the bytes can be read there, too.
    pub(crate) fn advance(
        &mut self,
        end: u64,
        turn: &mut Turn,
        beside: Option<(&Hashes, Option<Box<dyn Source>>)>,
        mut read_at: impl FnMut(u64, &mut [u8]) -> std::io::Result<usize>,
    ) -> Result<Step, std::io::Error> {
        if let Some((hashes, Some(source))) = beside.filter(|_| self.ticket.is_none() && self.done == 0 && end > AT_ONCE) {
            self.ticket = Some(hashes.begin(source, end));
        }
        if let Some(ticket) = &self.ticket {
            let Some(result) = ticket.take() else { return Ok(Step::Soon) };
            (self.hasher, self.done, self.ticket) = (result.map_err(std::io::Error::other)?, end, None);
        }
        let mut chunk = Vec::new();
        while self.done < end {
            if turn.0 == 0 {
                return Ok(Step::Again);
            }
            chunk.resize(CHUNK, 0);
            let wanted = (end - self.done).min(CHUNK.min(turn.0) as u64) as usize;
            let read = read_at(self.done, &mut chunk[..wanted])?;
            if read == 0 {
                return Err(std::io::Error::other("the file became shorter while it was read"));
            }
            self.hasher.update(&chunk[..read]);
            self.done += read as u64;
            turn.0 -= read;
        }
        Ok(Step::Done)
    }

    /// Whether this waits for what is done beside.
    pub(crate) fn waits(&self) -> bool {
        self.ticket.is_some()
    }

    pub(crate) fn hash(&self) -> Hash {
        self.hasher.finalize().to_hex().to_string()
    }
}

/// A file on its way out.
pub(crate) struct Outflow {
    source: Box<dyn Source>,
    pub(crate) offset: u64,
    /// Read and not yet written.
    unsent: Bytes,
}

impl Outflow {
    pub(crate) fn new(source: Box<dyn Source>, offset: u64) -> Outflow {
        Outflow { source, offset, unsent: Bytes::new() }
    }

    /// Writes as much as finds room, and the end behind the last byte.
    pub(crate) fn advance(
        &mut self,
        pipe: &mut Pipe,
        credit: &mut Credit,
        turn: &mut Turn,
        connection: &mut Connection,
    ) -> Result<Step, Broken> {
        if !pipe.flush(connection)? {
            return Ok(Step::Wait);
        }
        let window = connection.congestion_state(PathId::ZERO).map_or(0, |control| control.metrics().congestion_window);
        loop {
            if self.unsent.is_empty() {
                let left = self.source.bytes().saturating_sub(self.offset);
                if left == 0 {
                    pipe.finish(connection);
                    return Ok(Step::Done);
                }
                if turn.0 == 0 {
                    return Ok(Step::Again);
                }
                if !credit.may_send(window) {
                    return Ok(Step::Wait);
                }
                let mut chunk = vec![0; left.min(CHUNK as u64) as usize];
                let read = self.source.read_at(self.offset, &mut chunk).map_err(|error| Broken(format!("reading failed: {error}")))?;
                if read == 0 {
                    return Err(Broken("the file became shorter while it was sent".into()));
                }
                chunk.truncate(read);
                self.unsent = credit.account.sends(chunk);
            }
            // A peer that wants no more says why in a message.
            let Ok(written) = pipe.pass(connection, &mut self.unsent) else {
                pipe.give_up(connection);
                return Ok(Step::Done);
            };
            if written == 0 {
                return Ok(Step::Wait);
            }
            self.offset += written as u64;
            turn.0 = turn.0.saturating_sub(written);
        }
    }
}

/// A file on its way in.
pub(crate) struct Inflow {
    sink: Box<dyn Sink>,
    hashing: Hashing,
    /// How much there will be, and what it will be.
    bytes: u64,
    hash: Hash,
}

impl Inflow {
    pub(crate) fn new(sink: Box<dyn Sink>, bytes: u64, hash: Hash) -> Inflow {
        Inflow { sink, hashing: Hashing::default(), bytes, hash }
    }

    /// What is there, and how much there will be.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.hashing.done, self.bytes)
    }

    /// Hashes what was there before. Done: [`Inflow::progress`] tells from where on bytes are missing.
    pub(crate) fn prepare(&mut self, turn: &mut Turn, hashes: Option<&Hashes>) -> Result<Step, Broken> {
        let (has, sink) = (self.sink.has(), &mut self.sink);
        let another = hashes.map(|hashes| (hashes, if self.hashing.waits() { None } else { sink.reader() }));
        self.hashing
            .advance(has, turn, another, |offset, into| sink.read_at(offset, into))
            .map_err(|error| Broken(format!("what is there of the file cannot be read: {error}")))
    }

    /// Takes what came. Done: the stream ended.
    pub(crate) fn advance(&mut self, pipe: &mut Pipe, turn: &mut Turn, connection: &mut Connection) -> Result<Step, Broken> {
        while turn.0 > 0 {
            match pipe.bytes(connection, CHUNK)? {
                Read::Blocked => return Ok(Step::Wait),
                Read::End => return Ok(Step::Done),
                Read::Bytes(bytes) => {
                    if self.hashing.done + bytes.len() as u64 > self.bytes {
                        return Err(Broken(format!("more than the {} bytes that were announced", self.bytes)));
                    }
                    self.sink.write(&bytes).map_err(|error| Broken(format!("writing failed: {error}")))?;
                    self.hashing.hasher.update(&bytes);
                    self.hashing.done += bytes.len() as u64;
                    turn.0 = turn.0.saturating_sub(bytes.len());
                }
            }
        }
        Ok(Step::Again)
    }

    /// Checks what came, and gives it its name; `beside` in a thread of its own, since a disk may take seconds.
    pub(crate) fn complete(self, beside: bool) -> Completing {
        let completing = Completing::default();
        let there = completing.clone();
        let work = move || *there.lock() = Some(self.name());
        if beside {
            // Without a thread the file is given up: what has arrived of it stays.
            if thread::Builder::new().name("completes".into()).spawn(work).is_err() {
                *completing.lock() = Some(Err(Broken("writing failed: there is no thread to do it".into())));
            }
        } else {
            work();
        }
        completing
    }

    /// The same, here and now.
    pub(crate) fn name(self) -> Result<(), Broken> {
        if self.hashing.done < self.bytes {
            return Err(Broken(format!("it ended after {} of {} bytes", self.hashing.done, self.bytes)));
        }
        let hash = self.hashing.hash();
        if hash != self.hash {
            self.sink.discard();
            return Err(Broken(format!("its hash is {hash}, but should be {}", self.hash)));
        }
        self.sink.complete().map_err(Broken)
    }
}

/// A file that is checked and gets its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completing(Arc<Mutex<Option<Result<(), Broken>>>>);

impl Completing {
    fn lock(&self) -> MutexGuard<'_, Option<Result<(), Broken>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came of it, if it is done.
    pub(crate) fn done(&self) -> Option<Result<(), Broken>> {
        self.lock().clone()
    }
}
