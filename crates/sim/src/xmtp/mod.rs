//! XMTP: the reliable transport that carries a controller whose receiver measures (H §8).
//!
//! Packets leave when the controller lets them, with a serial number for every transmission beside the number of what they carry. The
//! receiver does not answer each: it *reports*, what has arrived, selectively, and what its half of the controller found. A report leaves
//! - at once when a packet came out of order, filled a gap, or was the last; when the controller's half has something urgent;
//! - otherwise when a part of a round trip has passed since the last one, which the controller's half chooses. The data tells the receiver the
//!   round-trip time, as in TFRC (RFC 5348 §3.2.1).
//!
//! A transmission is lost when three that left later have arrived (RFC 9002 §6.1.1): links keep the order, and by serials a lost
//! retransmission is found as a lost packet is. When no report comes the timer of TCP runs out (RFC 6298), and all that is outstanding is
//! retransmitted.

mod board;
mod packets;
mod receiver;
mod sender;

pub(crate) use receiver::Receiver;
pub(crate) use sender::Sender;

use packets::{Data, Report};
use symbiosis_base::{Bytes, Span};
use symbiosis_control::Setup;
use symbiosis_control::observer::Observer;
use symbiosis_control::params::Values;
use symbiosis_run::FlowPlan;

use crate::transport::Transport;

/// XMTP.
pub(crate) struct Xmtp;

impl Transport for Xmtp {
    type Data = Data;
    type Ack = Report;
    type Sender = Sender;
    type Receiver = Receiver;
}

/// The two ends of a flow.
pub(crate) fn ends(plan: &FlowPlan, seed: u64, phase: Span, observer: fn(&Setup, &Values) -> Box<dyn Observer>) -> (Sender, Receiver) {
    let setup =
        Setup::new(plan.packet).with_initial_window(Bytes(plan.initial_window * plan.packet.0)).with_timer(plan.send_timer).with_seed(seed);
    let controller = (plan.cc.build)(&setup, &plan.params);
    let observer = observer(&setup, &plan.params);
    (Sender::new(plan, controller, phase), Receiver::new(observer, plan.ack.0 as u32))
}
