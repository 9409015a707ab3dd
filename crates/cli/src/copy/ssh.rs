//! The other end, started through the user's own ssh.

use std::io::{self, BufRead, BufReader, Read, Take, Write};
use std::net::{IpAddr, ToSocketAddrs};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use miette::miette;
use symbiosis_quic::plain::plain;

use super::handshake::{Hello, LONGEST, MARK, Measured, Ready, Reply};
use crate::failure::Failure;

/// What a shell may say before the answer \[lines\]: a greeting fills a screen.
const GREETING: usize = 200;
/// The other end is gone within a round trip after it is told; ssh's client then ends as well.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
const LOOKS_EVERY: Duration = Duration::from_millis(10);
/// What a shell exits with where there is no such command.
const NO_COMMAND: i32 = 127;
/// What ssh exits with where it failed itself.
const SSH_FAILED: i32 = 255;

/// A command that reaches a machine.
pub struct Ssh {
    words: Vec<String>,
    host: String,
    program: String,
}

/// The other end.
pub struct Remote {
    pub host: String,
    pub ready: Ready,
    /// What else it says.
    said: Said,
    child: Ends,
}

/// What the other end says.
type Said = BufReader<Take<ChildStdout>>;

/// A process that is ended with this one's use for it.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // It ends by itself when it hears no more of this side.
        drop(self.0.stdin.take());
        let since = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) {
            if since.elapsed() > ENDS_WITHIN {
                let _ = self.0.kill();
                let _ = self.0.wait();
                return;
            }
            thread::sleep(LOOKS_EVERY);
        }
    }
}

impl Ssh {
    /// # Errors
    /// The command is none.
    pub fn new(command: &str, host: &str, program: &str) -> Result<Ssh, Failure> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| Failure::input(format!("--ssh {command}: this is no command"), "write e.g. 'ssh -p 2222'"))?;
        Ok(Ssh { words, host: host.into(), program: program.into() })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Where the machine may be: the name that ssh makes of it (`ssh -G`), looked up; nowhere where that is no name for anybody else than ssh.
    pub fn addresses(&self) -> Vec<IpAddr> {
        let asked = self.command().arg("-G").arg(&self.host).stdin(Stdio::null()).stderr(Stdio::null()).output();
        let said = asked.ok().filter(|asked| asked.status.success()).map(|asked| String::from_utf8_lossy(&asked.stdout).into_owned());
        let name = said.and_then(|said| said.lines().find_map(|line| line.strip_prefix("hostname ").map(str::to_string)));
        let name = name.unwrap_or_else(|| self.host.rsplit('@').next().unwrap_or(&self.host).into());
        (name.as_str(), 0).to_socket_addrs().map_or(Vec::new(), |found| found.map(|at| at.ip()).collect())
    }

    /// Starts the other end, and says what it is to do.
    ///
    /// # Errors
    /// It cannot be started, or refuses.
    pub fn start(self, hello: &Hello) -> Result<Remote, Failure> {
        let mut command = self.command();
        command.arg(&self.host).arg(format!("{} remote", self.program));
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let child = spawned.map_err(|error| Failure::input(format!("--ssh {}: {error}", self.words[0]), "give a command that is there"))?;
        let mut child = Ends(child);
        let line = serde_json::to_string(hello).map_err(io::Error::from)? + "\n";
        // One that ends at once says why, or has an exit code.
        let written = child.0.stdin.as_mut().map(|stdin| stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()));
        let stdout = child.0.stdout.take().ok_or_else(|| io::Error::other("it has no stdout"))?;
        let mut said = BufReader::new(stdout.take(LONGEST));
        match answered(&mut said)? {
            Some(Reply::Ready(ready)) => Ok(Remote { host: self.host, ready, said, child }),
            Some(Reply::Refused { why }) => Err(Failure::input(format!("{}: {}", self.host, plain(&why)), "it is said by the other end")),
            Some(Reply::Measured(_)) | None => {
                let status = child.0.wait()?;
                written.transpose().ok();
                Err(self.silent(status))
            }
        }
    }

    fn silent(&self, status: ExitStatus) -> Failure {
        let host = &self.host;
        match status.code() {
            Some(NO_COMMAND) => Failure::Other(miette!(
                help = "install symbiosis there, or say where it is with --remote-program PATH",
                "{host}: there is no command `{}`",
                self.program
            )),
            Some(SSH_FAILED) => {
                let help = format!("ssh says why; try `{} {host} true`", self.words.join(" "));
                Failure::Other(miette!(help = help, "{host} cannot be reached"))
            }
            _ => Failure::Other(miette!(
                help = "both sides need the same version of symbiosis",
                "{host}: the other end did not begin ({status})"
            )),
        }
    }
}

/// The answer, behind whatever a shell says before it.
fn answered(lines: &mut impl BufRead) -> io::Result<Option<Reply>> {
    for _ in 0..GREETING {
        let mut line = Vec::new();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if let Some(json) = line.strip_prefix(MARK.as_bytes()) {
            return Ok(serde_json::from_slice(json).ok());
        }
    }
    Ok(None)
}

impl Remote {
    /// Waits for what it has measured; none if it says nothing of that.
    pub fn hears(&mut self) -> Option<Measured> {
        match answered(&mut self.said) {
            Ok(Some(Reply::Measured(measured))) => Some(measured),
            _ => None,
        }
    }

    /// Nothing is wanted of it any more.
    pub fn ends(self) {
        drop(self.child);
    }
}
