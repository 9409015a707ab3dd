//! The asking side.

use std::collections::VecDeque;
use std::fmt;

use noq_proto::{Connection, ConnectionError, Dir};
use symbiosis_base::Instant;

use super::broken::Broken;
use super::files::Target;
use super::flow::{Hashing, Inflow, Outflow, Step, Turn};
use super::message::{Hash, Reply, Request};
use super::pipe::Pipe;
use super::pool::{Credit, Pool};
use super::storage::Source;
use crate::node::Next;

/// What a client wants.
pub enum Task {
    /// To send a file.
    Send {
        /// The name that it is to have there.
        name: String,
        /// Its bytes.
        source: Box<dyn Source>,
        /// Its hash, if it is known already ([`Task::prepare`]).
        hash: Option<Hash>,
        /// A file of that name may be replaced.
        force: bool,
    },
    /// To fetch a file.
    Fetch {
        /// Its name there.
        name: String,
        /// Where it is to be here.
        target: Target,
    },
    /// To send bytes that nobody needs.
    Drain {
        /// The bytes.
        source: Box<dyn Source>,
    },
}

impl Task {
    /// Does what needs no server: hashes a file that is to be sent. A server waits for a request for some seconds and not for as long as this may take.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn prepare(&mut self) -> std::io::Result<()> {
        if let Task::Send { source, hash, .. } = self {
            let mut hashing = Hashing::default();
            while hashing.advance(source.bytes(), &mut Turn::default(), None, |offset, into| source.read_at(offset, into))? != Step::Done {}
            *hash = Some(hashing.hash());
        }
        Ok(())
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Send { name, .. } => write!(f, "send {name}"),
            Task::Fetch { name, .. } => write!(f, "fetch {name}"),
            Task::Drain { .. } => write!(f, "drain"),
        }
    }
}

/// How far a client is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that are through.
    pub files: usize,
    /// Bytes of the current file that are through, as far as this side knows: written to the stream, or read from it. With what was there
    /// before.
    pub done: u64,
    /// Size of the current file.
    pub bytes: u64,
    /// Of the current file so much was there before.
    pub resumed: u64,
    /// Of all files that are through: bytes that moved, and bytes that were there before.
    pub total: u64,
    /// See `total`.
    pub resumed_total: u64,
    /// When the bytes of the first file began to move, and when the last file was through.
    pub began: Option<Instant>,
    /// When everything was through.
    pub finished: Option<Instant>,
    /// Why it is not, and never will be.
    pub failed: Option<Failed>,
}

impl Progress {
    /// A file is through.
    fn completes(&mut self) {
        self.files += 1;
        self.total += self.done - self.resumed;
        self.resumed_total += self.resumed;
    }
}

/// Why a transfer failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The server refuses, or what came is wrong.
    Refused(String),
    /// The connection ended.
    Ended(ConnectionError),
}

/// The asking side of a connection.
pub struct Client {
    tasks: VecDeque<Task>,
    current: Option<(Pipe, Stage)>,
    progress: Progress,
    credit: Credit,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("progress", &self.progress).finish_non_exhaustive()
    }
}

enum Stage {
    /// A file is hashed before it is sent.
    Hashing {
        name: String,
        source: Box<dyn Source>,
        force: bool,
        hashing: Hashing,
    },
    /// The server was asked to take it.
    Put(Box<dyn Source>),
    Sending(Outflow),
    /// All is sent; the server checks it.
    Sent,
    /// The server was asked to give it.
    Got(Target),
    /// What is there of it is hashed.
    Preparing(Inflow),
    Fetching(Inflow),
    Over,
}

impl Client {
    /// A client that does one thing after another.
    pub fn new(tasks: impl IntoIterator<Item = Task>) -> Client {
        Client { tasks: tasks.into_iter().collect(), current: None, progress: Progress::default(), credit: Credit::new(&Pool::default()) }
    }

    /// What it has not begun to do.
    pub fn undone(&mut self) -> Vec<Task> {
        self.tasks.drain(..).collect()
    }

    /// How far it is.
    pub fn status(&self) -> &Progress {
        &self.progress
    }

    pub(super) fn ended(&mut self, why: &ConnectionError) {
        if self.progress.finished.is_none() && self.progress.failed.is_none() {
            self.progress.failed = Some(Failed::Ended(why.clone()));
        }
        self.current = None;
    }

    pub(super) fn progress(&mut self, now: Instant, connection: &mut Connection) -> Next {
        let next = self.go_on(now, connection);
        match self.credit.settle(connection) {
            Ok(()) => next,
            Err(Broken(why)) => {
                self.progress.failed.get_or_insert(Failed::Refused(why.clone()));
                Next::Close(why)
            }
        }
    }

    fn go_on(&mut self, now: Instant, connection: &mut Connection) -> Next {
        let mut turn = Turn::default();
        loop {
            let Some((mut pipe, mut stage)) = self.current.take() else {
                let Some(task) = self.tasks.pop_front() else {
                    self.progress.finished.get_or_insert(now);
                    return Next::Close("done".into());
                };
                let Some(id) = connection.streams().open(Dir::Bi) else {
                    self.tasks.push_front(task);
                    return Next::Wait;
                };
                let mut pipe = Pipe::new(id, &self.credit.account);
                let stage = self.begin(task, &mut pipe);
                self.current = Some((pipe, stage));
                continue;
            };
            let step = self.advance((now, &mut turn), &mut pipe, &mut stage, connection);
            match step {
                Ok(Step::Done) => self.progress.completes(),
                Ok(step) => {
                    self.current = Some((pipe, stage));
                    return if step == Step::Again { Next::Again } else { Next::Wait };
                }
                Err(Broken(why)) => {
                    self.progress.failed = Some(Failed::Refused(why.clone()));
                    return Next::Close(why);
                }
            }
        }
    }

