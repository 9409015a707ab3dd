//! What strangers send: datagrams that are none, and streams that do not keep to the protocol.

mod common;

use std::fs;
use std::path::Path;

use bytes::BytesMut;
use common::{Way, choice, run};
use noq_proto::{Connection, ConnectionError, Dir, StreamId};
use proptest::prelude::*;
use symbiosis_base::{Instant, Span};
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Next, Node, Session, Settings};
use symbiosis_quic::transfer::{Folder, Nothing, Pattern, Task, Transfer, Writers};
use symbiosis_quic::virtual_time::{Emulation, Route, address};

/// A server, or a client that writes what it is told to and then waits.
enum Side {
    Server(Transfer),
    /// Is wrong about something.
    Panics,
    Hostile {
        streams: Vec<Vec<u8>>,
        open: Vec<(StreamId, Vec<u8>)>,
    },
    /// Does its work, and says these things of the peer's packets, one with every packet that comes.
    Liar {
        works: Transfer,
        says: Vec<Vec<u8>>,
        said: usize,
    },
}

impl Session for Side {
    fn progress(&mut self, now: Instant, connection: &mut Connection) -> Next {
        match self {
            Side::Server(server) => server.progress(now, connection),
            Side::Panics => panic!("as if a peer had found a way"),
            Side::Liar { works, says, said } => {
                *said += 1;
                let _ = connection.datagrams().send(says[*said % says.len()].clone().into(), true);
                works.progress(now, connection)
            }
            Side::Hostile { streams, open } => {
                while let Some(bytes) = streams.pop() {
                    let Some(id) = connection.streams().open(Dir::Bi) else {
                        streams.push(bytes);
                        break;
                    };
                    open.push((id, bytes));
                }
                for (id, bytes) in &mut *open {
                    let written = connection.send_stream(*id).write(bytes).unwrap_or(bytes.len());
                    bytes.drain(..written);
                    if bytes.is_empty() {
                        // Whoever has been told to stop cannot finish.
                        let _ = connection.send_stream(*id).finish();
                    }
                }
                open.retain(|(_, bytes)| !bytes.is_empty());
                Next::Wait
            }
        }
    }

    fn ended(&mut self, why: &ConnectionError) {
        match self {
            Side::Server(works) | Side::Liar { works, .. } => works.ended(why),
            Side::Hostile { .. } | Side::Panics => {}
        }
    }
}

/// A server of the folder hears these streams, and then is asked for a file that it has.
fn hears(root: &Path, streams: Vec<Vec<u8>>) {
    let (clock, settings) = (Clock::start(), Settings::default());
    let (identity, _) = Identity::generate().unwrap();
    let folder = Folder::new(root, Writers::Anyone).unwrap();
    let way = Way::new(100.0, 2, 100);
    let mut world: Emulation<Side> = Emulation::new(way.links(), settings.overhead, 1);
    let accept = Box::new(move |_| Side::Server(Transfer::server(Box::new(folder.clone()))));
    world.add(Node::server(clock, settings, choice("reno"), 1, &identity, accept).unwrap());
    let trust = Trust::Pinned(identity.fingerprint());
    let asks = Side::Server(Transfer::client([Task::Drain { source: Box::new(Pattern(10_000)) }]));
    for session in [Side::Hostile { streams, open: Vec::new() }, asks] {
        let mut node = Node::client(clock, settings, choice("reno"), 2);
        let id = node.connect(world.now(), address(0), None, &trust, session).unwrap();
        let client = world.add(node);
        world.route(client, 0, Route { links: vec![0], impairments: Impairments::default() });
        world.route(0, client, Route { links: vec![1], impairments: Impairments::default() });
        world.run(world.now() + Span::from_millis(500), |_| true);
        if let Some(Side::Server(client)) = world.node(client).session(id) {
            assert!(client.progress_made().unwrap().finished.is_some(), "the server still serves");
        }
    }
}

