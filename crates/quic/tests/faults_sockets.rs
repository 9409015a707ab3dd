//! What `faults.rs` does in virtual time, over real sockets once each: a server, a relay that harms what passes, and a client, each in a thread of its own.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_path::{LinkSpec, QueueLimit};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::Node;
use symbiosis_quic::relay::{self, Relay};
use symbiosis_quic::socket::{Call, CallError, Udp, Watch, run, settings_for};
use symbiosis_quic::transfer::{FileSource, Folder, Pattern, Source, Task, Transfer, Writers};

const BYTES: u64 = 1_000_000;
/// A silent peer is gone after 20 s; then once more as long for what came after a blackout.
const LONGEST: Duration = Duration::from_secs(45);

fn here() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// Sends `from/file` to a server of `to` over 20 Mbit/s and 40 ms.
fn sends(from: &Path, to: &Path, impairments: Impairments, rebinds: Vec<Instant>) -> Result<(), CallError> {
    let (identity, _) = Identity::generate().unwrap();
    let enough = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        let (identity, enough) = (&identity, &enough);
        scope.spawn(move || {
            let clock = Clock::start();
            let mut udp = Udp::bind(here(), clock).unwrap();
            tell.send(udp.address().unwrap()).unwrap();
            let folder = Folder::new(to, Writers::Anyone).unwrap();
            let accept = Box::new(move |_| Transfer::server(Box::new(folder.clone())));
            let reno = Choice::find("reno", &[]).unwrap();
            let mut node = Node::server(clock, settings_for(here()), reno, 1, identity, accept).unwrap();
            run(&mut node, &mut udp, &clock, |_, now| {
                if enough.load(Ordering::Relaxed) { Watch::End } else { Watch::At(now + Span::from_millis(10)) }
            })
            .unwrap();
        });
        let server = told.recv().unwrap();
        let (tell, told) = mpsc::channel();
        scope.spawn(move || {
            let end = LinkSpec::ideal(Rate::from_mbps(20.0), Span::from_millis(20));
            let forth = LinkSpec { queue: QueueLimit::Packets(100), ..end.clone() };
            let sample_every = Span::from_millis(100);
            let path = relay::Path { forth, back: end, others: None, overhead: Bytes(28), impairments, rebinds, seed: 1, sample_every };
            let relay = Relay::new(server, path).unwrap();
            tell.send(relay.address().unwrap()).unwrap();
            relay.run(enough).unwrap();
        });
        let call = Call {
            to: told.recv().unwrap(),
            name: "localhost".into(),
            shows: None,
            trust: Trust::Pinned(identity.fingerprint()),
            choice: Choice::find("symbiosis", &[]).unwrap(),
            seed: 1,
            qlog: None,
        };
        let source = Box::new(FileSource::open(&from.join("file")).unwrap());
        let called = call.run(vec![Task::Send { name: "file".into(), source, hash: None, force: false }], |_, _, _| true);
        enough.store(true, Ordering::Relaxed);
        called.map(|_| ())
    })
}

#[test]
fn a_file_arrives_as_it_was_or_not_at_all() {
    let (none, at_ms) = (Impairments::default(), Instant::from_millis);
    let faults: [(&str, Impairments, Vec<Instant>); 9] = [
        ("loss 1 %", Impairments { loss: 0.01, ..none.clone() }, Vec::new()),
        ("loss 5 %", Impairments { loss: 0.05, ..none.clone() }, Vec::new()),
        ("loss 20 %", Impairments { loss: 0.2, ..none.clone() }, Vec::new()),
        ("reordering", Impairments { late: 0.1, late_by: Span::from_millis(15), ..none.clone() }, Vec::new()),
        ("duplication", Impairments { duplicate: 0.2, ..none.clone() }, Vec::new()),
        ("damage", Impairments { damage: 0.05, truncate: 0.05, forge: 0.2, ..none.clone() }, Vec::new()),
        ("blackout of 5 s", Impairments { blackouts: vec![(at_ms(300), at_ms(5300))], ..none.clone() }, Vec::new()),
        ("new address", none, vec![at_ms(300)]),
        ("new address, loss 5 %", Impairments { loss: 0.05, ..Impairments::default() }, vec![at_ms(300)]),
    ];
    let mut content = vec![0; BYTES as usize];
    Pattern(BYTES).read_at(0, &mut content).unwrap();
    let content = &content;
    thread::scope(|scope| {
        for (name, impairments, rebinds) in faults {
            scope.spawn(move || {
                let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
                fs::write(from.path().join("file"), content).unwrap();
                let start = std::time::Instant::now();
                let went = sends(from.path(), to.path(), impairments, rebinds);
                println!("{name}: {went:?} after {:.1} s", start.elapsed().as_secs_f64());
                assert!(start.elapsed() < LONGEST, "{name}: {went:?}");
                match (went, fs::read(to.path().join("file"))) {
                    (Ok(()), found) => assert!(found.unwrap() == *content, "{name}: a wrong file"),
                    // An address that changes while packets are lost may be the end of a connection, and of nothing else (node/pulse.rs).
                    (Err(CallError::Ended { .. }), Err(error)) if name == "new address, loss 5 %" => {
                        assert_eq!(error.kind(), io::ErrorKind::NotFound, "{name}");
                    }
                    (went, _) => panic!("{name}: {went:?}"),
                }
            });
        }
    });
}
