//! Who is known to whom: servers by known hosts, clients by their certificates.

use std::fs;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output};

use super::server::{NOBODY_WRITES, Server, command, refused, refused_by, symbiosis, words};

fn done(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A folder with a file, and a server of the folder `served` with another.
fn served(more: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine"), "mine").unwrap();
    let server = Server::start(folder.path(), more);
    fs::write(folder.path().join("served/theirs"), "theirs").unwrap();
    (folder, server)
}

/// Runs a command on a terminal of its own, on which somebody has typed that; its exit code, and what the terminal shows.
fn on_a_terminal(mut command: Command, typed: &str) -> (Option<i32>, String) {
    let terminal = nix::pty::openpty(None, None).unwrap();
    let mut person = File::from(terminal.master);
    person.write_all(typed.as_bytes()).unwrap();
    let mut child = command.stdin(terminal.slave.try_clone().unwrap()).stderr(terminal.slave).spawn().unwrap();
    // Or this side's end of the terminal would keep it open.
    drop(command);
    let (mut shown, mut some) = (Vec::new(), [0; 4096]);
    // Linux ends a terminal that nobody has open any more with an error.
    while let Ok(read @ 1..) = person.read(&mut some) {
        shown.extend_from_slice(&some[..read]);
    }
    (child.wait().unwrap().code(), words(&String::from_utf8_lossy(&shown)))
}

fn known_hosts(folder: &Path) -> std::path::PathBuf {
    folder.join("config/symbiosis/known_hosts")
}

#[test]
fn a_server_is_asked_for_once_and_known_from_then_on() {
    let (folder, server) = served(&[]);
    let (here, at) = (folder.path(), server.address.as_str());
    let line = format!("{at} {}\n", server.fingerprint);
    // Nobody can be asked: nothing happens, and both ways are told.
    refused(here, &["send", "mine", at], "there is no terminal to ask whether it is the right one");
    refused(here, &["send", "mine", at], &format!("add --trust {}, or the line `{}` to", server.fingerprint, line.trim_end()));
    assert!(!here.join("config").exists() && !here.join("served/mine").exists());
    let wrong = "0".repeat(64);
    for answer in ["no", "", "y", &wrong] {
        let (code, shown) = on_a_terminal(command(here, &["send", "mine", at]), &format!("{answer}\n"));
        assert_eq!(code, Some(2), "{shown}");
        assert!(shown.contains("and was not believed") && shown.contains(&server.fingerprint), "{shown}");
        assert!(!here.join("config").exists() && !here.join("served/mine").exists());
    }
    let (code, shown) = on_a_terminal(command(here, &["send", "mine", at]), "yes\n");
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(fs::read(here.join("served/mine")).unwrap(), b"mine");
    assert_eq!(fs::read_to_string(known_hosts(here)).unwrap(), line);
    // From now on nobody is asked, here or on a terminal.
    done(&symbiosis(here, &["fetch", &format!("{at}/theirs")]));
    done(&symbiosis(here, &["bench", at, "--cc", "reno", "--seconds", "1"]));
    let (code, shown) = on_a_terminal(command(here, &["send", "mine", at, "--force"]), "");
    assert!(code == Some(0) && !shown.contains("first time"), "{shown}");
    // The fingerprint itself is an answer, too.
    let other = ["fetch", &format!("{at}/theirs"), "--to", "again", "--known-hosts", "others"];
    let (code, shown) = on_a_terminal(command(here, &other), &format!("{}\n", server.fingerprint));
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(fs::read_to_string(here.join("others")).unwrap(), line);
}

#[test]
fn a_server_with_another_certificate_is_refused_by_line_and_file() {
    let (folder, first) = served(&[]);
    let (here, at, before) = (folder.path(), first.address.clone(), first.fingerprint.clone());
    fs::create_dir_all(known_hosts(here).parent().unwrap()).unwrap();
    fs::write(known_hosts(here), format!("# mine\nelsewhere:1 {before}\n{at} {before}\n")).unwrap();
    done(&symbiosis(here, &["send", "mine", &at]));
    drop(first);
    fs::remove_file(here.join("identity.pem")).unwrap();
    let second = Server::at(&at, here, &[]);
    assert_ne!(second.fingerprint, before);
    let send = ["send", "mine", &at, "--force"];
    refused(here, &send, &format!("THE SERVER AT {at} IS NOT THE ONE THAT WAS KNOWN"));
    refused(here, &send, &format!("It shows {}, and was known by {before} (", second.fingerprint));
    refused(here, &send, "line 3). Nothing was sent");
    // Nobody is asked, either: a yes is typed too easily.
    let (code, shown) = on_a_terminal(command(here, &send), "yes\n");
    assert!(code == Some(2) && shown.contains("remove line 3 of "), "{shown}");
    // The user may know better, and a line that is gone is gone.
    done(&symbiosis(here, &["send", "mine", &at, "--force", "--trust", &second.fingerprint]));
    refused(here, &send, "IS NOT THE ONE THAT WAS KNOWN");
    done(&Command::new("sed").args(["-i", "3d"]).arg(known_hosts(here)).output().unwrap());
    refused(here, &send, "is not known");
    fs::write(known_hosts(here), format!("{at} {before}\n{at} {}\n", second.fingerprint)).unwrap();
    refused(here, &send, &format!("lines 1 and 2 have two fingerprints for {at}"));
    fs::write(known_hosts(here), "\nwhat is this\n").unwrap();
    refused(here, &send, "line 2 is none of known hosts: what is this");
}

/// What `symbiosis identity` prints of a file, which it makes.
fn identity(here: &Path, file: &str) -> String {
    let output = symbiosis(here, &["identity", "--identity", file]);
    done(&output);
    String::from_utf8(output.stdout).unwrap().trim_end().to_string()
}

#[test]
fn a_server_serves_whom_it_admits_and_takes_from_whom_it_allows() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("mine"), "mine").unwrap();
    let [reads, writes, other] = ["reads", "writes", "other"].map(|name| (name, identity(here, name)));
    assert_eq!(identity(here, "reads"), reads.1, "it is kept");
    fs::write(here.join("team"), format!("# who reads\n\n{} somebody\n", reads.1)).unwrap();
    let server = Server::start(here, &[NOBODY_WRITES, "--admit", "team", "--allow", &writes.1]);
    fs::write(here.join("served/theirs"), "theirs").unwrap();
    let (at, trust) = (server.address.as_str(), server.fingerprint.as_str());
    let what = format!("{at}/theirs");
    let fetch = |who: &'static str| ["fetch", &what, "--to", "got", "--force", "--trust", trust, "--identity", who].map(str::to_string);
    let send = |who: &'static str| ["send", "mine", at, "--force", "--trust", trust, "--identity", who].map(str::to_string);
    let run = |args: &[String]| symbiosis(here, &args.iter().map(String::as_str).collect::<Vec<_>>());
    for who in ["reads", "writes"] {
        done(&run(&fetch(who)));
        assert_eq!(fs::read(here.join("got")).unwrap(), b"theirs");
        fs::remove_file(here.join("got")).unwrap();
    }
    done(&run(&send("writes")));
    assert_eq!(fs::read(here.join("served/mine")).unwrap(), b"mine");
    fs::remove_file(here.join("served/mine")).unwrap();
    // Who may only fetch, who is not known, and who shows nothing.
    let args = |args: &[String]| args.iter().map(String::as_str).map(str::to_string).collect::<Vec<_>>();
    let said = |all: Vec<String>, said: &str| refused(here, &all.iter().map(String::as_str).collect::<Vec<_>>(), said);
    said(args(&send("reads")), &format!("this server takes no files from {}", reads.1));
    said(args(&send("other")), &format!("serves only those whom it knows, and does not know {}", other.1));
    said(args(&fetch("other")), &format!("`symbiosis serve --admit {}`", other.1));
    said(vec!["bench".into(), at.into(), "--trust".into(), trust.into(), "--identity".into(), "other".into()], "does not know");
    let mut nameless = command(here, &["fetch", &what, "--trust", trust]);
    nameless.env_remove("HOME").env_remove("XDG_DATA_HOME");
    refused_by(&mut nameless, "serves only those whom it knows, and was shown no certificate");
    assert!(!here.join("served/mine").exists() && !here.join("got").exists() && !here.join("theirs").exists());
    // Those who are turned away keep nobody from being served.
    done(&run(&fetch("reads")));
}

