//! A flow of a plan over QUIC: its two nodes, and what is counted of it.

use symbiosis_base::{Bytes, Instant};
use symbiosis_run::tally::{Arrivals, Tally};
use symbiosis_run::{FlowPlan, FlowSample, Ledger, Plan};

use super::{Emulation, Event, Passed};
use crate::choice::Choice;
use crate::node::{PeerId, Settings, View};
use crate::transfer::Transfer;

/// A flow's two nodes, and what was counted of it.
pub(super) struct Flow<'a> {
    pub(super) plan: &'a FlowPlan,
    pub(super) settings: Settings,
    pub(super) choice: Choice,
    pub(super) server: usize,
    /// Once it has started.
    pub(super) client: Option<(usize, PeerId)>,
    pub(super) stopped: bool,
    pub(super) acks: u64,
    pub(super) drained: u64,
    pub(super) loss_events: u64,
    pub(super) timeouts: u64,
    pub(super) resent: u64,
    pub(super) delivered: u64,
    pub(super) tally: Tally,
    pub(super) arrivals: Arrivals,
    pub(super) ledger: Ledger,
    pub(super) samples: Vec<FlowSample>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(plan: &Plan, flow: &'a FlowPlan, settings: Settings, choice: Choice, server: usize) -> Flow<'a> {
        let (from, to) = (plan.measure_from, plan.measure_to);
        Flow {
            plan: flow,
            settings,
            choice,
            server,
            client: None,
            stopped: false,
            acks: 0,
            drained: 0,
            loss_events: 0,
            timeouts: 0,
            resent: 0,
            delivered: 0,
            tally: Tally::new(flow, from, to),
            arrivals: Arrivals::new(flow, from, to),
            ledger: Ledger::default(),
            samples: Vec::new(),
        }
    }

    /// A datagram of the sender's.
    pub(super) fn passed(&mut self, passed: &Passed, world: &mut Emulation<Transfer>) {
        match passed.event {
            Event::Departed => {
                self.ledger.sent += 1;
                self.tally.sent(passed.at, false);
            }
            Event::Dropped => {
                self.ledger.dropped += 1;
                self.arrivals.dropped(passed.at);
            }
            Event::Arrived => {
                self.ledger.delivered += 1;
                self.delivered += passed.bytes.0;
                let peer = world.look(self.server).peers().first().copied();
                let drained = peer.and_then(|peer| world.look(self.server).session(peer)?.drained()).unwrap_or(self.drained);
                self.arrivals.arrived(passed.at, passed.bytes, Bytes(drained - self.drained));
                self.drained = drained;
            }
        }
    }

    /// A datagram of the receiver's has come.
    pub(super) fn answered(&mut self, now: Instant, world: &mut Emulation<Transfer>) {
        let Some((client, id)) = self.client else { return };
        let node = world.look(client);
        if let Some((acks, rtt)) = node.latest_rtt(id)
            && acks > self.acks
        {
            self.acks = acks;
            self.tally.rtt(now, rtt);
        }
        let finished = self.plan.bytes.and_then(|_| node.session(id)?.progress_made()?.finished);
        if let Some(at) = finished {
            self.tally.completed(at);
        }
    }

    /// The flow as its sender sees it.
    pub(super) fn sample(&mut self, now: Instant, world: &mut Emulation<Transfer>, traced: bool) {
        let view = self.client.and_then(|(client, id)| world.look(client).view(id));
        if let Some(view) = &view {
            self.note(now, view);
        }
        if traced {
            let packets = |bytes: Bytes| bytes.packets(self.plan.packet);
            self.samples.push(FlowSample {
                at: now,
                cwnd_packets: view.as_ref().map_or(0.0, |view| packets(view.window)),
                in_flight_packets: view.as_ref().map_or(0.0, |view| packets(view.in_flight)),
                srtt_ms: view.as_ref().map_or(0.0, |view| view.rtt.millis()),
                delivered_bytes: self.delivered,
                retransmissions: self.resent,
                timeouts: self.timeouts,
                gauges: view.map_or(Vec::new(), |view| view.gauges),
            });
        }
    }

    fn note(&mut self, now: Instant, view: &View) {
        self.tally.window(now, view.window);
        (self.loss_events..view.recoveries).for_each(|_| self.tally.loss_event(now));
        (self.timeouts..view.timeouts).for_each(|_| self.tally.timeout(now));
        (self.resent..view.lost).for_each(|_| self.tally.retransmitted(now));
        (self.loss_events, self.timeouts, self.resent) = (view.recoveries, view.timeouts, view.lost);
    }
}
