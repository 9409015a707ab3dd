//! What passes between a world and a controller.

use alloc::boxed::Box;

use symbiosis_base::{Bytes, Nanos, Rate};

use crate::observer::Findings;

/// A congestion controller: events in, decisions out.
///
/// Windows and packets count bytes on the wire, headers included. Events come in the order of their `now`, which never goes back.
/// A controller must bear any such sequence, also a hostile one: its window stays at least one packet, is never NaN, and nothing panics.
///
/// Every controller can be cloned: a world that cannot ask at every packet lets a copy rehearse what comes next, and nothing that the copy
/// is told reaches the original.
pub trait Controller: CloneBox + Send {
    /// A packet left, at the time at which it really left.
    fn sent(&mut self, _packet: &Sent) {}

    /// A packet is acknowledged for the first time: one call for each, also when one ACK covers many.
    fn acked(&mut self, ack: &Acked);

    /// A congestion event: once for each episode of loss, not for each lost packet.
    fn lost(&mut self, loss: &Lost);

    /// Somebody beside the ACK stream measured something.
    fn report(&mut self, _report: &Report) {}

    /// How much may be in flight, and when the next packet may leave. To ask changes nothing, so a world may ask as often as it likes;
    /// what a packet costs is taken in [`Controller::sent`].
    fn permit(&self, ask: &Ask) -> Permit;

    /// Whether [`Acked::received_at`] would be made use of: where it must be carried back, it is carried for those who want it.
    fn wants_arrivals(&self) -> bool {
        false
    }

    /// What comes next if nothing happens: for a world that cannot ask at every packet. Most have nothing to say.
    fn outlook(&self, _now: Nanos) -> Outlook {
        Outlook::default()
    }

    /// What the window follows at present, for a world that tells its user.
    fn basis(&self, _now: Nanos) -> Basis {
        Basis::Law
    }

    /// State for the plot: calls `plot` with each gauge's name and value. Names carry their unit (`"A_mbps"`).
    fn gauges(&self, _plot: &mut dyn FnMut(&'static str, f64)) {}
}

/// A copy of a controller, for whoever holds one by its trait alone. Every controller that is [`Clone`] has it.
pub trait CloneBox {
    /// A copy that goes its own way.
    fn clone_box(&self) -> Box<dyn Controller>;
}

impl<C: Controller + Clone + 'static> CloneBox for C {
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Controller> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

/// What a world tells a controller when a connection opens.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Size of a full packet on the wire.
    pub packet: Bytes,
    /// Window before the first ACK.
    pub initial_window: Bytes,
    /// How exactly departures happen that lie ahead: what the host's timer can do. What is nearer than this may leave together, and
    /// what arrives nearer than this tells of the host and not of the path. Zero: exactly.
    pub timer: Nanos,
    /// Seeds whatever the controller draws at random; same seed and events, same decisions.
    pub seed: u64,
}

/// A packet that left.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it really left.
    pub now: Nanos,
    /// Packet number; a retransmission carries the number of the original.
    pub number: u64,
    /// Size on the wire.
    pub bytes: Bytes,
    /// In flight, this packet included.
    pub in_flight: Bytes,
    /// It repeats a packet that was sent before.
    pub retransmission: bool,
    /// The application has nothing more to send after this packet, as far as the world knows already; [`Acked::app_limited`] knows for sure.
    pub app_limited: bool,
}

/// A packet acknowledged for the first time.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When the ACK arrived.
    pub now: Nanos,
    /// The packet's number.
    pub number: u64,
    /// Its size on the wire.
    pub bytes: Bytes,
    /// When it (last) left.
    pub sent_at: Nanos,
    /// When it reached the receiver, on the receiver's clock, where the world knows: over TCP not of packets that share an
    /// ACK with others. The receiver's clock may show any time, and drift.
    pub received_at: Option<Nanos>,
    /// Round-trip time that this ACK measured: of one packet of those it covers, never of a retransmitted one unless the world can
    /// tell the copies apart.
    pub rtt: Option<Nanos>,
    /// In flight after this packet was taken out.
    pub in_flight: Bytes,
    /// The application had nothing more to send when this packet left: not the window held the sender back.
    pub app_limited: bool,
    /// Loss recovery is under way: a window must not grow, and ACKs do not come as packets arrived.
    pub recovering: bool,
    /// The window may grow for this packet. Not in recovery, not for a packet acknowledged above a gap (RFC 5681 §3.2), and not for the
    /// third and later packets of one ACK: after a retransmission one ACK may cover a whole window (RFC 5681 Eq 2, RFC 3465 with L = 2).
    pub grows: bool,
}

