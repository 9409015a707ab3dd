//! Threads that come first.

use nix::libc;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Gives the calling thread a fixed priority (`SCHED_FIFO`) above all usual ones; whether it got it. Who has it must sleep often: nothing
/// below runs on its processor before it does.
pub fn first(priority: i32) -> bool {
    // SAFETY: it is made of integers alone, which may be 0; musl has more of them than glibc, all reserved.
    let mut parameter: libc::sched_param = unsafe { std::mem::zeroed() };
    parameter.sched_priority = priority;
    // SAFETY: the parameter lives through the call; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) == 0 }
}

/// Keeps the calling thread on one of the processors, counted from 0; whether it could be done.
pub fn pin(processor: usize) -> bool {
    let mut set = CpuSet::new();
    set.set(processor).is_ok() && sched_setaffinity(Pid::from_raw(0), &set).is_ok()
}

/// The processor for the path, and the one for the ends: the last and the first.
pub fn processors() -> (usize, usize) {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    (all - 1, 0)
}
