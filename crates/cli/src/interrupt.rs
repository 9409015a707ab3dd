//! Ctrl-C, for commands that have something to take away before they end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::signal::{SigSet, Signal};

/// What a shell expects of a command that was interrupted (128 + SIGINT).
pub const CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether somebody asks for the end from now on, by Ctrl-C or as a system does. Who asks twice gets it at once.
///
/// To be called before any other thread begins: each has the mask of who began it, and these signals must come to the one that waits.
///
/// # Errors
/// The system has no thread to wait in.
pub fn watch() -> io::Result<&'static AtomicBool> {
    let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
    signals.thread_block()?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        while signals.wait().is_ok() {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(CODE.into());
            }
        }
    })?;
    Ok(&ASKED)
}
