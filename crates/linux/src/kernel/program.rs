//! The congestion control in the kernel: loaded, registered, found again, unregistered.
//!
//! Registered, it belongs to no process: an agent that dies leaves it there, its sockets go on as Reno, and the next agent finds it by
//! the names of its maps. Nothing is pinned, so nothing is left of it once it is unregistered and its last socket is closed.

use std::collections::BTreeSet;
use std::io;

use super::error::KernelError;
use super::layout::{Agent, Decision, Plain, Stats};
use super::libbpf::{ARRAY, Found, HASH, Libbpf, Map, ONLY, RINGBUF, STRUCT_OPS};
use super::orphans::Orphans;

/// The program, compiled from the sources beside it (`bpf/build.sh`). ELF wants its tables where numbers of eight bytes may be.
#[repr(align(8))]
struct Object<T: ?Sized>(T);
static OBJECT: &Object<[u8]> = &Object(*include_bytes!("bpf/symbiosis.bpf.o"));

/// The name under which sockets choose it.
pub const NAME: &str = "symbiosis";

/// Which object a program was loaded from: FNV-1a.
fn build() -> u64 {
    OBJECT.0.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The registered program's maps.
pub(crate) struct Program {
    ops: Found,
    pub(crate) records: Found,
    decisions: Map<u64, Decision>,
    stats: Map<u32, Stats>,
    agent: Map<u32, Agent>,
}

/// Whether a congestion control is registered: the second number of its map's value, `enum bpf_struct_ops_state`.
fn in_use(libbpf: &Libbpf, map: &Found) -> bool {
    const IN_USE: u8 = 1;
    libbpf.operations(map).is_ok_and(|value| value.get(4) == Some(&IN_USE))
}

/// The registered congestion controls of our name: at most one.
fn registered(libbpf: &Libbpf) -> Option<Found> {
    libbpf.maps(NAME, STRUCT_OPS).into_iter().find(|map| in_use(libbpf, map))
}

/// Of programs that are no more registered, but have sockets still, there are maps too; the latest are of the latest program. One whose keys or
/// values are of other sizes is another's.
fn latest<K: Plain, V: Plain>(libbpf: &Libbpf, name: &str, kind: u32) -> Option<Map<K, V>> {
    libbpf.maps(name, kind).into_iter().rev().find_map(Found::typed)
}

impl Program {
    /// The one that is registered, if it is of this build.
    pub(crate) fn find(libbpf: &Libbpf) -> Option<Program> {
        let ops = registered(libbpf)?;
        let decisions = latest(libbpf, "symb_decisions", HASH)?;
        let agent = latest::<_, Agent>(libbpf, "symb_agent", ARRAY)?;
        if libbpf.lookup(&agent, ONLY).ok()?.build != build() {
            return None;
        }
        let records = libbpf.maps("symb_records", RINGBUF).pop()?;
        let stats = latest(libbpf, "symb_stats", ARRAY)?;
        Some(Program { ops, records, decisions, stats, agent })
    }

    /// Which map its decisions are in.
    #[cfg(test)]
    pub(crate) fn decisions(&self) -> u32 {
        self.decisions.id
    }

    /// Loads and registers it.
    pub(crate) fn register(libbpf: &Libbpf) -> Result<Program, KernelError> {
        // One of another build: its sockets go on as Reno.
        unregister(libbpf);
        let prepare = |agent: Found| {
            let agent = agent.typed().ok_or(io::ErrorKind::InvalidData)?;
            libbpf.update(&agent, ONLY, &Agent { heartbeat: 0, build: build() }, false)
        };
        libbpf.register(&OBJECT.0, c"symbiosis", c"symb_agent", prepare).map_err(KernelError::Refused)?;
        Program::find(libbpf).ok_or_else(|| KernelError::Refused(io::Error::other("it was registered, but is not there")))
    }

    /// Tells the BPF program that the agent is there.
    pub(crate) fn heartbeat(&self, libbpf: &Libbpf, now: u64) -> io::Result<()> {
        libbpf.update(&self.agent, ONLY, &Agent { heartbeat: now, build: build() }, false)
    }

    /// Gives a socket a decision; whether the socket is there still.
    pub(crate) fn decide(&self, libbpf: &Libbpf, id: u64, decision: &Decision) -> bool {
        libbpf.update(&self.decisions, id, decision, true).is_ok()
    }

    /// The sockets that there are.
    pub(crate) fn sockets(&self, libbpf: &Libbpf) -> BTreeSet<u64> {
        libbpf.keys(&self.decisions).into_iter().collect()
    }

    /// Takes a socket's decisions away. One that is there still gets a place again when it reports something.
    pub(crate) fn forget(&self, libbpf: &Libbpf, id: u64) {
        libbpf.remove(&self.decisions, id);
    }

    /// How many sockets there are, and how many records were dropped because there was no room.
    pub(crate) fn counts(&self, libbpf: &Libbpf) -> (usize, u64) {
        (self.sockets(libbpf).len(), libbpf.lookup(&self.stats, ONLY).map_or(0, |stats| stats.dropped))
    }

    /// Programs of our name that are no longer registered, and the sockets that still use them.
    pub(crate) fn orphans(&self, libbpf: &Libbpf) -> Orphans {
        let programs = libbpf.maps(NAME, STRUCT_OPS).iter().filter(|map| !in_use(libbpf, map)).count();
        let decisions = libbpf.maps("symb_decisions", HASH).into_iter().filter_map(Found::typed::<u64, Decision>);
        let others = decisions.filter(|map| map.id != self.decisions.id);
        Orphans { programs, sockets: others.map(|map| libbpf.keys(&map).len()).sum() }
    }

    /// Unregisters it. Its sockets go on as Reno, and keep it in memory until they are closed.
    pub(crate) fn unregister(&self, libbpf: &Libbpf) -> io::Result<()> {
        libbpf.unregister(&self.ops)
    }
}

/// Unregisters whatever has our name; whether anything had.
pub(crate) fn unregister(libbpf: &Libbpf) -> bool {
    registered(libbpf).is_some_and(|ops| libbpf.unregister(&ops).is_ok())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;
    use crate::privileged::{Need, ready};

    #[test]
    fn the_object_is_what_its_sources_give() {
        if !ready("the_object_is_what_its_sources_give", &[Need::Clang]) {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let built = folder.path().join("symbiosis.bpf.o");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernel/bpf/build.sh");
        assert!(Command::new(script).arg(&built).status().unwrap().success());
        assert!(fs::read(built).unwrap() == OBJECT.0, "run crates/linux/src/kernel/bpf/build.sh, and commit what it writes");
    }
}
