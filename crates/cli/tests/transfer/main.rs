//! Serving, sending and fetching with the built command, over the machine's own loopback.

mod server;
mod who;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::Value;
use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_path::{LinkSpec, QueueLimit};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::relay::{self, Relay};

use server::{NOBODY_WRITES, Server, refused, symbiosis};

#[test]
fn a_file_goes_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let content: Vec<u8> = (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(here.join("file"), &content).unwrap();
    fs::write(here.join("empty"), "").unwrap();
    let server = Server::start(here, &[]);
    let (at, trust) = (server.address.as_str(), server.fingerprint.as_str());
    for cc in ["symbiosis", "cubic", "quic-bbr"] {
        let sent = symbiosis(here, &["send", "file", "empty", at, "--trust", trust, "--cc", cc, "--force", "--json"]);
        assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
        let report: Value = serde_json::from_slice(&sent.stdout).unwrap();
        assert_eq!((&report["files"], &report["bytes"], &report["cc"]), (&2.into(), &3_000_000.into(), &cc.into()));
        assert!(fs::read(here.join("served/file")).unwrap() == content);
        assert_eq!(fs::read(here.join("served/empty")).unwrap(), b"");
    }
    let fetched = symbiosis(here, &["fetch", &format!("{at}/file"), "--to", "back", "--trust", trust]);
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
    assert!(String::from_utf8(fetched.stdout).unwrap().starts_with("fetched 1 file, 3000000 bytes in "));
    assert!(fs::read(here.join("back")).unwrap() == content);
    assert_eq!(fs::read_dir(here.join("served")).unwrap().count(), 2, "no parts are left");
}

#[test]
fn a_connection_is_written_down_where_the_build_can() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("file"), "mine").unwrap();
    let server = Server::start(here, &[]);
    let args = ["send", "file", &server.address, "--trust", &server.fingerprint, "--qlog", "log/here"];
    if !cfg!(feature = "qlog") {
        return refused(here, &args, "--qlog log/here: this build writes no qlog");
    }
    assert!(symbiosis(here, &args).status.success());
    let logged = fs::read_dir(here.join("log/here")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(logged).unwrap();
    let header: Value = serde_json::from_str(text.trim_start_matches('\u{1e}').lines().next().unwrap()).unwrap();
    assert!(header["file_schema"].as_str().unwrap().contains("qlog"), "{header}");
}

/// A path of 16 Mbit/s and 20 ms to the server, for as long as `act` takes; it is told where the path begins.
fn over_a_slow_path(server: &Server, act: impl FnOnce(&str)) {
    let end = LinkSpec::ideal(Rate::from_mbps(16.0), Span::from_millis(10));
    let forth = LinkSpec { queue: QueueLimit::Packets(100), ..end.clone() };
    let overhead = Bytes(28);
    let path = relay::Path {
        forth,
        back: end,
        others: None,
        overhead,
        impairments: Impairments::default(),
        rebinds: Vec::new(),
        seed: 1,
        sample_every: Span::from_millis(100),
    };
    let to = server.address.parse().unwrap();
    let enough = Arc::new(AtomicBool::new(false));
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let relay = Relay::new(to, path).unwrap();
            tell.send(relay.address().unwrap()).unwrap();
            // It fails when the server is gone, which one of the tests wants.
            let _ = relay.run(&enough);
        });
        act(&told.recv().unwrap().to_string());
        enough.store(true, Ordering::Relaxed);
    });
}

