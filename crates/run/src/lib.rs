//! What a run is, and what it found, whatever carries it out.
//!
//! A [`Plan`] has links, flows, cross traffic and times, every value resolved. An [`Outcome`] has the same statistics of each flow and link
//! whether a simulator, QUIC in virtual time or Linux' TCP carried the plan out: a [`tally`] counts them. Each of the three is a [`Runner`].

use symbiosis_base::Span;

mod plan;
mod result;
mod runner;
pub mod tally;

pub use plan::{CrossPlan, EcnMode, FlowPlan, Hosts, LinkId, Plan, PlannedLink, source};
pub use result::{FlowSample, FlowSummary, Ledger, LinkSummary, Outcome, QueueSummary, RttSummary, Summary, WindowSummary, jain};
pub use runner::Runner;
pub use symbiosis_control::registry::Recovery;

/// Where a clock that nobody simulates must be kept, later than this is late: at 100 Mbit/s a packet of 1500 bytes takes 120 µs, so that such
/// a packet changed the spacing of others.
pub const LATE: Span = Span::from_micros(200);
/// Spacing of the samples that windows are averaged over, where nobody wants a trace and the world has no window at every instant: a
/// round trip of the papers' shortest paths (S §IV-A), in which a window does not change by more than a packet or a halving.
pub const USUAL_SAMPLES: Span = Span::from_millis(20);
