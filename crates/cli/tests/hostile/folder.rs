//! The folder of a server, and what else is on its disk.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::attackers::{Attackers, Heard, asks, message};
use super::beside::{files, succeeds};
use super::server::Server;

#[test]
fn parts_do_not_fill_the_disk() {
    let server = Server::start(&["--anyone-may-write", "--max-bytes", "3000000"]);
    let mut attackers = Attackers::from("127.0.0.2:0", server.address);
    let heard = Heard::default();
    // Some servers take a hundred requests of a connection.
    for connection in 0..12_u64 {
        let puts = (connection << 32..).map(|at| {
            let hash = format!("{at:016x}{at:048x}");
            let mut put = message(&format!(r#"{{"Put":{{"name":"file","bytes":1000000,"hash":"{hash}","force":true}}}}"#));
            put.extend_from_slice(&[7; 1000]);
            put
        });
        attackers.call(None, asks(puts, 16, &heard));
    }
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
fn pipes_and_devices_are_neither_read_nor_replaced() {
    let server = Server::start(&["--anyone-may-write"]);
    fs::write(server.served().join("small"), "content").unwrap();
    let mut others = vec![("pipe", vec!["p"])];
    // Whoever may make devices.
    if nix::unistd::geteuid().is_root() {
        others.push(("device", vec!["c", "1", "5"]));
    }
    for (name, kind) in others {
        let path = server.served().join(name);
        assert!(Command::new("mknod").arg(&path).args(kind).status().unwrap().success());
        let is = || fs::symlink_metadata(&path).unwrap().file_type();
        let before = is();
        let mut fetch = server.fetch(name, &format!("copy-{name}")).spawn().unwrap();
        let start = Instant::now();
        while fetch.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(15) {
            thread::sleep(Duration::from_millis(20));
        }
        let took = start.elapsed();
        let _ = fetch.kill();
        let fetched = fetch.wait_with_output().unwrap();
        let mine = server.folder.path().join(name);
        fs::write(&mine, "mine").unwrap();
        let sent = server.send(&mine, &["--force"]);
        let said = [&fetched.stderr, &sent.stderr].map(|said| String::from_utf8_lossy(said).into_owned());
        eprintln!("{name}: {:?} after {took:?}, {:?}: {said:?}; it is {:?}", fetched.status.code(), sent.status.code(), is());
        assert!(fetched.status.code().is_some_and(|code| code != 0), "{said:?}");
        assert!(!sent.status.success(), "{said:?}");
        assert_eq!(is(), before);
    }
    // And others are served.
    let took = succeeds(server.fetch("small", "here"));
    assert!(took < Duration::from_secs(2), "{took:?}");
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

/// Requests that leave with the end of the handshake, before the server can have said anything, are answered with nothing but the reason.
#[test]
fn who_is_not_admitted_is_asked_nothing_and_told_nothing() {
    let server = Server::start(&["--admit", &"0".repeat(64)]);
    fs::write(server.served().join("file"), "content").unwrap();
    let heard = Heard::default();
    let mut client = Attackers::from("127.0.0.2:0", server.address);
    for name in ["file", "none"] {
        let requests = vec![message(&format!(r#"{{"Get":{{"name":"{name}"}}}}"#)), message(r#""Drain""#)];
        client.call(None, asks(requests.into_iter(), 2, &heard));
    }
    client.run(Duration::from_secs(10), |client| client.ends().len() == 2);
    let ends = format!("{:?}", client.ends());
    assert_eq!(ends.matches("the server does not know you").count(), 2, "{ends}");
    assert!(heard.lock().unwrap().is_empty(), "{:?}", heard.lock().unwrap());
}