/// Waits until so much of a file has arrived in parts.
fn until_parts_have(folder: &Path, bytes: u64) -> u64 {
    let start = std::time::Instant::now();
    loop {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let has: u64 =
            entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".part")).map(|part| part.metadata().unwrap().len()).sum();
        if has >= bytes {
            return has;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{has} bytes after a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_was_killed_is_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let content: Vec<u8> = (0..6_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(here.join("file"), &content).unwrap();
    let server = Server::start(here, &[]);
    over_a_slow_path(&server, |at| {
        let args = ["send", "file", at, "--trust", &server.fingerprint];
        let mut first = Command::new(env!("CARGO_BIN_EXE_symbiosis")).current_dir(here).args(args).spawn().unwrap();
        until_parts_have(&here.join("served"), 1_000_000);
        first.kill().unwrap();
        first.wait().unwrap();
    });
    assert!(!here.join("served/file").exists(), "a part has not the file's name");
    // The server learns of the first client's end when that is silent for 20 s. Until then the part is that client's.
    drop(server);
    let has = until_parts_have(&here.join("served"), 1_000_000);
    let server = Server::start(here, &[]);
    let output = symbiosis(here, &["send", "file", &server.address, "--trust", &server.fingerprint, "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["resumed_bytes"].as_u64(), Some(has));
    assert_eq!(report["bytes"].as_u64(), Some(content.len() as u64 - has));
    assert!(fs::read(here.join("served/file")).unwrap() == content);
}

#[test]
fn a_full_disk_is_said_and_what_had_room_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let content: Vec<u8> = (0..6_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(here.join("file"), &content).unwrap();
    let server = Server::on_a_small_disk(here);
    let sent = symbiosis(here, &["send", "file", &server.address, "--trust", &server.fingerprint]);
    let stderr = String::from_utf8(sent.stderr).unwrap();
    assert_eq!(sent.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("writing failed: File too large"), "{stderr}");
    assert!(stderr.contains("make room there"), "{stderr}");
    assert!(!here.join("served/file").exists());
    drop(server);
    let server = Server::start(here, &[]);
    let output = symbiosis(here, &["send", "file", &server.address, "--trust", &server.fingerprint, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["resumed_bytes"].as_u64().unwrap() > 500_000, "{report}");
    assert!(fs::read(here.join("served/file")).unwrap() == content);
}

#[test]
fn a_server_that_is_killed_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("file"), "").unwrap();
    let server = Server::start(here, &[]);
    let args = ["bench", &server.address, "--trust", &server.fingerprint, "--cc", "reno", "--seconds", "60"];
    let bench = Command::new(env!("CARGO_BIN_EXE_symbiosis")).current_dir(here).args(args).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let address = server.address.clone();
    drop(server);
    let output = bench.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains(&format!("the server at {address} is gone")), "{stderr}");
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("file"), "mine").unwrap();
    let server = Server::start(here, &[]);
    fs::write(here.join("served/file"), "theirs").unwrap();
    let (at, trust) = (server.address.as_str(), server.fingerprint.as_str());
    let wrong = "0".repeat(64);
    let there = |name: &str| format!("{at}/{name}");
    refused(here, &["send", "file", at, "--trust", trust], "file is there already");
    refused(here, &["send", "none", at, "--trust", trust], "none: No such file");
    refused(here, &["send", "served", at, "--trust", trust], "it is no regular file");
    refused(here, &["send", "file", "served/file", at, "--trust", trust], "two files would be `file` there");
    refused(here, &["send", "file", at], &format!("add --trust {trust}, or the line `{at} {trust}` to"));
    refused(here, &["send", "file", at, "--trust", &wrong], &format!("not {wrong}: it is not the server you meant"));
    refused(here, &["send", "file", at, "--trust", "12"], "--trust 12: this is no fingerprint");
    refused(here, &["send", "file", at, "--ca", "file"], "--ca file: it holds no certificate");
    refused(here, &["send", "file", "127.0.0.1:", "--trust", trust], "127.0.0.1:: the port is no number");
    refused(here, &["send", "file", at, "--trust", trust, "--cc", "symbiossis"], "did you mean `symbiosis`?");
    refused(here, &["send", "file", at, "--trust", trust, "--set", "gamma=7"], "`gamma` is 7, but must be");
    refused(here, &["send", "file", at, "--trust", trust, "--set", "measurement=oracle"], "which only a simulator knows");
    refused(here, &["fetch", &there("file"), "--trust", trust], "file is there already");
    refused(here, &["fetch", &there("none"), "--trust", trust], "there is no file `none`");
    refused(here, &["fetch", &there("../file"), "--to", "x", "--trust", trust], "`../file` leads out of the folder");
    refused(here, &["fetch", at, "--trust", trust], "there is no name of a file");
    refused(here, &["bench", at, "--trust", trust, "--cc", "reno,none"], "there is no controller `none`");
    refused(here, &["fetch", &there("file"), "--to", "x", "--trust", trust, "--qlog", "file"], "--qlog file");
    refused(here, &["serve", "--dir", "nowhere"], "--dir nowhere");
    refused(here, &["serve", "--identity", "file"], "--identity file: it holds no certificate");
    refused(here, &["serve", "--listen", at, "--identity", "identity.pem"], &format!("--listen {at}"));
    assert_eq!(fs::read(here.join("file")).unwrap(), b"mine");
    assert_eq!(fs::read(here.join("served/file")).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(here).unwrap().count(), 3, "file, served, identity.pem");
}

