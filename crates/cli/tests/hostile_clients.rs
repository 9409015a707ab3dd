//! Several hostile clients at once, beside an honest one: what it costs the server, and the other.

mod hostile {
    pub mod attackers;
    pub mod frames;
    pub mod rewriting;
    pub mod server;
}

use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hostile::attackers::{Attackers, Heard, asks, floods, message};
use hostile::frames::{acknowledges_all, every_second_byte, without_the_first_byte};
use hostile::server::Server;

/// Runs a client; how long it took.
fn succeeds(mut client: Command) -> Duration {
    let start = Instant::now();
    let output = client.output().unwrap();
    assert!(output.status.success(), "after {:?}: {}", start.elapsed(), String::from_utf8_lossy(&output.stderr));
    start.elapsed()
}

/// Fetches `small` beside attackers who go on until that is done, and `least` at least; the longest that a fetch took.
fn fetches_beside(server: &Server, attackers: &mut Attackers, least: Duration) -> Duration {
    let (tell, told) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let start = Instant::now();
            let mut longest = Duration::ZERO;
            for at in 0.. {
                longest = longest.max(succeeds(server.fetch("small", &format!("small-{at}"))));
                if start.elapsed() >= least {
                    break;
                }
                thread::sleep(Duration::from_millis(300));
            }
            tell.send(longest).unwrap();
        });
        let mut done = None;
        attackers.run(Duration::from_secs(120), |_| {
            done = done.or_else(|| told.try_recv().ok());
            done.is_some()
        });
        done.expect("fetches end")
    })
}

#[test]
fn what_lies_beyond_a_gap_does_not_fill_the_memory() {
    for (rewrite, why) in [(without_the_first_byte as fn() -> _, "no first byte"), (every_second_byte, "every second byte")] {
        let server = Server::start(&[]);
        fs::write(server.served().join("small"), vec![1; 50_000]).unwrap();
        let mut attackers = Attackers::from("127.0.0.2:0", server.address);
        (0..64).for_each(|_| attackers.call(Some(rewrite()), floods(100)));
        // One has to come through first, so that the attack is under way.
        attackers.run(Duration::from_secs(8), |_| false);
        let memory = server.most_memory_mb();
        eprintln!("{why}: {memory} MB after 8 s");
        let longest = fetches_beside(&server, &mut attackers, Duration::from_secs(4));
        let memory = server.most_memory_mb();
        eprintln!(
            "{why}: {memory} MB, an honest fetch {longest:?}, {} connections ended, the first {:?}",
            attackers.ends().len(),
            attackers.ends().first()
        );
        assert!(memory <= 256, "{why}: {memory} MB");
        assert!(longest < Duration::from_secs(20), "{why}: {longest:?}");
    }
}

#[test]
fn calls_that_are_never_answered_lock_nobody_out() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), "content").unwrap();
    let mut calls = Attackers::from("127.0.0.1:0", server.address);
    // What is sent with somebody else's address is answered there, where nobody wants it.
    let strangers: Vec<UdpSocket> = (0..200).map(|_| UdpSocket::bind("127.0.0.3:0").unwrap()).collect();
    for stranger in &strangers {
        stranger.send_to(&calls.first_datagram(), server.address).unwrap();
    }
    let took = succeeds(server.fetch("small", "here"));
    eprintln!("beside 200 unanswered calls a fetch took {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn connections_that_ask_for_nothing_lock_nobody_out() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), "content").unwrap();
    // From one address, and from many.
    for from in [["127.0.0.2:0"; 8], ["2", "3", "4", "5", "6", "7", "8", "9"].map(|last| &*format!("127.0.0.{last}:0").leak())] {
        let mut all: Vec<Attackers> = from.into_iter().map(|from| Attackers::from(from, server.address)).collect();
        for attackers in &mut all {
            (0..12).for_each(|_| attackers.call(None, |_| {}));
            attackers.run(Duration::from_millis(700), |attackers| attackers.alive() == 12);
        }
        let alive: usize = all.iter().map(Attackers::alive).sum();
        let took = fetches_beside(&server, &mut all[0], Duration::ZERO);
        eprintln!("beside {alive} idle connections a fetch took {took:?}");
        assert!(alive >= 24, "{alive} came through: this is no attack");
        assert!(took < Duration::from_secs(8), "{took:?}");
        fs::remove_file(server.folder.path().join("small-0")).unwrap();
    }
}

