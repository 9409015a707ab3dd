//! What the kernel's half costs and how well it measures, on this machine: `cargo bench -p symbiosis-cli --bench kernel -- free|cpu|imtcp|bursts`, as root.
//!
//! Each figure has beside it how late the machine emulated the path: a part of late packets above 1 % makes it worthless.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

const SYMBIOSIS: &str = env!("CARGO_BIN_EXE_symbiosis");

fn main() {
    // Cargo says `--bench` too.
    let named: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|wanted| wanted == name);
    let _agent = Agent::start();
    for (name, bench) in [("free", free as fn()), ("cpu", cpu), ("imtcp", imtcp), ("bursts", bursts)] {
        if wanted(name) {
            bench();
        }
    }
}

/// The agent, for as long as this lives.
struct Agent;

impl Agent {
    fn start() -> Agent {
        run(SYMBIOSIS, &["kernel", "start"]);
        Agent
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        run(SYMBIOSIS, &["kernel", "stop"]);
    }
}

fn run(command: &str, args: &[&str]) -> String {
    let done = Command::new(command).args(args).output().unwrap_or_else(|error| panic!("{command}: {error}"));
    assert!(done.status.success(), "{command} {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Two namespaces and a pair of devices between them, for as long as this lives.
struct Pair([String; 2]);

impl Pair {
    fn new() -> Pair {
        let [a, b] = ["a", "b"].map(|end| format!("symk{}{end}", std::process::id()));
        for command in [
            format!("netns add {a}"),
            format!("netns add {b}"),
            format!("link add symk0 netns {a} type veth peer name symk1 netns {b}"),
            format!("-n {a} addr add 10.77.0.1/24 dev symk0"),
            format!("-n {b} addr add 10.77.0.2/24 dev symk1"),
            format!("-n {a} link set symk0 up"),
            format!("-n {b} link set symk1 up"),
        ] {
            run("ip", &command.split(' ').collect::<Vec<_>>());
        }
        Pair([a, b])
    }

    /// What arrives in two seconds \[Gbit/s\].
    fn transfer(&self, cc: &str) -> f64 {
        let [a, b] = &self.0;
        let mut server = Command::new("ip").args(["netns", "exec", b, "iperf3", "-s", "-1"]).stdout(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(300));
        let said = run("ip", &["netns", "exec", a, "iperf3", "-c", "10.77.0.2", "-t", "2", "-J", "-C", cc]);
        server.wait().unwrap();
        let said: Value = serde_json::from_str(&said).unwrap();
        said["end"]["sum_received"]["bits_per_second"].as_f64().unwrap() / 1e9
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        for name in &self.0 {
            run("ip", &["netns", "del", name]);
        }
    }
}

/// Throughput where nothing is the bottleneck but the processors, beside CUBIC's: in turns, because the machine is not always as fast.
fn free() {
    const ROUNDS: usize = 9;
    let pair = Pair::new();
    let mut ratios = Vec::new();
    println!("\nthroughput over veth without a bottleneck [Gbit/s], 2 s each\ncubic  symbiosis  ratio");
    for _ in 0..ROUNDS {
        let [cubic, ours] = ["cubic", "symbiosis"].map(|cc| pair.transfer(cc));
        println!("{cubic:5.1}  {ours:9.1}  {:5.2}", ours / cubic);
        ratios.push(ours / cubic);
    }
    println!("median of the ratio {:.2}", median(ratios));
}

/// A path, of which others leave a part; packets leave a host in bursts of so many at the most.
struct Way {
    rate: f64,
    rtt_ms: f64,
    available: f64,
    burst: u32,
}

/// A scenario that runs with the kernel's TCP.
struct Lab {
    child: Child,
    _folder: tempfile::TempDir,
}

impl Lab {
    fn start(cc: &str, seconds: u32, path: &Way) -> Lab {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kernel.toml");
        let Way { rate, rtt_ms, available, burst } = path;
        let (delay_ms, queue, access, cross) = (rtt_ms / 2.0, 10.0 * rate, 10.0 * rate, rate - available);
        let text = format!(
            "duration_s = {seconds}\n[bottleneck]\nrate_mbps = {rate}\ndelay_ms = {delay_ms}\nqueue_packets = {queue}\n\
             [[flow]]\ncc = \"{cc}\"\naccess_rate_mbps = {access}\ngso_packets = {burst}\n\
             [[cross]]\nrate_mbps = {cross}\n[measure]\nfrom_s = 5\n"
        );
        fs::write(&file, text).unwrap();
        let child =
            Command::new(SYMBIOSIS).arg("testbed").arg(file).arg("--json").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        Lab { child, _folder: folder }
    }

    fn end(self) -> Value {
        let done = self.child.wait_with_output().unwrap();
        serde_json::from_slice(&done.stdout).expect("the run ends with a result")
    }
}

fn late(result: &Value) -> f64 {
    result["machine"]["lateness"]["late"].as_f64().unwrap_or(f64::NAN) * 100.0
}

/// What an ACK costs: the functions of the congestion control, and all that the machine does for a packet, its other work included.
fn cpu() {
    const SECONDS: u32 = 20;
    println!("\nprocessor time at 100 Mbit/s and 118 ms, {SECONDS} s");
    println!("                 in the congestion control  the whole machine");
    println!("                       for an ACK [ns]  for a packet [µs]  late packets [%]");
    for (cc, functions) in [("linux-cubic", Some("cubictcp_|bictcp_")), ("linux-bbr", Some("bbr_")), ("symbiosis", None)] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("perf.data");
        fs::write("/proc/sys/kernel/bpf_stats_enabled", "1").unwrap();
        let perf = functions.map(|_| sampled(&data, SECONDS));
        let (before, agent) = (busy(), costs());
        let result = Lab::start(cc, SECONDS, &Way { rate: 100.0, rtt_ms: 118.0, available: 80.0, burst: 1 }).end();
        let (busy, after) = (busy() - before, costs());
        fs::write("/proc/sys/kernel/bpf_stats_enabled", "0").unwrap();
        let packets = result["packets_delivered"].as_f64().unwrap();
        let ns = match (functions, perf) {
            (Some(functions), Some(perf)) => samples(perf, &data, functions) * 1e9 / f64::from(RATE) / packets,
            _ => (after.0 - agent.0) / (after.1 - agent.1),
        };
        println!("{cc:12} {ns:26.0}  {:17.1}  {:16.2}", busy * 1e6 / packets, late(&result));
    }
}

/// Samples of the whole machine's processors a second.
const RATE: u32 = 10_000;

fn sampled(data: &Path, seconds: u32) -> Child {
    let rate = RATE.to_string();
    let args = ["record", "-a", "-q", "-F", &rate, "-e", "cpu-clock", "-o"];
    let mut perf = Command::new("perf");
    perf.args(args).arg(data).args(["sleep", &seconds.to_string()]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("perf")
}

/// How many samples were in functions whose names begin so.
fn samples(mut perf: Child, data: &Path, functions: &str) -> f64 {
    perf.wait().unwrap();
    let said = run("perf", &["script", "-F", "ip,sym", "-i", data.to_str().unwrap()]);
    let within =
        |line: &&str| line.split_whitespace().nth(1).is_some_and(|name| functions.split('|').any(|prefix| name.starts_with(prefix)));
    said.lines().filter(within).count() as f64
}

/// Time that all processors worked \[s\].
fn busy() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap();
    let ticks: Vec<f64> = stat.lines().next().unwrap().split_whitespace().skip(1).map(|tick| tick.parse().unwrap()).collect();
    // All but idle, waiting, and guests, which are counted before.
    (ticks[..8].iter().sum::<f64>() - ticks[3] - ticks[4]) / 100.0
}

/// Time in our programs \[ns\], and ACKs, since they were loaded.
fn costs() -> (f64, f64) {
    let said: Value = serde_json::from_str(&run("bpftool", &["-j", "prog", "show"])).unwrap();
    let ours = said.as_array().unwrap().iter().filter(|prog| prog["name"].as_str().is_some_and(|name| name.starts_with("symbiosis_")));
    ours.fold((0.0, 0.0), |(ns, acks), prog| {
        let of = |key: &str| prog[key].as_f64().unwrap_or(0.0);
        (ns + of("run_time_ns"), acks + if prog["name"] == "symbiosis_pkts_acked" { of("run_cnt") } else { 0.0 })
    })
}

/// How far K and A are off, for as long as there is a result.
fn imtcp() {
    println!("\nImTCP in the kernel: {ERRORS}");
    println!("RTT [ms]  A [Mbit/s]   error of A      error of K    results  throughput/A  late packets [%]");
    for rtt_ms in [30.0, 60.0, 120.0] {
        for available in [20.0, 50.0, 80.0] {
            let told = errors(&Way { rate: 100.0, rtt_ms, available, burst: 1 });
            println!("{rtt_ms:8}  {available:10}  {told}");
        }
    }
}

/// The same where the device takes bursts, as it does unless told otherwise: 45 packets are 64 kB.
fn bursts() {
    println!("\nImTCP in the kernel by single packets and by bursts, RTT 40 ms, half of the link free: {ERRORS}");
    println!("K [Mbit/s]  burst   error of A      error of K    results  throughput/A  late packets [%]");
    for rate in [10.0, 100.0, 1000.0] {
        for burst in [1, 45] {
            let told = errors(&Way { rate, rtt_ms: 40.0, available: rate / 2.0, burst });
            println!("{rate:10}  {burst:5}  {told}");
        }
    }
}

const ERRORS: &str = "errors in % of K, mean and standard deviation of 280 looks from 6 s on";

fn errors(path: &Way) -> String {
    const SECONDS: u32 = 20;
    let begun = Instant::now();
    let lab = Lab::start("symbiosis", SECONDS, path);
    let (mut errors, mut looks) = (Vec::new(), 0);
    while begun.elapsed() < Duration::from_secs(u64::from(SECONDS) - 1) {
        sleep(Duration::from_millis(50));
        if begun.elapsed() < Duration::from_secs(6) {
            continue;
        }
        let status: Value = serde_json::from_str(&run(SYMBIOSIS, &["kernel", "status", "--json"])).unwrap();
        let gauge = |name: &str| status["sockets"][0]["gauges"][name].as_f64();
        looks += 1;
        if let (Some(k), Some(a)) = (gauge("K_mbps"), gauge("A_mbps")) {
            errors.push((100.0 * (a - path.available) / path.rate, 100.0 * (k / path.rate - 1.0)));
        }
    }
    let result = lab.end();
    let of = |pick: fn(&(f64, f64)) -> f64| {
        let n = errors.len() as f64;
        let mean = errors.iter().map(pick).sum::<f64>() / n;
        let variance = errors.iter().map(|error| (pick(error) - mean).powi(2)).sum::<f64>() / n;
        format!("{mean:+6.2} {:6.2}", variance.sqrt())
    };
    let share = result["flows"][0]["throughput_mbps"].as_f64().unwrap_or(f64::NAN) / path.available;
    let known = errors.len() as f64 / f64::from(looks);
    format!("{}  {}  {known:7.2}  {share:12.3}  {:16.2}", of(|e| e.0), of(|e| e.1), late(&result))
}