#[test]
fn a_connection_that_panics_takes_no_other_with_it() {
    let (clock, settings) = (Clock::start(), Settings::default());
    let (identity, _) = Identity::generate().unwrap();
    let way = Way::new(100.0, 2, 100);
    let mut world: Emulation<Side> = Emulation::new(way.links(), settings.overhead, 1);
    let mut calls = 0;
    let accept = Box::new(move |_| {
        calls += 1;
        if calls == 1 { Side::Panics } else { Side::Server(Transfer::server(Box::new(Nothing))) }
    });
    world.add(Node::server(clock, settings, choice("reno"), 1, &identity, accept).unwrap());
    let trust = Trust::Pinned(identity.fingerprint());
    for call in 0..2 {
        let mut node = Node::client(clock, settings, choice("reno"), 2);
        let works = Transfer::client([Task::Drain { source: Box::new(Pattern(10_000)) }]);
        let id = node.connect(world.now(), address(0), None, &trust, Side::Server(works)).unwrap();
        let client = world.add(node);
        world.route(client, 0, Route { links: vec![0], impairments: Impairments::default() });
        world.route(0, client, Route { links: vec![1], impairments: Impairments::default() });
        world.run(world.now() + Span::from_millis(500), |_| true);
        let Some(Side::Server(client)) = world.node(client).session(id) else { panic!("a client's session stays") };
        assert_eq!(client.progress_made().unwrap().finished.is_some(), call == 1, "call {call}");
    }
}

/// A client sends to, or fetches from, a server that lies about its packets; both lie if `both`.
fn is_lied_to(cc: &str, says: &[Vec<u8>], both: bool) {
    let (clock, settings) = (Clock::start(), Settings::default());
    let (identity, _) = Identity::generate().unwrap();
    let way = Way::new(20.0, 20, 100);
    let mut world: Emulation<Side> = Emulation::new(way.links(), settings.overhead, 1);
    let lies = says.to_vec();
    let accept = Box::new(move |_| Side::Liar { works: Transfer::server(Box::new(Nothing)), says: lies.clone(), said: 0 });
    world.add(Node::server(clock, settings, choice(cc), 1, &identity, accept).unwrap());
    let works = Transfer::client([Task::Drain { source: Box::new(Pattern(300_000)) }]);
    let side = if both { Side::Liar { works, says: says.to_vec(), said: 0 } } else { Side::Server(works) };
    let mut node = Node::client(clock, settings, choice(cc), 2);
    let id = node.connect(Instant::START, address(0), None, &Trust::Pinned(identity.fingerprint()), side).unwrap();
    let client = world.add(node);
    world.route(client, 0, Route { links: vec![0], impairments: Impairments::default() });
    world.route(0, client, Route { links: vec![1], impairments: Impairments::default() });
    let packet = u64::from(settings.payload) + settings.overhead.0;
    // A sender that asked its receiver for nonsense may be brought down to the least rate there is, of HCC's: a packet a second.
    let slowest = Instant::after(Span::from_millis(1000) * (300_000 / u64::from(settings.payload) * 5 / 4));
    let through = world.run(slowest, |world| {
        let window = world.node(client).view(id).unwrap().window;
        assert!((packet..1 << 40).contains(&window.0), "{cc}: a window of {window:?}");
        match world.node(client).session(id) {
            Some(Side::Server(works) | Side::Liar { works, .. }) => works.progress_made().unwrap().finished.is_none(),
            _ => false,
        }
    });
    assert!(through, "{cc}: the transfer hangs");
}

/// A message as the protocol has it: its length, then JSON.
fn message(json: &str) -> Vec<u8> {
    [&(json.len() as u16).to_be_bytes()[..], json.as_bytes()].concat()
}