#[test]
fn nobody_there_is_code_1() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    // Whoever had this port has just left.
    let address = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = symbiosis(folder.path(), &["send", "file", &address.to_string(), "--trust", &"0".repeat(64)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("nobody listens at"));
}

#[test]
fn a_server_keeps_its_identity_and_may_take_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    let first = Server::start(folder.path(), &[]).fingerprint.clone();
    let server = Server::start(folder.path(), &[NOBODY_WRITES]);
    assert_eq!(server.fingerprint, first);
    refused(folder.path(), &["send", "file", &server.address, "--trust", &first], "this server takes no files");
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(folder.path().join("identity.pem")).unwrap());
    assert_eq!(mode & 0o077, 0, "others may not read the key");
}

#[test]
fn a_bench_is_a_row_for_each_controller() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let args = ["bench", &server.address, "--trust", &server.fingerprint, "--cc", "symbiosis,quic-newreno", "--seconds", "1", "--json"];
    let output = symbiosis(folder.path(), &args);
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let names: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["cc"].as_str().unwrap()).collect();
    assert_eq!(names, ["symbiosis", "quic-newreno"]);
    for row in rows.as_array().unwrap() {
        assert!(row["goodput_mbps"].as_f64().unwrap() > 1.0, "{row}");
        assert!(row["seconds"].as_f64().unwrap() >= 1.0, "{row}");
    }
}

#[test]
fn a_transfer_leaves_traces_and_a_report_as_a_simulation_does() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("file"), vec![7; 2_000_000]).unwrap();
    let server = Server::start(here, &[]);
    let (at, trust) = (server.address.as_str(), server.fingerprint.as_str());
    over_a_slow_path(&server, |at| {
        let sent = symbiosis(here, &["send", "file", at, "--trust", trust, "--out", "sent", "--csv"]);
        assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    });
    let results: Value = serde_json::from_slice(&fs::read(here.join("sent/results.json")).unwrap()).unwrap();
    let flow = &results["flows"][0];
    // On the wire more than the payload, and no more than the path of 16 Mbit/s carries; 20 ms there and back.
    let (throughput, goodput) = (flow["throughput_mbps"].as_f64().unwrap(), flow["goodput_mbps"].as_f64().unwrap());
    assert!(goodput > 5.0 && goodput < throughput && throughput < 16.1, "{flow}");
    assert!(flow["rtt_ms"]["min"].as_f64().unwrap() >= 20.0, "{flow}");
    let csv = fs::read_to_string(here.join("sent/flows.csv")).unwrap();
    let columns = "time_s,flow,cwnd_packets,in_flight_packets,srtt_ms,delivered_bytes,retransmissions,timeouts";
    assert!(csv.starts_with(columns) && csv.contains("A_mbps"), "{csv}");
    assert!(csv.lines().count() > 10, "a second is twenty samples");
    let page = fs::read_to_string(here.join("sent/index.html")).unwrap();
    assert!(page.contains("Round-trip time") && page.contains("A_mbps"));
    assert!(here.join("sent/flows.parquet").exists() && here.join("sent/links.parquet").exists());

    let fetched = symbiosis(here, &["fetch", &format!("{at}/file"), "--to", "back", "--trust", trust, "--out", "fetched"]);
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
    let bench = ["bench", at, "--trust", trust, "--cc", "reno,reno", "--seconds", "1", "--out", "benched"];
    assert!(symbiosis(here, &bench).status.success());
    let benched: Value = serde_json::from_slice(&fs::read(here.join("benched/results.json")).unwrap()).unwrap();
    assert_eq!((&benched["flows"][0]["id"], &benched["flows"][1]["id"]), (&"reno".into(), &"reno 2".into()));
    refused(here, &["bench", at, "--trust", trust, "--cc", "reno", "--out", "sent"], "--out sent: the folder is not empty");
}