#[test]
fn places_are_not_held_from_many_addresses_by_asking_a_little() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), vec![1; 2_000]).unwrap();
    // Each connection asks for something again and again, and has done so for long enough.
    let mut all: Vec<Attackers> = (2..10).map(|last| Attackers::from(&format!("127.0.0.{last}:0"), server.address)).collect();
    for attackers in &mut all {
        for _ in 0..8 {
            let (mut next, mut act) = (Instant::now(), None);
            attackers.call(None, move |connection| {
                // Two requests a second.
                if next <= Instant::now() {
                    let request = message(r#"{"Get":{"name":"small"}}"#);
                    act = Some(asks(std::iter::once(request), 1, &Heard::default()));
                    next += Duration::from_millis(500);
                }
                act.iter_mut().for_each(|act| act(connection));
            });
        }
    }
    let mut goes_on = |long: Duration| {
        let start = Instant::now();
        while start.elapsed() < long {
            all.iter_mut().for_each(|attackers| attackers.run(Duration::from_millis(20), |_| false));
        }
        all.iter().map(Attackers::alive).sum::<usize>()
    };
    let held = goes_on(Duration::from_secs(12));
    let fetch = server.fetch("small", "here");
    let client = thread::spawn(move || succeeds(fetch));
    while !client.is_finished() {
        goes_on(Duration::from_millis(100));
    }
    let took = client.join().unwrap();
    eprintln!("beside {held} connections of 8 addresses that ask twice a second a fetch took {took:?}");
    assert!(held >= 60, "{held} came through: this is no attack");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn two_hundred_fetches_at_once_all_succeed() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), vec![1; 20_000]).unwrap();
    let start = Instant::now();
    let clients: Vec<_> = (0..200).map(|at| server.fetch("small", &format!("copy-{at}")).spawn().unwrap()).collect();
    let outputs: Vec<_> = clients.into_iter().map(|client| client.wait_with_output().unwrap()).collect();
    let failed: Vec<_> = outputs.iter().filter(|output| !output.status.success()).collect();
    eprintln!("{} of 200 failed, in {:?}", failed.len(), start.elapsed());
    assert!(failed.is_empty(), "{} failed, the first: {}", failed.len(), String::from_utf8_lossy(&failed[0].stderr));
}

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

/// Files whose name ends so, and their bytes.
fn files(folder: &Path, ends: &str) -> (usize, u64) {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.file_name().to_string_lossy().ends_with(ends));
    // Some are gone before they are looked at.
    entries.filter_map(|entry| entry.metadata().ok()).fold((0, 0), |(files, bytes), is| (files + 1, bytes + is.len()))
}

