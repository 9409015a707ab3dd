//! A file's bytes on their way out, and on their way in.

use bytes::Bytes;
use noq_proto::{Connection, PathId};

use super::pipe::{Broken, Pipe, Read};
use super::{Hash, Sink, Source};

/// Bytes that are hashed, read or written before others get their turn.
const TURN: usize = 4 << 20;
/// Bytes that pass at a time.
const CHUNK: usize = 64 << 10;

/// Bytes that are written ahead beside two windows.
const AHEAD: u64 = 256 << 10;
/// Most that is written ahead: as much as a receiver of this project lets come ([`crate::node::Settings::buffer`]).
const MOST_AHEAD: u64 = 64_000_000;

/// Lets so much be written ahead as the next round trip may need, and not more: what is written cannot be taken back, and would count as
/// done.
fn limit_ahead(connection: &mut Connection) {
    let window = connection.congestion_state(PathId::ZERO).map_or(0, |control| control.metrics().congestion_window);
    connection.set_send_window(window.saturating_mul(2).saturating_add(AHEAD).min(MOST_AHEAD));
}

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It waits for the peer.
    Wait,
    /// There is more to do at once.
    Again,
    /// Done.
    Done,
}

/// Hashes what is on this side already.
#[derive(Debug, Default)]
pub(crate) struct Hashing {
    hasher: Box<blake3::Hasher>,
    pub(crate) done: u64,
}

impl Hashing {
    /// Hashes on, up to `end`.
    pub(crate) fn advance(
        &mut self,
        end: u64,
        mut read_at: impl FnMut(u64, &mut [u8]) -> std::io::Result<usize>,
    ) -> Result<Step, std::io::Error> {
        let mut chunk = vec![0; CHUNK];
        let turn = self.done.saturating_add(TURN as u64).min(end);
        while self.done < turn {
            let wanted = (turn - self.done).min(CHUNK as u64) as usize;
            let read = read_at(self.done, &mut chunk[..wanted])?;
            if read == 0 {
                return Err(std::io::Error::other("the file became shorter while it was read"));
            }
            self.hasher.update(&chunk[..read]);
            self.done += read as u64;
        }
        Ok(if self.done == end { Step::Done } else { Step::Again })
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
    pub(crate) fn advance(&mut self, pipe: &mut Pipe, connection: &mut Connection) -> Result<Step, Broken> {
        if !pipe.flush(connection)? {
            return Ok(Step::Wait);
        }
        limit_ahead(connection);
        let mut turn = 0;
        loop {
            if self.unsent.is_empty() {
                let left = self.source.bytes().saturating_sub(self.offset);
                if left == 0 {
                    pipe.finish(connection);
                    return Ok(Step::Done);
                }
                if turn >= TURN {
                    return Ok(Step::Again);
                }
                let mut chunk = vec![0; left.min(CHUNK as u64) as usize];
                let read = self.source.read_at(self.offset, &mut chunk).map_err(|error| Broken(format!("reading failed: {error}")))?;
                if read == 0 {
                    return Err(Broken("the file became shorter while it was sent".into()));
                }
                chunk.truncate(read);
                self.unsent = chunk.into();
            }
            // A peer that wants no more says why in a message.
            let Ok(written) = pipe.pass(connection, &mut self.unsent) else { return Ok(Step::Done) };
            if written == 0 {
                return Ok(Step::Wait);
            }
            self.offset += written as u64;
            turn += written;
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
    pub(crate) fn prepare(&mut self) -> Result<Step, Broken> {
        let (has, sink) = (self.sink.has(), &mut self.sink);
        self.hashing
            .advance(has, |offset, into| sink.read_at(offset, into))
            .map_err(|error| Broken(format!("what is there of the file cannot be read: {error}")))
    }

    /// Takes what came. Done: the stream ended.
    pub(crate) fn advance(&mut self, pipe: &mut Pipe, connection: &mut Connection) -> Result<Step, Broken> {
        let mut turn = 0;
        while turn < TURN {
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
                    turn += bytes.len();
                }
            }
        }
        Ok(Step::Again)
    }

    /// Checks what came, and gives it its name.
    pub(crate) fn complete(self) -> Result<(), Broken> {
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
