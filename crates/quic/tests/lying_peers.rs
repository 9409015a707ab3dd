//! Receivers that lie, against every controller: what the theorem of `docs/security.md` says that none of them can get out of a sender.

mod common;
mod hostile {
    #[path = "../../../cli/tests/hostile/frames.rs"]
    #[allow(dead_code, reason = "the frames of other attacks, too")]
    pub mod frames;
    pub mod liar;
    #[path = "../../../cli/tests/hostile/rewriting.rs"]
    pub mod rewriting;
}

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use bytes::BytesMut;
use common::choice;
use hostile::liar::{Liar, Lies};
use noq_proto::{Connection, ConnectionError, DatagramEvent, Dir, Endpoint, EndpointConfig, Event, FourTuple, StreamId};
use proptest::prelude::*;
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::registry;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::Identity;
use symbiosis_quic::node::{Node, Settings};
use symbiosis_quic::transfer::{Folder, Transfer, Writers};
use symbiosis_quic::virtual_time::address;

/// A full packet on the wire \[bytes\].
const PACKET: u64 = 1480;
/// The bottleneck: 10 Mbit/s, 20 ms each way, and room for 30 packets.
const SERVICE: Span = Span(PACKET * 800);
const DELAY: Span = Span::from_millis(20);
const QUEUE: Span = Span(30 * SERVICE.0);
/// Probes, two for each timer that expires without an ACK (RFC 9002 §6.2.4): each takes twice as long as the one before, and a connection
/// without ACKs ends after 20 s, which at an RTT of 40 ms are nine.
const PROBES: u64 = 18;

/// How it went.
#[derive(Debug)]
struct Account {
    /// Full packets that left.
    left: u64,
    /// The largest number that came, and the largest that was acknowledged.
    came: u64,
    acknowledged: u64,
    /// Most packets that were neither acknowledged nor given up as lost, and the largest window.
    in_flight: u64,
    window: Bytes,
    end: Option<ConnectionError>,
}

/// A client that lies fetches a file from a server of that controller, for at most ten seconds.
fn fetches(cc: &str, lies: Lies, buffer: Bytes) -> Account {
    let folder = tempfile::tempdir().unwrap();
    fs::File::create(folder.path().join("file")).unwrap().set_len(3_000_000).unwrap();
    let (identity, _) = Identity::generate().unwrap();
    let (clock, settings) = (Clock::start(), Settings { buffer, ..Settings::default() });
    let store = Folder::new(folder.path(), Writers::Nobody).unwrap();
    let accept = Box::new(move |_| Transfer::server(Box::new(store.clone())));
    let mut node = Node::server(clock, settings, choice(cc), lies.seed, &identity, accept).unwrap();

    let liar = Arc::new(Mutex::new(Liar::new(lies)));
    let mut endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), None, false);
    let config = hostile::rewriting::client(Some(liar.clone()));
    let (handle, mut client) = endpoint.connect(clock.instant(Instant::START), config, address(0), "symbiosis").unwrap();
    let (mut stream, mut account) = (None, Account { left: 0, came: 0, acknowledged: 0, in_flight: 0, window: Bytes(0), end: None });

    let (mut now, mut free_at, mut serial) = (Instant::START, Instant::START, 0);
    // What is under way to the client, and to the server.
    let mut under_way: [BTreeMap<(Instant, u64), BytesMut>; 2] = Default::default();
    while now < Instant::from_millis(10_000) && account.end.is_none() {
        for (side, arriving) in under_way.iter_mut().enumerate() {
            while let Some(entry) = arriving.first_entry().filter(|entry| entry.key().0 <= now) {
                let datagram = entry.remove();
                if side == 1 {
                    node.receive(now, now, address(1), datagram);
                    continue;
                }
                let event = endpoint.handle(clock.instant(now), FourTuple::from_remote(address(0)), None, datagram, &mut Vec::new());
                if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
                    client.handle_event(event);
                }
            }
        }
        node.wake(now);
        if client.poll_timeout().is_some_and(|at| at <= clock.instant(now)) {
            client.handle_timeout(clock.instant(now));
        }
        while let Some(event) = client.poll_endpoint_events() {
            if let Some(answer) = endpoint.handle_event(handle, event) {
                client.handle_event(answer);
            }
        }
        while let Some(event) = client.poll() {
            match event {
                Event::Connected => stream = Some(asks(&mut client)),
                Event::ConnectionLost { reason } => account.end = Some(reason),
                _ => {}
            }
        }
        if let Some(id) = stream {
            reads(&mut client, id);
            for message in liar.lock().unwrap().forged(now.since_start().0) {
                let _ = client.datagrams().send(message.into(), true);
            }
        }
        let mut buffer = Vec::new();
        while let Some(transmit) = client.poll_transmit(clock.instant(now), std::num::NonZeroUsize::MIN, &mut buffer) {
            serial += 1;
            under_way[1].insert((now + DELAY, serial), BytesMut::from(&buffer[..transmit.size]));
            buffer.clear();
        }
        while node.transmit(now, &mut buffer).is_some() {
            account.left += u64::from(buffer.len() > 1000);
            free_at = free_at.max(now);
            if free_at - now <= QUEUE {
                free_at += Span(SERVICE.0 * buffer.len() as u64 / PACKET);
                serial += 1;
                under_way[0].insert((free_at + DELAY, serial), BytesMut::from(&buffer[..]));
            }
            looks(&mut node, &liar, &mut account);
        }
        looks(&mut node, &liar, &mut account);
        let timer = client.poll_timeout().map_or(Instant::NEVER, |at| clock.nanos(at));
        let arrivals = under_way.iter().filter_map(|arriving| arriving.first_key_value().map(|((at, _), _)| *at));
        // Whoever wants to go on at once does so a nanosecond later.
        now = arrivals.chain([timer, node.wake_at()]).min().unwrap_or(Instant::NEVER).max(now + Span(1));
    }
    account
}

