//! What is measured: a path, who shares it, and for how long.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_path::{Gaps, LinkSpec, QueueLimit, Sizes, Steps, TrafficSpec};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::Settings;
use symbiosis_quic::relay::Path;
use symbiosis_quic::socket::settings_for;

/// Start-up is over so many round trips after the connection's begin, and not before this time: slow start and the first convergence of
/// the model (S Eq 12) take less.
const START_RTTS: u64 = 25;
const START: Span = Span::from_millis(3000);

/// The emulated path is looked at this often.
pub const LOOKS_EVERY: Span = Span::from_millis(10);

/// What QUIC needs of a packet's payload for itself \[bytes\]: header and packet number, tag, and the stream frame's beginning.
const OF_A_PACKET: u64 = 36;

/// An emulated path: a link with a buffer of one BDP, and others who do not yield.
#[derive(Clone, Copy, Debug)]
pub struct Emulated {
    pub rtt: Span,
    pub capacity: Rate,
    pub others: Rate,
}

impl Emulated {
    /// What the others leave.
    pub fn free(&self) -> Rate {
        self.capacity - self.others
    }

    /// How long a full packet takes to its end when nobody else is there.
    pub fn alone(&self) -> Span {
        let settings = settings_for(([127, 0, 0, 1], 0).into());
        Span(self.rtt.0 / 2) + self.capacity.time_for(Bytes(settings.payload.into()) + settings.overhead)
    }

    /// For a relay, or for virtual time.
    pub fn path(&self, settings: &Settings, seed: u64) -> Path {
        let back = LinkSpec::ideal(self.capacity, Span(self.rtt.0 / 2));
        // In bytes: the others' packets have the sizes of the Internet, and most of them are small.
        let forth = LinkSpec { queue: QueueLimit::Bytes(Bytes::from_f64(self.capacity.times(self.rtt))), ..back.clone() };
        let others = TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate: Steps::constant(self.others) };
        let others = (self.others > Rate::ZERO).then_some(others);
        Path {
            forth,
            back,
            others,
            overhead: settings.overhead,
            impairments: Impairments::default(),
            rebinds: Vec::new(),
            seed,
            sample_every: LOOKS_EVERY,
        }
    }
}

/// One measurement: when it begins and ends, since the connection's begin.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// None: nothing but the machine's own loopback.
    pub emulated: Option<Emulated>,
    pub from: Instant,
    pub to: Instant,
    pub seed: u64,
}

impl Scene {
    /// Of so many seconds after start-up.
    pub fn new(emulated: Option<Emulated>, seconds: u64, seed: u64) -> Scene {
        let from = Instant::after(emulated.map_or(START, |emulated| START.max(emulated.rtt * START_RTTS)));
        Scene { emulated, from, to: from + Span::from_millis(1000 * seconds), seed }
    }
}

/// The part of a packet on the wire that is the user's.
pub fn payload(settings: &Settings) -> f64 {
    (u64::from(settings.payload) - OF_A_PACKET) as f64 / (u64::from(settings.payload) + settings.overhead.0) as f64
}
