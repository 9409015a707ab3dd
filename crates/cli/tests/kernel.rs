//! `symbiosis kernel` from outside.
//!
//! This needs root, BTF and libbpf, and for the path TUN and iproute2. Where something is missing each test says so, by name, and does
//! nothing. A machine that is too busy to emulate the path makes a run void, which is said too, and judged by nobody.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, connect, setsockopt, socket, sockopt::TcpCongestion};
use serde_json::Value;
use symbiosis_linux::privileged::{Need, ready, tell};

const SCENARIO: &str = r#"
duration_s = 14
[bottleneck]
rate_mbps = 20
delay_ms = 10
queue_bdp = 1.0
[[flow]]
cc = "symbiosis"
[measure]
from_s = 1
"#;

/// There is one kernel.
static ONE: Mutex<()> = Mutex::new(());

fn runs(command: &str, args: &[&str]) -> bool {
    Command::new(command).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn libbpf() -> Option<String> {
    let known = Command::new("ldconfig").arg("-p").output().ok()?;
    let known = String::from_utf8(known.stdout).ok()?;
    Some(known.lines().find(|line| line.trim().starts_with("libbpf.so.1"))?.split(" => ").nth(1)?.trim().to_string())
}

/// The kernel and the testbed, for one test at a time; none if they cannot be had.
fn alone(test: &str) -> Option<MutexGuard<'static, ()>> {
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    (ready(test, &Need::KERNEL) && ready(test, &Need::TESTBED)).then_some(one)
}

/// The command; `SYMBIOSIS_UNDER_ATTACK` names another build, to compare with.
fn command() -> PathBuf {
    std::env::var_os("SYMBIOSIS_UNDER_ATTACK").map_or_else(|| env!("CARGO_BIN_EXE_symbiosis").into(), PathBuf::from)
}

fn symbiosis(args: &[&str]) -> Output {
    Command::new(command()).env("NO_COLOR", "1").args(args).output().unwrap()
}

/// What the command refuses, in one line: how wide the terminal is does not matter here.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

fn status() -> Option<Value> {
    let output = symbiosis(&["kernel", "status", "--json"]);
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}

/// Asks until there is an answer, or the time is up.
fn until<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        let answer = ask();
        if answer.is_some() || begun.elapsed() > limit {
            return answer;
        }
        sleep(Duration::from_millis(100));
    }
}

/// K of the only socket, once its measurement is within 15 % of the path's.
fn k_is_known() -> Option<f64> {
    let k = status()?["sockets"].get(0)?["gauges"]["K_mbps"].as_f64()?;
    (k / 20.0 - 1.0).abs().lt(&0.15).then_some(k)
}

fn available() -> bool {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap().split_whitespace().any(|name| name == "symbiosis")
}

/// Ends what a test that fails would leave.
struct Stopped;

impl Drop for Stopped {
    fn drop(&mut self) {
        symbiosis(&["kernel", "stop"]);
    }
}

fn kill(pid: &Value) {
    assert!(runs("kill", &["-9", &pid.to_string()]));
}