/// A congestion event.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// When it was noticed.
    pub now: Nanos,
    /// How it was noticed.
    pub kind: LossKind,
    /// In flight at that moment, before anything was written off.
    pub in_flight: Bytes,
}

/// How congestion was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossKind {
    /// Duplicate or selective ACKs: recovery starts.
    FastRetransmit,
    /// The retransmission timer expired; or, where a transport sends probes instead, congestion is persistent (RFC 9002 §7.6).
    Timeout,
    /// A congestion mark came back.
    Ecn,
}

/// Something measured beside the ACK stream.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Report {
    /// A simulator's knowledge of the path, for experiments with the oracle in place of a measurement.
    Path {
        /// When it holds.
        now: Nanos,
        /// Capacity of the narrowest link (`K`).
        capacity: Rate,
        /// What everybody else leaves free of the tightest link (`A`).
        available: Rate,
    },
    /// The receiver's half of the controller, by a report that has just arrived.
    Receiver {
        /// When it arrived.
        now: Nanos,
        /// What was found.
        findings: Findings,
    },
}

/// A world that has a packet ready asks whether it may leave.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// When it asks.
    pub now: Nanos,
    /// In flight at that moment.
    pub in_flight: Bytes,
}

/// The answer: a packet may leave when `departure` has come, and what is in flight and the packet itself fit `window`, or nothing is in
/// flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    /// How much may be in flight.
    pub window: Bytes,
    /// When the next packet may leave.
    pub departure: Departure,
}

impl Permit {
    /// Whatever fits the window leaves at once.
    pub fn window(window: Bytes) -> Permit {
        Permit { window, departure: Departure::Now }
    }
}

/// What a window follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Basis {
    /// The controller's own law.
    Law,
    /// Slow start, to where the law takes over.
    SlowStart,
    /// The window is reduced for a moment, so that the queue empties and the least RTT shows.
    ProbeRtt,
    /// Reno: the law needs what is not known of the path.
    Reno(Unknown),
}

/// Why a path is not known that a law needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// The measurement is under way.
    Measuring,
    /// No packets have left and arrived yet at distances that tell the capacity.
    Trains,
    /// A packet takes the path less time than the host can tell apart.
    Timer,
    /// Packets are handed up together (interrupt coalescing, receive offload): when each arrived cannot be told.
    Merged,
    /// Packets do not arrive in the order in which they left: the path is no FIFO queue.
    Disordered,
}

impl Unknown {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Unknown::Measuring => "measuring",
            Unknown::Trains => "waiting for trains",
            Unknown::Timer => "timer too coarse",
            Unknown::Merged => "arrivals are merged",
            Unknown::Disordered => "path not FIFO",
        }
    }
}

/// What comes next if nothing happens.
#[derive(Default)]
pub struct Outlook {
    /// How the window moves while ACKs come.
    pub course: Course,
    /// A copy that goes its own way: told of packets that leave when it lets them, it tells when the next ones will. None where packets leave
    /// when the window lets them, and evenly.
    pub rehearsal: Option<Box<dyn Controller>>,
}

/// How a window moves while ACKs come and nothing else is learnt from them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Course {
    /// As Reno's (RFC 5681): nothing is known of the path.
    Reno,
    /// Not at all.
    #[default]
    Still,
    /// By the logistic equation.
    Logistic(Logistic),
}

/// `dw/dt = growth·w·(1 − w/equilibrium)`, in slow start below `start`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logistic {
    /// Slow start below this window.
    pub start: Bytes,
    /// Growth of a small window \[1/s\].
    pub growth: f64,
    /// Where the window ends.
    pub equilibrium: Bytes,
    /// What a loss found by duplicate ACKs leaves of the window at least.
    pub kept: Bytes,
}

/// When the next packet may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// At once.
    Now,
    /// Not before this instant.
    At(Nanos),
    /// At this instant, whatever is in flight: a packet of a pair or a stream, which tells something only at the distance that was chosen.
    /// A controller bounds how many, and the window then waits for the debt.
    Regardless(Nanos),
}
