//! Who holds the places of a server, and for how long.

use std::fs;
use std::net::UdpSocket;
use std::thread;
use std::time::{Duration, Instant};

use super::attackers::{Attackers, Heard, asks, message};
use super::beside::{fetches_beside, succeeds};
use super::server::Server;

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
    let clients: Vec<_> = (0..200).map(|at| server.fetch_by_its_build("small", &format!("copy-{at}")).spawn().unwrap()).collect();
    let outputs: Vec<_> = clients.into_iter().map(|client| client.wait_with_output().unwrap()).collect();
    let failed: Vec<_> = outputs.iter().filter(|output| !output.status.success()).collect();
    eprintln!("{} of 200 failed, in {:?}", failed.len(), start.elapsed());
    assert!(failed.is_empty(), "{} failed, the first: {}", failed.len(), String::from_utf8_lossy(&failed[0].stderr));
}
