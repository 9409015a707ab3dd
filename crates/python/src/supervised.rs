//! Long work with the interpreter's lock released, that Ctrl-C ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::failed;

/// How often the interpreter is asked for signals: sooner than a person notices, and seldom enough to cost nothing.
const ASKED: Duration = Duration::from_millis(50);

/// Work under way: whether it must end, and how much of it is done.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub stop: AtomicBool,
    pub done: AtomicU64,
}

/// Does the work in a thread of its own while this one waits for signals, and tells `progress` how much is done.
///
/// # Errors
/// What a signal's handler raised (`KeyboardInterrupt`), or `progress` did; the work was stopped then. Or the work panicked.
pub(crate) fn supervised<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Work) -> T + Send,
) -> PyResult<T> {
    let state = Work::default();
    let (result, ended) = (Mutex::new(None), Condvar::new());
    thread::scope(|scope| {
        let (state, result, ended) = (&state, &result, &ended);
        scope.spawn(move || {
            // Known to the interpreter once, not anew at each call of a controller, which costs ten times as much.
            let known = || Python::attach(|py| py.detach(|| work(state)));
            let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(known));
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            ended.notify_all();
        });
        let mut raised = None;
        let mut told = 0;
        let found = loop {
            let found = py.detach(|| {
                let guard = result.lock().unwrap_or_else(PoisonError::into_inner);
                let waited = ended.wait_timeout_while(guard, ASKED, |found| found.is_none());
                waited.unwrap_or_else(PoisonError::into_inner).0.take()
            });
            let done = state.done.load(Ordering::Relaxed);
            let mut heard = py.check_signals();
            if let Some(progress) = progress.filter(|_| done != told && heard.is_ok()) {
                told = done;
                heard = progress.call1((done,)).map(drop);
            }
            if let (Err(error), None) = (heard, &raised) {
                raised = Some(error);
                state.stop.store(true, Ordering::Relaxed);
            }
            if let Some(found) = found {
                break found;
            }
        };
        match raised {
            Some(error) => Err(error),
            None => found.map_err(|_| failed("fault of the program: see above")),
        }
    })
}
