//! What is under way on an exchange's stream: frames forth and back.

use bytes::Bytes;
use noq_proto::{Connection, PathId, StreamId};
use symbiosis_base::{Instant, Rate, Span};

use super::end::{Frame, Polled, Work};
use super::framing::{Assembly, begin};
use super::moved::Moved;
use super::still::{Marks, STILL, Still};
use super::waits::{TOLD, Waits};
use crate::transfer::broken::Broken;
use crate::transfer::pipe::{Pipe, Read};
use crate::transfer::pool::{Credit, Pool};

/// Frames leave together until there are so many bytes: 2000 writes in a second at 1 Gbit/s.
const TOGETHER: usize = 64 << 10;
/// A body no longer than this is copied to stand with others.
const SMALL: usize = 16 << 10;
/// What a limited rate may be ahead: a burst of 20 ms, in which a thread that was put aside is back.
pub(super) const AHEAD: Span = Span::from_millis(20);
/// Least that a limited rate writes at once \[bytes\]: a packet's.
pub(super) const LEAST: usize = 1 << 10;

/// A gap in what came is filled within this time, or never: what is lost is repeated each round trip, and a peer from which nothing comes is gone
/// after as long. noq 1.4 forgets pieces that it has acknowledged: where 24 frames or more of one packet fill gaps of a stream that is read
/// unordered, its `assembler.rs` (`defragment`) takes those below the number of bytes read for duplicates.
const FILLED_WITHIN: Span = Span::from_millis(20_000);

/// The peer is told this often what this side waited for: who watches wants to know it now.
const TOLD_EVERY: Span = Span::from_millis(1000);

/// The stream of an exchange, and the end that uses it.
pub(super) struct Talk {
    pipe: Pipe,
    pub(super) work: Box<dyn Work>,
    pub(super) credit: Credit,
    assembly: Assembly,
    unsent: Bytes,
    /// What is left of the body of the frame whose head was written last.
    body: Bytes,
    pub(super) opened: bool,
    /// The gap behind which bytes wait, and since when.
    gap: Option<(u64, Instant)>,
    /// When the peer was last told what this side waited for, and whether it was for the last time.
    told: (Instant, bool),
    /// Bytes of that, both ways, which are no movement.
    notes: (u64, u64),
    /// What the peer has read, as it last said.
    taken: u64,
    still: Still,
    /// Written at once.
    together: usize,
    /// This end has said everything, and so has the peer.
    pub(super) over: (bool, bool),
}

/// Why nothing more can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The connection takes no more.
    Blocked,
    /// The end is at work.
    Soon,
    /// The end waits for the peer.
    Waits,
    /// The end has said all.
    Over,
    /// It had its turn.
    Turn,
    /// It is as fast as it may be.
    Limited,
}

impl Talk {
    pub(super) fn new(now: Instant, id: StreamId, work: Box<dyn Work>, opened: bool) -> Talk {
        let credit = Credit::new(&Pool::default());
        let mut pipe = Pipe::new(id, &credit.account);
        if opened {
            // A stream is seen by the other side when something comes on it: a frame with nothing in it.
            let mut first = Vec::new();
            begin(&Frame::default(), &mut first);
            pipe.append(&first);
        }
        Talk {
            pipe,
            work,
            credit,
            assembly: Assembly::default(),
            unsent: Bytes::new(),
            body: Bytes::new(),
            opened,
            gap: None,
            told: (now, false),
            notes: (0, 0),
            taken: 0,
            still: Still::new(now),
            together: TOGETHER,
            over: (false, false),
        }
    }

    /// Writes at once what that rate allows: evenly, so that the peer sees it move.
    pub(super) fn keeps_to(&mut self, limit: Option<Rate>) {
        self.together = limit.map_or(TOGETHER, |limit| (limit.times(AHEAD) as usize).clamp(LEAST, TOGETHER));
    }

    /// Reads what came; whether the end takes more.
    pub(super) fn read(&mut self, connection: &mut Connection, moved: &mut Moved, turn: &mut usize) -> Result<bool, Broken> {
        self.pipe.collect(connection)?;
        while !self.over.1 && *turn > 0 {
            if !self.work.has_room() {
                return Ok(false);
            }
            match self.pipe.bytes(connection, self.assembly.wants())? {
                Read::Blocked => return Ok(true),
                Read::End if self.assembly.wants() == 6 => self.over.1 = true,
                Read::End => return Err(Broken("the peer ended in the middle of a frame".into())),
                Read::Bytes(bytes) => {
                    moved.read += bytes.len() as u64;
                    *turn = turn.saturating_sub(bytes.len());
                    match self.assembly.take(&bytes).map_err(Broken)? {
                        Some(frame) if frame.head.is_empty() => {
                            if let Some((waits, taken)) = Waits::read(&frame.body) {
                                (moved.peer_waits, self.taken) = (waits, taken);
                                self.notes.1 += TOLD;
                            }
                        }
                        Some(frame) => self.work.feed(frame),
                        None => {}
                    }
                }
            }
        }
        Ok(true)
    }

