//! The same scene in virtual time: the same nodes, the same links, and no machine that could be late.

use symbiosis_base::{Instant, Random};
use symbiosis_path::{NetworkLink, Traffic};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Node, Settings};
use symbiosis_quic::socket::settings_for;
use symbiosis_quic::transfer::{Nothing, Pattern, Task, Transfer};
use symbiosis_quic::virtual_time::{Emulation, Route, address};

use super::numbers::{Numbers, Sample, Seen};
use super::scene::{Emulated, LOOKS_EVERY, Scene};
use crate::failure::Failure;
use crate::net::here::fault;

/// Runs a scene with one controller over its emulated path.
///
/// # Errors
/// The connection breaks.
pub fn run(scene: &Scene, emulated: &Emulated, choice: &Choice, identity: &Identity) -> Result<Numbers, Failure> {
    let (clock, settings) = (Clock::start(), Settings { repeatable: true, ..settings_for(address(0)) });
    let path = emulated.path(&settings, scene.seed);
    let links = [&path.forth, &path.back].into_iter().zip(0..);
    let (from, to) = (Instant::START, Instant::NEVER);
    let links = links.map(|(spec, source)| NetworkLink {
        spec: spec.clone(),
        random: Random::new(scene.seed, source),
        from,
        to,
        sample_every: None,
    });
    let mut world = Emulation::new(links.collect(), settings.overhead, scene.seed);
    let newreno = Choice::find("newreno", &[]).map_err(fault)?;
    let accept = Box::new(|_| Transfer::server(Box::new(Nothing)));
    let server = world.add(Node::server(clock, settings, newreno, scene.seed, identity, accept).map_err(fault)?);
    let mut node = Node::client(clock, settings, choice.clone(), scene.seed);
    let task = Task::Drain { source: Box::new(Pattern(u64::MAX)) };
    let trust = Trust::Pinned(identity.fingerprint());
    let id = node.connect(Instant::START, address(server), None, &trust, Transfer::client([task])).map_err(fault)?;
    let client = world.add(node);
    world.route(client, server, Route { links: vec![0], impairments: Impairments::default() });
    world.route(server, client, Route { links: vec![1], impairments: Impairments::default() });
    if let Some(others) = path.others {
        world.cross(Traffic::new(others, Random::new(scene.seed, 2)), vec![0]);
    }
    let mut seen = Seen::default();
    let mut at = Instant::START;
    while at <= scene.to + LOOKS_EVERY {
        world.run(at, |_| true);
        seen.waits.extend(world.wait(0).map(|wait| (at, wait)));
        seen.samples.extend(world.node(client).view(id).map(|view| Sample::of(at, &view)));
        let peer = world.node(server).peers().first().copied();
        let drained = peer.and_then(|peer| world.node(server).session(peer)?.drained());
        seen.drained.push((at, drained.unwrap_or(0)));
        at += LOOKS_EVERY;
    }
    Numbers::new(scene, &seen, None).ok_or_else(|| fault("the connection ended before its time"))
}
