//! Ends of a connection that do what they like, and what must hold for the other.

use std::path::Path;
use std::sync::LazyLock;

use noq_proto::{Connection, ConnectionError, Dir, StreamId};
use symbiosis_base::{Instant, Span};
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Next, Node, Session, Settings};
use symbiosis_quic::transfer::{Folder, Nothing, Pattern, Task, Transfer, Writers};
use symbiosis_quic::virtual_time::{Emulation, Route, address};

use crate::common::{Way, choice};

/// Of all servers here.
static IDENTITY: LazyLock<Identity> = LazyLock::new(|| Identity::generate().unwrap().0);

/// A server, or a client that writes what it is told to and then waits.
pub enum Side {
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
pub fn hears(root: &Path, streams: Vec<Vec<u8>>) {
    let (clock, settings) = (Clock::start(), Settings::default());
    let folder = Folder::new(root, Writers::Anyone).unwrap();
    let way = Way::new(100.0, 2, 100);
    let mut world: Emulation<Side> = Emulation::new(way.links(), settings.overhead, 1);
    let accept = Box::new(move |_| Side::Server(Transfer::server(Box::new(folder.clone()))));
    world.add(Node::server(clock, settings, choice("reno"), 1, &IDENTITY, accept).unwrap());
    let trust = Trust::Pinned(IDENTITY.fingerprint());
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

/// A client sends to, or fetches from, a server that lies about its packets; both lie if `both`.
pub fn is_lied_to(cc: &str, says: &[Vec<u8>], both: bool) {
    let (clock, settings) = (Clock::start(), Settings::default());
    let way = Way::new(20.0, 20, 100);
    let mut world: Emulation<Side> = Emulation::new(way.links(), settings.overhead, 1);
    let lies = says.to_vec();
    let accept = Box::new(move |_| Side::Liar { works: Transfer::server(Box::new(Nothing)), says: lies.clone(), said: 0 });
    world.add(Node::server(clock, settings, choice(cc), 1, &IDENTITY, accept).unwrap());
    let works = Transfer::client([Task::Drain { source: Box::new(Pattern(300_000)) }]);
    let side = if both { Side::Liar { works, says: says.to_vec(), said: 0 } } else { Side::Server(works) };
    let mut node = Node::client(clock, settings, choice(cc), 2);
    let id = node.connect(Instant::START, address(0), None, &Trust::Pinned(IDENTITY.fingerprint()), side).unwrap();
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
pub fn message(json: &str) -> Vec<u8> {
    [&(json.len() as u16).to_be_bytes()[..], json.as_bytes()].concat()
}
