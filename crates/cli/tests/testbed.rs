//! Real kernel TCP over an emulated path, with the built command.
//!
//! This needs root and TUN. Where they are missing each test says so, by name, and does nothing. A machine that is busy makes runs void;
//! the command repeats them, and what is void in the end is said, and judged by nobody.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use symbiosis_linux::privileged::{Need, ready, tell};
use tempfile::TempDir;

const SCENARIO: &str = r#"
duration_s = 6
[bottleneck]
rate_mbps = 20
delay_ms = 10
queue_bdp = 1.0
[[flow]]
cc = "linux-reno"
[measure]
from_s = 1
"#;

/// Whether the testbed can be had.
fn skipped(test: &str) -> bool {
    !ready(test, &Need::TESTBED)
}

fn testbed(args: &[&str]) -> (TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("small.toml"), SCENARIO).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    command.current_dir(folder.path()).env("NO_COLOR", "1").args(["testbed", "small.toml"]).args(args);
    (folder, command)
}

fn output(args: &[&str]) -> Output {
    let (_folder, mut command) = testbed(args);
    command.output().unwrap()
}

fn json(output: &Output) -> Value {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

/// Whether a run says something of TCP, and not of the machine.
fn valid(test: &str, run: &Value) -> bool {
    let void = &run["machine"]["void"];
    if !void.is_null() {
        tell(&format!("VOID {test}: {void}"));
    }
    void.is_null()
}

/// 20 Mbit/s at 20 ms, with a buffer of a BDP, in which Reno's halved window still fills the path.
#[test]
fn reno_fills_a_link() {
    if skipped("reno_fills_a_link") {
        return;
    }
    let run = json(&output(&["--json"]));
    if !valid("reno_fills_a_link", &run) {
        return;
    }
    let flow = &run["flows"][0];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{run:#}"));
    assert!(number(&flow["throughput_mbps"]) >= 0.85 * 20.0, "{run:#}");
    // 1448 of 1500 bytes are payload.
    let payload = number(&flow["goodput_mbps"]) / number(&flow["throughput_mbps"]);
    assert!((payload - 1448.0 / 1500.0).abs() < 0.01, "{run:#}");
    // The base RTT, and what a queue of as much again adds. A wake-up comes microseconds late, twice.
    let rtt = |which: &str| number(&flow["rtt_ms"][which]);
    assert!(rtt("min") >= 20.0 && rtt("p95") <= 20.0 + 20.0 + 0.6 + 1.0, "{run:#}");
    assert!(number(&run["links"][0]["utilization"]) <= 1.0);
    assert_eq!(number(&flow["packets_lost"]), number(&run["links"][0]["drops"]), "{run:#}");
}

/// Flows that start and stop, an amount, other traffic, random loss, a managed queue, several seeds, traces and a report.
#[test]
fn a_whole_scenario_has_the_simulators_output() {
    if skipped("a_whole_scenario_has_the_simulators_output") {
        return;
    }
    let (folder, mut command) = testbed(&[]);
    let whole = r#"
        duration_s = 3
        [bottleneck]
        rate_mbps = [[0, 20], [2, 10]]
        delay_ms = 5
        queue_packets = 100
        queue = "fq-codel"
        loss = 0.001
        jitter_ms = 0.1
        [[flow]]
        cc = "linux-cubic"
        access_delay_ms = 5
        stop_s = 2
        [[flow]]
        cc = "linux-bbr"
        start_s = 0.5
        bytes = 500_000
        delayed_ack = true
        packet_bytes = 1000
        [[cross]]
        rate_mbps = 5
        mix = "internet"
        [trace]
        every_ms = 50
    "#;
    fs::write(folder.path().join("small.toml"), whole).unwrap();
    let output = command.args(["--json", "--seeds", "2", "--out", "out", "--csv"]).output().unwrap();
    let runs = json(&output);
    for run in runs.as_array().unwrap() {
        let [cubic, bbr] = [&run["flows"][0], &run["flows"][1]];
        assert_eq!((cubic["cc"].as_str(), bbr["cc"].as_str()), (Some("linux-cubic"), Some("linux-bbr")));
        if valid("a_whole_scenario_has_the_simulators_output", run) {
            let took = bbr["completion_s"].as_f64().expect("4 Mbit cross 15 Mbit/s in a second");
            assert!((0.03..2.0).contains(&took), "{run:#}");
            // 500 000 bytes in packets of 948 of payload, and what was lost.
            let sent = bbr["packets_sent"].as_u64().unwrap() - bbr["retransmissions"].as_u64().unwrap();
            assert!((528..=530).contains(&sent), "{run:#}");
        }
    }
    let trace = fs::read_to_string(folder.path().join("out/seed-2/flows.csv")).unwrap();
    let at = |line: &&str| line.split(',').next().and_then(|at| at.parse::<f64>().ok()).unwrap();
    let cubic: Vec<&str> = trace.lines().filter(|line| line.contains(",linux-cubic,")).collect();
    assert!(cubic.len() == 61 && at(&cubic[40]) == 2.0, "{} samples", cubic.len());
    let delivered = |line: &str| line.split(',').nth(5).and_then(|bytes| bytes.parse::<u64>().ok()).unwrap();
    // It stops at 2 s; what had been sent arrives within the queue's and the path's time.
    assert!(delivered(cubic[40]) > 1_000_000 && delivered(cubic[60]) - delivered(cubic[50]) < 20_000, "{trace}");
    assert!(fs::read_to_string(folder.path().join("out/index.html")).unwrap().contains("symbiosis testbed scenario.toml"));
    assert!(folder.path().join("out/seed-1/links.parquet").exists());
}

/// Ids that the test gives to the namespaces of a process, through which the kernel can be asked whether they are still there.
struct Marked(Vec<String>);

impl Marked {
    /// Waits for a process to be at work, and marks the namespaces that it made.
    fn of(child: &Child) -> Marked {
        let own = fs::read_link("/proc/self/ns/net").unwrap();
        let began = Instant::now();
        let mut places: Vec<PathBuf> = Vec::new();
        while places.len() < 2 {
            assert!(began.elapsed() < Duration::from_secs(10), "it makes no namespaces");
            sleep(Duration::from_millis(100));
            let folder = format!("/proc/{}/fd", child.id());
            let held = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let foreign = |path: &PathBuf| fs::read_link(path).is_ok_and(|name| name.to_string_lossy().starts_with("net:") && name != own);
            places = held.filter(foreign).collect();
        }
        // It runs by then.
        sleep(Duration::from_secs(1));
        let ids = places.iter().enumerate().map(|(at, place)| mark(child.id() as usize * 10 + at, place)).collect();
        let marked = Marked(ids);
        assert_eq!(marked.there(), 2);
        marked
    }

    /// How many of them there are.
    fn there(&self) -> usize {
        let listed = Command::new("ip").args(["netns", "list-id"]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        self.0.iter().filter(|id| listed.lines().any(|line| line.split_whitespace().nth(1) == Some(id))).count()
    }

    /// They are gone, soon.
    fn assert_gone(&self) {
        let began = Instant::now();
        while self.there() > 0 {
            assert!(began.elapsed() < Duration::from_secs(10), "namespaces are left behind");
            sleep(Duration::from_millis(100));
        }
    }
}

/// Gives a namespace an id, by a name that is taken away again.
fn mark(id: usize, place: &Path) -> String {
    let (name, id) = (format!("symt-test-{id}"), (id % 1_000_000).to_string());
    let script = format!(
        "set -e; mkdir -p /run/netns; touch /run/netns/{name}; mount --bind {} /run/netns/{name}; ip netns set {name} {id}; \
         umount /run/netns/{name}; rm /run/netns/{name}",
        place.display()
    );
    assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    id
}

fn interrupted(signal: &str) {
    let (_folder, mut command) = testbed(&["--set", "duration_s=60", "--json"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let marked = Marked::of(&child);
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait().unwrap();
    // Ctrl-C is heard, and everything is taken away by hand.
    assert_eq!((ended.code(), ended.signal()), if signal == "-INT" { (Some(130), None) } else { (None, Some(9)) });
    marked.assert_gone();
}

#[test]
fn nothing_is_left_after_ctrl_c() {
    if !skipped("nothing_is_left_after_ctrl_c") {
        interrupted("-INT");
    }
}

#[test]
fn nothing_is_left_after_kill_9() {
    if !skipped("nothing_is_left_after_kill_9") {
        interrupted("-KILL");
    }
}

/// Whether the kernel has our congestion control.
fn registered() -> bool {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    known.split_whitespace().any(|name| name == "symbiosis")
}

/// A controller of ours gets its agent, measures the link, fills it, and is gone afterwards, also after Ctrl-C.
#[test]
fn symbiosis_measures_the_link_and_leaves_nothing() {
    const TEST: &str = "symbiosis_measures_the_link_and_leaves_nothing";
    if skipped(TEST) || !ready(TEST, &Need::KERNEL) {
        return;
    }
    let (folder, mut command) = testbed(&["--set", "flow.0.cc=symbiosis", "--set", "measure.from_s=3", "--json", "--out", "out", "--csv"]);
    let output = command.output().unwrap();
    let run = json(&output);
    assert!(!registered());
    if valid(TEST, &run) {
        let flow = &run["flows"][0];
        let rate = flow["throughput_mbps"].as_f64().unwrap();
        assert!(rate >= 0.85 * 20.0, "{run:#}");
        let trace = fs::read_to_string(folder.path().join("out/flows.csv")).unwrap();
        let column = trace.lines().next().unwrap().split(',').position(|name| name == "K_mbps").expect("it measured the link's capacity");
        let mut read: Vec<f64> = trace.lines().skip(1).filter_map(|line| line.split(',').nth(column)?.parse().ok()).collect();
        read.drain(..read.len() / 2);
        read.sort_by(f64::total_cmp);
        // A single sample may be of a moment at which the machine was late.
        let median = read[read.len() / 2];
        assert!((median / 20.0 - 1.0).abs() < 0.1, "K = {median} of 20 Mbit/s");
    }
    let (_folder, mut command) = testbed(&["--set", "flow.0.cc=symbiosis", "--set", "duration_s=60"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !registered() {
        assert!(began.elapsed() < Duration::from_secs(20), "it is not registered");
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_secs(1));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!registered());
}

#[test]
fn without_root_there_is_one_clear_message() {
    if skipped("without_root_there_is_one_clear_message") {
        return;
    }
    const NOBODY: u32 = 65534;
    let folder = tempfile::tempdir().unwrap();
    // A place that anyone may read.
    let (scenario, command) = (folder.path().join("small.toml"), folder.path().join("symbiosis"));
    fs::write(&scenario, SCENARIO).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_symbiosis"), &command).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), open).unwrap();
    let output = Command::new(&command).arg("testbed").arg(&scenario).uid(NOBODY).env("NO_COLOR", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("namespaces cannot be made") && said.contains("needs root"), "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn what_the_kernel_does_not_do_is_refused_with_its_key() {
    let rows: &[(&str, &str)] = &[
        ("flow.0.cc=hcc", "it runs in the simulator, not in the kernel"),
        ("flow.0.cc=linux-cubik", "did you mean `linux-cubic`?"),
        ("flow.0.recovery=reno", "`flow.0.recovery` is given"),
        ("flow.0.receiver_times=true", "`flow.0.receiver_times` is given"),
        ("flow.0.send_timer_us=50", "`flow.0.send_timer_us` is given"),
        ("flow.0.packet_bytes=100", "`flow.0.packet_bytes` is given"),
        ("flow.0.count=2000", "carries 1 to 1000"),
        ("flow=[{cc='symbiosis', params={measurement='oracle'}}]", "which only a simulator knows"),
        ("flow=[{cc='symbiosis'}, {cc='linux-bbr'}, {cc='symbiosis-paper'}]", "`flow.2.cc` is \"symbiosis-paper\""),
    ];
    for (set, said) in rows {
        let output = output(&["--set", set]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{set}: {error}");
        // Long lines are broken, with a bar.
        let error: String = error.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.contains(said), "{set}: {error}");
    }
}

#[test]
fn the_command_is_known_by_its_old_name_too() {
    let output = Command::new(env!("CARGO_BIN_EXE_symbiosis")).args(["lab", "--help"]).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("symbiosis testbed"));
}