#[test]
fn parts_do_not_fill_the_disk() {
    let server = Server::start(&["--anyone-may-write", "--max-bytes", "3000000"]);
    let mut attackers = Attackers::from("127.0.0.2:0", server.address);
    let heard = Heard::default();
    let puts = (0_u64..).map(|at| {
        let hash = format!("{at:016x}{at:048x}");
        let mut put = message(&format!(r#"{{"Put":{{"name":"file","bytes":1000000,"hash":"{hash}","force":true}}}}"#));
        put.extend_from_slice(&[7; 1000]);
        put
    });
    attackers.call(None, asks(puts, 16, &heard));
    attackers.run(Duration::from_secs(8), |_| false);
    let (parts, bytes) = files(&server.served(), ".part");
    let asked = heard.lock().unwrap().len();
    eprintln!("{parts} parts of {bytes} bytes after {asked} requests in 8 s");
    assert!(asked > 100, "{asked}: this is no attack");
    assert!(parts <= 16, "{parts} parts");
    // Others find room, as long as it lasts.
    drop(attackers);
    let (small, large) = (server.folder.path().join("small"), server.folder.path().join("large"));
    fs::write(&small, vec![1; 1_000_000]).unwrap();
    fs::write(&large, vec![1; 3_000_001]).unwrap();
    let sent = server.send(&small, &[]);
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    let sent = server.send(&large, &[]);
    assert!(!sent.status.success() && String::from_utf8_lossy(&sent.stderr).contains("no more than 3000000 bytes"), "{sent:?}");
}

#[test]
fn nobody_removes_what_another_has_sent() {
    let server = Server::start(&["--anyone-may-write"]);
    let (content, hash) = (vec![3; 400_000], blake3::hash(&[3; 400_000]).to_hex().to_string());
    let put = |bytes: u64| message(&format!(r#"{{"Put":{{"name":"file","bytes":{bytes},"hash":"{hash}","force":true}}}}"#));
    // Half of it came, and then the sender was gone.
    let mut half = [put(400_000), content[..200_000].to_vec()].concat();
    let mut honest = Attackers::from("127.0.0.1:0", server.address);
    let mut open = None;
    honest.call(None, move |connection| {
        let id = *open.get_or_insert_with(|| connection.streams().open(noq_proto::Dir::Bi).unwrap());
        let written = connection.send_stream(id).write(&half).unwrap_or(0);
        half.drain(..written);
    });
    honest.run(Duration::from_secs(10), |_| files(&server.served(), ".part").1 == 200_000);
    assert_eq!(files(&server.served(), ".part").1, 200_000);
    // The server takes it for gone 20 s later.
    honest.hang_up();
    thread::sleep(Duration::from_secs(1));
    let heard = Heard::default();
    let mut hostile = Attackers::from("127.0.0.2:0", server.address);
    hostile.call(None, asks([put(0), put(1), put(400_000)].into_iter(), 1, &heard));
    hostile.run(Duration::from_secs(30), |_| heard.lock().unwrap().len() >= 3);
    let has = files(&server.served(), ".part").1;
    eprintln!("{has} of 200000 bytes are left; the other was told {:?}", heard.lock().unwrap());
    assert!(has >= 200_000);
}

#[test]
fn a_link_that_comes_and_goes_leads_nowhere() {
    let server = Server::start(&["--anyone-may-write"]);
    let served = server.served();
    let outside = server.folder.path().join("outside");
    for (folder, content) in [(served.join("sub"), "inside"), (outside.clone(), "a secret")] {
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), content).unwrap();
    }
    std::os::unix::fs::symlink(&outside, served.join("link")).unwrap();
    let secret = blake3::hash(b"a secret").to_hex().to_string();
    let empty = blake3::hash(b"").to_hex().to_string();
    let enough = AtomicBool::new(false);
    let heard = Heard::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            // Whoever may write into the folder by other means, as a user of the machine may.
            let names = ["sub", "link", "away"].map(|name| served.join(name));
            while !enough.load(Ordering::Relaxed) {
                for (from, to) in [(0, 2), (1, 0), (0, 1), (2, 0)] {
                    fs::rename(&names[from], &names[to]).unwrap();
                }
            }
        });
        let mut client = Attackers::from("127.0.0.2:0", server.address);
        // Some servers take a hundred requests of a connection.
        for connection in 0..30 {
            let empty = empty.clone();
            let requests = (0..90).map(move |at| match at % 2 {
                0 => message(r#"{"Get":{"name":"sub/file"}}"#),
                _ => message(&format!(r#"{{"Put":{{"name":"sub/x{connection}-{at}","bytes":0,"hash":"{empty}","force":true}}}}"#)),
            });
            client.call(None, asks(requests, 8, &heard));
        }
        client.run(Duration::from_secs(60), |_| heard.lock().unwrap().len() >= 30 * 90);
        enough.store(true, Ordering::Relaxed);
    });
    let heard = heard.lock().unwrap();
    let reads = heard.iter().filter(|(_, said)| said.contains(&secret)).count();
    let writes = fs::read_dir(&outside).unwrap().count() - 1;
    let inside = heard.iter().filter(|(_, said)| said.contains("Found")).count();
    eprintln!("of {} requests {reads} read and {writes} wrote outside; {inside} files were found", heard.len());
    assert!(heard.len() >= 30 * 90 && inside > 0, "{} answers, {inside} found", heard.len());
    assert_eq!((reads, writes), (0, 0));
}

#[test]
fn only_those_write_who_may() {
    let nobody = Server::start(&[]);
    let mine = nobody.folder.path().join("mine");
    fs::write(&mine, "content").unwrap();
    let says = |server: &Server, more: &[&str]| {
        let output = server.send(&mine, more);
        // Lines are broken where they are full.
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" "))
    };
    let (code, said) = says(&nobody, &[]);
    eprintln!("unless asked otherwise: {code:?} {said}");
    assert!(code == Some(2) && said.contains("this server takes no files"), "{said}");
    // Who one is, the server's refusal tells.
    let stranger = Server::start(&["--allow", &"0".repeat(64)]);
    let own = mine.with_file_name("own.pem");
    let own = ["--identity", own.to_str().unwrap()];
    let (code, said) = says(&stranger, &own);
    assert!(code == Some(2) && said.contains("it does not know you"), "{said}");
    let words = said.split(|c: char| !c.is_ascii_hexdigit()).find(|word| word.len() == 64).unwrap();
    let known = Server::start(&["--allow", words]);
    let (code, said) = says(&known, &own);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(fs::read(known.served().join("mine")).unwrap(), b"content");
    let other = mine.with_file_name("other.pem");
    let (code, said) = says(&known, &["--identity", other.to_str().unwrap()]);
    assert!(code == Some(2) && said.contains("it does not know you"), "{said}");
}

