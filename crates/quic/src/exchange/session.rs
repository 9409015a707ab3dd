//! An exchange on a connection.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use noq_proto::{Connection, ConnectionError, Dir, PathId};
use symbiosis_base::{Instant, Rate, Span};

use super::end::{Frame, Polled, Work};
use super::framing::{Assembly, begin};
use super::moved::Moved;
use super::waits::Waits;
use crate::identity::Fingerprint;
use crate::node::{Next, Session};
use crate::transfer::Failed;
use crate::transfer::broken::Broken;
use crate::transfer::pipe::{Pipe, Read};
use crate::transfer::pool::{Credit, Pool};

/// Bytes that move before others get their turn: 4 ms at a gigabyte a second.
const TURN: usize = 4 << 20;
/// Frames leave together until there are so many bytes: 2000 writes in a second at 1 Gbit/s.
const TOGETHER: usize = 64 << 10;
/// A body no longer than this is copied to stand with others.
const SMALL: usize = 16 << 10;
/// What a limited rate may be ahead: a burst of 20 ms, in which a thread that was put aside is back.
const AHEAD: Span = Span::from_millis(20);

/// A gap in what came is filled within this time, or never: what is lost is repeated each round trip, and a peer from which nothing comes is gone
/// after as long. noq 1.4 forgets pieces that it has acknowledged: where 24 frames or more of one packet fill gaps of a stream that is read
/// unordered, its `assembler.rs` (`defragment`) takes those below the number of bytes read for duplicates.
const FILLED_WITHIN: Span = Span::from_millis(20_000);

/// The peer is told this often what this side waited for: who watches wants to know it now.
const TOLD_EVERY: Span = Span::from_millis(1000);

/// What the peer said at the end of an exchange in which nothing was amiss.
const DONE: &str = "done";

/// An end for one peer: whoever else calls does not get it.
#[derive(Clone)]
pub struct Offer {
    peer: Fingerprint,
    work: Arc<Mutex<Option<Box<dyn Work>>>>,
}

impl Offer {
    /// For whoever shows that certificate.
    pub fn new(peer: Fingerprint, work: Box<dyn Work>) -> Offer {
        Offer { peer, work: Arc::new(Mutex::new(Some(work))) }
    }

    /// Whether nobody has taken it yet.
    pub fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Box<dyn Work>>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, shown: Option<Fingerprint>) -> Result<Box<dyn Work>, Broken> {
        match shown {
            Some(shown) if shown == self.peer => self.lock().take().ok_or_else(|| Broken("there is a connection already".into())),
            _ => Err(Broken("this is for somebody else".into())),
        }
    }
}

enum Stage {
    /// It opens the stream.
    Opens(Option<Box<dyn Work>>),
    /// It waits for the stream of the right peer.
    Offers(Offer),
    Talks(Box<Talk>),
    Over,
}

/// Which of the waits.
type Which = fn(&mut Waits) -> &mut Span;

/// One side of an exchange, on its connection.
pub struct Exchange {
    stage: Stage,
    limit: Option<Rate>,
    moved: Moved,
    /// What it has waited for since then.
    since: (Instant, Option<Which>),
}

struct Talk {
    pipe: Pipe,
    work: Box<dyn Work>,
    credit: Credit,
    assembly: Assembly,
    unsent: Bytes,
    /// What is left of the body of the frame whose head was written last.
    body: Bytes,
    opened: bool,
    /// The gap behind which bytes wait, and since when.
    gap: Option<(u64, Instant)>,
    /// When the peer was last told what this side waited for, and whether it was for the last time.
    told: (Instant, bool),
    /// This end has said everything, and so has the peer.
    over: (bool, bool),
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("moved", &self.moved).finish_non_exhaustive()
    }
}

impl Exchange {
    /// Of whoever calls.
    pub fn opens(work: Box<dyn Work>, limit: Option<Rate>) -> Exchange {
        Exchange::at(Stage::Opens(Some(work)), limit)
    }

    /// Of whoever is called.
    pub fn answers(offer: Offer, limit: Option<Rate>) -> Exchange {
        Exchange::at(Stage::Offers(offer), limit)
    }

    fn at(stage: Stage, limit: Option<Rate>) -> Exchange {
        Exchange { stage, limit, moved: Moved::default(), since: (Instant::START, None) }
    }

    /// How far it is.
    pub fn moved(&self) -> &Moved {
        &self.moved
    }

    /// It is this peer's, or was.
    pub fn is_taken(&self) -> bool {
        matches!(self.stage, Stage::Talks(_) | Stage::Over)
    }

