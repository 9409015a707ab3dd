//! What strangers send: datagrams that are none, and streams that do not keep to the protocol.

mod common;
mod hostile {
    pub mod side;
}

use std::fs;

use bytes::BytesMut;
use common::{Way, choice, run};
use hostile::side::{Side, hears, is_lied_to, message};
use proptest::prelude::*;
use symbiosis_base::{Instant, Span};
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Node, Settings};
use symbiosis_quic::transfer::{Nothing, Pattern, Task, Transfer};
use symbiosis_quic::virtual_time::{Emulation, Route, address};

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
