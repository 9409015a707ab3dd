//! With this machine's kernel: as root, with BTF and libbpf. Where something is missing each test says so, by name, and does nothing.

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::libc::{SYS_bpf, c_int, c_long, syscall};
use nix::sys::socket::{getsockopt, sockopt::TcpCongestion};
use symbiosis_control::params::{ParamError, Value};

use super::*;
use crate::privileged::{Need, ready};
use crate::testbed::namespace::{Namespace, ip, set};
use crate::testbed::socket::connected;

/// There is one kernel.
static ONE: Mutex<()> = Mutex::new(());

/// The kernel, for one test at a time and without what the one before made; none if it cannot be had.
pub(super) fn alone(test: &str) -> Option<MutexGuard<'static, ()>> {
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !ready(test, &Need::KERNEL) {
        return None;
    }
    // The kernel frees a program's maps some time after its last socket.
    assert!(nothing_is_left(), "something of an earlier agent is still in the kernel");
    Some(one)
}

/// With the congestion control.
fn started(test: &str) -> Option<(MutexGuard<'static, ()>, Kernel)> {
    let one = alone(test)?;
    Some((one, start("symbiosis")))
}

/// An agent with a controller of the registry.
pub(super) fn start(name: &str) -> Kernel {
    Kernel::start(Options::new(name, &[], 1).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// Sends so many bytes over loopback with the congestion control; what it was in the end.
fn transfer(bytes: usize) -> OsString {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let SocketAddr::V4(at) = listener.local_addr().unwrap() else { panic!("this is IPv4") };
    let reader = thread::spawn(move || {
        let mut read = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut read).unwrap();
        read.len()
    });
    let mut stream = connected(NAME, at).unwrap();
    stream.write_all(&vec![7; bytes]).unwrap();
    let cc = getsockopt(&stream, TcpCongestion).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(reader.join().unwrap(), bytes);
    cc
}

fn available() -> bool {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap().split_whitespace().any(|name| name == NAME)
}

/// Programs and maps go when their last user has gone, a grace period later.
fn nothing_is_left() -> bool {
    let libbpf = Libbpf::open().unwrap();
    let maps = [("symb_decisions", 1), ("symb_stats", 2), ("symb_agent", 2), (NAME, 26), ("symb_records", 27)];
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if maps.iter().all(|(name, kind)| libbpf.maps(name, *kind).is_empty()) {
            return true;
        }
        sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn any_program_may_use_it_and_nothing_is_left_of_it() {
    let Some((_one, kernel)) = started("any_program_may_use_it_and_nothing_is_left_of_it") else { return };
    assert!(available());
    let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap();
    assert!(allowed.split_whitespace().any(|name| name == NAME), "not only root: {allowed}");
    assert_eq!(transfer(10_000_000), OsString::from(NAME));
    let second = Kernel::start(Options::new("symbiosis", &[], 1).unwrap()).err();
    assert!(matches!(second, Some(KernelError::Running(pid)) if pid == std::process::id()), "{second:?}");
    kernel.stop().unwrap();
    assert!(!available());
    assert!(nothing_is_left());
}

#[test]
fn a_socket_that_was_forgotten_gets_decisions_again() {
    let Some((_one, kernel)) = started("a_socket_that_was_forgotten_gets_decisions_again") else { return };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let SocketAddr::V4(at) = listener.local_addr().unwrap() else { panic!("this is IPv4") };
    let mut stream = connected(NAME, at).unwrap();
    let mut reader = listener.accept().unwrap().0;
    let mut exchange = || {
        stream.write_all(&[7; 10_000]).unwrap();
        reader.read_exact(&mut [0; 10_000]).unwrap();
    };
    exchange();
    let sockets = || kernel.program.sockets(&kernel.libbpf);
    let known = sockets();
    assert!(!known.is_empty() && !known.contains(&0), "zero is nobody: {known:?}");
    known.iter().for_each(|id| kernel.program.forget(&kernel.libbpf, *id));
    assert!(sockets().is_empty());
    // One that is fast reports seldom.
    until("the one that sends", || {
        exchange();
        sockets().len() == 1 && sockets().is_subset(&known)
    });
    drop((stream, reader));
    until("nobody", || sockets().is_empty());
    kernel.stop().unwrap();
}

/// Waits until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn sockets_of_an_agent_that_stopped_are_shown() {
    let Some((_one, kernel)) = started("sockets_of_an_agent_that_stopped_are_shown") else { return };
    if !ready("sockets_of_an_agent_that_stopped_are_shown", &[Need::Namespaces]) {
        return;
    }
    assert_eq!(kernel.status().unwrap().orphans, Orphans::default());
    // A namespace whose default it is keeps the program of then.
    let host = Namespace::new().unwrap();
    let default = |cc: &'static str| host.within(move || set("ipv4/tcp_congestion_control", cc)).unwrap();
    host.within(|| ip("link set lo up\n")).unwrap();
    default(NAME);
    kernel.stop().unwrap();
    let kernel = start("symbiosis");
    let orphans = || kernel.status().unwrap().orphans;
    until("the program that is no more registered", || orphans() == Orphans { programs: 1, sockets: 0 });
    let connection = host.within(|| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let SocketAddr::V4(at) = listener.local_addr().unwrap() else { panic!("this is IPv4") };
        let stream = TcpStream::connect(at).unwrap();
        assert_eq!(getsockopt(&stream, TcpCongestion).unwrap(), OsString::from(NAME), "the name alone does not tell");
        Ok((stream, listener.accept().unwrap()))
    });
    until("both ends of the connection, and who listens for more", || orphans().sockets >= 2);
    // Chosen again, the name is that of the program that is registered.
    default(NAME);
    drop(connection);
    until("nothing of it", || orphans() == Orphans::default());
    default("reno");
    kernel.stop().unwrap();
    assert!(nothing_is_left());
}