    fn begin(&mut self, task: Task, pipe: &mut Pipe) -> Stage {
        (self.progress.done, self.progress.bytes, self.progress.resumed) = (0, 0, 0);
        match task {
            Task::Send { name, source, hash: None, force } => Stage::Hashing { name, source, force, hashing: Hashing::default() },
            Task::Send { name, source, hash: Some(hash), force } => {
                pipe.say(&Request::Put { name, bytes: source.bytes(), hash, force });
                Stage::Put(source)
            }
            Task::Fetch { name, target } => {
                pipe.say(&Request::Get { name });
                Stage::Got(target)
            }
            Task::Drain { source } => {
                pipe.say(&Request::Drain);
                Stage::Put(source)
            }
        }
    }

    /// An answer, if it is there and not a refusal.
    fn answer(pipe: &mut Pipe, connection: &mut Connection) -> Result<Option<Reply>, Broken> {
        match pipe.message(connection)? {
            Some(Reply::Refused { why }) => Err(Broken(why)),
            answer => Ok(answer),
        }
    }

    fn advance(
        &mut self,
        (now, turn): (Instant, &mut Turn),
        pipe: &mut Pipe,
        stage: &mut Stage,
        connection: &mut Connection,
    ) -> Result<Step, Broken> {
        loop {
            let unexpected = |answer: Reply| Err(Broken(format!("the server answers {answer:?} where that has no meaning")));
            *stage = match std::mem::replace(stage, Stage::Over) {
                Stage::Hashing { name, mut source, force, mut hashing } => {
                    let step = hashing.advance(source.bytes(), turn, None, |offset, into| source.read_at(offset, into));
                    match step.map_err(|error| Broken(format!("reading failed: {error}")))? {
                        Step::Done => {
                            pipe.say(&Request::Put { name, bytes: source.bytes(), hash: hashing.hash(), force });
                            Stage::Put(source)
                        }
                        step => {
                            *stage = Stage::Hashing { name, source, force, hashing };
                            return Ok(step);
                        }
                    }
                }
                Stage::Put(source) => {
                    pipe.flush(connection)?;
                    match Client::answer(pipe, connection)? {
                        None => {
                            *stage = Stage::Put(source);
                            return Ok(Step::Wait);
                        }
                        Some(Reply::Start { offset }) if offset <= source.bytes() => {
                            self.moves(now, offset, source.bytes());
                            Stage::Sending(Outflow::new(source, offset))
                        }
                        Some(answer) => return unexpected(answer),
                    }
                }
                Stage::Sending(mut outflow) => {
                    let step = outflow.advance(pipe, &mut self.credit, turn, connection);
                    // A server that takes no more says why.
                    let step = match (step, Client::answer(pipe, connection)?) {
                        (_, Some(answer)) => return unexpected(answer),
                        (step, None) => step?,
                    };
                    self.progress.done = outflow.offset;
                    match step {
                        Step::Done => Stage::Sent,
                        step => {
                            *stage = Stage::Sending(outflow);
                            return Ok(step);
                        }
                    }
                }
                Stage::Sent => match Client::answer(pipe, connection)? {
                    None => {
                        *stage = Stage::Sent;
                        return Ok(Step::Wait);
                    }
                    Some(Reply::Done) => return Ok(Step::Done),
                    Some(answer) => return unexpected(answer),
                },
                Stage::Got(target) => {
                    pipe.flush(connection)?;
                    match Client::answer(pipe, connection)? {
                        None => {
                            *stage = Stage::Got(target);
                            return Ok(Step::Wait);
                        }
                        Some(Reply::Found { bytes, hash }) => {
                            Stage::Preparing(Inflow::new(target.sink(bytes, &hash).map_err(Broken)?, bytes, hash))
                        }
                        Some(answer) => return unexpected(answer),
                    }
                }
                Stage::Preparing(mut inflow) => match inflow.prepare(turn, None)? {
                    Step::Done => {
                        let (offset, bytes) = inflow.progress();
                        pipe.say(&Request::Begin { offset });
                        pipe.flush(connection)?;
                        self.moves(now, offset, bytes);
                        Stage::Fetching(inflow)
                    }
                    step => {
                        *stage = Stage::Preparing(inflow);
                        return Ok(step);
                    }
                },
                Stage::Fetching(mut inflow) => {
                    pipe.flush(connection)?;
                    let step = inflow.advance(pipe, turn, connection)?;
                    self.progress.done = inflow.progress().0;
                    if step != Step::Done {
                        *stage = Stage::Fetching(inflow);
                        return Ok(step);
                    }
                    inflow.name()?;
                    pipe.finish(connection);
                    return Ok(Step::Done);
                }
                Stage::Over => return Ok(Step::Done),
            };
        }
    }

    fn moves(&mut self, now: Instant, offset: u64, bytes: u64) {
        (self.progress.done, self.progress.resumed, self.progress.bytes) = (offset, offset, bytes);
        self.progress.began.get_or_insert(now);
    }
}