    /// Ends what would never end: see [`FILLED_WITHIN`].
    pub(super) fn waits_for_gap(&mut self, now: Instant) -> Result<(), Broken> {
        let since = self.gap.map_or(now, |(_, since)| since);
        self.gap = match (self.pipe.gap(), self.gap) {
            (Some(gap), Some((before, _))) if gap == before => Some((gap, since)),
            (gap, _) => gap.map(|gap| (gap, now)),
        };
        match self.gap {
            Some((_, since)) if now - since > FILLED_WITHIN => {
                Err(Broken("a part of the stream was acknowledged and did not arrive".into()))
            }
            _ => Ok(()),
        }
    }

    /// What the peer has acknowledged of so many bytes that were written.
    pub(super) fn acknowledged(&self, written: u64) -> u64 {
        written.saturating_sub(self.credit.account.unacknowledged().saturating_sub(self.unsent.len() as u64))
    }

    /// Ends what only waits on both sides.
    pub(super) fn stands_still(&mut self, now: Instant, moved: &Moved, state: State, takes: bool) -> Result<(), Broken> {
        let marks = Marks {
            written: moved.written.saturating_sub(self.notes.0),
            read: moved.read.saturating_sub(self.notes.1),
            taken: self.taken.saturating_sub(self.notes.0),
            at_work: moved.peer_waits.at_work(),
        };
        let waits_for = match state {
            State::Soon | State::Turn | State::Limited => None,
            State::Blocked => Some("the connection to take more"),
            State::Waits | State::Over => Some("what the other says"),
        };
        let works = waits_for.is_none() || !takes;
        let Some(other) = self.still.looks(now, works, marks, moved.peer_waits) else { return Ok(()) };
        let seconds = STILL.secs();
        Err(Broken(format!(
            "nothing has moved for {seconds} s: this side waits for {}, and the other for {other}",
            waits_for.unwrap_or("itself")
        )))
    }

    pub(super) fn write(
        &mut self,
        now: Instant,
        connection: &mut Connection,
        moved: &mut Moved,
        turn: &mut usize,
    ) -> Result<State, Broken> {
        if !self.pipe.flush(connection)? {
            return Ok(State::Blocked);
        }
        let window = connection.congestion_state(PathId::ZERO).map_or(0, |control| control.metrics().congestion_window);
        loop {
            if self.unsent.is_empty() {
                if self.over.0 {
                    return Ok(State::Over);
                }
                if *turn == 0 {
                    return Ok(State::Turn);
                }
                if !self.credit.may_send(window) {
                    return Ok(State::Blocked);
                }
                if !self.body.is_empty() {
                    // In pieces: what is sent counts until the last of its bytes is acknowledged, and a window is often less than a body.
                    let some = self.body.len().min(self.together);
                    self.unsent = self.credit.account.sends(self.body.split_to(some));
                } else {
                    let mut bytes = Vec::new();
                    let state = self.gather(now, moved, &mut bytes)?;
                    if bytes.is_empty() {
                        if state == State::Over {
                            self.pipe.finish(connection);
                            self.over.0 = true;
                        }
                        return Ok(state);
                    }
                    self.unsent = self.credit.account.sends(bytes);
                }
            }
            let written = self.pipe.pass(connection, &mut self.unsent)?;
            if written == 0 {
                return Ok(State::Blocked);
            }
            moved.written += written as u64;
            *turn = turn.saturating_sub(written);
        }
    }

    fn tell(&mut self, moved: &Moved, into: &mut Vec<u8>) {
        moved.waits.tell(moved.read, into);
        self.notes.0 += TOLD;
    }

    /// Takes frames that lie ready.
    fn gather(&mut self, now: Instant, moved: &Moved, into: &mut Vec<u8>) -> Result<State, Broken> {
        if now - self.told.0 >= TOLD_EVERY {
            self.told.0 = now;
            self.tell(moved, into);
        }
        while into.len() < self.together {
            match self.work.poll() {
                Polled::Say(frame) => {
                    begin(&frame, into);
                    if frame.body.len() <= SMALL {
                        into.extend_from_slice(&frame.body);
                    } else {
                        self.body = frame.body.into();
                        break;
                    }
                }
                Polled::Wait => return Ok(State::Waits),
                Polled::Soon => return Ok(State::Soon),
                Polled::Over if self.told.1 => return Ok(State::Over),
                Polled::Over => {
                    self.told.1 = true;
                    self.tell(moved, into);
                }
                Polled::Failed(why) => return Err(Broken(why)),
            }
        }
        Ok(State::Turn)
    }
}
