//! What recovery makes of the controller's window.

use symbiosis_base::Bytes;
use symbiosis_run::Recovery;

use super::halving::Halving;
use super::prr::Prr;

/// A cap on the window, of whichever kind a flow has.
#[derive(Debug)]
pub(super) enum Cap {
    /// The controller's window rules.
    None,
    Halving(Halving),
    Prr(Prr),
}

/// What an ACK does to a recovery.
pub(super) struct Step {
    /// A recovery begins with it.
    pub(super) begins: bool,
    /// One is under way after it.
    pub(super) recovering: bool,
    /// Packets that it acknowledges for the first time, and that it shows lost.
    pub(super) delivered: u32,
    pub(super) lost: u32,
    /// It moves the left edge.
    pub(super) advances: bool,
}

impl Cap {
    pub(super) fn new(recovery: Recovery) -> Cap {
        match recovery {
            Recovery::RateHalving => Cap::Halving(Halving::default()),
            Recovery::Rack => Cap::Prr(Prr::default()),
            _ => Cap::None,
        }
    }

    /// There may be a cap.
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        !matches!(self, Cap::None)
    }

    /// There is a cap now.
    pub(super) fn is_active(&self) -> bool {
        match self {
            Cap::None => false,
            Cap::Halving(_) => true,
            Cap::Prr(prr) => prr.cap().is_some(),
        }
    }

    /// Takes in an ACK after which `in_flight` packets are in the network and the controller's window is `window`.
    pub(super) fn acked(&mut self, step: &Step, in_flight: u32, window: f64) {
        match self {
            Cap::None => {}
            Cap::Halving(halving) => {
                if step.begins {
                    halving.begin(in_flight, window);
                }
                halving.acked(step.recovering, in_flight, window);
            }
            Cap::Prr(prr) => {
                if step.begins {
                    prr.begin(in_flight + step.lost + step.delivered, window);
                }
                match step.recovering {
                    true => prr.acked(step.delivered, in_flight, window, step.advances && step.lost == 0),
                    false => prr.end(),
                }
            }
        }
    }

    /// A packet left.
    #[inline]
    pub(super) fn sent(&mut self) {
        if let Cap::Prr(prr) = self {
            prr.sent();
        }
    }

    /// A timeout, or a recovery that was none.
    pub(super) fn end(&mut self) {
        match self {
            Cap::None => {}
            Cap::Halving(halving) => halving.end(),
            Cap::Prr(prr) => prr.end(),
        }
    }

    /// What may be in flight where the controller lets `window`.
    #[inline]
    pub(super) fn within(&self, window: Bytes, packet: Bytes) -> Bytes {
        match self {
            Cap::None => window,
            Cap::Halving(halving) => window.min(Bytes::from_f64(halving.within(window.packets(packet)) * packet.as_f64())),
            Cap::Prr(prr) => prr.cap().map_or(window, |packets| Bytes(packets as u64 * packet.0)),
        }
    }
}
