//! The congestion control in the kernel: built, registered, found again, unregistered.
//!
//! Registered, it belongs to no process: an agent that dies leaves it there, its sockets go on as Reno, and the next agent finds it by
//! the names of its maps. Nothing is pinned, so nothing is left of it once it is unregistered and its last socket is closed.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use super::error::KernelError;
use super::layout::{Agent, Decision, Stats};
use super::libbpf::{Libbpf, MapInfo};
use super::orphans::Orphans;

/// The program's files by name; the last is the one that includes the others.
const SOURCES: [(&str, &str); 5] = [
    ("window.h", include_str!("bpf/window.h")),
    ("shared.h", include_str!("bpf/shared.h")),
    ("kernel.h", include_str!("bpf/kernel.h")),
    ("events.h", include_str!("bpf/events.h")),
    ("symbiosis.bpf.c", include_str!("bpf/symbiosis.bpf.c")),
];

/// The name under which sockets choose it.
pub const NAME: &str = "symbiosis";

/// What the kernel calls kinds of maps (`enum bpf_map_type`).
const HASH: u32 = 1;
const ARRAY: u32 = 2;
const STRUCT_OPS: u32 = 26;
const RINGBUF: u32 = 27;

/// Which sources a program was built from: FNV-1a.
fn build() -> u64 {
    let bytes = SOURCES.into_iter().flat_map(|(_, text)| text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The registered program's maps.
pub(crate) struct Program {
    ops: OwnedFd,
    pub(crate) records: OwnedFd,
    decisions: OwnedFd,
    decisions_id: u32,
    stats: OwnedFd,
    agent: OwnedFd,
}

/// Whether a struct_ops map's congestion control is registered: the second number of its value, `enum bpf_struct_ops_state`.
fn in_use(libbpf: &Libbpf, (info, map): &(MapInfo, OwnedFd)) -> bool {
    const IN_USE: u8 = 1;
    libbpf.lookup_bytes(map, 0_u32, info.value_size).is_ok_and(|value| value.get(4) == Some(&IN_USE))
}

/// The registered congestion controls of our name: at most one.
fn registered(libbpf: &Libbpf) -> Option<OwnedFd> {
    libbpf.maps(NAME, STRUCT_OPS).into_iter().find(|map| in_use(libbpf, map)).map(|(_, map)| map)
}

impl Program {
    /// The one that is registered, if it is of this build.
    pub(crate) fn find(libbpf: &Libbpf) -> Option<Program> {
        let ops = registered(libbpf)?;
        // Of programs that are no more registered, but have sockets still, there are maps too; the latest are of the latest program.
        // One whose keys or values are of other sizes is another's: the kernel would read and write beyond ours.
        let latest = |name, kind, fits: fn(&MapInfo) -> bool| libbpf.maps(name, kind).into_iter().rfind(|(info, _)| fits(info));
        let (info, decisions) = latest("symb_decisions", HASH, MapInfo::fits::<u64, Decision>)?;
        let (_, agent) = latest("symb_agent", ARRAY, MapInfo::fits::<u32, Agent>)?;
        if libbpf.lookup::<_, Agent>(&agent, 0_u32).ok()?.build != build() {
            return None;
        }
        let (_, records) = latest("symb_records", RINGBUF, MapInfo::fits::<(), ()>)?;
        let (_, stats) = latest("symb_stats", ARRAY, MapInfo::fits::<u32, Stats>)?;
        Some(Program { ops, records, decisions_id: info.id, decisions, stats, agent })
    }

    /// Builds and registers it.
    pub(crate) fn register(libbpf: &Libbpf) -> Result<Program, KernelError> {
        // One of another build: its sockets go on as Reno.
        unregister(libbpf);
        let folder = tempfile::tempdir().map_err(KernelError::Io)?;
        let object = compile(folder.path())?;
        let prepare = |agent: &OwnedFd| libbpf.update(agent, 0_u32, &Agent { heartbeat: 0, build: build() }, false);
        libbpf.register(&object, c"symbiosis", c"symb_agent", prepare).map_err(KernelError::Refused)?;
        Program::find(libbpf).ok_or_else(|| KernelError::Refused(io::Error::other("it was registered, but is not there")))
    }

    /// Tells the BPF program that the agent is there.
    pub(crate) fn heartbeat(&self, libbpf: &Libbpf, now: u64) -> io::Result<()> {
        libbpf.update(&self.agent, 0_u32, &Agent { heartbeat: now, build: build() }, false)
    }

    /// Gives a socket a decision; whether the socket is there still.
    pub(crate) fn decide(&self, libbpf: &Libbpf, id: u64, decision: &Decision) -> bool {
        libbpf.update(&self.decisions, id, decision, true).is_ok()
    }

    /// Whether a socket is there still.
    pub(crate) fn has(&self, libbpf: &Libbpf, id: u64) -> bool {
        libbpf.lookup::<_, Decision>(&self.decisions, id).is_ok()
    }

    /// How many sockets there are, and how many records were dropped because there was no room.
    pub(crate) fn counts(&self, libbpf: &Libbpf) -> (usize, u64) {
        (libbpf.count(&self.decisions), libbpf.lookup::<_, Stats>(&self.stats, 0_u32).map_or(0, |stats| stats.dropped))
    }

    /// Programs of our name that are no longer registered, and the sockets that still use them.
    pub(crate) fn orphans(&self, libbpf: &Libbpf) -> Orphans {
        let programs = libbpf.maps(NAME, STRUCT_OPS).iter().filter(|map| !in_use(libbpf, map)).count();
        let others = libbpf
            .maps("symb_decisions", HASH)
            .into_iter()
            .filter(|(info, _)| info.id != self.decisions_id && info.key_size as usize == size_of::<u64>());
        Orphans { programs, sockets: others.map(|(_, decisions)| libbpf.count(&decisions)).sum() }
    }

    /// Unregisters it. Its sockets go on as Reno, and keep it in memory until they are closed.
    pub(crate) fn unregister(&self, libbpf: &Libbpf) -> io::Result<()> {
        libbpf.delete(&self.ops, 0_u32)
    }
}

/// Unregisters whatever has our name; whether anything had.
pub(crate) fn unregister(libbpf: &Libbpf) -> bool {
    registered(libbpf).is_some_and(|ops| libbpf.delete(&ops, 0_u32).is_ok())
}

/// The program as an object file in `folder`.
fn compile(folder: &Path) -> Result<std::path::PathBuf, KernelError> {
    for (name, text) in SOURCES {
        fs::write(folder.join(name), text).map_err(KernelError::Io)?;
    }
    let object = folder.join("symbiosis.o");
    let args = ["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-c", "symbiosis.bpf.c", "-o", "symbiosis.o"];
    match Command::new("clang").args(args).current_dir(folder).output() {
        Ok(done) if done.status.success() => Ok(object),
        Ok(done) => Err(KernelError::Compiler(String::from_utf8_lossy(&done.stderr).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(KernelError::NoClang),
        Err(error) => Err(KernelError::Io(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privileged::{Need, ready};

    #[test]
    fn clang_compiles_the_program() {
        if ready("clang_compiles_the_program", &[Need::Clang]) {
            let folder = tempfile::tempdir().unwrap();
            compile(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