fn lab(folder: &Path) -> Child {
    fs::write(folder.join("small.toml"), SCENARIO).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    command.current_dir(folder).args(["testbed", "small.toml", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A transfer whose agent is killed and replaced; what it got of 20 Mbit/s, unless the machine was too busy to emulate the path.
fn agent_is_killed_and_replaced() -> Option<f64> {
    let folder = tempfile::tempdir().unwrap();
    let started = symbiosis(&["kernel", "start"]);
    assert!(started.status.success() && available(), "{started:?}");
    let second = refused(&symbiosis(&["kernel", "start"]));
    assert!(second.contains("an agent is running already, as process"), "{second}");
    let mut lab = lab(folder.path());
    let first = until(Duration::from_secs(6), k_is_known);
    kill(&status().unwrap()["pid"]);
    assert!(until(Duration::from_secs(5), || status().is_none().then_some(())).is_some(), "it is dead");
    assert!(available(), "but its congestion control is not");
    // Longer than its word holds.
    sleep(Duration::from_secs(1));
    assert!(lab.try_wait().unwrap().is_none(), "the transfer goes on");
    let again = symbiosis(&["kernel", "start"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("with the sockets of an agent that was killed"), "{again:?}");
    let second = until(Duration::from_secs(5), k_is_known);
    let ran = lab.wait_with_output().unwrap();
    assert!(symbiosis(&["kernel", "stop"]).status.success());
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let (void, lateness) = (&result["machine"]["void"], &result["machine"]["lateness"]);
    if !void.is_null() || result["machine"]["attempts"] != 1 {
        tell(&format!("VOID: the machine was too busy to emulate the path: {void}"));
        return None;
    }
    assert!(first.is_some(), "the agent learns K");
    assert!(second.is_some(), "so does the next, of a connection that is under way");
    let goodput = result["flows"][0]["goodput_mbps"].as_f64().unwrap();
    eprintln!("goodput {goodput} of 20 Mbit/s, K {first:?} and {second:?}, {lateness}");
    Some(goodput)
}

/// Of up to three transfers two must use the link: a third may meet a machine that pauses, though not for long enough to be void.
#[test]
fn without_its_agent_a_transfer_goes_on_as_reno_and_a_new_agent_takes_it_over() {
    let Some(_alone) = alone("without_its_agent_a_transfer_goes_on_as_reno_and_a_new_agent_takes_it_over") else { return };
    let _stopped = Stopped;
    let (mut used, mut unused) = (0, Vec::new());
    for goodput in (0..3).filter_map(|_| agent_is_killed_and_replaced()) {
        if goodput > 0.8 * 20.0 {
            used += 1
        } else {
            unused.push(goodput)
        }
        assert!(unused.len() < 2, "Reno or not, the link is used: {unused:?} Mbit/s");
        if used == 2 {
            break;
        }
    }
    assert!(used == 2 || unused.is_empty(), "Reno or not, the link is used: {unused:?} Mbit/s, and no two transfers that say otherwise");
    if used < 2 {
        tell("VOID: the machine was too busy for two transfers of three");
    }
    assert!(!available());
    assert_eq!(String::from_utf8_lossy(&symbiosis(&["kernel", "stop"]).stdout), "there is nothing to stop\n");
}

#[test]
fn what_is_missing_is_said() {
    let Some(_alone) = alone("what_is_missing_is_said") else { return };
    let _stopped = Stopped;
    let command = env!("CARGO_BIN_EXE_symbiosis");
    let start = |prepare: &str| {
        let script = format!("{prepare} && exec {command} kernel start");
        Command::new("unshare").args(["--mount", "sh", "-c", &script]).env("NO_COLOR", "1").output().unwrap()
    };
    let rows = [
        ("mount -t tmpfs none /sys/kernel/btf".to_string(), "this kernel has no BTF"),
        (format!("mount --bind /dev/null {}", libbpf().unwrap()), "apt-get install libbpf1"),
    ];
    for (prepare, wanted) in rows {
        let said = refused(&start(&prepare));
        assert!(said.contains(wanted), "{prepare}: {said}");
        assert!(!available());
    }
    // No compiler is.
    let without_programs = start("PATH=/nowhere");
    assert!(without_programs.status.success(), "{without_programs:?}");
    assert!(symbiosis(&["kernel", "stop"]).status.success());
    let nobody = Command::new("unshare").args(["--user", command, "kernel", "start"]).env("NO_COLOR", "1").output().unwrap();
    assert!(refused(&nobody).contains("only root may load"), "{nobody:?}");
    assert!(refused(&symbiosis(&["kernel", "status"])).contains("no agent is running"));
}

#[test]
fn a_service_is_installed_into_an_image_and_removed() {
    let image = tempfile::tempdir().unwrap();
    let root = image.path().to_str().unwrap();
    let refused_first = symbiosis(&["kernel", "install", "--root", root, "--cc", "symbiosi"]);
    assert!(refused(&refused_first).contains("there is no controller `symbiosi`"));
    assert!(!image.path().join("etc").exists());
    let installed = symbiosis(&["kernel", "install", "--root", root, "--set", "oscillation=0.3"]);
    let unit = image.path().join("etc/systemd/system/symbiosis.service");
    // Whoever built the program in a folder that others may write is told so.
    if !installed.status.success() {
        assert!(refused(&installed).contains("not for root to run at each start"), "{installed:?}");
        assert!(!unit.exists());
        return;
    }
    let text = fs::read_to_string(&unit).unwrap();
    assert!(text.contains(r#"kernel start --foreground "--cc" "symbiosis" "--seed" "1" "--set" "oscillation=0.3""#), "{text}");
    let removed = symbiosis(&["kernel", "uninstall", "--root", root]);
    assert!(removed.status.success() && String::from_utf8_lossy(&removed.stdout).contains("90-symbiosis.conf"), "{removed:?}");
    assert!(!unit.exists());
    assert_eq!(String::from_utf8_lossy(&symbiosis(&["kernel", "uninstall", "--root", root]).stdout), "there is nothing to remove\n");
}

#[test]
fn a_controller_that_cannot_be_is_refused_before_anything_is_done() {
    let rows: [(&[&str], &str); 4] = [
        (&["--cc", "symbiosi"], "there is no controller `symbiosi`"),
        (&["--cc", "hcc"], "which TCP does not carry"),
        (&["--set", "gama=0.5"], "--set gama: symbiosis has no such parameter"),
        (&["--set", "measurement=oracle"], "the packets must measure"),
    ];
    for (args, wanted) in rows {
        let said = refused(&symbiosis(&[&["kernel", "start"], args].concat()));
        assert!(said.contains(wanted), "{args:?}: {said}");
    }
}

/// Nothing is there of any agent, whatever build it was of.
fn as_after_a_start_of_the_machine() {
    let _ = fs::remove_dir_all("/run/symbiosis");
}

/// Whatever the umask of whoever starts the agent is, no other user may enter its folder, ask it, or keep the next one from its lock.
#[test]
fn nobody_else_may_reach_the_agent() {
    let Some(_alone) = alone("nobody_else_may_reach_the_agent") else { return };
    let _stopped = Stopped;
    for umask in ["000", "777"] {
        as_after_a_start_of_the_machine();
        let script = format!("umask {umask} && exec {} kernel start", command().display());
        let started = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(started.status.success(), "{started:?}");
        let mode = |path: &str| format!("{:o}", fs::metadata(path).unwrap().mode() & 0o777);
        let found = ["/run/symbiosis", "/run/symbiosis/control", "/run/symbiosis/agent.lock"].map(mode);
        eprintln!("umask {umask}: {found:?}");
        assert_eq!(found, ["700", "600", "600"], "umask {umask}");
        assert!(symbiosis(&["kernel", "stop"]).status.success());
    }
}

/// Another user tries to hold the lock while no agent runs.
#[test]
fn no_other_user_keeps_an_agent_from_starting() {
    let Some(_alone) = alone("no_other_user_keeps_an_agent_from_starting") else { return };
    let _stopped = Stopped;
    let starts = || {
        let started = symbiosis(&["kernel", "start"]);
        (started.status.success(), String::from_utf8_lossy(&started.stderr).into_owned())
    };
    as_after_a_start_of_the_machine();
    assert!(starts().0 && symbiosis(&["kernel", "stop"]).status.success(), "so that the lock is there");
    let holds = ["--nonblock", "--shared", "/run/symbiosis/agent.lock", "sleep", "20"];
    let mut other = Command::new("flock").args(holds).uid(65_534).stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_secs(1));
    let (started, said) = starts();
    let holds_still = other.try_wait().unwrap().is_none();
    let _ = other.kill();
    eprintln!("another user holds the lock: {holds_still}; an agent starts: {started} {said}");
    assert!(started, "{said}");
    let denied = String::from_utf8(other.wait_with_output().unwrap().stderr).unwrap();
    assert!(!holds_still && denied.contains("Permission denied"), "{denied}");
}

/// A namespace whose default it is keeps the program of an agent that has stopped; its new sockets are Reno's under that name.
#[test]
fn what_an_agent_that_stopped_left_is_shown_by_the_next() {
    let Some(_alone) = alone("what_an_agent_that_stopped_left_is_shown_by_the_next") else { return };
    let _stopped = Stopped;
    assert!(symbiosis(&["kernel", "start"]).status.success());
    let mut host = Command::new("unshare")
        .args(["--net", "sh", "-c", "echo symbiosis > /proc/sys/net/ipv4/tcp_congestion_control && echo set && read end"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut set = String::new();
    BufReader::new(host.stdout.take().unwrap()).read_line(&mut set).unwrap();
    assert_eq!(set, "set\n");
    assert!(symbiosis(&["kernel", "stop"]).status.success());
    assert!(symbiosis(&["kernel", "start"]).status.success());
    let shown = until(Duration::from_secs(10), || Some(status()?["orphans"].clone()).filter(|orphans| orphans["programs"] == 1));
    let told = String::from_utf8_lossy(&symbiosis(&["kernel", "status"]).stdout).into_owned();
    drop(host.stdin.take());
    host.wait().unwrap();
    eprintln!("{shown:?}: {told}");
    assert!(shown.is_some(), "{told}");
    assert!(symbiosis(&["kernel", "stop"]).status.success());
}

/// A connection over loopback under the congestion control, and 20 kB through it.
fn transfer() {
    sends(|| false);
}

/// The same again and again on one connection, while there is to be `more`.
fn sends(more: impl Fn() -> bool) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let reader = spawn({
        let listener = listener.try_clone().unwrap();
        move || std::io::copy(&mut listener.accept().unwrap().0, &mut std::io::sink()).unwrap()
    });
    let fd = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).unwrap();
    setsockopt(&fd, TcpCongestion, &"symbiosis".into()).unwrap();
    let SocketAddr::V4(at) = listener.local_addr().unwrap() else { panic!("this is IPv4") };
    connect(fd.as_raw_fd(), &SockaddrIn::from(at)).unwrap();
    let mut stream = TcpStream::from(fd);
    let mut bytes = 0;
    while bytes == 0 || more() {
        stream.write_all(&[7; 20_000]).unwrap();
        bytes += 20_000;
    }
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(reader.join().unwrap(), bytes);
}

/// Loopback has no path to measure: whoever looks is told so, and so is the log.
#[test]
fn why_a_socket_is_reno_is_in_status_and_in_the_log() {
    let Some(_alone) = alone("why_a_socket_is_reno_is_in_status_and_in_the_log") else { return };
    let _stopped = Stopped;
    let started = symbiosis(&["kernel", "start"]);
    assert!(String::from_utf8_lossy(&started.stdout).contains("log: /run/symbiosis/log"), "{started:?}");
    let enough = std::sync::atomic::AtomicBool::new(false);
    let told = std::thread::scope(|scope| {
        scope.spawn(|| {
            sends(|| !enough.load(std::sync::atomic::Ordering::Relaxed));
        });
        let told = until(Duration::from_secs(30), || {
            let (shown, text) = (status()?, String::from_utf8(symbiosis(&["kernel", "status"]).stdout).ok()?);
            let log = fs::read_to_string("/run/symbiosis/log").ok()?;
            let is_told = shown["sockets"].get(0)?["why"] == "timer too coarse" && text.contains("timer too coarse");
            (is_told && log.contains("reno, ")).then_some(log)
        });
        enough.store(true, std::sync::atomic::Ordering::Relaxed);
        told
    });
    eprintln!("{told:?}");
    assert!(told.is_some(), "{:?}", status());
}

/// The agent is a process of its own here, so that its memory is nobody else's. The first thousand connections fill what is kept for reuse; a kilobyte
/// for each of the others would be 9 MB.
#[test]
fn thousands_of_connections_leave_nothing() {
    let Some(_alone) = alone("thousands_of_connections_leave_nothing") else { return };
    let _stopped = Stopped;
    let started = symbiosis(&["kernel", "start"]);
    assert!(started.status.success(), "{started:?}");
    let pid = status().unwrap()["pid"].to_string();
    let memory_kib = || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let after_each_thousand: Vec<u64> = (0..10)
        .map(|_| {
            (0..1_000).for_each(|_| transfer());
            memory_kib()
        })
        .collect();
    // A socket whose end nobody had room to tell is looked after 30 s later (`table::UNTOLD`).
    let begun = Instant::now();
    let counts = || {
        let status = status().unwrap();
        (status["registered"].as_u64().unwrap(), status["sockets"].as_array().unwrap().len(), status["dropped"].as_u64().unwrap())
    };
    let gone = until(Duration::from_secs(60), || Some(counts()).filter(|(registered, sockets, _)| (*registered, *sockets) == (0, 0)));
    eprintln!("{after_each_thousand:?} KiB after each thousand; the last ends after {:?}: {:?}", begun.elapsed(), counts());
    assert!(gone.is_some(), "registered, known, dropped: {:?}", counts());
    // The least of the last three: what is in use for a moment does not count.
    let (first, last) = (after_each_thousand[0], *after_each_thousand[7..].iter().min().unwrap());
    assert!(last < first + 4096, "{} KiB more after 9000 connections", last - first);
    assert!(symbiosis(&["kernel", "stop"]).status.success());
}
