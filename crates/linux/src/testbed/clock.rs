//! The time of a run, which all its threads share, and when it is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, ppoll};
use nix::sys::time::TimeSpec;
use symbiosis_base::{Instant, Span};

use super::error::TestbedError;

/// Whoever waits looks at least this often whether the run is over: a look takes microseconds, and nobody notices a run's end 20 ms late.
const LOOKS_EVERY: Span = Span::from_millis(20);

/// The time of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunClock<'a> {
    /// Its zero.
    pub began: std::time::Instant,
    /// Its end.
    pub end: Instant,
    /// Whether something has failed in one of its threads.
    pub failed: &'a AtomicBool,
    /// Whether somebody outside wants it to end.
    pub enough: &'a AtomicBool,
}

impl RunClock<'_> {
    /// Since the start; zero before it.
    pub fn now(&self) -> Instant {
        Instant(std::time::Instant::now().saturating_duration_since(self.began).as_nanos() as u64)
    }

    /// Sleeps until the start.
    pub fn await_start(&self) {
        thread::sleep(self.began.saturating_duration_since(std::time::Instant::now()));
    }

    /// Whether the run is over.
    pub fn over(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.enough.load(Ordering::Relaxed) || self.now() >= self.end
    }

    /// Does something, and lets everybody know if it fails.
    pub fn or_fail<T, E>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        work().inspect_err(|_| self.failed.store(true, Ordering::Relaxed))
    }

    /// Sleeps until something happens, or until an instant, and never for long.
    ///
    /// # Errors
    /// What is waited for is broken.
    pub fn wait(&self, polled: &mut [PollFd<'_>], until: Instant) -> Result<(), TestbedError> {
        let now = self.now();
        let left = until.min(self.end).min(now + LOOKS_EVERY) - now;
        match ppoll(polled, Some(TimeSpec::from_duration(Duration::from_nanos(left.0))), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(TestbedError::system("sockets and devices cannot be waited for")(error)),
        }
    }
}
