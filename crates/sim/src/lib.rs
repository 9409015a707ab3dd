//! A discrete-event simulator: senders and receivers of TCP and XMTP over a network path, driving the controllers.
//!
//! [`run`] takes a [`Plan`], in which everything is resolved, to an [`Outcome`]. What makes it fast: a link that serves in order of
//! arrival knows a packet's fate when the packet is offered, so packets cross links that only one stream uses within one call, and only
//! before shared links and at senders are there events (see `conveyor`). What makes it repeatable: one agenda whose order is a function
//! of the plan, and a generator of its own for each source of randomness.

mod agenda;
mod any_flow;
mod arrived;
mod card;
mod conveyor;
mod cross;
mod flow;
mod load;
mod oracle;
mod plan;
mod result;
mod runs;
pub mod tally;
mod tap;
mod tcp;
mod transport;
mod world;
mod xmtp;

pub use plan::{CrossPlan, FlowPlan, LinkId, Plan, PlannedLink, Recovery, source};
pub use result::{FlowSample, FlowSummary, Ledger, LinkSummary, Outcome, QueueSummary, RttSummary, Summary, WindowSummary, jain};
pub use tap::{Packet, Passing, Tap};
pub use tcp::{FIRST_RTO, MAX_RTO};
pub use world::{run, run_tapped};
