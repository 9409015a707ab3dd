//! An exchange on a connection.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use noq_proto::{Connection, ConnectionError, Dir};
use symbiosis_base::{Bytes as Size, Instant, Span};

use super::end::Work;
use super::limit::Limit;
use super::moved::Moved;
use super::talk::{AHEAD, LEAST, State, Talk};
use super::waits::Waits;
use crate::identity::Fingerprint;
use crate::node::{Next, Session};
use crate::transfer::Failed;
use crate::transfer::broken::Broken;

/// Bytes that move before others get their turn: 4 ms at a gigabyte a second.
const TURN: usize = 4 << 20;

/// An end that waits tells its peer this often what for: as often as a connection is kept alive.
const TOLD_STILL: Span = Span::from_millis(5000);

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
    limit: Limit,
    /// What was written takes so long at its limit.
    paid: Instant,
    moved: Moved,
    /// What it has waited for since then.
    since: (Instant, Option<Which>),
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("moved", &self.moved).finish_non_exhaustive()
    }
}

impl Exchange {
    /// Of whoever calls.
    pub fn opens(work: Box<dyn Work>, limit: Limit) -> Exchange {
        Exchange::at(Stage::Opens(Some(work)), limit)
    }

    /// Of whoever is called.
    pub fn answers(offer: Offer, limit: Limit) -> Exchange {
        Exchange::at(Stage::Offers(offer), limit)
    }

    fn at(stage: Stage, limit: Limit) -> Exchange {
        Exchange { stage, limit, paid: Instant::START, moved: Moved::default(), since: (Instant::START, None) }
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
        self.moved.began = Some(now);
        self.stage = Stage::Talks(Box::new(Talk::new(now, id, work, opened)));
        Ok(true)
    }

    /// So many bytes its limit lets it write now. After a pause it is no more than [`AHEAD`].
    fn may_write(&self, now: Instant, turn: usize) -> usize {
        let Some(limit) = self.limit.at(now) else { return turn };
        if self.paid > now { 0 } else { turn.min(limit.times(AHEAD) as usize).max(LEAST) }
    }

    /// So many were.
    fn wrote(&mut self, now: Instant, bytes: u64) {
        let Some(limit) = self.limit.at(now) else { return };
        let from = self.paid.max(Instant(now.0.saturating_sub(AHEAD.0)));
        self.paid = from.saturating_add(limit.time_for(Size(bytes)));
    }

    fn goes_on(&mut self, now: Instant, connection: &mut Connection) -> Result<Next, Broken> {
        if !self.begin(now, connection)? {
            return Ok(Next::Wait);
        }
        let mut may_write = self.may_write(now, TURN);
        let (written, limit) = (self.moved.written, self.limit.at(now));
        let Stage::Talks(talk) = &mut self.stage else { return Ok(Next::Wait) };
        talk.keeps_to(limit);
        let mut turn = TURN;
        let takes = talk.read(connection, &mut self.moved, &mut turn)?;
        talk.waits_for_gap(now)?;
        let state = if may_write > 0 { talk.write(now, connection, &mut self.moved, &mut may_write)? } else { State::Limited };
        turn = turn.min(may_write.max(usize::from(limit.is_some())));
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
        self.moved.acknowledged = talk.acknowledged(self.moved.written);
        talk.stands_still(now, &self.moved, state, takes)?;
        self.wrote(now, self.moved.written - written);
        Ok(match state {
            _ if turn == 0 => Next::Again,
            State::Turn => Next::Again,
            State::Soon | State::Limited => Next::Soon,
            _ if !takes => Next::Soon,
            State::Blocked | State::Waits | State::Over => Next::At(now + TOLD_STILL),
        })
    }

    /// Nothing else will be said: what came is made use of.
    fn close(&mut self) {
        if let Stage::Talks(mut talk) = std::mem::replace(&mut self.stage, Stage::Over) {
            talk.work.close();
        }
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
