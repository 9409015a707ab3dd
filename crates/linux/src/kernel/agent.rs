//! The agent: a thread that reads records, asks the controllers, and writes decisions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use nix::time::{ClockId, clock_gettime};
use symbiosis_base::{Instant, Span};

use super::error::KernelError;
use super::layout::Record;
use super::libbpf::Libbpf;
use super::live::LiveSocket;
use super::orphans::Orphans;
use super::program::Program;
use super::table::Table;

/// It tells that it is there as often as this; ten times as often as the BPF program (`ALIVE`) gives it up.
const BEATS: Span = Span::from_millis(100);
/// It looks after silent sockets as often as this.
const SWEEPS: Span = Span::from_millis(10_000);

/// It looks for what to write into the log as often as this, and for so long after it wrote it does not.
const NEWS: Span = Span::from_millis(1_000);
const QUIET: Span = Span::from_millis(10_000);

/// What a look at the agent shows.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) sockets: Vec<LiveSocket>,
    /// Sockets that the BPF program has.
    pub(crate) registered: usize,
    /// Records for which there was no room.
    pub(crate) dropped: u64,
    pub(crate) orphans: Orphans,
}

/// The kernel's clock.
pub(crate) fn now() -> Instant {
    // It fails only for clocks that there are not.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Instant::START, |at| Instant(at.tv_sec() as u64 * 1_000_000_000 + at.tv_nsec() as u64))
}

/// Runs until `enough`; answers whoever asks by `asked`.
pub(crate) fn run(
    libbpf: &Libbpf,
    program: &Program,
    mut table: Table,
    enough: &AtomicBool,
    asked: &Receiver<Sender<Seen>>,
    log: fn(&str),
) -> Result<(), KernelError> {
    let mut ring = libbpf.ring(&program.records).map_err(KernelError::Io)?;
    // What an earlier agent left unread is over.
    ring.poll(0).map_err(KernelError::Io)?;
    let (mut beaten, mut swept, mut news) = (Instant::START, now(), now());
    while !enough.load(Ordering::Relaxed) {
        let at = now();
        if at - beaten >= BEATS {
            program.heartbeat(libbpf, at.0).map_err(KernelError::Io)?;
            beaten = at;
        }
        if at - swept >= SWEEPS {
            table.sweep(at, &program.sockets(libbpf)).into_iter().for_each(|id| program.forget(libbpf, id));
            swept = at;
        }
        if at >= news {
            let lines = table.news();
            news = at + if lines.is_empty() { NEWS } else { QUIET };
            lines.iter().for_each(|line| log(line));
        }
        // Not every record wakes it.
        let samples = ring.poll(table.looks().millis() as i32).map_err(KernelError::Io)?;
        samples.chunks(size_of::<Record>()).filter_map(Record::read).for_each(|record| table.take(&record));
        let at = now();
        table.answer(at, |id, decision| program.decide(libbpf, id, decision));
        while let Ok(answer) = asked.try_recv() {
            let (registered, dropped) = program.counts(libbpf);
            // Whoever asked may be gone.
            let _ = answer.send(Seen { sockets: table.show(), registered, dropped, orphans: program.orphans(libbpf) });
        }
    }
    Ok(())
}
