//! An agent that runs by itself, in a process of its own, and what others ask of it: over a socket in `/run`.

use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerCredentials;
use serde::{Deserialize, Serialize};

use super::lock::{FOLDER, Lock, kept};
use super::{Kernel, KernelError, LiveSocket, Options, Orphans};

/// What an agent in the background writes, since it started: why sockets are Reno, and why it ended, if it failed.
pub const LOG: &str = "/run/symbiosis/log";

/// That file, empty.
///
/// # Errors
/// It cannot be made, as by another user than root.
pub fn log() -> io::Result<File> {
    let file = kept(Path::new(FOLDER), "log")?;
    file.set_len(0)?;
    Ok(file)
}

/// Who asks waits no longer for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// An agent that has failed is noticed after so long.
const LOOKS: Duration = Duration::from_secs(1);

fn place() -> PathBuf {
    Path::new(FOLDER).join("control")
}

/// What an agent answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Its process.
    pub pid: u32,
    /// The controller that sockets get.
    pub controller: String,
    /// Whether it took over the sockets of an agent that was killed.
    pub took_over: bool,
    /// How many sockets use the congestion control.
    pub registered: usize,
    /// Records that were lost because the agent was too slow.
    pub dropped: u64,
    /// What agents that have stopped left behind.
    pub orphans: Orphans,
    /// The sockets that something was heard of.
    pub sockets: Vec<LiveSocket>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Request {
    Status,
    Stop,
}

/// What ends an agent's wait.
enum Event {
    Asked(Request, UnixStream),
    Signal,
}

/// Runs an agent until somebody asks for its end, or SIGINT, SIGTERM or SIGHUP comes. Calls `ready` once it answers.
///
/// # Errors
/// As [`Kernel::start`]; or the socket cannot be made, or the agent fails.
pub fn run(options: Options, ready: impl FnOnce(&Kernel)) -> Result<(), KernelError> {
    let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
    // Before any thread begins: each has the mask of who began it, and these signals must come to the one that waits for them.
    signals.thread_block().map_err(io::Error::from)?;
    // Nobody may read it.
    let kernel = Kernel::start(options.with_log(|line| drop(writeln!(io::stderr(), "{line}"))))?;
    // The lock is ours, so whatever is there is left over.
    let _ = fs::remove_file(place());
    let listener = UnixListener::bind(place())?;
    // Whatever the umask is; until here the folder keeps others out.
    fs::set_permissions(place(), Permissions::from_mode(0o600))?;
    let (tell, events) = mpsc::channel();
    thread::spawn({
        let tell = tell.clone();
        move || listener.incoming().flatten().try_for_each(|stream| listen(stream, &tell))
    });
    thread::spawn(move || signals.wait().map(|_| tell.send(Event::Signal)));
    ready(&kernel);
    let asked = wait(&kernel, &events);
    let stopped = kernel.stop();
    let _ = fs::remove_file(place());
    if let Some((stream, report)) = asked {
        let _ = answer(&stream, &report);
    }
    stopped
}

/// Answers until the end; who asked for it, if anybody did, and what to answer.
fn wait(kernel: &Kernel, events: &Receiver<Event>) -> Option<(UnixStream, Report)> {
    while kernel.is_running() {
        match events.recv_timeout(LOOKS) {
            Ok(Event::Asked(request, stream)) => {
                let report = report(kernel).ok()?;
                if request == Request::Stop {
                    return Some((stream, report));
                }
                // Who asked may be gone.
                let _ = answer(&stream, &report);
            }
            Ok(Event::Signal) => return None,
            Err(_) => {}
        }
    }
    None
}

/// Whether the process at the other end may ask: it is root's, or of the user that the agent runs as.
fn may_ask(stream: &UnixStream) -> bool {
    getsockopt(stream, PeerCredentials).is_ok_and(|peer| peer.uid() == 0 || peer.uid() == nix::unistd::geteuid().as_raw())
}

/// Hears one request.
fn listen(stream: UnixStream, tell: &Sender<Event>) -> Result<(), mpsc::SendError<Event>> {
    if !may_ask(&stream) {
        return Ok(());
    }
    let mut line = String::new();
    let heard = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| BufReader::new(&stream).read_line(&mut line));
    match serde_json::from_str(&line) {
        Ok(request) if heard.is_ok() => tell.send(Event::Asked(request, stream)),
        _ => Ok(()),
    }
}

fn report(kernel: &Kernel) -> Result<Report, KernelError> {
    let status = kernel.status()?;
    Ok(Report {
        pid: std::process::id(),
        controller: kernel.controller().into(),
        took_over: kernel.took_over(),
        registered: status.registered,
        dropped: status.dropped,
        orphans: status.orphans,
        sockets: status.sockets,
    })
}

fn answer(mut stream: &UnixStream, report: &Report) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all((serde_json::to_string(report)? + "\n").as_bytes())
}

fn ask(request: Request) -> io::Result<Option<Report>> {
    let mut stream = match UnixStream::connect(place()) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => return Ok(None),
        Err(error) => return Err(error),
    };
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all((serde_json::to_string(&request)? + "\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(Some(serde_json::from_str(&line)?))
}

/// What the agent does; none if there is none.
///
/// # Errors
/// It does not answer, or may not be asked, or is part of a process that answers nobody.
pub fn status() -> Result<Option<Report>, KernelError> {
    match (ask(Request::Status)?, Lock::holder()) {
        (None, Some(pid)) => Err(KernelError::Running(pid)),
        (report, _) => Ok(report),
    }
}

/// Ends the agent, and what an agent that was killed left behind; whether there was anything.
///
/// # Errors
/// It does not answer, or may not be asked.
pub fn stop() -> Result<bool, KernelError> {
    match ask(Request::Stop)? {
        Some(_) => Ok(true),
        None => super::clean_up(),
    }
}

#[cfg(test)]
mod tests;
