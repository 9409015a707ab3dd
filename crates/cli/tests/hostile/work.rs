//! Work that a server does for one client while others wait.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::attackers::{Attackers, Heard, asks, floods, message};
use super::beside::{fetches_beside, files};
use super::frames::{every_second_byte, without_the_first_byte};
use super::server::{Server, attacked};

#[test]
fn requests_for_a_large_file_keep_nobody_waiting() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), "content").unwrap();
    // Of nothing but zeros, which take no room; to hash them takes as long as others.
    fs::File::create(server.served().join("large")).unwrap().set_len(2_000_000_000).unwrap();
    let mut attackers = Attackers::from("127.0.0.2:0", server.address);
    for _ in 0..7 {
        let request = message(r#"{"Get":{"name":"large"}}"#);
        attackers.call(None, asks(std::iter::repeat_n(request, 16), 16, &Heard::default()));
    }
    attackers.run(Duration::from_secs(5), |attackers| attackers.alive() == 7);
    let enough = AtomicBool::new(false);
    let heard = Heard::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut honest = Attackers::from("127.0.0.1:0", server.address);
            let request = message(r#"{"Get":{"name":"small"}}"#);
            honest.call(None, asks(std::iter::repeat(request), 1, &heard));
            honest.run(Duration::from_secs(8), |_| heard.lock().unwrap().len() >= 100);
            enough.store(true, Ordering::Relaxed);
        });
        attackers.run(Duration::from_secs(60), |_| enough.load(Ordering::Relaxed));
    });
    let longest = heard.lock().unwrap().iter().map(|(took, _)| *took).max();
    let answers = heard.lock().unwrap().len();
    eprintln!("{answers} answers in 8 s at most, the longest took {longest:?}");
    assert!(longest.is_some_and(|longest| longest < Duration::from_millis(500)), "{answers} answers, {longest:?}");
}

