//! Two nodes and a bottleneck between them, in a few words.
#![allow(dead_code)]

use std::path::Path;

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};
use symbiosis_path::{LinkSpec, NetworkLink, QueueLimit};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Node, PeerId, Settings};
use symbiosis_quic::transfer::{Common, Folder, Nothing, Progress, Store, Task, Transfer, Writers};
use symbiosis_quic::virtual_time::{Emulation, Route, address};

/// The bottleneck's index among the links; packets that wait there are what a queue is.
pub const BOTTLENECK: usize = 0;

/// A path: `mbps`, half of `rtt_ms` each way, and room for `queue` packets.
#[derive(Clone, Debug)]
pub struct Way {
    pub mbps: f64,
    pub rtt_ms: u64,
    pub queue: u64,
    /// Part of the data packets that the bottleneck loses.
    pub loss: f64,
    /// Mean of what ACKs are delayed by at random, in order.
    pub ack_jitter: Span,
    pub impairments: Impairments,
    pub settings: Settings,
    pub seed: u64,
    /// Statistics of the bottleneck count from here to there.
    pub measure: (Instant, Instant),
}

impl Way {
    pub fn new(mbps: f64, rtt_ms: u64, queue: u64) -> Way {
        Way {
            mbps,
            rtt_ms,
            queue,
            loss: 0.0,
            ack_jitter: Span::ZERO,
            impairments: Impairments::default(),
            settings: Settings::default(),
            seed: 1,
            measure: (Instant::START, Instant::NEVER),
        }
    }

    pub fn links(&self) -> Vec<NetworkLink> {
        let delay = Span(self.rtt_ms * 500_000);
        let ideal = LinkSpec::ideal(Rate::from_mbps(self.mbps), delay);
        let forth = LinkSpec { queue: QueueLimit::Packets(self.queue), loss: self.loss, ..ideal.clone() };
        let back = LinkSpec { jitter: self.ack_jitter, ..ideal };
        let (from, to) = self.measure;
        let link = |(spec, source)| NetworkLink { spec, random: Random::new(self.seed, source), from, to, sample_every: None };
        [(forth, 100), (back, 101)].map(link).into()
    }

    /// A world with the server as node 0, and a client for each `(controller, tasks)` behind it. The bottleneck leads to the server, and
    /// all share it.
    pub fn world(
        &self,
        store: impl Fn() -> Box<dyn Store> + 'static,
        clients: Vec<(Choice, Vec<Task>)>,
    ) -> (Emulation<Transfer>, Vec<PeerId>) {
        let (clock, settings) = (Clock::start(), self.settings);
        let (identity, _) = Identity::generate().unwrap();
        let mut world = Emulation::new(self.links(), settings.overhead, self.seed);
        let choice = Choice::find("reno", &[]).unwrap();
        let accept = Box::new(move |from| Transfer::server_among(store(), &Common::with_first(settings.first), from));
        let server = world.add(Node::server(clock, settings, choice, self.seed, &identity, accept).unwrap());
        let trust = Trust::Pinned(identity.fingerprint());
        let mut ids = Vec::new();
        for (at, (choice, tasks)) in clients.into_iter().enumerate() {
            let mut node = Node::client(clock, settings, choice, self.seed.wrapping_add(1000 * (at as u64 + 1)));
            let session = Transfer::client(tasks);
            ids.push(node.connect(Instant::START, address(server), None, &trust, session).unwrap());
            let client = world.add(node);
            world.route(client, server, Route { links: vec![BOTTLENECK], impairments: self.impairments.clone() });
            world.route(server, client, Route { links: vec![1], impairments: self.impairments.clone() });
        }
        (world, ids)
    }

    /// One client that sends, in a world of its own.
    pub fn one(&self, cc: &str, task: Task) -> Emulation<Transfer> {
        self.world(|| Box::new(Nothing), vec![(choice(cc), vec![task])]).0
    }

    /// The same with a folder that is served.
    pub fn folder(&self, folder: &Path, cc: &str, task: Task) -> Emulation<Transfer> {
        let folder = Folder::new(folder, Writers::Anyone).unwrap();
        self.world(move || Box::new(folder.clone()), vec![(choice(cc), vec![task])]).0
    }
}

pub fn choice(cc: &str) -> Choice {
    Choice::find(cc, &[]).unwrap()
}

/// How far the client of node `at` is.
pub fn progress(world: &mut Emulation<Transfer>, at: usize) -> Progress {
    let id = world.node(at).peers()[0];
    let session = world.node(at).session(id).expect("a client's session stays");
    session.progress_made().expect("nodes behind the first are clients").clone()
}

/// Runs until the client of node 1 is done, one way or the other, or `s` seconds have passed.
pub fn run(world: &mut Emulation<Transfer>, s: u64) -> Progress {
    world.run(Instant::from_millis(s * 1000), |world| {
        let progress = progress(world, 1);
        progress.finished.is_none() && progress.failed.is_none()
    });
    progress(world, 1)
}

/// Payload rate of what was moved.
pub fn goodput(progress: &Progress) -> f64 {
    let span = progress.finished.unwrap() - progress.began.unwrap();
    Rate::of(Bytes(progress.bytes - progress.resumed), span).mbps()
}
