//! Where K and A come from. A measurement sits under the window: it sees what the controller sees, and may space packets.

pub mod filter;
mod host;
pub mod imtcp;
pub mod imtcp_published;
pub mod oracle;
pub mod params;
#[cfg(test)]
pub(crate) mod until;

use alloc::boxed::Box;

pub use host::{Host, News};

use crate::lotka_volterra::Bandwidth;
use crate::{Acked, Departure, PacketLost, Rate, Report, Sent, Unknown};

/// Half the width of a 95 % confidence interval of normal noise, in standard deviations.
const CI95: f64 = 1.96;

/// A result of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// What was measured.
    pub bandwidth: Bandwidth,
    /// Half the widths of the 95 % confidence intervals of K and A; zero where nothing is in doubt.
    pub error: Bandwidth,
    /// K is told by packets that were held back and let go together: it may be a tenth low for that, which its interval does not say.
    pub held_back: bool,
}

impl Reading {
    /// A reading that nobody doubts.
    pub fn certain(bandwidth: Bandwidth) -> Reading {
        Reading { bandwidth, error: Bandwidth { capacity: Rate::ZERO, available: Rate::ZERO }, held_back: false }
    }

    /// Whether A is known at all: an interval wider than K says nothing that was not known before.
    pub fn is_sure(&self) -> bool {
        self.error.available <= self.bandwidth.capacity * 0.5
    }

    /// K and A for the plot, with their intervals.
    pub fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        plot("K_mbps", self.bandwidth.capacity.mbps());
        plot("A_mbps", self.bandwidth.available.mbps());
        plot("K_ci95_mbps", self.error.capacity.mbps());
        plot("A_ci95_mbps", self.error.available.mbps());
    }
}

/// Measures the path for a controller, which carries it in a [`Host`].
///
/// No method but [`Measurement::gauges`] has a default: a measurement that wraps another must pass each of them on.
pub trait Measurement: Send {
    /// A packet left.
    fn sent(&mut self, packet: &Sent);

    /// A packet is presumed lost.
    fn packet_lost(&mut self, packet: &PacketLost);

    /// A packet was acknowledged; a new result, if this completes one.
    fn acked(&mut self, ack: &Acked) -> Option<Reading>;

    /// An out-of-band measurement arrived; a new result, if this measurement takes it.
    fn report(&mut self, report: &Report) -> Option<Reading>;

    /// When the measurement wants the next packet to leave: later than the window and the pacing allow, or back to back.
    fn departure(&self) -> Departure;

    /// Whether the results so far hold. If not, nothing is known until the next one.
    fn holds(&self) -> bool;

    /// Why there is no result that holds, if there is none.
    fn unknown(&self) -> Unknown;

    /// Whether it goes by when packets arrived, and so is better off with the receiver's times.
    fn wants_arrivals(&self) -> bool;

    /// Whether packets are held back before they are answered, and let go together.
    fn is_held_back(&self) -> bool;

    /// Everything measured so far no longer holds (T §2.2.2: after a timeout).
    fn forget(&mut self);

    /// A copy that goes its own way.
    fn copy(&self) -> Box<dyn Measurement>;

    /// State for the plot.
    fn gauges(&self, _plot: &mut dyn FnMut(&'static str, f64)) {}
}

impl Clone for Box<dyn Measurement> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
