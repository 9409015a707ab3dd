//! Which controller a connection gets, and with what.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use noq_proto::congestion::{Controller as NoqController, ControllerFactory};
use symbiosis_base::{Bytes, Random, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry::{self, Entry, Feedback};
use symbiosis_control::{Migration, Setup};
use symbiosis_quic_events::{Clock, QuicController};

use crate::adapter::Adapter;
use crate::handle::ControllerHandle;

/// What UDP and IPv4 add to a datagram.
const OVERHEAD: Bytes = Bytes(28);
/// Window before the first ACK \[packets\] (RFC 9002 §7.2).
const INITIAL_WINDOW: u64 = 10;
/// How exactly timers of an asynchronous runtime fire: tokio's wheel turns once a millisecond.
const TIMER: Span = Span::from_millis(1);

/// Makes controllers for noq's connections: `TransportConfig::congestion_controller_factory` takes it.
///
/// A connection that migrates gets a new controller, or keeps the one it has if that says so
/// ([`Controller::path_changed`](symbiosis_control::Controller::path_changed)).
pub struct Factory {
    entry: &'static Entry,
    params: Values,
    random: Mutex<Random>,
    clock: Clock,
    overhead: Bytes,
    initial_window: u64,
    timer: Span,
    /// With it departures are the endpoint's business; without it noq paces by a rate.
    hook: Option<ControllerHandle>,
}

/// Why there is no such factory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownController {
    /// The registry has no controller of that name.
    Name(String),
    /// It goes by reports of a receiver that measures, which plain QUIC does not carry.
    Reports(&'static str),
}

impl fmt::Display for UnknownController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownController::Name(name) => {
                let names: Vec<_> = registry::ALL.iter().map(|entry| entry.name).collect();
                write!(f, "there is no controller {name:?}: there are {}", names.join(", "))
            }
            UnknownController::Reports(name) => {
                write!(f, "{name} needs a receiver that reports, which QUIC has only between ends of symbiosis-quic")
            }
        }
    }
}

impl std::error::Error for UnknownController {}

/// The controller of that name, with its defaults, paced by noq.
///
/// # Errors
/// There is none, or it goes by reports.
pub fn factory(name: &str) -> Result<Arc<Factory>, UnknownController> {
    let entry = registry::find(name).ok_or_else(|| UnknownController::Name(name.to_owned()))?;
    match entry.feedback {
        Feedback::Reports(_) => Err(UnknownController::Reports(entry.name)),
        _ => Ok(Arc::new(Factory::new(entry))),
    }
}

impl Factory {
    /// A controller of the registry or one's own: default parameters, a seed of the machine's, IPv4, ten packets at first, paced by noq.
    ///
    /// # Panics
    /// When the defaults of its parameters are out of their own bounds.
    pub fn new(entry: &'static Entry) -> Factory {
        Factory {
            entry,
            params: Values::resolve(entry.params, &[]).expect("defaults are within bounds"),
            random: Mutex::new(Random::new(RandomState::new().hash_one(entry.name), 0)),
            clock: Clock::start(),
            overhead: OVERHEAD,
            initial_window: INITIAL_WINDOW,
            timer: TIMER,
            hook: None,
        }
    }

    /// Parameters, resolved against the entry's.
    #[must_use]
    pub fn with_params(self, params: Values) -> Factory {
        Factory { params, ..self }
    }

    /// A seed: the same seed and events, the same decisions.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Factory {
        Factory { random: Mutex::new(Random::new(seed, 0)), ..self }
    }

    /// What UDP and IP add to a datagram: 48 bytes with IPv6.
    #[must_use]
    pub fn with_overhead(self, overhead: Bytes) -> Factory {
        Factory { overhead, ..self }
    }

    /// Window before the first ACK \[packets\].
    #[must_use]
    pub fn with_initial_window(self, initial_window: u64) -> Factory {
        Factory { initial_window, ..self }
    }

    /// How exactly the host's timers fire, and what it can tell apart.
    #[must_use]
    pub fn with_timer(self, timer: Span) -> Factory {
        Factory { timer, ..self }
    }

    /// Departures are asked from `handle`, by whoever drives the one connection that this factory is for; instants are `clock`'s.
    #[must_use]
    pub fn with_hook(self, handle: ControllerHandle, clock: Clock) -> Factory {
        Factory { hook: Some(handle), clock, ..self }
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: std::time::Instant, mtu: u16) -> Box<dyn NoqController> {
        let packet = Bytes(mtu.into()) + self.overhead;
        let seed = self.random.lock().unwrap_or_else(PoisonError::into_inner).seed();
        let initial_window = Bytes(self.initial_window * packet.0);
        let setup = Setup::new(packet).with_initial_window(initial_window).with_timer(self.timer).with_clock(self.timer).with_seed(seed);
        let now = self.clock.nanos(now);
        let handle = self.hook.clone().unwrap_or_default();
        let mut held = handle.lock();
        let before = held.take().filter(QuicController::established).map(|mut quic| (quic.migrates(now), quic.into_controller()));
        // Without a hook nobody says when the handshake is complete; packets of its spaces are forgotten as those of the next leave.
        let established = before.is_some() || self.hook.is_none();
        let controller = match before {
            Some((Migration::Keep, controller)) => controller,
            _ => (self.entry.build)(&setup, &self.params),
        };
        let mut quic = QuicController::new(controller, &setup, self.overhead, now);
        if established {
            quic.establish(now);
        }
        *held = Some(quic);
        drop(held);
        Box::new(Adapter::new(handle, self.clock, self.hook.is_some()))
    }
}
