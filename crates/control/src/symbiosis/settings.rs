//! What `symbiosis` adds to the papers, each by a switch of its own.

use crate::Span;

/// What `symbiosis` adds to the papers; nothing by default.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    /// Multiple of `w / srtt` at which packets leave.
    pub(super) pacing: Option<f64>,
    /// Mean time between min-RTT probes.
    pub(super) probe_rtt_interval: Option<Span>,
    /// Slow start up to this part of the equilibrium.
    pub(super) slow_start_target: f64,
    /// A loss takes no more from the window than is over Aτ.
    pub(super) loss_floor: bool,
    /// Beside flows that fill the buffer the window competes.
    pub(super) competes: bool,
}
