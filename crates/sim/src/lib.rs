//! A discrete-event simulator: senders and receivers of TCP and XMTP over a network path, driving the controllers.
//!
//! [`run`] takes a [`Plan`](symbiosis_run::Plan) to an [`Outcome`](symbiosis_run::Outcome). What makes it fast: a link that serves in order
//! of arrival knows a packet's fate when the packet is offered, so packets cross links that only one stream uses within one call, and only
//! before shared links and at senders are there events (see `conveyor`). What makes it repeatable: one agenda whose order is a function of
//! the plan, and a generator of its own for each source of randomness.
//!
//! ```
#![doc = include_str!("../examples/two_flows.rs")]
//! ```

mod agenda;
mod any_flow;
mod arrived;
mod conveyor;
mod cross;
mod flow;
mod interrupt_coalescing;
mod load;
mod oracle;
mod runs;
mod simulation;
mod tap;
mod tcp;
mod transport;
mod watch;
mod xmtp;

pub use simulation::{Simulation, Simulator, run, run_tapped};
pub use tap::{Packet, Passing, Tap};
pub use tcp::{FIRST_RTO, MAX_RTO};
