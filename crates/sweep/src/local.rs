//! A sweep on the cores of this machine.

use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::execute::run_chunk;
use crate::record::Record;
use crate::sweep::Sweep;

/// Runs these chunks, the lower first, on so many threads, and gives each to `keep`, in the order in which they end. Ends early when `stop` is set.
///
/// # Errors
/// The first error of `keep`, or traces cannot be written.
pub fn run_local(
    sweep: &Sweep,
    chunks: &[u64],
    threads: usize,
    traces: Option<&Path>,
    stop: &AtomicBool,
    keep: impl Fn(u64, Vec<Record>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    // A failure stops all, also where nobody else asks for the end.
    let over = AtomicBool::new(false);
    let work = || {
        while !over.load(Ordering::Relaxed)
            && let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed))
        {
            match run_chunk(sweep, *chunk, traces, stop).and_then(|records| records.map(|records| keep(*chunk, records)).transpose()) {
                Ok(Some(())) => {}
                Ok(None) => break,
                Err(error) => {
                    over.store(true, Ordering::Relaxed);
                    failed.lock().expect("nobody panics with it").get_or_insert(error);
                }
            }
        }
    };
    match threads {
        // The caller's own may have what a new one has not: the state of an interpreter.
        0 | 1 => work(),
        threads => std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work)))),
    }
    failed.into_inner().expect("nobody panics with it").map_or(Ok(()), Err)
}
