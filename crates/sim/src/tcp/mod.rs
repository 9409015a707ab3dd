//! TCP's two ends: what is retransmitted, what is acknowledged, when a timer runs out. Windows come from the controllers.

mod board;
mod burst;
mod cap;
mod duplicates;
mod ecn;
mod eifel;
mod flight;
mod halving;
mod packets;
mod probe;
mod prr;
mod rack;
mod receiver;
mod rto;
mod scoreboard;
mod send_timer;
mod sender;
mod silence;

pub(crate) use flight::{Fate, Flight, Record};
pub(crate) use receiver::Receiver;
pub(crate) use rto::Rto;
pub use rto::{FIRST_RTO, MAX_RTO};
pub(crate) use send_timer::SendTimer;
pub(crate) use sender::Sender;

use packets::{Ack, Data};
use symbiosis_base::Span;
use symbiosis_run::FlowPlan;

use crate::transport::Transport;

/// TCP.
pub(crate) struct Tcp;

impl Transport for Tcp {
    type Data = Data;
    type Ack = Ack;
    type Sender = Sender;
    type Receiver = Receiver;
}

/// The two ends of a flow.
pub(crate) fn ends(plan: &FlowPlan, seed: u64, phase: Span) -> (Sender, Receiver) {
    let delay = plan.delayed_ack.then_some(plan.ack_delay);
    (Sender::new(plan, seed, phase), Receiver::new(delay, plan.ack.0 as u32, plan.hosts.clone()))
}