/// Asks for the file.
fn asks(client: &mut Connection) -> StreamId {
    let id = client.streams().open(Dir::Bi).unwrap();
    for json in [r#"{"Get":{"name":"file"}}"#, r#"{"Begin":{"offset":0}}"#] {
        client.send_stream(id).write(&[&(json.len() as u16).to_be_bytes()[..], json.as_bytes()].concat()).unwrap();
    }
    id
}

/// Takes whatever came, in any order.
fn reads(client: &mut Connection, id: StreamId) {
    let mut stream = client.recv_stream(id);
    let Ok(mut chunks) = stream.read(false) else { return };
    while let Ok(Some(_)) = chunks.next(usize::MAX) {}
    let _ = chunks.finalize();
}

fn looks(node: &mut Node<Transfer>, liar: &Mutex<Liar>, account: &mut Account) {
    let Some(view) = node.peers().first().and_then(|id| node.view(*id)) else { return };
    let liar = liar.lock().unwrap();
    account.window = account.window.max(view.window);
    let settled = liar.acknowledged.len() as u64 + view.lost;
    account.in_flight = account.in_flight.max(account.left.saturating_sub(settled));
    (account.came, account.acknowledged) = (liar.came, liar.acknowledged.last().copied().unwrap_or(0));
}

/// Part (1) and part (2) of the theorem.
fn holds(cc: &str, lies: Lies, buffer: Bytes) -> Account {
    let account = fetches(cc, lies, buffer);
    // A buffer counts payload, of which a packet has no less than 1400 bytes.
    let most = (account.window.0 / PACKET).min(buffer.0.div_ceil(1400)) + 1 + PROBES;
    assert!(account.in_flight <= most, "{cc}, {lies:?}: {most} packets may be in flight; {account:?}");
    let numbers = 4 * account.came.max(64);
    assert!(account.acknowledged <= numbers, "{cc}, {lies:?}: {account:?}");
    assert!(account.left <= numbers + most, "{cc}, {lies:?}: {account:?}");
    account
}

/// All that can be run over QUIC.
fn controllers() -> impl Iterator<Item = &'static str> {
    let native = symbiosis_quic::choice::NATIVE.iter().map(|(name, ..)| *name);
    let all = registry::ALL.iter().filter(|entry| symbiosis_quic::choice::Choice::find(entry.name, &[]).is_ok());
    all.map(|entry| entry.name).chain(native)
}

const HONEST: Lies = Lies { hides: 0.0, ahead: 0, alone: false, apart: None, seed: 1 };

#[test]
fn a_receiver_that_acknowledges_what_it_is_asked_for_is_found_out_by_every_controller() {
    for cc in controllers() {
        // Whatever did not come and what is still to come, up to a window ahead.
        for (seed, ahead) in [(1, 0), (2, 8), (3, 40)] {
            let account = holds(cc, Lies { hides: 1.0, ahead, seed, ..HONEST }, Bytes(64_000_000));
            assert!(matches!(account.end, Some(ConnectionError::ConnectionClosed(_))), "{cc}: {account:?}");
        }
        let honest = holds(cc, HONEST, Bytes(64_000_000));
        assert!(honest.end.is_none() && honest.came > 100, "{cc}: {honest:?}");
    }
}

#[test]
fn skipped_numbers_cannot_be_foreseen() {
    // Where an optimistic receiver is found out: at the first skipped number, somewhere below 64 and elsewhere each time.
    let ends: Vec<u64> =
        (0..20).map(|seed| fetches("cubic", Lies { hides: 1.0, seed, ..HONEST }, Bytes(64_000_000)).acknowledged).collect();
    let different: std::collections::BTreeSet<&u64> = ends.iter().collect();
    assert!(different.len() >= 8, "{ends:?}");
}

fn lies() -> impl Strategy<Value = Lies> {
    let hides = prop_oneof![Just(0.0), 0.0..0.3, 0.0..=1.0];
    let ahead = prop_oneof![2 => Just(0), 1 => 0..4_u64, 1 => 0..50_u64];
    // From 20 Gbit/s down to a tenth of what the path delivers.
    let apart = prop::option::of(prop_oneof![Just(600), 600..12_000_000_u64]);
    (hides, ahead, prop::bool::weighted(0.2), apart, any::<u64>()).prop_map(|(hides, ahead, alone, apart, seed)| Lies {
        hides,
        ahead,
        alone,
        apart,
        seed,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_peer_gets_more_out_of_a_sender_than_the_theorem_says(lies in lies(), small in any::<bool>()) {
        let buffer = if small { Bytes(100_000) } else { Bytes(64_000_000) };
        for cc in controllers() {
            holds(cc, lies, buffer);
        }
    }
}
