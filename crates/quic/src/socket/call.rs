//! A client's whole life: calls a server, does what is to be done there, and hangs up.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use noq_proto::{ConnectionError, TransportErrorCode};
use symbiosis_base::{Bytes, Instant, Random, Span};

use super::{Lateness, TIMER, TOGETHER, Udp, Watch, run};
use crate::choice::Choice;
use crate::clock::Clock;
use crate::identity::{Fingerprint, Identity, Trust};
use crate::node::{BUSY, Node, Settings, View};
use crate::transfer::{Endless, Failed, Progress, Task, Transfer, UNKNOWN};

/// The UDP port of servers where no other is named.
pub const PORT: u16 = 4433;

/// A server that does not answer for so long is not there: the first packet has left at 0, 1, 3 and 7 s by then (RFC 9002 §6.2: 999 ms, doubled
/// each time).
const NO_ANSWER: Span = Span::from_millis(10_000);
/// Whoever watches is asked this often, though nothing happened: what is shown to people changes ten times a second.
const WATCHED_EVERY: Span = Span::from_millis(100);

/// A server that has no place is called again for so long. Its places are free again within seconds, if nobody else is faster.
const BUSY_FOR: Span = Span::from_millis(60_000);
/// First it is called again after up to so long, at random; then after up to twice as long, and so on.
const AGAIN_AFTER: Span = Span::from_millis(200);
/// But never after longer than this.
const AGAIN_AT_MOST: Span = Span::from_millis(3_000);

/// Whom to call, and how.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where the server is.
    pub to: SocketAddr,
    /// The name for which authorities vouch.
    pub name: String,
    /// What a server is shown that asks who calls.
    pub shows: Option<Arc<Identity>>,
    /// Whom to believe.
    pub trust: Trust,
    /// The controller.
    pub choice: Choice,
    /// Seeds whatever the controller and the connection draw at random.
    pub seed: u64,
    /// The folder in which the connection is written down as qlog.
    pub qlog: Option<PathBuf>,
}

/// How a call went.
#[derive(Clone, Debug)]
pub struct Called {
    /// What was done.
    pub progress: Progress,
    /// The connection at its end.
    pub view: View,
    /// How late the loop was.
    pub lateness: Lateness,
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Nobody is there.
    #[error("nobody listens at {0}")]
    Refused(SocketAddr),
    /// All its places are taken, and were for a minute.
    #[error("the server at {0} is busy")]
    Busy(SocketAddr),
    /// Nobody answers.
    #[error("{0} does not answer")]
    NoAnswer(SocketAddr),
    /// The server's certificate is none that may be believed.
    #[error("{to} shows a certificate that is not trusted: {shown}")]
    Stranger {
        /// Where it is.
        to: SocketAddr,
        /// The fingerprint that it shows.
        shown: Fingerprint,
    },
    /// The server serves only those whom it knows.
    #[error("the server at {0} serves only those whom it knows")]
    NotAdmitted(SocketAddr),
    /// The server or this side refuses.
    #[error("{0}")]
    NotDone(String),
    /// There was a server, and now nobody listens there.
    #[error("the server at {0} is gone")]
    Gone(SocketAddr),
    /// The connection ended on the way.
    #[error("the connection to {to} ended: {why}")]
    Ended {
        /// Where the server is.
        to: SocketAddr,
        /// As QUIC says it.
        why: ConnectionError,
    },
    /// The call could not begin.
    #[error("{0}")]
    Setup(String),
    /// The socket is broken.
    #[error("the socket fails: {0}")]
    Socket(#[from] io::Error),
}

/// The settings for a path to that address.
pub fn settings_for(to: SocketAddr) -> Settings {
    // UDP's header and IP's.
    let overhead = if to.is_ipv4() { Bytes(8 + 20) } else { Bytes(8 + 40) };
    Settings { overhead, timer: TIMER, together: TOGETHER, repeatable: false, ..Settings::default() }
}

impl Call {
    /// Calls, does one thing after another, hangs up. `watch` sees how it goes, at least every 100 ms, and ends it by saying no. A server that
    /// is busy is called again.
    ///
    /// # Errors
    /// Not everything was done.
    pub fn run(
        &self,
        mut tasks: Vec<Task>,
        mut watch: impl FnMut(Instant, &Progress, &mut dyn FnMut() -> View) -> bool,
    ) -> Result<Called, CallError> {
        for task in &mut tasks {
            task.prepare().map_err(|error| CallError::NotDone(format!("reading failed: {error}")))?;
        }
        let clock = Clock::start();
        // Many may call at once, with the same seed.
        let mut random = Random::new(self.seed, u64::from(std::process::id()));
        let mut most = AGAIN_AFTER;
        loop {
            tasks = match self.once(tasks, &mut watch)? {
                Attempt::Done(called) => return Ok(*called),
                Attempt::Busy(tasks) => tasks,
            };
            if clock.now() > Instant::after(BUSY_FOR) {
                return Err(CallError::Busy(self.to));
            }
            std::thread::sleep(Duration::from_nanos((most.0 as f64 * random.uniform()) as u64));
            most = (most * 2).min(AGAIN_AT_MOST);
        }
    }