#[test]
fn a_bench_without_a_server_brings_one_along_and_a_path_if_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let bench = |more: &[&str]| -> Value {
        let args = [&["bench", "--cc", "symbiosis,quic-cubic", "--seconds", "1", "--runs", "1", "--json"], more].concat();
        let output = symbiosis(folder.path(), &args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    };
    let loopback = bench(&[]);
    for row in loopback[0]["rows"].as_array().unwrap() {
        assert!(row["median"]["goodput_mbps"].as_f64().unwrap() > 1.0, "{row}");
        assert!(row["median"]["cost"]["sender_us"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row.get("virtual").is_none() && row["median"]["of_free_percent"].is_null(), "{row}");
    }
    let relayed = bench(&["--relay", "20", "--mbps", "10", "--others", "2"]);
    assert_eq!(relayed[0]["rtt_ms"].as_f64(), Some(20.0));
    for row in relayed[0]["rows"].as_array().unwrap() {
        // Whatever the machine does, nothing passes a link of 10 Mbit/s faster; and in virtual time a path is filled.
        assert!(row["median"]["goodput_mbps"].as_f64().unwrap() < 10.0, "{row}");
        let percent = row["virtual"]["of_free_percent"].as_f64().unwrap();
        assert!((85.0..110.0).contains(&percent), "{row}");
    }
    let measured = |row: &Value| row["virtual"]["available"]["bias_percent"].as_f64();
    let rows = relayed[0]["rows"].as_array().unwrap();
    assert!(measured(&rows[0]).unwrap().abs() < 10.0 && measured(&rows[1]).is_none(), "{rows:?}");
    refused(folder.path(), &["bench", "--relay", "20", "--mbps", "10", "--others", "10"], "that leaves nothing of 10 Mbit/s");
    refused(folder.path(), &["bench", "127.0.0.1:1", "--relay", "20"], "cannot be used with");
    refused(folder.path(), &["bench", "--out", "out"], "several runs make no one trace");
    refused(folder.path(), &["bench", "--relay", "0"], "0 is not in 1..=2000");
}

#[test]
fn a_demonstration_needs_nothing_and_leaves_a_report() {
    // A run in which the host was late is void, and one of eleven round trips may miss A though it was not: two that agree decide, of at most five.
    let (mut measured, mut unmeasured) = (Vec::new(), Vec::new());
    for run in 1..=5 {
        let folder = tempfile::tempdir().unwrap();
        let output = symbiosis(folder.path(), &["demo", "--megabytes", "3", "--cc", "symbiosis,quic-cubic", "--json"]);
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        for row in rows.as_array().unwrap() {
            // Void or not: nothing is faster than the link, and nobody hears an echo before it can be there.
            let (rate, rtt) = (row["goodput_mbps"].as_f64().unwrap(), row["rtt_mean_ms"].as_f64().unwrap());
            assert!(rate > 1.0 && rate < 100.0, "{row}");
            assert!(rtt > 60.0, "{row}");
        }
        assert_eq!(rows.as_array().unwrap().len(), 2);
        let page = fs::read_to_string(folder.path().join("demo/index.html")).unwrap();
        assert!(page.contains("left by others"));
        assert!(folder.path().join("demo/flows.parquet").exists());
        let tells_a = page.contains("A_mbps");
        println!("run {run}: {} of the packets late, A measured: {tells_a}", rows[0]["relay_late"]);
        match (rows[0]["void"] == true, tells_a) {
            (true, _) => println!("VOID: the machine was too busy"),
            (_, true) => measured.push(rows),
            (_, false) => unmeasured.push(rows),
        }
        if measured.len() == 2 || unmeasured.len() == 2 {
            break;
        }
    }
    assert!(
        !measured.is_empty() && measured.len() > unmeasured.len(),
        "A was measured in {} runs, and not in {unmeasured:?}",
        measured.len()
    );
    refused(Path::new("."), &["demo", "--cc", "none"], "there is no controller `none`");
}
