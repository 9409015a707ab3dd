//! A scene over real sockets: server, relay and client in three threads.

use symbiosis_base::{Instant, Span};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::socket::{Call, settings_for};
use symbiosis_quic::transfer::{Endless, Nothing, Task};

use super::numbers::{Cost, Numbers, Sample, Seen};
use super::scene::{LOOKS_EVERY, Scene};
use crate::failure::Failure;
use crate::net::failed;
use crate::net::here::{fault, served};

/// Runs a scene with one controller.
///
/// # Errors
/// The machine gives no sockets, or the connection breaks.
pub fn run(scene: &Scene, choice: &Choice, identity: &Identity) -> Result<Numbers, Failure> {
    let clock = Clock::start();
    let path = scene.emulated.map(|emulated| emulated.path(&settings_for(([127, 0, 0, 1], 0).into()), scene.seed));
    let served = served(
        (identity, scene.seed, clock),
        || Box::new(Nothing),
        path,
        |to| {
            let trust = Trust::Pinned(identity.fingerprint());
            let call = Call { to, name: "localhost".into(), shows: None, trust, choice: choice.clone(), seed: scene.seed, qlog: None };
            let source = Endless::default();
            let began = clock.now();
            let mut samples: Vec<Sample> = Vec::new();
            let called = call.run(vec![Task::Drain { source: Box::new(source.clone()) }], |now, _, view| {
                if samples.last().is_none_or(|last| now >= last.at + LOOKS_EVERY) {
                    samples.push(Sample::of(now, &view()));
                }
                if now >= scene.to {
                    source.end();
                }
                true
            });
            Ok((began, samples, called.map_err(|error| failed(error, &call.trust))?))
        },
    )?;
    let (began, samples, called) = served.done;
    let drained = served.drained.into_iter().map(|(at, bytes)| (Instant::after(at - began), bytes)).collect();
    let waits = match (&scene.emulated, &served.relayed) {
        (Some(emulated), Some(relayed)) => relayed.crossings.iter().map(|(at, took)| (*at, *took - emulated.alone())).collect(),
        _ => Vec::new(),
    };
    let packets = called.view.sent.max(1);
    let each = |cpu: Span| cpu.secs() * 1e6 / packets as f64;
    let cost = Cost {
        late: served.relayed.as_ref().map_or(called.lateness, |relayed| relayed.lateness).part_late(),
        sender_us: each(called.lateness.cpu),
        receiver_us: each(served.server.cpu),
    };
    let seen = Seen { samples, drained, waits };
    Numbers::new(scene, &seen, Some(cost)).ok_or_else(|| fault("the connection ended before its time"))
}
