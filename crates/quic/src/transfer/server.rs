//! The answering side.

use std::collections::BTreeMap;
use std::fmt;

use noq_proto::{Connection, ConnectionError, Dir, StreamId};
use symbiosis_base::Instant;

use super::flow::{Hashing, Inflow, Outflow, Step};
use super::memory::Forget;
use super::pipe::{Broken, Pipe, Read};
use super::{Reply, Request, Sink, Source};
use crate::node::Next;

/// What a server has, and takes.
pub trait Store: Send {
    /// A file to give.
    ///
    /// # Errors
    /// Why not, for the client's user.
    fn open(&mut self, name: &str) -> Result<Box<dyn Source>, String>;

    /// A place for a file.
    ///
    /// # Errors
    /// Why not, for the client's user.
    fn create(&mut self, name: &str, bytes: u64, hash: &str, force: bool) -> Result<Box<dyn Sink>, String>;
}

/// The answering side of a connection.
pub struct Server {
    store: Box<dyn Store>,
    streams: BTreeMap<StreamId, Serving>,
    drained: u64,
}

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
    Draining,
    /// A file is hashed before it is offered.
    Hashing(Box<dyn Source>, Hashing),
    Offered(Box<dyn Source>),
    Giving(Outflow),
    /// Only an answer is still to be written.
    Answered,
    Over,
}

impl Server {
    /// A server of what is in the store.
    pub fn new(store: Box<dyn Store>) -> Server {
        Server { store, streams: BTreeMap::new(), drained: 0 }
    }

    /// Bytes that it has taken and forgotten.
    pub fn drained(&self) -> u64 {
        self.drained
    }

    pub(super) fn progress(&mut self, _now: Instant, connection: &mut Connection) -> Next {
        while let Some(id) = connection.streams().accept(Dir::Bi) {
            self.streams.insert(id, Serving { pipe: Pipe::new(id), at: Stage::Asked });
        }
        let mut next = Next::Wait;
        let store = &mut *self.store;
        let drained = &mut self.drained;
        self.streams.retain(|_, serving| match serving.progress(store, drained, connection) {
            Step::Done => false,
            Step::Wait => true,
            Step::Again => {
                next = Next::Again;
                true
            }
        });
        next
    }

    pub(super) fn ended(&mut self, _why: &ConnectionError) {
        // What has arrived of files stays where it is, for the next time.
        self.streams.clear();
    }
}

impl Serving {
    fn progress(&mut self, store: &mut dyn Store, drained: &mut u64, connection: &mut Connection) -> Step {
        loop {
            let at = std::mem::replace(&mut self.at, Stage::Over);
            let (at, step) = self.stage(at, store, drained, connection).unwrap_or_else(|Broken(why)| self.refuse(connection, why));
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
    fn stage(
        &mut self,
        at: Stage,
        store: &mut dyn Store,
        drained: &mut u64,
        connection: &mut Connection,
    ) -> Result<(Stage, Option<Step>), Broken> {
        Ok(match at {
            Stage::Asked => match self.pipe.message::<Request>(connection)? {
                None => (Stage::Asked, Some(Step::Wait)),
                Some(request) => (self.begin(request, store)?, None),
            },
            Stage::Preparing(mut inflow) => match inflow.prepare()? {
                Step::Done => {
                    self.pipe.say(&Reply::Start { offset: inflow.progress().0 });
                    (Stage::Taking(inflow), None)
                }
                step => (Stage::Preparing(inflow), Some(step)),
            },
            Stage::Taking(mut inflow) => {
                self.pipe.flush(connection)?;
                match inflow.advance(&mut self.pipe, connection)? {
                    Step::Done => {
                        inflow.complete()?;
                        self.pipe.say(&Reply::Done);
                        (Stage::Answered, None)
                    }
                    step => (Stage::Taking(inflow), Some(step)),
                }
            }
            Stage::Draining => {
                self.pipe.flush(connection)?;
                match self.pipe.bytes(connection, usize::MAX)? {
                    Read::Bytes(bytes) => {
                        *drained += bytes.len() as u64;
                        (Stage::Draining, None)
                    }
                    Read::Blocked => (Stage::Draining, Some(Step::Wait)),
                    Read::End => {
                        self.pipe.say(&Reply::Done);
                        (Stage::Answered, None)
                    }
                }
            }
            Stage::Hashing(mut source, mut hashing) => {
                let step = hashing.advance(source.bytes(), |offset, into| source.read_at(offset, into));
                match step.map_err(|error| Broken(format!("reading failed: {error}")))? {
                    Step::Done => {
                        self.pipe.say(&Reply::Found { bytes: source.bytes(), hash: hashing.hash() });
                        (Stage::Offered(source), None)
                    }
                    step => (Stage::Hashing(source, hashing), Some(step)),
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
            Stage::Giving(mut outflow) => match outflow.advance(&mut self.pipe, connection)? {
                Step::Done => (Stage::Over, None),
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

    fn begin(&mut self, request: Request, store: &mut dyn Store) -> Result<Stage, Broken> {
        match request {
            Request::Put { name, bytes, hash, force } => {
                let sink = store.create(&name, bytes, &hash, force).map_err(Broken)?;
                Ok(Stage::Preparing(Inflow::new(sink, bytes, hash)))
            }
            Request::Get { name } => Ok(Stage::Hashing(store.open(&name).map_err(Broken)?, Hashing::default())),
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

    fn create(&mut self, _name: &str, _bytes: u64, _hash: &str, _force: bool) -> Result<Box<dyn Sink>, String> {
        Ok(Box::new(Forget))
    }
}
