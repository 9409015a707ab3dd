//! What strangers make a server keep.

use std::fs;
use std::time::Duration;

use super::attackers::{Attackers, floods};
use super::beside::{fetches_beside, succeeds};
use super::frames::{every_second_byte, without_the_first_byte};
use super::server::Server;

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
fn a_thousand_connections_leave_nothing_behind() {
    let server = Server::start(&[]);
    fs::write(server.served().join("small"), "content").unwrap();
    let mut through = 0;
    for _ in 0..50 {
        let mut attackers = Attackers::from("127.0.0.2:0", server.address);
        (0..20).for_each(|_| attackers.call(None, |_| {}));
        // As long as a server waits for a handshake: how fast it is, is not what is asked here.
        attackers.run(Duration::from_secs(10), |attackers| attackers.alive() == 20);
        through += attackers.alive();
        attackers.hang_up();
    }
    let took = succeeds(server.fetch("small", "here"));
    eprintln!("{through} of 1000 connections, then a fetch in {took:?}, {} MB", server.most_memory_mb());
    assert!(through >= 900, "{through}");
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(server.most_memory_mb() < 64, "{} MB", server.most_memory_mb());
}
