//! Network namespaces without names: held by file descriptors alone, they and all that is in them are gone with the process, whatever ends it.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};
use std::thread;

use nix::sched::{CloneFlags, setns, unshare};

use super::error::TestbedError;

/// A network namespace.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// A new one, in which there is nothing but a loopback device.
    ///
    /// # Errors
    /// This process may not.
    pub fn new() -> Result<Namespace, TestbedError> {
        // A thread of its own: the others stay where they are.
        on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(TestbedError::NotPermitted)?;
            let file = File::open("/proc/thread-self/ns/net").map_err(TestbedError::system("no namespace can be held"))?;
            Ok(Namespace(file))
        })
    }

    /// The file that holds it, for as long as this lives: devices move there by it, and programs of other processes.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    /// Moves the calling thread there, for ever.
    ///
    /// # Errors
    /// This process may not.
    pub fn enter(&self) -> Result<(), TestbedError> {
        setns(&self.0, CloneFlags::CLONE_NEWNET).map_err(TestbedError::NotPermitted)
    }

    /// Does something there. The calling thread stays where it is.
    ///
    /// # Errors
    /// As what is done, or this process may not.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> Result<T, TestbedError> + Send) -> Result<T, TestbedError> {
        on_a_thread(|| {
            self.enter()?;
            work()
        })
    }
}

fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Gives lines to `ip`, which does them in the calling thread's namespace.
///
/// # Errors
/// There is no `ip`, or it does not do what it is told.
pub fn ip(lines: &str) -> Result<(), TestbedError> {
    let mut command = Command::new("ip");
    command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(TestbedError::NoIp)?;
    let mut stdin = child.stdin.take().expect("it was asked for");
    // Where it ended before it read all, it says why.
    let _ = stdin.write_all(lines.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().map_err(TestbedError::NoIp)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(TestbedError::System { what: "`ip` fails".into(), error: std::io::Error::other(said) })
}

/// Sets one of the network's variables in the calling thread's namespace.
///
/// # Errors
/// The kernel does not have it or does not take the value.
pub fn set(name: &str, value: &str) -> Result<(), TestbedError> {
    let path = format!("/proc/sys/net/{name}");
    std::fs::write(&path, value).map_err(TestbedError::system(format!("{path} does not take {value}")))
}
