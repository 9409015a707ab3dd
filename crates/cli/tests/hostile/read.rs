//! What is read from files that others may have written, or write at the same time.

use std::fs;
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, PKCS_ED25519};

use super::server::{Server, Serving, attacked};

#[test]
fn a_trace_whose_instants_overflow_is_refused_with_line_and_value() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = r#"
duration_s = 2
[bottleneck]
trace = "overflows.trace"
delay_ms = 10
queue_packets = 50
[[flow]]
cc = "cubic"
"#;
    // 2^64 ns are 18446744073709 ms and a half.
    fs::write(folder.path().join("overflows.trace"), "1\n18446744073709552\n").unwrap();
    fs::write(folder.path().join("scenario.toml"), scenario).unwrap();
    let mut simulates = Command::new(attacked());
    let output = simulates.current_dir(&folder).env("NO_COLOR", "1").args(["simulate", "scenario.toml", "--json"]).output().unwrap();
    let (json, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let throughput = json.lines().find(|line| line.contains("throughput_mbps")).unwrap_or("no throughput").trim();
    eprintln!("{:?}, {throughput}: {said}", output.status.code());
    assert_eq!(output.status.code(), Some(2), "simulated: {throughput}");
    let words = said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(words.contains("line 2") && words.contains("18446744073709552"), "{said}");
}

#[test]
fn a_server_whose_certificate_has_one_between_is_believed() {
    let authority = |name: &str| {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        (params, KeyPair::generate_for(&PKCS_ED25519).unwrap())
    };
    let (root, root_key) = authority("root");
    let root_pem = root.self_signed(&root_key).unwrap().pem();
    let root = Issuer::new(root, root_key);
    let (between, between_key) = authority("between");
    let between_pem = between.signed_by(&between_key, &root).unwrap().pem();
    let between = Issuer::new(between, between_key);
    let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    let own = CertificateParams::new(["127.0.0.1".to_string()]).unwrap().signed_by(&key, &between).unwrap().pem();
    let chain = own + &between_pem + &key.serialize_pem();
    let server = Server::start_by(Command::new(attacked()), &[], |folder| fs::write(folder.join("identity.pem"), chain).unwrap());
    fs::write(server.served().join("small"), "content").unwrap();
    fs::write(server.folder.path().join("root.pem"), root_pem).unwrap();
    let mut fetch = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    fetch.current_dir(server.folder.path()).env("NO_COLOR", "1");
    let fetched = fetch.args(["fetch", &format!("{}/small", server.address), "--to", "here", "--ca", "root.pem"]).output().unwrap();
    let said = String::from_utf8_lossy(&fetched.stderr);
    eprintln!("{:?}: {said}", fetched.status.code());
    assert!(fetched.status.success(), "{said}");
}

/// Where no byte of a file can be written (a full disk, a limit), the server ends; when there is room again it begins.
#[test]
fn an_identity_that_could_not_be_written_keeps_no_server_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("served")).unwrap();
    let mut without_room = Command::new("sh");
    without_room.args(["-c", r#"ulimit -f 0; exec "$0" "$@""#]).arg(attacked());
    assert_eq!(Serving::begin(without_room, folder.path(), &[]).ready(), None);
    let half = fs::read(folder.path().join("identity.pem")).map(|bytes| bytes.len());
    let begins = Serving::begin(Command::new(attacked()), folder.path(), &[]).ready();
    eprintln!("bytes of an identity that are left: {half:?}; with room again: {begins:?}");
    assert!(begins.is_some());
    assert!(half.is_err(), "{half:?} bytes");
}