#[test]
fn requests_for_many_files_leave_descriptors_to_others() {
    // The usual limit, which a process may raise.
    let mut usual = Command::new("sh");
    usual.args(["-c", r#"ulimit -Sn 1024; exec "$0" "$@""#]).arg(attacked());
    let server = Server::start_by(usual, &[], |_| ());
    fs::write(server.served().join("small"), "content").unwrap();
    for at in 0..56 * 16 {
        fs::File::create(server.served().join(format!("large-{at}"))).unwrap().set_len(100_000_000).unwrap();
    }
    let mut all: Vec<Attackers> = (2..4).map(|last| Attackers::from(&format!("127.0.0.{last}:0"), server.address)).collect();
    for (at, attackers) in all.iter_mut().enumerate() {
        for connection in 0..28 {
            let first = (28 * at + connection) * 16;
            let requests = (first..first + 16).map(|at| message(&format!(r#"{{"Get":{{"name":"large-{at}"}}}}"#)));
            attackers.call(None, asks(requests, 16, &Heard::default()));
        }
        attackers.run(Duration::from_secs(5), |attackers| attackers.alive() == 28);
    }
    let held = all.iter().map(Attackers::alive).sum::<usize>();
    let open = || fs::read_dir(format!("/proc/{}/fd", server.pid())).map_or(0, Iterator::count);
    let most = open();
    let fetched = server.fetch("small", "here").output().unwrap();
    let said = String::from_utf8_lossy(&fetched.stderr);
    eprintln!("{held} connections, {most} descriptors: {:?} {said}", fetched.status.code());
    assert!(held >= 50 && most > 800, "{held} connections, {most} descriptors: this is no attack");
    assert!(fetched.status.success(), "{said}");
}

/// How much is hashed in the time until it changes depends on the machine: if all of it was, the run says nothing, and one of a larger file follows.
#[test]
fn the_hash_of_a_file_that_changes_while_it_is_hashed_is_not_kept() {
    let server = Server::start(&[]);
    let ask = |name: &str, change: Option<(Duration, &fs::File)>| {
        let heard = Heard::default();
        let mut client = Attackers::from("127.0.0.1:0", server.address);
        let get = format!(r#"{{"Get":{{"name":"{name}"}}}}"#);
        client.call(None, asks(std::iter::once(message(&get)), 1, &heard));
        if let Some((after, file)) = change {
            client.run(after, |_| false);
            std::os::unix::fs::FileExt::write_at(file, b"changed", 0).unwrap();
            if !heard.lock().unwrap().is_empty() {
                return None;
            }
        }
        client.run(Duration::from_secs(60), |_| !heard.lock().unwrap().is_empty());
        Some(heard.lock().unwrap().first().expect("an answer").1.clone())
    };
    for gigabytes in [1, 4, 16] {
        let name = format!("large-{gigabytes}");
        let large = fs::File::create(server.served().join(&name)).unwrap();
        large.set_len(gigabytes * 1_000_000_000).unwrap();
        // Its beginning was read by then.
        let Some(first) = ask(&name, Some((Duration::from_millis(300), &large))) else {
            eprintln!("void: {gigabytes} GB were hashed before they changed");
            continue;
        };
        let (second, third) = (ask(&name, None).unwrap(), ask(&name, None).unwrap());
        eprintln!("while it changed {first}, then {second} and {third}");
        assert!(first.contains("Found") && first != second, "{first} is kept for what was changed");
        assert_eq!(second, third);
        return;
    }
    panic!("16 GB are hashed in less than 300 ms");
}

/// Stops a process for so long, as a suspended machine or a debugger does.
fn stops(pid: u32, long: Duration) {
    let signal = |signal: &str| assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
    signal("-STOP");
    thread::sleep(long);
    signal("-CONT");
}

#[test]
fn a_side_that_is_stopped_for_seconds_goes_on() {
    let server = Server::start(&[]);
    let content: Vec<u8> = (0..60_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(server.served().join("large"), &content).unwrap();
    for side in ["client", "server"] {
        let client = server.fetch("large", side).spawn().unwrap();
        let start = Instant::now();
        while files(server.folder.path(), ".part").1 < 1_000_000 {
            assert!(start.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(1));
        }
        stops(if side == "client" { client.id() } else { server.pid() }, Duration::from_secs(4));
        let output = client.wait_with_output().unwrap();
        eprintln!("{side} stopped: {:?}", start.elapsed());
        assert!(output.status.success(), "{side}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(fs::read(server.folder.path().join(side)).unwrap() == content, "{side}");
    }
}

#[test]
fn an_honest_client_is_served_beside_all_of_them_at_once() {
    let server = Server::start(&["--anyone-may-write", "--max-bytes", "3000000000"]);
    fs::write(server.served().join("small"), vec![1; 50_000]).unwrap();
    fs::File::create(server.served().join("large")).unwrap().set_len(2_000_000_000).unwrap();
    let mut attackers = Attackers::from("127.0.0.2:0", server.address);
    for at in 0..6_u64 {
        attackers.call(Some(without_the_first_byte()), floods(16));
        attackers.call(Some(every_second_byte()), floods(16));
        attackers.call(None, |_| {});
        let large = std::iter::repeat(message(r#"{"Get":{"name":"large"}}"#));
        attackers.call(None, asks(large, 16, &Heard::default()));
        let puts = (0_u64..).map(move |put| {
            let json = format!(r#"{{"Put":{{"name":"file{at}","bytes":1000000,"hash":"{put:064x}","force":true}}}}"#);
            [message(&json), vec![7; 1000]].concat()
        });
        attackers.call(None, asks(puts, 16, &Heard::default()));
    }
    let longest = fetches_beside(&server, &mut attackers, Duration::from_secs(6));
    let (memory, parts) = (server.most_memory_mb(), files(&server.served(), ".part").0);
    eprintln!("{memory} MB, {parts} parts, an honest fetch {longest:?}");
    assert!(memory <= 256 && parts <= 16, "{memory} MB, {parts} parts");
    assert!(longest < Duration::from_secs(10), "{longest:?}");
}