    fn begin(&mut self, now: Instant, connection: &mut Connection) -> Result<bool, Broken> {
        let (id, work, opened) = match &mut self.stage {
            Stage::Talks(_) => return Ok(true),
            Stage::Over => return Ok(false),
            Stage::Opens(work) => {
                let Some(id) = connection.streams().open(Dir::Bi) else { return Ok(false) };
                (id, work.take().expect("it is taken once"), true)
            }
            Stage::Offers(offer) => {
                let shown = Fingerprint::shown(connection);
                if shown != Some(offer.peer) {
                    offer.take(shown)?;
                }
                let Some(id) = connection.streams().accept(Dir::Bi) else { return Ok(false) };
                (id, offer.take(shown)?, false)
            }
        };
        let credit = Credit::new(&Pool::default());
        let mut pipe = Pipe::new(id, &credit.account);
        if opened {
            // A stream is seen by the other side when something comes on it: a frame with nothing in it.
            let mut first = Vec::new();
            begin(&Frame::default(), &mut first);
            pipe.append(&first);
        }
        self.moved.began = Some(now);
        self.stage = Stage::Talks(Box::new(Talk {
            pipe,
            work,
            credit,
            assembly: Assembly::default(),
            unsent: Bytes::new(),
            body: Bytes::new(),
            opened,
            gap: None,
            told: (now, false),
            over: (false, false),
        }));
        Ok(true)
    }

    /// What its limit lets it write by now.
    fn may_write(&self, now: Instant) -> bool {
        let (Some(limit), Some(began)) = (self.limit, self.moved.began) else { return true };
        self.moved.written as f64 <= limit.bytes_per_s() * ((now - began) + AHEAD).secs()
    }

    fn goes_on(&mut self, now: Instant, connection: &mut Connection) -> Result<Next, Broken> {
        if !self.begin(now, connection)? {
            return Ok(Next::Wait);
        }
        let may_write = self.may_write(now);
        let Stage::Talks(talk) = &mut self.stage else { return Ok(Next::Wait) };
        let mut turn = TURN;
        let takes = talk.read(connection, &mut self.moved, &mut turn)?;
        talk.waits_for_gap(now)?;
        let state = if may_write { talk.write(now, connection, &mut self.moved, &mut turn)? } else { State::Limited };
        if self.since.1.is_none() {
            self.since.0 = now;
        }
        self.since.1 = Some(match state {
            State::Soon if !takes => |waits| &mut waits.sink,
            State::Soon => |waits| &mut waits.source,
            State::Blocked | State::Turn => |waits| &mut waits.network,
            State::Limited => |waits| &mut waits.limit,
            State::Waits | State::Over => |waits| &mut waits.peer,
        });
        if let (true, true) = talk.over
            && talk.opened
        {
            talk.work.close();
            self.moved.finished.get_or_insert(now);
            self.stage = Stage::Over;
            return Ok(Next::Close(DONE.into()));
        }
        talk.credit.settle(connection)?;
        Ok(match state {
            _ if turn == 0 => Next::Again,
            State::Turn => Next::Again,
            State::Soon | State::Limited => Next::Soon,
            _ if !takes => Next::Soon,
            State::Blocked | State::Waits | State::Over => Next::Wait,
        })
    }

    /// Nothing else will be said: what came is made use of.
    fn close(&mut self) {
        if let Stage::Talks(mut talk) = std::mem::replace(&mut self.stage, Stage::Over) {
            talk.work.close();
        }
    }
}

/// Why nothing more can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
    /// Reads what came; whether the end takes more.
    fn read(&mut self, connection: &mut Connection, moved: &mut Moved, turn: &mut usize) -> Result<bool, Broken> {
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
                        Some(frame) if frame.head.is_empty() => moved.peer_waits = Waits::read(&frame.body).unwrap_or(moved.peer_waits),
                        Some(frame) => self.work.feed(frame),
                        None => {}
                    }
                }
            }
        }
        Ok(true)
    }

    /// Ends what would never end: see [`FILLED_WITHIN`].
    fn waits_for_gap(&mut self, now: Instant) -> Result<(), Broken> {
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

    fn write(&mut self, now: Instant, connection: &mut Connection, moved: &mut Moved, turn: &mut usize) -> Result<State, Broken> {
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
                    let some = self.body.len().min(TOGETHER);
                    self.unsent = self.credit.account.sends(self.body.split_to(some));
                } else {
                    let mut bytes = Vec::new();
                    let state = self.gather((now, moved.waits), &mut bytes)?;
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

    /// Takes frames that lie ready.
    fn gather(&mut self, (now, waits): (Instant, Waits), into: &mut Vec<u8>) -> Result<State, Broken> {
        if now - self.told.0 >= TOLD_EVERY {
            self.told.0 = now;
            waits.tell(into);
        }
        while into.len() < TOGETHER {
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
                    waits.tell(into);
                }
                Polled::Failed(why) => return Err(Broken(why)),
            }
        }
        Ok(State::Turn)
    }
}

impl Session for Exchange {
    fn progress(&mut self, now: Instant, connection: &mut Connection) -> Next {
        if let (since, Some(waits)) = self.since {
            *waits(&mut self.moved.waits) += now - since;
            self.since.0 = now;
        }
        self.goes_on(now, connection).unwrap_or_else(|Broken(why)| {
            self.moved.failed.get_or_insert(Failed::Refused(why.clone()));
            self.close();
            Next::Close(why)
        })
    }

    fn ended(&mut self, why: &ConnectionError) {
        // Whoever opened the stream hangs up when both have said all.
        let over = matches!(&self.stage, Stage::Talks(talk) if talk.over.0 && !talk.opened);
        if self.moved.failed.is_none() && self.moved.finished.is_none() {
            match over {
                true => self.moved.finished = self.moved.began,
                false => self.moved.failed = Some(Failed::Ended(why.clone())),
            }
        }
        self.close();
    }
}