/// A map of somebody else's.
fn of_another(name: &str, kind: u32, key_size: u32, value_size: u32) -> OwnedFd {
    /// The beginning of the kernel's `union bpf_attr` for `BPF_MAP_CREATE`.
    #[repr(C)]
    #[derive(Default)]
    struct Create {
        kind: u32,
        key_size: u32,
        value_size: u32,
        max_entries: u32,
        unused: [u32; 3],
        name: [u8; 16],
    }
    const BPF_MAP_CREATE: c_long = 0;
    let mut create = Create { kind, key_size, value_size, max_entries: 4, ..Create::default() };
    create.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the kernel reads so many bytes, which live.
    let fd = unsafe { syscall(SYS_bpf, BPF_MAP_CREATE, &raw const create, size_of::<Create>()) };
    assert!(fd >= 0, "{}", io::Error::last_os_error());
    // SAFETY: a new descriptor, which nobody else has.
    unsafe { OwnedFd::from_raw_fd(fd as c_int) }
}

#[test]
fn maps_of_our_names_with_other_sizes_are_not_taken_for_ours() {
    let Some((_one, kernel)) = started("maps_of_our_names_with_other_sizes_are_not_taken_for_ours") else { return };
    let ours = Program::find(&kernel.libbpf).expect("it is registered").decisions();
    // Each later than ours: keys too long, values too long, values too short, and one of a value for each processor.
    const PER_CPU_HASH: u32 = 5;
    let rows =
        [("symb_decisions", 1, 16, 384), ("symb_agent", 2, 4, 4096), ("symb_stats", 2, 4, 8), ("symb_decisions", PER_CPU_HASH, 8, 8)];
    let others = rows.map(|(name, kind, key, value)| of_another(name, kind, key, value));
    assert_eq!(kernel.libbpf.maps("symb_decisions", 1).len(), 2, "both are there");
    assert_eq!(Program::find(&kernel.libbpf).map(|program| program.decisions()), Some(ours));
    assert_eq!(transfer(100_000), OsString::from(NAME));
    assert_eq!(kernel.status().unwrap().orphans, Orphans::default());
    // Nor are they when there is nothing else.
    kernel.stop().unwrap();
    assert!(Program::find(&Libbpf::open().unwrap()).is_none());
    drop(others);
    assert!(nothing_is_left());
}

#[test]
fn only_what_the_packets_can_tell_is_measured_here() {
    let word = |word: &str| [("measurement".to_string(), Value::Word(word.into()))];
    assert!(Options::new("symbiosis-paper", &word("imtcp"), 1).is_ok());
    assert!(matches!(Options::new("symbiosis", &word("oracle"), 1), Err(OptionsError::Param(ParamError::Simulated { .. }))));
    assert!(matches!(Options::new("hcc", &[], 1), Err(OptionsError::Reports(_))));
    assert!(matches!(Options::new("symbiosi", &[], 1), Err(OptionsError::Unknown(_))));
    assert!(Options::names().all(|name| Options::new(name, &[], 1).is_ok()));
}
