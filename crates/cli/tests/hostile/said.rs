//! What a server says, shows and lets others guess.

use std::collections::BTreeSet;
use std::fs;
use std::net::UdpSocket;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::attackers::{Attackers, Heard, asks, message};
use super::frames::acknowledges_all;
use super::rewriting::Packets;
use super::server::Server;

#[test]
fn what_a_server_says_does_not_steer_the_terminal() {
    let server = Server::start(&[]);
    let output = server.fetch_by_its_build("\u{1b}]0;title\u{7}\n\u{202e}name", "here").output().unwrap();
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

/// The numbers of the packets that came.
#[derive(Default)]
struct Numbers(BTreeSet<u64>);

impl Packets for Numbers {
    fn leaves(&mut self, _: &mut [u8]) {}

    fn came(&mut self, number: u64) {
        self.0.insert(number);
    }
}

/// Whoever knew from another connection which numbers a server skips could acknowledge all others, and would never be found out (RFC 9000 §21.4).
#[test]
fn the_numbers_that_a_server_skips_are_not_those_of_another_start() {
    let skipped = || {
        let server = Server::start(&["--cc", "cubic"]);
        fs::File::create(server.served().join("file")).unwrap().set_len(120_000).unwrap();
        let (numbers, read) = (Arc::new(Mutex::new(Numbers::default())), Arc::new(Mutex::new(0)));
        let (sum, mut open) = (read.clone(), None);
        let mut client = Attackers::from("127.0.0.2:0", server.address);
        client.call(Some(numbers.clone()), move |connection| {
            let id = *open.get_or_insert_with(|| {
                let id = connection.streams().open(noq_proto::Dir::Bi).unwrap();
                let begin = [message(r#"{"Get":{"name":"file"}}"#), message(r#"{"Begin":{"offset":0}}"#)].concat();
                assert_eq!(connection.send_stream(id).write(&begin).unwrap(), begin.len());
                id
            });
            let mut stream = connection.recv_stream(id);
            let Ok(mut chunks) = stream.read(false) else { return };
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                *sum.lock().unwrap() += chunk.bytes.len();
            }
            let _ = chunks.finalize();
        });
        client.run(Duration::from_secs(20), |_| *read.lock().unwrap() >= 120_000);
        let came = &numbers.lock().unwrap().0;
        assert!(came.contains(&64) || came.contains(&65), "{came:?}");
        // One of them is skipped; nothing is lost on a way within the machine whose buffers have room.
        (0..64).filter(|number| !came.contains(number)).collect::<Vec<u64>>()
    };
    let starts: Vec<_> = (0..4).map(|_| skipped()).collect();
    eprintln!("skipped below 64: {starts:?}");
    assert!(starts.iter().all(|skipped| !skipped.is_empty()), "{starts:?}");
    assert!(starts.iter().collect::<BTreeSet<_>>().len() > 1, "{starts:?}");
}

#[test]
fn a_server_does_not_tell_where_its_folder_is() {
    let server = Server::start(&["--anyone-may-write"]);
    fs::write(server.served().join("file"), "content").unwrap();
    fs::create_dir(server.served().join("folder")).unwrap();
    let (hash, long) = ("0".repeat(64), "n".repeat(300));
    let names = ["file", "folder", "folder/none/file", "../file", "/file", "file/file", &long];
    let puts = names.map(|name| message(&format!(r#"{{"Put":{{"name":"{name}","bytes":5,"hash":"{hash}","force":false}}}}"#)));
    let gets = ["none", "folder", "../file", "/file", "file/file", &long].map(|name| message(&format!(r#"{{"Get":{{"name":"{name}"}}}}"#)));
    let heard = Heard::default();
    let mut client = Attackers::from("127.0.0.2:0", server.address);
    let requests: Vec<_> = puts.into_iter().chain(gets).collect();
    let asked = requests.len();
    client.call(None, asks(requests.into_iter(), 4, &heard));
    client.run(Duration::from_secs(30), |_| heard.lock().unwrap().len() >= asked);
    // Somebody else is faster while the last byte is under way.
    let (faster, read) = (server.served().join("faster"), Arc::new(Mutex::new(Vec::new())));
    let (all, hash) = (read.clone(), blake3::hash(b"a").to_hex());
    let (mut open, mut sent) = (None, false);
    client.call(None, move |connection| {
        let put = || message(&format!(r#"{{"Put":{{"name":"faster","bytes":1,"hash":"{hash}","force":false}}}}"#));
        let id = *open.get_or_insert_with(|| {
            let id = connection.streams().open(noq_proto::Dir::Bi).unwrap();
            assert_eq!(connection.send_stream(id).write(&put()).unwrap(), put().len());
            id
        });
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            all.lock().unwrap().extend_from_slice(&chunk.bytes);
        }
        let _ = chunks.finalize();
        if !sent && !all.lock().unwrap().is_empty() {
            fs::write(&faster, "theirs").unwrap();
            let _ = connection.send_stream(id).write(b"a");
            let _ = connection.send_stream(id).finish();
            sent = true;
        }
    });
    let said = || String::from_utf8_lossy(&read.lock().unwrap()).into_owned();
    client.run(Duration::from_secs(30), |_| said().contains("Refused"));
    heard.lock().unwrap().push((Duration::ZERO, said()));
    let heard = heard.lock().unwrap();
    let place = server.folder.path().to_str().unwrap();
    let (refused, tell): (Vec<_>, Vec<_>) = heard.iter().map(|(_, said)| said).partition(|said| !said.contains(place));
    eprintln!("of {} answers {} tell where the folder is, the first: {:?}", heard.len(), tell.len(), tell.first());
    assert_eq!(heard.len(), asked + 1);
    assert!(refused.iter().all(|said| said.contains("Refused")), "{refused:?}");
    assert!(tell.is_empty(), "{tell:?}");
}
