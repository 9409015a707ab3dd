//! Exchanges over UDP sockets: a side that calls, and one that is called once.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use symbiosis_base::{Instant, Span};

use super::COPIES;
use super::limit::Limit;
use super::moved::Moved;
use super::session::{Exchange, Offer};
use crate::choice::Choice;
use crate::clock::Clock;
use crate::identity::{Fingerprint, Identity, Trust};
use crate::node::{Node, Settings, View};
use crate::socket::{CallError, Lateness, Udp, Watch, run, settings_for};
use crate::transfer::Failed;

use super::end::Work;

/// Who is called answers within this time, or is not there: the first packet has left at 0, 1, 3 and 7 s by then (RFC 9002 §6.2: 999 ms, doubled
/// each time).
const NO_ANSWER: Span = Span::from_millis(10_000);
/// Whoever is called is called within this time: the caller tries for [`NO_ANSWER`], and may try a second address.
const NO_CALL: Span = Span::from_millis(30_000);
/// Whoever watches is asked this often, though nothing happened.
const WATCHED_EVERY: Span = Span::from_millis(100);

/// A side that calls.
#[derive(Clone)]
pub struct Calling {
    /// Whom.
    pub to: SocketAddr,
    /// Who that is.
    pub peer: Fingerprint,
    /// What it is shown.
    pub shows: Arc<Identity>,
    /// The controller of this side.
    pub choice: Choice,
    /// Seeds whatever the controller draws at random.
    pub seed: u64,
    /// This side sends no faster.
    pub limit: Limit,
}

/// A side that is called.
pub struct Answering {
    /// Where.
    pub udp: Udp,
    /// The clock of that socket.
    pub clock: Clock,
    /// Who it is.
    pub identity: Identity,
    /// See [`Calling`].
    pub choice: Choice,
    /// See [`Calling`].
    pub seed: u64,
    /// See [`Calling`].
    pub limit: Limit,
}

fn settings(at: SocketAddr) -> Settings {
    Settings { protocol: COPIES, asks_who: true, ..settings_for(at) }
}

/// Calls, and talks until both sides have said everything. `watch` sees how it goes, at least every 100 ms, and ends it by saying no.
///
/// # Errors
/// It did not come to that.
pub fn call(
    with: &Calling,
    work: Box<dyn Work>,
    mut watch: impl FnMut(Instant, &Moved, &mut dyn FnMut() -> View) -> bool,
) -> Result<(Moved, View, Lateness), CallError> {
    let clock = Clock::start();
    let to = with.to;
    let here = match to {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let mut udp = Udp::bind(here, clock)?;
    udp.connect(to)?;
    let mut node = Node::client(clock, settings(to), with.choice.clone(), with.seed);
    node.show(with.shows.clone());
    let id = node
        .connect(clock.now(), to, None, &Trust::Pinned(with.peer), Exchange::opens(work, with.limit.clone()))
        .map_err(|error| CallError::Setup(error.to_string()))?;
    let mut established = false;
    let mut enough = false;
    let ran = run(&mut node, &mut udp, &clock, |node, now| {
        established = established || node.established(id);
        let moved = node.session(id).map(|session| session.moved().clone()).unwrap_or_default();
        let goes_on = watch(now, &moved, &mut || node.view(id).expect("a caller's connection stays"));
        let over = moved.finished.is_some() || moved.failed.is_some() || (!established && now > Instant::after(NO_ANSWER));
        if over || enough {
            return Watch::End;
        }
        if !goes_on {
            // Once more round, so that the peer is told.
            node.close(now, id, "the other side was interrupted");
            enough = true;
            return Watch::At(now);
        }
        Watch::At(now + WATCHED_EVERY)
    });
    let view = node.view(id).expect("a caller's connection stays");
    let moved = node.session(id).map(|session| session.moved().clone()).unwrap_or_default();
    let lateness = match ran {
        Ok(lateness) => lateness,
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            return Err(if established { CallError::Gone(to) } else { CallError::Refused(to) });
        }
        Err(error) => return Err(error.into()),
    };
    match (&moved.failed, view.seen.fingerprint()) {
        (None, _) if moved.finished.is_some() => Ok((moved, view, lateness)),
        (None, _) if enough => Err(CallError::NotDone("interrupted".into())),
        (None, _) => Err(CallError::NoAnswer(to)),
        (Some(Failed::Refused(why)), _) => Err(CallError::NotDone(why.clone())),
        (Some(Failed::Ended(_)), Some(shown)) if shown != with.peer => Err(CallError::Stranger { to, shown }),
        (Some(Failed::Ended(why)), _) => Err(CallError::Ended { to, why: why.clone() }),
    }
}

/// Is called, by the one peer for whom the offer is, and talks until both sides have said everything. `watch` ends it by saying no.
///
/// # Errors
/// It did not come to that.
pub fn answer(with: Answering, offer: &Offer, mut watch: impl FnMut(Instant) -> bool) -> Result<(Moved, View), String> {
    let Answering { mut udp, clock, identity, choice, seed, limit } = with;
    let at = udp.address().map_err(|error| error.to_string())?;
    let accepted = offer.clone();
    let accept = Box::new(move |_| Exchange::answers(accepted.clone(), limit.clone()));
    let mut node = Node::server(clock, settings(at), choice, seed, &identity, accept).map_err(|error| error.to_string())?;
    let mut ended = None;
    run(&mut node, &mut udp, &clock, |node, now| {
        // Connections of others come and go. The right one, if it is closed, is looked at before it is forgotten; one whose peer is silent is forgotten at
        // once, when its idle time is over.
        let taken = node.peers().into_iter().find(|id| node.session(*id).is_some_and(|session| session.is_taken()));
        if let Some(id) = taken
            && let Some(moved) = node.session(id).map(|session| session.moved())
            && (moved.finished.is_some() || moved.failed.is_some())
        {
            let moved = moved.clone();
            ended = node.view(id).map(|view| (moved, view));
        }
        let gone = taken.is_none() && !offer.is_open();
        match ended.is_some() || gone || !watch(now) || (offer.is_open() && now > Instant::after(NO_CALL)) {
            true => Watch::End,
            false => Watch::At(now + WATCHED_EVERY),
        }
    })
    .map_err(|error| format!("the socket fails: {error}"))?;
    match ended {
        Some((Moved { failed: Some(Failed::Refused(why)), .. }, _)) => Err(why),
        Some((Moved { failed: Some(Failed::Ended(why)), .. }, _)) => Err(format!("the connection ended: {why}")),
        Some(ended) => Ok(ended),
        None if offer.is_open() => Err("nobody called".into()),
        None => Err("the other side is gone".into()),
    }
}
