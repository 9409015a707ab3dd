//! `symbiosis kernel` from outside.
//!
//! This needs root, BTF, clang and libbpf, and for the path TUN and iproute2. Where something is missing each test says so, by name, and does
//! nothing. A machine that is too busy to emulate the path makes a run void, which is said too, and judged by nobody.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use symbiosis_linux::privileged::{Need, ready};

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

fn symbiosis(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symbiosis")).env("NO_COLOR", "1").args(args).output().unwrap()
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

#[test]
fn without_its_agent_a_transfer_goes_on_as_reno_and_a_new_agent_takes_it_over() {
    let Some(_alone) = alone("without_its_agent_a_transfer_goes_on_as_reno_and_a_new_agent_takes_it_over") else { return };
    let _stopped = Stopped;
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
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let void = &result["machine"]["void"];
    if void.is_null() && result["machine"]["attempts"] == 1 {
        assert!(first.is_some(), "the agent learns K");
        assert!(second.is_some(), "so does the next, of a connection that is under way");
        let goodput = result["flows"][0]["goodput_mbps"].as_f64().unwrap();
        assert!(goodput > 0.8 * 20.0, "Reno or not, the link is used: {goodput} Mbit/s");
    } else {
        let _ = fs::write("/dev/stderr", format!("VOID: the machine was too busy to emulate the path: {void}\n"));
    }
    assert!(symbiosis(&["kernel", "stop"]).status.success());
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
        (format!("mount --bind /dev/null {}", libbpf().unwrap()), "apt-get install clang libbpf-dev"),
        ("PATH=/nowhere".to_string(), "clang is not installed"),
    ];
    for (prepare, wanted) in rows {
        let said = refused(&start(&prepare));
        assert!(said.contains(wanted), "{prepare}: {said}");
        assert!(!available());
    }
    let nobody = Command::new("unshare").args(["--user", command, "kernel", "start"]).env("NO_COLOR", "1").output().unwrap();
    assert!(refused(&nobody).contains("only root may load"), "{nobody:?}");
    assert!(refused(&symbiosis(&["kernel", "status"])).contains("no agent is running"));
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

/// Whatever the umask of whoever starts the agent is, no other user may enter its folder, ask it, or keep the next one from its lock.
#[test]
fn nobody_else_may_reach_the_agent() {
    let Some(_alone) = alone("nobody_else_may_reach_the_agent") else { return };
    let _stopped = Stopped;
    for umask in ["000", "777"] {
        let script = format!("umask {umask} && exec {} kernel start", env!("CARGO_BIN_EXE_symbiosis"));
        let started = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(started.status.success(), "{started:?}");
        let mode = |path: &str| fs::metadata(path).unwrap().mode() & 0o777;
        let found = ["/run/symbiosis", "/run/symbiosis/control", "/run/symbiosis/agent.lock"].map(mode);
        assert_eq!(found, [0o700, 0o600, 0o600], "umask {umask}");
        let lock =
            Command::new("flock").args(["--nonblock", "--shared", "/run/symbiosis/agent.lock", "true"]).uid(65_534).output().unwrap();
        assert!(!lock.status.success(), "{lock:?}");
        assert!(String::from_utf8_lossy(&lock.stderr).contains("Permission denied"), "{lock:?}");
        assert!(symbiosis(&["kernel", "stop"]).status.success());
    }
}