#[test]
fn a_list_of_callers_that_names_nobody_is_an_error_and_not_an_open_server() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("empty"), "# nobody yet\n").unwrap();
    fs::write(here.join("wrong"), format!("{} me\nme {}\n", "a".repeat(64), "a".repeat(64))).unwrap();
    for option in ["--admit", "--allow"] {
        refused(here, &["serve", option, "12"], &format!("{option} 12: this is no fingerprint of 64 hexadecimal digits, and no file"));
        refused(here, &["serve", option, "empty"], &format!("{option} empty: it names nobody"));
        refused(here, &["serve", option, "wrong"], &format!("{option} wrong: line 2 begins with no fingerprint: me"));
    }
}

#[test]
fn a_server_whose_port_is_not_said_has_the_usual_one() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("mine"), "mine").unwrap();
    // An address of loopback that no other test has, where the port is free.
    let own = format!("127.{}.{}.9", 1 + std::process::id() % 200, std::process::id() / 200 % 256);
    let server = Server::at(&own, here, &[]);
    assert_eq!(server.address, format!("{own}:4433"));
    done(&symbiosis(here, &["send", "mine", &own, "--trust", &server.fingerprint]));
    done(&symbiosis(here, &["fetch", &format!("{own}/mine"), "--to", "back", "--trust", &server.fingerprint]));
    assert_eq!(fs::read(here.join("back")).unwrap(), b"mine");
}