fn some_json() -> impl Strategy<Value = String> {
    let name = prop_oneof!["[a-c./]{0,6}", Just("file".to_string()), Just("../out".to_string()), Just("sub/../../out".to_string())];
    let hash = prop_oneof!["[0-9a-f]{64}", "[0-9a-z/.]{0,70}"];
    let put = (name, any::<u64>(), hash, any::<bool>())
        .prop_map(|(name, bytes, hash, force)| format!(r#"{{"Put":{{"name":"{name}","bytes":{bytes},"hash":"{hash}","force":{force}}}}}"#));
    prop_oneof![
        put,
        "[a-c./]{0,6}".prop_map(|name| format!(r#"{{"Get":{{"name":"{name}"}}}}"#)),
        any::<u64>().prop_map(|offset| format!(r#"{{"Begin":{{"offset":{offset}}}}}"#)),
        Just(r#""Drain""#.to_string()),
        ".{0,40}",
    ]
}

/// What could be a message about packets: a kind, and numbers of all sizes behind it.
fn some_message() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        any::<u8>().prop_map(|n| vec![n & 0x3f]),
        any::<u16>().prop_map(|n| (n & 0x3fff | 0x4000).to_be_bytes().to_vec()),
        any::<u64>().prop_map(|n| (n >> 2 | 3 << 62).to_be_bytes().to_vec()),
        (0.0..=1.0).prop_map(|weight: f64| weight.to_be_bytes().to_vec()),
    ];
    let numbers = (0_u8..7, proptest::collection::vec(number, 0..8));
    let ask = r#"{"arrivals":true,"observer":{"cc":"hcc","params":[["alpha",1],["reports",1000]],"payload":9}}"#;
    prop_oneof![
        numbers.prop_map(|(kind, numbers)| std::iter::once(kind).chain(numbers.concat()).collect()),
        proptest::collection::vec(any::<u8>(), 0..1200),
        Just(std::iter::once(0).chain(ask.bytes()).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_stream_hurts_a_server(
        streams in proptest::collection::vec((proptest::collection::vec(some_json(), 0..3), proptest::collection::vec(any::<u8>(), 0..3000)), 1..6)
    ) {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("served");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("file"), "content").unwrap();
        let bytes = |(messages, more): &(Vec<String>, Vec<u8>)| {
            let mut bytes: Vec<u8> = messages.iter().flat_map(|json| message(json)).collect();
            bytes.extend_from_slice(more);
            bytes
        };
        hears(&root, streams.iter().map(bytes).collect());
        prop_assert_eq!(fs::read_dir(around.path()).unwrap().count(), 1, "nothing is written outside");
        // A file gets a name only when its hash is right, and nobody draws that; an empty file's least of all.
        for entry in fs::read_dir(&root).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            prop_assert!(name == "file" || name.ends_with(".part"), "{}", name);
        }
        prop_assert_eq!(fs::read(root.join("file")).unwrap(), b"content");
    }

    #[test]
    fn no_datagram_hurts_a_node(datagrams in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..1500), 1..50), first in any::<u8>()) {
        let mut world = Way::new(20.0, 40, 100).one("symbiosis", Task::Drain { source: Box::new(Pattern(500_000)) });
        for (at, mut datagram) in datagrams.into_iter().enumerate() {
            world.run(Instant::from_millis(10 * at as u64), |_| true);
            // Long headers and short ones, QUIC's version or another.
            if datagram.len() > 5 && at % 2 == 0 {
                datagram[0] = first | 0x40;
                datagram[1..5].copy_from_slice(&1_u32.to_be_bytes());
            }
            for node in 0..2 {
                let (now, from) = (world.now(), address(1 - node));
                world.node(node).receive(now, now, from, BytesMut::from(&datagram[..]));
                world.node(node).receive(now, now, address(7), BytesMut::from(&datagram[..]));
            }
        }
        let progress = run(&mut world, 30);
        prop_assert!(progress.finished.is_some(), "{:?}", progress);
    }

    #[test]
    fn no_message_about_packets_hurts(says in proptest::collection::vec(some_message(), 1..30), both in any::<bool>()) {
        for cc in ["symbiosis", "hcc"] {
            is_lied_to(cc, &says, both);
        }
    }
}
