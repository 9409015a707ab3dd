//! Serving, sending and fetching with the built command, over the machine's own loopback.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A server that ends with its test.
struct Server {
    process: Child,
    address: String,
    fingerprint: String,
}

impl Server {
    fn start(folder: &Path, more: &[&str]) -> Server {
        let identity = folder.join("identity.pem");
        fs::create_dir_all(folder.join("served")).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_symbiosis"))
            .current_dir(folder)
            .args(["serve", "--dir", "served", "--listen", "127.0.0.1:0", "--identity"])
            .arg(identity)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut after =
            |word: &str| lines.next().unwrap().unwrap().split_once(word).expect("its address, then its fingerprint").1.to_string();
        let (address, fingerprint) = (after(" at "), after("fingerprint "));
        Server { process, address, fingerprint }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn symbiosis(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symbiosis")).current_dir(folder).env("NO_COLOR", "1").args(args).output().unwrap()
}

fn refused(folder: &Path, args: &[&str], said: &str) {
    let output = symbiosis(folder, args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    // miette breaks lines where they are full.
    let words = |text: &str| text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(words(&stderr).contains(said), "{args:?}: {stderr}");
}

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
    refused(here, &["send", "file", at], &format!("add --trust {trust}"));
    refused(here, &["send", "file", at, "--trust", &wrong], &format!("not {wrong}: it is not the server you meant"));
    refused(here, &["send", "file", at, "--trust", "12"], "--trust 12: this is no fingerprint");
    refused(here, &["send", "file", at, "--ca", "file"], "--ca file: it holds no certificate");
    refused(here, &["send", "file", "127.0.0.1", "--trust", trust], "127.0.0.1: there is no port");
    refused(here, &["send", "file", at, "--trust", trust, "--cc", "symbiossis"], "did you mean `symbiosis`?");
    refused(here, &["send", "file", at, "--trust", trust, "--set", "gamma=7"], "`gamma` is 7, but must be");
    refused(here, &["send", "file", at, "--trust", trust, "--set", "measurement=oracle"], "over a network the packets must measure");
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
    let server = Server::start(folder.path(), &["--read-only"]);
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
fn a_demonstration_needs_nothing_and_leaves_a_report() {
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
    assert!(folder.path().join("demo/index.html").exists());
    refused(folder.path(), &["demo", "--cc", "none"], "there is no controller `none`");
}
