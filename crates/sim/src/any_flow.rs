//! A flow of whichever transport its controller goes by.

use symbiosis_base::Instant;
use symbiosis_control::Report;
use symbiosis_path::Fate;
use symbiosis_run::{FlowPlan, FlowSample, FlowSummary, Ledger, LinkId};

use crate::agenda::Slot;
use crate::conveyor::Fabric;
use crate::flow::Flow;
use crate::tcp::Tcp;
use crate::transport::SendingEnd;
use crate::xmtp::Xmtp;

/// A flow.
pub(crate) enum AnyFlow {
    Tcp(Flow<Tcp>),
    Xmtp(Flow<Xmtp>),
}

macro_rules! whichever {
    ($self:expr, $flow:ident => $do:expr) => {
        match $self {
            AnyFlow::Tcp($flow) => $do,
            AnyFlow::Xmtp($flow) => $do,
        }
    };
}

impl AnyFlow {
    pub(crate) fn wake(&mut self, net: &mut Fabric<'_>, now: Instant) {
        whichever!(self, flow => flow.wake(net, now));
    }

    #[inline]
    pub(crate) fn acked(&mut self, net: &mut Fabric<'_>, now: Instant) {
        whichever!(self, flow => flow.acked(net, now));
    }

    pub(crate) fn ack_overdue(&mut self, net: &mut Fabric<'_>) {
        whichever!(self, flow => flow.ack_overdue(net));
    }

    #[inline]
    pub(crate) fn data_turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) {
        whichever!(self, flow => flow.data_turn(net, hop, now));
    }

    pub(crate) fn ack_turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) {
        whichever!(self, flow => flow.ack_turn(net, hop, now));
    }

    pub(crate) fn data_decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) {
        whichever!(self, flow => flow.data_decided(net, hop, now, fate));
    }

    pub(crate) fn ack_decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) {
        whichever!(self, flow => flow.ack_decided(net, hop, now, fate));
    }

    pub(crate) fn timer(&self) -> Slot {
        whichever!(self, flow => flow.timer())
    }

    pub(crate) fn runs_at(&self, now: Instant) -> bool {
        whichever!(self, flow => flow.runs_at(now))
    }

    pub(crate) fn report(&mut self, report: &Report) {
        whichever!(self, flow => flow.sender.report(report));
    }

    pub(crate) fn taken(&self, hop: usize) -> (LinkId, u64) {
        whichever!(self, flow => flow.data.taken(hop))
    }

    pub(crate) fn sample(&mut self, now: Instant) {
        whichever!(self, flow => flow.sample(now));
    }

    pub(crate) fn samples(&self, from: usize) -> Box<dyn Iterator<Item = FlowSample> + '_> {
        whichever!(self, flow => Box::new(flow.samples(from)))
    }

    pub(crate) fn finish(self, plan: &FlowPlan) -> (FlowSummary, Vec<FlowSample>, Ledger) {
        whichever!(self, flow => flow.finish(plan))
    }
}
