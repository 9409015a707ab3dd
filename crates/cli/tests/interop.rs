//! Another implementation of QUIC (aioquic) at the other end. It is skipped by name where it is not installed; where `SYMBIOSIS_REQUIRE_ALL` is set
//! that is a failure.

// This test needs a part of it.
#[allow(dead_code)]
mod hostile {
    pub mod server;
}

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hostile::server::Server;

/// Whether Python has what the client needs.
fn is_there() -> bool {
    let found = Command::new("python3").args(["-c", "import aioquic, blake3"]).output().is_ok_and(|output| output.status.success());
    let message = "skipped: another_implementation_fetches_and_sends needs Python's aioquic and blake3 (pip install aioquic blake3)";
    assert!(found || std::env::var_os("SYMBIOSIS_REQUIRE_ALL").is_none(), "{message}");
    if !found {
        eprintln!("{message}");
    }
    found
}

fn client() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../quic/tests/interop/client.py")
}

fn python(server: &Server, args: &[&str]) -> Result<(), String> {
    let (host, port) = (server.address.ip().to_string(), server.address.port().to_string());
    let output = Command::new("python3").arg(client()).args([&host, &port, &server.fingerprint]).args(args).output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}

#[test]
fn another_implementation_fetches_and_sends() {
    if !is_there() {
        return;
    }
    let content: Vec<u8> = (0..1_500_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let server = Server::start(&["--anyone-may-write"]);
    let here = server.folder.path();
    fs::write(here.join("mine"), &content).unwrap();
    let path = |name: &str| here.join(name).to_str().unwrap().to_string();
    python(&server, &["send", &path("mine"), "there"]).unwrap();
    assert!(fs::read(server.served().join("there")).unwrap() == content);
    python(&server, &["fetch", "there", &path("back")]).unwrap();
    assert!(fs::read(here.join("back")).unwrap() == content);
    // What it must not do is refused in words.
    assert!(python(&server, &["send", &path("mine"), "there"]).unwrap_err().contains("there is there already"));
    assert!(python(&server, &["fetch", "../mine", &path("no")]).unwrap_err().contains("leads out of the folder"));
    // Who it is, it shows with a certificate of its own.
    let pem = path("own.pem");
    let made = Command::new("python3").arg(client()).args(["identity", &pem]).output().unwrap();
    let own = String::from_utf8(made.stdout).unwrap();
    let known = Server::start(&["--allow", own.trim()]);
    assert!(python(&known, &["send", &path("mine"), "there"]).unwrap_err().contains("you showed no certificate"));
    python(&known, &["send", &path("mine"), "there", &pem]).unwrap();
    assert!(fs::read(known.served().join("there")).unwrap() == content);
}
