//! The answering side.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use noq_proto::{Connection, ConnectionError, Dir, StreamId};
use symbiosis_base::{Bytes, Instant};

use super::broken::Broken;
use super::flow::{Completing, Hashing, Inflow, Outflow, Step, Turn};
use super::hashes::Hashes;
use super::memory::Forget;
use super::message::{Hash, Reply, Request};
use super::pipe::{Pipe, Read};
use super::pool::{Credit, Pool};
use super::storage::{FileKey, Sink, Source};
use super::store::{Put, Store, Stranger};
use crate::identity::Fingerprint;
use crate::node::{Activity, Next};

/// What all connections of a server have in common.
#[derive(Clone, Debug, Default)]
pub struct Common {
    pool: Pool,
    hashes: Option<Hashes>,
    /// Nobody else is served.
    admits: Option<Arc<BTreeSet<Fingerprint>>>,
}

/// What whoever is not admitted is told.
pub const UNKNOWN: &str = "the server does not know you";

impl Common {
    /// For nodes that let so much come before anything was read ([`crate::node::Settings::first`]).
    pub fn with_first(first: Bytes) -> Common {
        Common { pool: Pool::with_first(first.0), ..Common::default() }
    }

    /// For a server of strangers: hashes are made beside, in a thread of their own.
    pub fn beside() -> Common {
        Common { hashes: Some(Hashes::default()), ..Common::default() }
    }

    /// The same for those alone who show one of these certificates. The node has to ask for them ([`crate::node::Settings::asks_who`]).
    pub fn admitting(self, these: BTreeSet<Fingerprint>) -> Common {
        Common { admits: Some(Arc::new(these)), ..self }
    }
}

/// The answering side of a connection.
pub struct Server {
    store: Box<dyn Store>,
    hashes: Option<Hashes>,
    /// Whom it serves, until it knows that this is one of them.
    admits: Option<Arc<BTreeSet<Fingerprint>>>,
    host: Option<IpAddr>,
    credit: Credit,
    streams: BTreeMap<StreamId, Serving>,
    drained: u64,
    activity: Activity,
}

/// A turn in which a file is hashed beside counts as so many bytes that moved: there is one each millisecond, and who waits for it can do nothing.
const HASHED: u64 = 16 << 10;

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("streams", &self.streams.len()).finish_non_exhaustive()
    }
}

struct Serving {
    pipe: Pipe,
    at: Stage,
}

/// How far a request is.
enum Stage {
    /// Nothing was asked yet.
    Asked,
    /// What is there of a file is hashed.
    Preparing(Inflow),
    Taking(Inflow),
    /// It is written to the disk, and gets its name.
    Completing(Completing),
    Draining,
    /// A file is hashed before it is offered; what it was when that began.
    Hashing(Box<dyn Source>, Hashing, Option<FileKey>),
    Offered(Box<dyn Source>),
    Giving(Outflow),
    /// Only an answer is still to be written.
    Answered,
    Over,
}

impl Server {
    /// A server of what is in the store, for somebody at that host.
    pub fn new(store: Box<dyn Store>, common: &Common, host: Option<IpAddr>) -> Server {
        Server {
            store,
            host,
            hashes: common.hashes.clone(),
            admits: common.admits.clone(),
            credit: Credit::new(&common.pool),
            streams: BTreeMap::new(),
            drained: 0,
            activity: Activity::default(),
        }
    }

    /// Bytes that it has taken and forgotten.
    pub fn drained(&self) -> u64 {
        self.drained
    }

    pub(super) fn activity(&self) -> Activity {
        let asks = self.streams.values().any(|serving| !matches!(serving.at, Stage::Asked));
        Activity { asks, moved: self.activity.moved + self.drained }
    }

    pub(super) fn progress(&mut self, _now: Instant, connection: &mut Connection) -> Next {
        if let Some(these) = &self.admits {
            match Fingerprint::shown(connection) {
                Some(shown) if these.contains(&shown) => self.admits = None,
                _ => return Next::Close(UNKNOWN.into()),
            }
        }
        while let Some(id) = connection.streams().accept(Dir::Bi) {
            self.streams.insert(id, Serving { pipe: Pipe::new(id, &self.credit.account), at: Stage::Asked });
        }
        let mut next = Next::Wait;
        let mut at = At {
            store: &mut *self.store,
            hashes: self.hashes.as_ref(),
            from: Stranger { host: self.host, shown: None },
            credit: &mut self.credit,
            drained: &mut self.drained,
            turn: Turn::default(),
        };
        self.streams.retain(|_, serving| match serving.progress(&mut at, connection) {
            Step::Done => false,
            Step::Wait => true,
            Step::Soon => {
                next = if next == Next::Again { Next::Again } else { Next::Soon };
                true
            }
            Step::Again => {
                next = Next::Again;
                true
            }
        });
        self.activity.moved += at.turn.used();
        // What is hashed beside is work of this side's.
        self.activity.moved += if next == Next::Soon { HASHED } else { 0 };
        match self.credit.settle(connection) {
            Ok(()) => next,
            Err(Broken(why)) => Next::Close(why),
        }
    }

    pub(super) fn ended(&mut self, _why: &ConnectionError) {
        // What has arrived of files stays where it is, for the next time.
        self.streams.clear();
    }
}

/// What a stream may use of its server while it has its turn.
struct At<'a> {
    store: &'a mut dyn Store,
    hashes: Option<&'a Hashes>,
    from: Stranger,
    credit: &'a mut Credit,
    drained: &'a mut u64,
    turn: Turn,
}

