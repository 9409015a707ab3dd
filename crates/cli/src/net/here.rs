//! A server, and an emulated path to it, in threads of this process: what `demo` and `bench` measure on this machine alone.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use miette::miette;
use symbiosis_base::{Instant, Span};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::Identity;
use symbiosis_quic::node::Node;
use symbiosis_quic::relay::{Path, Relay, Relayed};
use symbiosis_quic::socket::{self, Lateness, Udp, Watch, settings_for};
use symbiosis_quic::transfer::{Store, Transfer};

use crate::failure::Failure;

/// A run is void when more than this part of the relay's datagrams left late: then it was the machine that was measured. Ten times what the
/// testbed allows, because relay, server and client are no real-time threads.
pub const MOST_LATE: f64 = 0.2;

/// The server looks this often whether it is to end.
const LOOKS_EVERY: Span = Span::from_millis(20);

/// What there was beside what was done.
pub struct Served<T> {
    /// What was done.
    pub done: T,
    /// Bytes that the server had taken and forgotten, by the clock that was given.
    pub drained: Vec<(Instant, u64)>,
    pub server: Lateness,
    pub relayed: Option<Relayed>,
}

/// What went wrong where the user has no part in it.
pub fn fault(error: impl std::fmt::Display) -> Failure {
    Failure::Other(miette!("{error}"))
}

/// Does something with a server of what is in the store, or with the relay before it if there is a path.
///
/// # Errors
/// It fails, or a socket does.
pub fn served<T>(
    (identity, seed, clock): (&Identity, u64, Clock),
    store: impl Fn() -> Box<dyn Store> + Send + 'static,
    path: Option<Path>,
    act: impl FnOnce(SocketAddr) -> Result<T, Failure>,
) -> Result<Served<T>, Failure> {
    let enough = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let (tell_server, server_at) = mpsc::channel();
        let server = scope.spawn({
            let enough = enough.clone();
            move || serve((identity, seed, clock), store, &tell_server, &enough)
        });
        // A thread that fails before it tells its address hangs up.
        let done = server_at.recv().map_err(fault).and_then(|at| match path {
            None => Ok((act(at)?, None)),
            Some(path) => {
                let (tell_relay, relay_at) = mpsc::channel();
                let relay = scope.spawn({
                    let enough = enough.clone();
                    move || {
                        let relay = Relay::new(at, path)?;
                        let _ = tell_relay.send(relay.address()?);
                        relay.run(&enough)
                    }
                });
                let done = relay_at.recv().map_err(fault).and_then(act);
                enough.store(true, Ordering::Relaxed);
                let relayed = relay.join().map_err(|_| fault("the relay failed"))?.map_err(fault)?;
                Ok((done?, Some(relayed)))
            }
        });
        enough.store(true, Ordering::Relaxed);
        let (drained, server) = server.join().map_err(|_| fault("the server failed"))??;
        let (done, relayed) = done?;
        Ok(Served { done, drained, server, relayed })
    })
}

type Drained = Vec<(Instant, u64)>;

fn serve(
    (identity, seed, clock): (&Identity, u64, Clock),
    store: impl Fn() -> Box<dyn Store> + 'static,
    tell: &mpsc::Sender<SocketAddr>,
    enough: &AtomicBool,
) -> Result<(Drained, Lateness), Failure> {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut udp = Udp::bind(at, clock)?;
    let choice = Choice::find("newreno", &[]).map_err(fault)?;
    let accept = Box::new(move |_| Transfer::server(store()));
    let mut node = Node::server(clock, settings_for(at), choice, seed, identity, accept).map_err(fault)?;
    let _ = tell.send(udp.address()?);
    let mut drained: Drained = Vec::new();
    let watch = |node: &mut Node<Transfer>, now: Instant| {
        if drained.last().is_none_or(|(at, _)| now >= *at + LOOKS_EVERY) {
            let peers = node.peers();
            let sum = peers.into_iter().filter_map(|peer| node.session(peer)?.drained()).sum();
            drained.push((now, sum));
        }
        match enough.load(Ordering::Relaxed) {
            true => Watch::End,
            false => Watch::At(now + LOOKS_EVERY),
        }
    };
    let lateness = socket::run(&mut node, &mut udp, &clock, watch)?;
    Ok((drained, lateness))
}