#[test]
fn what_a_server_says_does_not_steer_the_terminal() {
    let server = Server::start(&[]);
    let output = server.fetch("\u{1b}]0;title\u{7}\n\u{202e}name", "here").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(!stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{stderr:?}");
    assert!(stderr.contains("\\u{1b}") && stderr.contains("\\u{202e}"), "{stderr:?}");
}

#[test]
fn a_server_looks_different_to_strangers_at_every_start() {
    // An unknown version is answered with bits at random (RFC 8999 §6): with those with which paths are validated and packet numbers skipped.
    let bits = || {
        let server = Server::start(&[]);
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let unknown = [&[0xc0, 0x5a, 0x5a, 0x5a, 0x5a, 8, 1, 2, 3, 4, 5, 6, 7, 8, 8, 1, 2, 3, 4, 5, 6, 7, 8][..], &[0; 1200]].concat();
        (0..16)
            .map(|_| {
                socket.send_to(&unknown, server.address).unwrap();
                let mut answer = [0; 1500];
                socket.recv(&mut answer).unwrap();
                answer[0]
            })
            .collect::<Vec<u8>>()
    };
    let (first, second) = (bits(), bits());
    eprintln!("{first:02x?} and {second:02x?}");
    assert_ne!(first, second);
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
fn a_thousand_connections_leave_nothing_behind() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), "content").unwrap();
    let mut through = 0;
    for _ in 0..50 {
        let mut attackers = Attackers::from("127.0.0.2:0", server.address);
        (0..20).for_each(|_| attackers.call(None, |_| {}));
        attackers.run(Duration::from_secs(3), |attackers| attackers.alive() == 20);
        through += attackers.alive();
        attackers.hang_up();
    }
    let took = succeeds(server.fetch("small", "here"));
    eprintln!("{through} of 1000 connections, then a fetch in {took:?}, {} MB", server.most_memory_mb());
    assert!(through >= 900, "{through}");
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(server.most_memory_mb() < 64, "{} MB", server.most_memory_mb());
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

#[test]
fn an_optimistic_receiver_is_found_out() {
    let server = Server::start(&["--cc", "cubic"]);
    fs::File::create(server.served().join("large")).unwrap().set_len(20_000_000).unwrap();
    let mut longest = 0;
    for _ in 0..20 {
        let largest = Arc::new(Mutex::new(0));
        let mut attackers = Attackers::from("127.0.0.2:0", server.address);
        let mut open = None;
        attackers.call(Some(acknowledges_all(&largest)), move |connection| {
            let id = *open.get_or_insert_with(|| {
                let id = connection.streams().open(noq_proto::Dir::Bi).unwrap();
                let begin = [message(r#"{"Get":{"name":"large"}}"#), message(r#"{"Begin":{"offset":0}}"#)].concat();
                assert_eq!(connection.send_stream(id).write(&begin).unwrap(), begin.len());
                id
            });
            let mut stream = connection.recv_stream(id);
            let mut chunks = stream.read(false).unwrap();
            while let Ok(Some(_)) = chunks.next(usize::MAX) {}
            let _ = chunks.finalize();
        });
        attackers.run(Duration::from_secs(20), |attackers| !attackers.ends().is_empty());
        let ends = format!("{:?}", attackers.ends());
        assert!(ends.contains("PROTOCOL_VIOLATION"), "number {} was reached: {ends}", largest.lock().unwrap());
        longest = longest.max(*largest.lock().unwrap());
    }
    eprintln!("20 connections ended, at number {longest} at the latest");
    // The first number is skipped below 64; a round trip of packets is on its way when that is acknowledged.
    assert!(longest < 4 * 64, "{longest}");
}