impl Serving {
    fn progress(&mut self, with: &mut At<'_>, connection: &mut Connection) -> Step {
        loop {
            let at = std::mem::replace(&mut self.at, Stage::Over);
            let (at, step) = self.stage(at, with, connection).unwrap_or_else(|Broken(why)| self.refuse(connection, why));
            self.at = at;
            if let Some(step) = step {
                return step;
            }
        }
    }

    fn refuse(&mut self, connection: &mut Connection, why: String) -> (Stage, Option<Step>) {
        self.pipe.stop(connection);
        self.pipe.say(&Reply::Refused { why });
        (Stage::Answered, None)
    }

    /// The next stage, and whether to return from there.
    fn stage(&mut self, at: Stage, with: &mut At<'_>, connection: &mut Connection) -> Result<(Stage, Option<Step>), Broken> {
        Ok(match at {
            Stage::Asked => match self.pipe.message::<Request>(connection)? {
                None => (Stage::Asked, Some(Step::Wait)),
                Some(request) => {
                    with.from.shown = Fingerprint::shown(connection);
                    (self.begin(request, with)?, None)
                }
            },
            Stage::Preparing(mut inflow) => match inflow.prepare(&mut with.turn, with.hashes)? {
                Step::Done => {
                    self.pipe.say(&Reply::Start { offset: inflow.progress().0 });
                    (Stage::Taking(inflow), None)
                }
                step => (Stage::Preparing(inflow), Some(step)),
            },
            Stage::Taking(mut inflow) => {
                self.pipe.flush(connection)?;
                match inflow.advance(&mut self.pipe, &mut with.turn, connection)? {
                    Step::Done => (Stage::Completing(inflow.complete(with.hashes.is_some())), None),
                    step => (Stage::Taking(inflow), Some(step)),
                }
            }
            Stage::Completing(completing) => match completing.done() {
                None => (Stage::Completing(completing), Some(Step::Soon)),
                Some(done) => {
                    done?;
                    self.pipe.say(&Reply::Done);
                    (Stage::Answered, None)
                }
            },
            Stage::Draining => {
                self.pipe.flush(connection)?;
                loop {
                    match self.pipe.bytes(connection, usize::MAX)? {
                        Read::Bytes(bytes) => *with.drained += bytes.len() as u64,
                        Read::Blocked => return Ok((Stage::Draining, Some(Step::Wait))),
                        Read::End => break,
                    }
                }
                self.pipe.say(&Reply::Done);
                (Stage::Answered, None)
            }
            Stage::Hashing(mut source, mut hashing, was) => {
                let beside = with.hashes.map(|hashes| (hashes, if hashing.waits() { None } else { source.another() }));
                let step = hashing.advance(source.bytes(), &mut with.turn, beside, |offset, into| source.read_at(offset, into));
                match step.map_err(|error| Broken(format!("reading failed: {error}")))? {
                    Step::Done => {
                        let hash = hashing.hash();
                        // The hash of a file that changed meanwhile is nobody's.
                        if let Some(hashes) = with.hashes.filter(|_| source.key() == was) {
                            hashes.keep(was, &hash);
                        }
                        (self.offer(source, hash), None)
                    }
                    step => (Stage::Hashing(source, hashing, was), Some(step)),
                }
            }
            Stage::Offered(source) => {
                self.pipe.flush(connection)?;
                match self.pipe.message::<Request>(connection)? {
                    None => (Stage::Offered(source), Some(Step::Wait)),
                    Some(Request::Begin { offset }) if offset <= source.bytes() => (Stage::Giving(Outflow::new(source, offset)), None),
                    Some(other) => return Err(Broken(format!("{other:?} is no answer to an offer"))),
                }
            }
            Stage::Giving(mut outflow) => match outflow.advance(&mut self.pipe, with.credit, &mut with.turn, connection)? {
                Step::Done => {
                    // Nothing else is to come.
                    self.pipe.stop(connection);
                    (Stage::Over, None)
                }
                step => (Stage::Giving(outflow), Some(step)),
            },
            Stage::Answered => match self.pipe.flush(connection) {
                Ok(false) => (Stage::Answered, Some(Step::Wait)),
                // Whoever does not want to hear the answer need not.
                Ok(true) | Err(_) => {
                    self.pipe.finish(connection);
                    (Stage::Over, None)
                }
            },
            Stage::Over => (Stage::Over, Some(Step::Done)),
        })
    }

    fn offer(&mut self, source: Box<dyn Source>, hash: Hash) -> Stage {
        self.pipe.say(&Reply::Found { bytes: source.bytes(), hash });
        Stage::Offered(source)
    }

    fn begin(&mut self, request: Request, with: &mut At<'_>) -> Result<Stage, Broken> {
        match request {
            Request::Put { name, bytes, hash, force } => {
                let put = Put { name: &name, bytes, hash: &hash, force, from: with.from };
                let sink = with.store.create(&put).map_err(Broken)?;
                Ok(Stage::Preparing(Inflow::new(sink, bytes, hash)))
            }
            Request::Get { name } => {
                let source = with.store.open(&name).map_err(Broken)?;
                let is = source.key();
                Ok(match with.hashes.and_then(|hashes| hashes.known(is)) {
                    Some(hash) => self.offer(source, hash),
                    None => Stage::Hashing(source, Hashing::default(), is),
                })
            }
            Request::Drain => {
                self.pipe.say(&Reply::Start { offset: 0 });
                Ok(Stage::Draining)
            }
            Request::Begin { .. } => Err(Broken("nothing was offered that could begin".into())),
        }
    }
}

/// Has nothing, and forgets what it is given: for measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Store for Nothing {
    fn open(&mut self, name: &str) -> Result<Box<dyn Source>, String> {
        Err(format!("there is no file `{name}`"))
    }

    fn create(&mut self, _put: &Put<'_>) -> Result<Box<dyn Sink>, String> {
        Ok(Box::new(Forget))
    }
}
