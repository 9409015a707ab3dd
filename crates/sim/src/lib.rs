//! A discrete-event simulator: TCP senders and receivers over a network path, driving the controllers.

mod plan;
mod result;

pub use plan::{CrossPlan, FlowPlan, LinkId, Plan, PlannedLink, Recovery};
pub use result::{FlowSample, FlowSummary, Ledger, LinkSummary, Outcome, QueueSummary, RttSummary, Summary, WindowSummary};

/// Runs a plan to its end. The same plan gives the same outcome, bit for bit.
pub fn run(_plan: &Plan) -> Outcome {
    unreachable!("replaced by the event loop in the next commit")
}
