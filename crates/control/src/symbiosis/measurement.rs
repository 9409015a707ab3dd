//! Where K and A come from. A measurement sits under the window: it sees what the controller sees, and may space packets.

use crate::lotka_volterra::Bandwidth;
use crate::{Acked, Departure, Report, Sent};

/// Measures the path for [`super::Symbiosis`]. The oracle is one; inline measurement by the data packets is another.
pub trait Measurement: Send {
    /// A packet left.
    fn sent(&mut self, _packet: &Sent) {}

    /// A packet was acknowledged; a new result, if this completes one.
    fn acked(&mut self, _ack: &Acked) -> Option<Bandwidth> {
        None
    }

    /// Somebody else reports; a new result, if the measurement takes it.
    fn report(&mut self, _report: &Report) -> Option<Bandwidth> {
        None
    }

    /// When the measurement wants the next packet to leave: later than the window and the pacing allow, or back to back.
    fn departure(&self) -> Departure {
        Departure::Now
    }

    /// Everything measured so far no longer holds (T §2.2.2: after a timeout).
    fn forget(&mut self) {}

    /// State for the plot.
    fn gauges(&self, _plot: &mut dyn FnMut(&'static str, f64)) {}
}
