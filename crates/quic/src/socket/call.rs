//! A client's whole life: calls a server, does what is to be done there, and hangs up.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use noq_proto::ConnectionError;
use symbiosis_base::{Bytes, Instant, Span};

use super::{Lateness, TIMER, TOGETHER, Udp, Watch, run};
use crate::choice::Choice;
use crate::clock::Clock;
use crate::identity::{Fingerprint, Trust};
use crate::node::{Node, Settings, View};
use crate::transfer::{Failed, Progress, Task, Transfer};

/// A server that does not answer for so long is not there.
const NO_ANSWER: Span = Span::from_millis(10_000);
/// Whoever watches is asked this often, though nothing happened.
const WATCHED_EVERY: Span = Span::from_millis(100);

/// Whom to call, and how.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where the server is.
    pub to: SocketAddr,
    /// The name for which authorities vouch.
    pub name: String,
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
    Settings { overhead, timer: TIMER, together: TOGETHER, ..Settings::default() }
}

impl Call {
    /// Calls, does one thing after another, hangs up. `watch` sees how it goes, at least every 100 ms, and ends it by saying no.
    ///
    /// # Errors
    /// Not everything was done.
    pub fn run(
        &self,
        tasks: Vec<Task>,
        mut watch: impl FnMut(Instant, &Progress, &mut dyn FnMut() -> View) -> bool,
    ) -> Result<Called, CallError> {
        let clock = Clock::start();
        let here =
            if self.to.is_ipv4() { SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)) } else { SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)) };
        let mut udp = Udp::bind(here, clock)?;
        udp.connect(self.to)?;
        let mut node = Node::client(clock, settings_for(self.to), self.choice.clone(), self.seed);
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
        match (&progress.failed, view.seen.fingerprint()) {
            (None, _) if progress.finished.is_some() || ended_at.is_some() => Ok(Called { progress, view, lateness }),
            (None, _) => Err(CallError::NoAnswer(self.to)),
            (Some(Failed::Refused(why)), _) => Err(CallError::NotDone(why.clone())),
            (Some(Failed::Ended(_)), Some(shown)) if !self.trust.believes(shown) => Err(CallError::Stranger { to: self.to, shown }),
            (Some(Failed::Ended(why)), _) => Err(CallError::Ended { to: self.to, why: why.clone() }),
        }
    }
}
