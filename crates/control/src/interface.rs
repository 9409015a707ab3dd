//! What passes between a world and a controller.

use alloc::boxed::Box;

use symbiosis_base::{Bytes, Instant, Rate};

use crate::events::{AckProcessed, Acked, Ask, Lost, PacketLost, Sent};
use crate::notice::{Migration, Notice};
use crate::observer::Findings;

/// A congestion controller: events in, decisions out.
///
/// Windows and packets count bytes on the wire, headers included. Events come in the order of their `now`, which never goes back.
/// A controller must bear any such sequence, also a hostile one: its window stays at least one packet, is never NaN, and nothing panics.
///
/// An ACK is told as `acked` for each packet that it acknowledges, `packet_lost` for each that it shows lost, `lost` if an episode of
/// loss begins, and `ack_processed`. A timeout is told as `packet_lost`, `lost` and `ack_processed`. A default body stands where ignoring
/// the event is right for a controller that does not use it.
///
/// Every controller can be cloned: a world that cannot ask at every packet lets a copy rehearse what comes next, and nothing that the copy
/// is told reaches the original.
pub trait Controller: CloneBox + Send {
    /// A packet left, at the time at which it really left.
    fn sent(&mut self, _packet: &Sent) {}

    /// A packet is acknowledged for the first time: one call for each, also when one ACK covers many.
    fn acked(&mut self, ack: &Acked);

    /// A packet is presumed lost: one call for each.
    fn packet_lost(&mut self, _packet: &PacketLost) {}

    /// A congestion event: once for each episode of loss, not for each lost packet.
    fn lost(&mut self, loss: &Lost);

    /// All that an ACK says has been told: the end of a batch of `acked`, `packet_lost` and `lost` of one instant.
    fn ack_processed(&mut self, _ack: &AckProcessed) {}

    /// Something happened that is neither a packet nor an ACK nor a loss.
    fn notice(&mut self, _notice: &Notice) {}

    /// The connection moved to another path.
    fn path_changed(&mut self, _now: Instant) -> Migration {
        Migration::Replace
    }

    /// Somebody beside the ACK stream measured something.
    fn report(&mut self, _report: &Report) {}

    /// How much may be in flight, and when the next packet may leave. To ask changes nothing, so a world may ask as often as it likes;
    /// what a packet costs is taken in [`Controller::sent`].
    fn permit(&self, ask: &Ask) -> Permit;

    /// Whether [`Acked::received_at`] would be made use of: where it must be carried back, it is carried for those who want it.
    fn wants_arrivals(&self) -> bool {
        false
    }

    /// What the window follows at present, for a world that tells its user.
    fn basis(&self, _now: Instant) -> Basis {
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

/// Something measured beside the ACK stream.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Report {
    /// A simulator's knowledge of the path, for experiments with the oracle in place of a measurement.
    Path {
        /// When it holds.
        now: Instant,
        /// Capacity of the narrowest link (`K`).
        capacity: Rate,
        /// What everybody else leaves free of the tightest link (`A`).
        available: Rate,
    },
    /// The receiver's half of the controller, by a report that has just arrived.
    Receiver {
        /// When it arrived.
        now: Instant,
        /// What was found.
        findings: Findings,
    },
}

/// The answer: a packet may leave when `departure` has come, and what is in flight and the packet itself fit `window`, or nothing is in
/// flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

    /// What fits the window leaves when it may.
    pub fn paced(window: Bytes, departure: Departure) -> Permit {
        Permit { window, departure }
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
    /// The capacity is measured and not yet known: something holds packets back, and it takes dozens of pairs.
    Uncertain,
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
            Unknown::Uncertain => "capacity uncertain",
            Unknown::Timer => "timer too coarse",
            Unknown::Merged => "arrivals are merged",
            Unknown::Disordered => "path not FIFO",
        }
    }
}

/// When the next packet may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// At once.
    Now,
    /// Not before this instant.
    At(Instant),
    /// At this instant, whatever is in flight: a packet of a pair or a stream, which tells something only at the distance that was chosen.
    /// A controller bounds how many, and the window then waits for the debt.
    IgnoreWindow(Instant),
}