    /// The fingerprint that a server shows, whoever it is: it is called, shown nothing, and asked for nothing.
    ///
    /// # Errors
    /// There is no server.
    pub fn shown(&self) -> Result<Fingerprint, CallError> {
        let nobody = Call { trust: Trust::Nobody, shows: None, ..self.clone() };
        // It does not come to that, since nobody is believed.
        match nobody.run(vec![Task::Drain { source: Box::new(Endless::default()) }], |_, _, _| true) {
            Err(CallError::Stranger { shown, .. }) => Ok(shown),
            Err(error) => Err(error),
            Ok(_) => Err(CallError::NoAnswer(self.to)),
        }
    }

    fn once(
        &self,
        tasks: Vec<Task>,
        mut watch: impl FnMut(Instant, &Progress, &mut dyn FnMut() -> View) -> bool,
    ) -> Result<Attempt, CallError> {
        let clock = Clock::start();
        let here =
            if self.to.is_ipv4() { SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)) } else { SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)) };
        let mut udp = Udp::bind(here, clock)?;
        udp.connect(self.to)?;
        let mut node = Node::client(clock, settings_for(self.to), self.choice.clone(), self.seed);
        if let Some(identity) = &self.shows {
            node.show(identity.clone());
        }
        if let Some(folder) = &self.qlog {
            node.log_to(folder.clone());
        }
        let id = node
            .connect(clock.now(), self.to, Some(&self.name), &self.trust, Transfer::client(tasks))
            .map_err(|error| CallError::Setup(error.to_string()))?;
        let mut established = false;
        let mut ended_at = None;
        let ran = run(&mut node, &mut udp, &clock, |node, now| {
            let progress = node.session(id).and_then(|session| session.progress_made().cloned()).unwrap_or_default();
            established = established || node.established(id);
            let goes_on = watch(now, &progress, &mut || node.view(id).expect("a caller's connection stays"));
            let over = progress.finished.is_some() || progress.failed.is_some() || (!established && now > Instant::after(NO_ANSWER));
            if over || ended_at.is_some() {
                return Watch::End;
            }
            if !goes_on {
                // Once more round, so that the server is told.
                node.close(now, id, "enough");
                ended_at = Some(now);
                return Watch::At(now);
            }
            Watch::At(now + WATCHED_EVERY)
        });
        let lateness = match ran {
            Ok(lateness) => lateness,
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                return Err(if established { CallError::Gone(self.to) } else { CallError::Refused(self.to) });
            }
            Err(error) => return Err(error.into()),
        };
        let view = node.view(id).expect("a caller's connection stays");
        let progress = node.session(id).and_then(|session| session.progress_made().cloned()).unwrap_or_default();
        if let Some(Failed::Ended(why)) = &progress.failed
            && is_busy(why)
        {
            // A transfer that had begun is to be taken up again by whoever began it.
            let tasks = node.session(id).map(Transfer::undone).unwrap_or_default();
            return if progress.began.is_none() && !tasks.is_empty() { Ok(Attempt::Busy(tasks)) } else { Err(CallError::Busy(self.to)) };
        }
        match (&progress.failed, view.seen.fingerprint()) {
            (None, _) if progress.finished.is_some() || ended_at.is_some() => {
                Ok(Attempt::Done(Box::new(Called { progress, view, lateness })))
            }
            (None, _) => Err(CallError::NoAnswer(self.to)),
            (Some(Failed::Refused(why)), _) => Err(CallError::NotDone(why.clone())),
            (Some(Failed::Ended(_)), Some(shown)) if !self.trust.believes(shown) => Err(CallError::Stranger { to: self.to, shown }),
            (Some(Failed::Ended(ConnectionError::ApplicationClosed(close))), _) if close.reason == UNKNOWN.as_bytes() => {
                Err(CallError::NotAdmitted(self.to))
            }
            (Some(Failed::Ended(why)), _) => Err(CallError::Ended { to: self.to, why: why.clone() }),
        }
    }
}

/// What came of one call.
enum Attempt {
    Done(Box<Called>),
    /// There was no place; nothing was begun.
    Busy(Vec<Task>),
}

/// Whether a server has no place.
fn is_busy(why: &ConnectionError) -> bool {
    match why {
        ConnectionError::ConnectionClosed(close) => close.error_code == TransportErrorCode::CONNECTION_REFUSED,
        ConnectionError::ApplicationClosed(close) => close.reason == BUSY.as_bytes(),
        _ => false,
    }
}
