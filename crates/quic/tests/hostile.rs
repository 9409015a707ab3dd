//! What strangers send: datagrams that are none, and streams that do not keep to the protocol.

mod common;

use std::fs;
use std::path::Path;

use bytes::BytesMut;
use common::{Way, choice, run};
use noq_proto::{Connection, ConnectionError, Dir, StreamId};
use proptest::prelude::*;
use symbiosis_base::Nanos;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::node::{Next, Node, Session, Settings};
use symbiosis_quic::transfer::{Folder, Pattern, Task, Transfer};
use symbiosis_quic::virtual_time::{Harm, Route, World, address};

/// A server, or a client that writes what it is told to and then waits.
enum Side {
    Server(Transfer),
    Hostile { streams: Vec<Vec<u8>>, open: Vec<(StreamId, Vec<u8>)> },
}

impl Session for Side {
    fn progress(&mut self, now: Nanos, connection: &mut Connection) -> Next {
        match self {
            Side::Server(server) => server.progress(now, connection),
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
        if let Side::Server(server) = self {
            server.ended(why);
        }
    }
}

/// A server of the folder hears these streams, and then is asked for a file that it has.
fn hears(root: &Path, streams: Vec<Vec<u8>>) {
    let (clock, settings) = (Clock::start(), Settings::default());
    let (identity, _) = Identity::generate().unwrap();
    let folder = Folder::new(root, true).unwrap();
    let way = Way::new(100.0, 2, 100);
    let mut world: World<Side> = World::new(way.links(), settings.overhead, 1);
    let accept = Box::new(move |_| Side::Server(Transfer::server(Box::new(folder.clone()))));
    world.add(Node::server(clock, settings, choice("reno"), 1, &identity, accept).unwrap());
    let trust = Trust::Pinned(identity.fingerprint());
    let asks = Side::Server(Transfer::client([Task::Drain { source: Box::new(Pattern(10_000)) }]));
    for session in [Side::Hostile { streams, open: Vec::new() }, asks] {
        let mut node = Node::client(clock, settings, choice("reno"), 2);
        let id = node.connect(world.now(), address(0), None, &trust, session).unwrap();
        let client = world.add(node);
        world.route(client, 0, Route { links: vec![0], harm: Harm::default() });
        world.route(0, client, Route { links: vec![1], harm: Harm::default() });
        world.run(world.now() + Nanos::from_millis(500), |_| true);
        if let Some(Side::Server(client)) = world.node(client).session(id) {
            assert!(client.progress_made().unwrap().finished.is_some(), "the server still serves");
        }
    }
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
            world.run(Nanos::from_millis(10 * at as u64), |_| true);
            // Long headers and short ones, QUIC's version or another.
            if datagram.len() > 5 && at % 2 == 0 {
                datagram[0] = first | 0x40;
                datagram[1..5].copy_from_slice(&1_u32.to_be_bytes());
            }
            for node in 0..2 {
                let (now, from) = (world.now(), address(1 - node));
                world.node(node).receive(now, from, BytesMut::from(&datagram[..]));
                world.node(node).receive(now, address(7), BytesMut::from(&datagram[..]));
            }
        }
        let progress = run(&mut world, 30);
        prop_assert!(progress.finished.is_some(), "{:?}", progress);
    }
}
