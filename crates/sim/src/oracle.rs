//! The oracle: what a perfect measurement would read, for experiments that want a controller without its measurement.
//!
//! `K` is the rate of the narrowest link of a flow's way. `A` is what the others leave free of the tightest: its rate, less the rate
//! that UDP is meant to have now, less what other TCP flows put into the link since the last reading. That is S Eq 17 with real rates in
//! the place of `w/τ`; in a standing queue both differ, because a window then stands for less than `w/τ` (see
//! `symbiosis-theory`).

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::Report;
use symbiosis_path::{LinkSpec, TrafficSpec};
use symbiosis_run::{LinkId, Plan};

use crate::agenda::Slot;
use crate::any_flow::AnyFlow;
use crate::conveyor::Fabric;

/// Reads the path of one flow, once in a base round-trip time.
pub(crate) struct Oracle {
    pub(crate) slot: Slot,
    every: Span,
    hops: Vec<Hop>,
    last: Instant,
    begun: bool,
}

struct Hop {
    spec: LinkSpec,
    /// UDP across this link.
    cross: Vec<TrafficSpec>,
    /// What the link had taken in of other TCP flows at the last reading \[bytes\].
    others: u64,
}

/// The least time between two readings: a path without delay has no base round-trip time. A millisecond is less than every path of the
/// papers has (S §IV-A begins at 10 ms), and bounds what an oracle costs to a thousand readings a second.
const LEAST_EVERY: Span = Span::from_millis(1);

impl Oracle {
    pub(crate) fn new(plan: &Plan, flow: usize, slot: Slot) -> Oracle {
        let flow = &plan.flows[flow];
        let delay = |route: &[LinkId]| route.iter().map(|link| plan.links[*link].spec.delay.0).sum::<u64>();
        let base_rtt = Span(delay(&flow.route) + delay(&flow.ack_route));
        let hop = |&link: &LinkId| Hop {
            spec: plan.links[link].spec.clone(),
            cross: plan.cross.iter().filter(|cross| cross.route.contains(&link)).map(|cross| cross.traffic.clone()).collect(),
            others: 0,
        };
        Oracle { slot, every: base_rtt.max(LEAST_EVERY), hops: flow.route.iter().map(hop).collect(), last: flow.start, begun: false }
    }

    /// The oracle's instant has come: reads the path for a flow that runs, and tells when to come again.
    pub(crate) fn visit(&mut self, net: &Fabric<'_>, flow: &mut AnyFlow, now: Instant) -> Instant {
        let report = self.read(net, flow, now);
        match (flow.runs_at(now), self.begun) {
            (false, _) => return Instant::NEVER,
            // The first visit is at the flow's start: what others did before is no reading yet.
            (true, false) => self.begun = true,
            (true, true) => flow.report(&report),
        }
        now + self.every
    }

    /// What a perfect measurement would read now.
    fn read(&mut self, net: &Fabric<'_>, flow: &AnyFlow, now: Instant) -> Report {
        let span = now - self.last;
        self.last = now;
        let (mut capacity, mut available) = (Rate::from_bytes_per_s(f64::INFINITY), Rate::from_bytes_per_s(f64::INFINITY));
        for (at, hop) in self.hops.iter_mut().enumerate() {
            let (link, own) = flow.taken(at);
            let others = net.taken[link] - own;
            let tcp = Rate::of(Bytes(others - hop.others), span);
            hop.others = others;
            let udp = hop.cross.iter().fold(Rate::ZERO, |sum, cross| sum + cross.rate.at(now));
            let nominal = hop.spec.rate.nominal(now);
            if nominal < capacity {
                capacity = nominal;
            }
            let free = nominal - udp - tcp;
            if free < available {
                available = free;
            }
        }
        Report::Path { now, capacity, available }
    }
}
