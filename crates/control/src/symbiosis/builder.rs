//! Symbiosis put together in code: what the registry does from parameters, with types.

use alloc::boxed::Box;

use super::Symbiosis;
use super::gamma::Gamma;
use super::law::{Law, THETA};
use super::settings::Settings;
use crate::measurement::imtcp::ImTcp;
use crate::measurement::imtcp_published::PublishedImTcp;
use crate::measurement::imtcp_published::trend::Trend;
use crate::measurement::params::{STREAM_PACKETS, SUBRANGES};
use crate::measurement::{Host, Measurement};
use crate::{Setup, Span};

/// Growth rate of the papers (S §IV-A, I §4, B) \[1/s\].
pub const EPSILON: f64 = 1.95;
/// Competition coefficient of S, B and I; T §3 takes 0.95.
pub const GAMMA: f64 = 0.9;
/// Packets leave at this multiple of w/srtt: a faster pace overflows short buffers, a slower one lets flows meet too rarely to measure each
/// other (docs/symbiosis.md).
pub(super) const PACING: f64 = 1.1;
/// Mean time between min-RTT probes: BBRv1's filter of the least RTT is as long.
pub const PROBE_RTT_INTERVAL: Span = Span::from_millis(10_000);
/// Slow start ends at this part of the equilibrium, and the law goes the rest. With .8 it has 90 % of the link later than CUBIC; with .95 flows that join
/// overshoot (docs/arena.md).
pub(super) const SLOW_START_TARGET: f64 = 0.9;

#[derive(Clone, Debug)]
enum Motion {
    Logarithmic(Span),
    LotkaVolterra { epsilon: f64, gamma: Gamma, correction: bool },
}

/// Makes a [`Symbiosis`].
///
/// ```
/// use symbiosis_control::symbiosis::Symbiosis;
/// use symbiosis_control::{Ask, Bytes, Controller, Instant, Setup, Span};
///
/// let setup = Setup::new(Bytes(1500));
/// let flow = Symbiosis::builder().logarithmic(Span::from_millis(10)).pacing(None).build(&setup);
/// assert_eq!(flow.permit(&Ask::new(Instant::START, Bytes::ZERO)).window, setup.initial_window);
/// ```
pub struct Builder {
    measurement: Option<Box<dyn Measurement>>,
    /// What measures, if nothing else is given.
    usual: fn(&Setup) -> Box<dyn Measurement>,
    motion: Motion,
    settings: Settings,
}

impl Symbiosis {
    /// As `symbiosis` is by default.
    pub fn builder() -> Builder {
        Builder {
            measurement: None,
            usual: |setup| Box::new(ImTcp::for_window(setup)),
            motion: Motion::Logarithmic(THETA),
            settings: Settings {
                pacing: Some(PACING),
                probe_rtt_interval: Some(PROBE_RTT_INTERVAL),
                slow_start_target: SLOW_START_TARGET,
                loss_floor: true,
                competes: true,
            },
        }
    }

    /// As `symbiosis-paper` is by default: what the papers describe.
    pub fn published() -> Builder {
        Builder {
            measurement: None,
            usual: |setup| Box::new(PublishedImTcp::new(setup, SUBRANGES, STREAM_PACKETS, Trend::Pathload)),
            motion: Motion::LotkaVolterra { epsilon: EPSILON, gamma: Gamma::Fixed(GAMMA), correction: false },
            settings: Settings::default(),
        }
    }
}

impl Builder {
    /// K and A come from this measurement.
    pub fn measurement(self, measurement: Box<dyn Measurement>) -> Builder {
        Builder { measurement: Some(measurement), ..self }
    }

    /// The window goes by `w* = Aτ + θ·x·ln(K/x)`: `theta` is the queue that a flow asks for when it has 1/e of the link.
    pub fn logarithmic(self, theta: Span) -> Builder {
        Builder { motion: Motion::Logarithmic(theta), ..self }
    }

    /// The window goes by the papers' law; with `correction` it is fed `(K − A)·srtt/τ` ([`corrected`](super::law::corrected)).
    pub fn lotka_volterra(self, epsilon: f64, gamma: Gamma, correction: bool) -> Builder {
        Builder { motion: Motion::LotkaVolterra { epsilon, gamma, correction }, ..self }
    }

    /// Packets leave at this multiple of w/srtt; none: when ACKs come.
    pub fn pacing(mut self, gain: Option<f64>) -> Builder {
        self.settings.pacing = gain;
        self
    }

    /// The mean time between min-RTT probes; none: τ is the least RTT of the connection's life.
    pub fn probe_rtt_interval(mut self, interval: Option<Span>) -> Builder {
        self.settings.probe_rtt_interval = interval;
        self
    }

    /// Slow start goes up to this part of the equilibrium; zero: there is none once K and A are known.
    pub fn slow_start_target(mut self, part: f64) -> Builder {
        self.settings.slow_start_target = part;
        self
    }

    /// Whether a loss takes no more from the window than is over Aτ.
    pub fn loss_floor(mut self, floor: bool) -> Builder {
        self.settings.loss_floor = floor;
        self
    }

    /// Whether the window competes beside flows that fill the buffer; of the logarithmic law alone it is known what queue its own kind leaves.
    pub fn competes(mut self, competes: bool) -> Builder {
        self.settings.competes = competes;
        self
    }

    /// The controller of a new connection.
    pub fn build(self, setup: &Setup) -> Symbiosis {
        let logarithmic = matches!(self.motion, Motion::Logarithmic(_));
        let settings = Settings { competes: self.settings.competes && logarithmic, ..self.settings };
        let law = match self.motion {
            Motion::Logarithmic(theta) => Law::Logarithmic { theta, packet: setup.packet },
            Motion::LotkaVolterra { epsilon, gamma, correction } => Law::LotkaVolterra { epsilon, gamma, correction },
        };
        let measurement = self.measurement.unwrap_or_else(|| (self.usual)(setup));
        Symbiosis::new(setup, Host::new(measurement), law, settings)
    }
}
