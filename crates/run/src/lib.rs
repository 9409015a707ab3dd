//! What a run is, and what it found, whatever carries it out.
//!
//! A [`Plan`] has links, flows, cross traffic and times, every value resolved. An [`Outcome`] has the same statistics of each flow and link
//! whether a simulator, QUIC in virtual time or Linux' TCP carried the plan out: a [`tally`] counts them. Each of the three is a [`Runner`].

mod plan;
mod result;
mod runner;
pub mod tally;

pub use plan::{CrossPlan, FlowPlan, LinkId, Plan, PlannedLink, source};
pub use result::{FlowSample, FlowSummary, Ledger, LinkSummary, Outcome, QueueSummary, RttSummary, Summary, WindowSummary, jain};
pub use runner::Runner;
pub use symbiosis_control::registry::Recovery;
