//! Plans over QUIC in virtual time: each flow is a connection between two nodes of its own.
//!
//! What is TCP's in a plan (recovery, the size and delay of ACKs, the least timeout) has no meaning here: noq recovers by RFC 9002 and
//! acknowledges each packet at once. A flow's connection is opened at its start, so its first data leaves a round trip later.

use symbiosis_base::{Bytes, Instant, Random, Span};
use symbiosis_path::{NetworkLink, Traffic};
use symbiosis_run::{FlowPlan, FlowSample, FlowSummary, Hosts, Ledger, Outcome, Plan, PlannedLink, Runner, USUAL_SAMPLES, source};

use super::flow::Flow;
use super::{Emulation, Event, Route, address};
use crate::choice::{Choice, ChoiceError};
use crate::clock::Clock;
use crate::identity::{Identity, IdentityError, Trust};
use crate::impairments::Impairments;
use crate::node::{Node, Settings};
use crate::transfer::{Nothing, Pattern, Task, Transfer};

/// What UDP and IPv4 add to a datagram.
const OVERHEAD: Bytes = Bytes(28);
/// The least UDP payload that QUIC needs (RFC 9000 §14).
const LEAST_PAYLOAD: u64 = 1200;

/// Why a plan cannot be carried out over QUIC.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A flow's controller.
    #[error("flow `{flow}`: {why}")]
    Controller {
        /// Which.
        flow: String,
        /// What is wrong.
        why: ChoiceError,
    },
    /// A packet is too small for QUIC, or too large for UDP.
    #[error("flow `{flow}`: a packet of {bytes} bytes cannot be QUIC's: 1228 to 65535 with the headers of UDP and IP")]
    Packet {
        /// Which.
        flow: String,
        /// How large it is.
        bytes: u64,
    },
    /// Something of a host that nodes in virtual time do not have.
    #[error("flow `{flow}`: `{key}` is not emulated over QUIC; leave it out")]
    Host {
        /// Which.
        flow: String,
        /// The scenario file's name of it.
        key: &'static str,
    },
    /// Keys or certificates.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// Carries plans out over QUIC in virtual time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quic;

impl Runner for Quic {
    type Error = PlanError;

    fn run(&self, plan: &Plan) -> Result<Outcome, PlanError> {
        Run::new(plan)?.finish()
    }
}

struct Run<'a> {
    plan: &'a Plan,
    world: Emulation<Transfer>,
    clock: Clock,
    identity: Identity,
    flows: Vec<Flow<'a>>,
    packets: u64,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan) -> Result<Run<'a>, PlanError> {
        let link = |(at, planned): (u64, &PlannedLink)| NetworkLink {
            spec: planned.spec.clone(),
            random: Random::new(plan.seed, source::LINK + at),
            from: plan.measure_from,
            to: plan.measure_to,
            sample_every: plan.sample_every.filter(|_| planned.listed),
        };
        let mut world = Emulation::new((0..).zip(&plan.links).map(link).collect(), OVERHEAD, plan.seed);
        world.log = Some(Vec::new());
        for (at, cross) in (0..).zip(&plan.cross) {
            let random = Random::new(plan.seed, source::TRAFFIC + at);
            world.cross(Traffic::new(cross.traffic.clone(), random), cross.route.clone());
        }
        let (clock, (identity, _)) = (Clock::start(), Identity::generate()?);
        let mut flows = Vec::new();
        for flow in &plan.flows {
            let (settings, choice) = (settings(flow)?, choice(flow)?);
            let accept = Box::new(|_| Transfer::server(Box::new(Nothing)));
            let seed = plan.seed.wrapping_add(flows.len() as u64);
            // It only acknowledges, and ACKs are not congestion controlled (RFC 9002 §7).
            let server = world.add(Node::server(clock, settings, choice.clone(), seed, &identity, accept)?);
            flows.push(Flow::new(plan, flow, settings, choice, server));
        }
        Ok(Run { plan, world, clock, identity, flows, packets: 0 })
    }

    fn finish(mut self) -> Result<Outcome, PlanError> {
        let every = self.plan.sample_every.unwrap_or(USUAL_SAMPLES);
        let mut sample_at = Instant::START;
        while sample_at <= self.plan.end() {
            self.reach(sample_at)?;
            for flow in &mut self.flows {
                flow.sample(sample_at, &mut self.world, self.plan.sample_every.is_some());
            }
            sample_at += every;
        }
        self.reach(self.plan.end())?;
        let under_way: Vec<usize> = self.world.under_way().collect();
        let mut ledger = Ledger::default();
        let mut flows: Vec<(FlowSummary, Vec<FlowSample>)> = Vec::new();
        for mut flow in self.flows {
            let client = flow.client.map(|(client, _)| client);
            flow.ledger.in_flight = under_way.iter().filter(|from| Some(**from) == client).count() as u64;
            ledger.sent += flow.ledger.sent;
            ledger.delivered += flow.ledger.delivered;
            ledger.dropped += flow.ledger.dropped;
            ledger.in_flight += flow.ledger.in_flight;
            flows.push((flow.tally.summary(flow.plan, &flow.arrivals), flow.samples));
        }
        Ok(Outcome::of(self.plan, self.packets, flows, self.world.finish(), ledger))
    }

    /// Runs to an instant; flows start and stop on the way.
    fn reach(&mut self, until: Instant) -> Result<(), PlanError> {
        loop {
            let starts = self.flows.iter().filter(|flow| flow.client.is_none()).map(|flow| flow.plan.start);
            let stops = self.flows.iter().filter(|flow| !flow.stopped).map(|flow| flow.plan.stop);
            let next = starts.chain(stops).min().unwrap_or(Instant::NEVER);
            self.advance(next.min(until));
            if next > until {
                return Ok(());
            }
            for at in 0..self.flows.len() {
                if self.flows[at].client.is_none() && self.flows[at].plan.start <= next {
                    self.start(at)?;
                }
                let flow = &mut self.flows[at];
                if !flow.stopped && flow.plan.stop <= next {
                    flow.stopped = true;
                    if let Some((client, id)) = flow.client {
                        self.world.node(client).close(next, id, "the flow stops");
                    }
                }
            }
        }
    }

    fn advance(&mut self, until: Instant) {
        let (flows, packets) = (&mut self.flows, &mut self.packets);
        self.world.run(until, |world| {
            let log = world.log.replace(Vec::new()).unwrap_or_default();
            *packets += log.iter().filter(|passed| passed.event == Event::Arrived).count() as u64;
            for passed in &log {
                if let Some(flow) = flows.iter_mut().find(|flow| flow.client.is_some_and(|(client, _)| client == passed.from)) {
                    flow.passed(passed, world);
                } else if let Some(flow) = flows.iter_mut().find(|flow| flow.server == passed.from)
                    && passed.event == Event::Arrived
                {
                    flow.answered(passed.at, world);
                }
            }
            true
        });
    }

    /// A flow's client calls its server.
    fn start(&mut self, at: usize) -> Result<(), PlanError> {
        let (flow, now) = (&mut self.flows[at], self.world.now());
        let seed = self.plan.seed.wrapping_add(1000 * (1 + at as u64));
        let mut node = Node::client(self.clock, flow.settings, flow.choice.clone(), seed);
        let task = Task::Drain { source: Box::new(Pattern(flow.plan.bytes.map_or(u64::MAX, |bytes| bytes.0))) };
        let trust = Trust::Pinned(self.identity.fingerprint());
        let id = node.connect(now, address(flow.server), None, &trust, Transfer::client([task]))?;
        let client = self.world.add(node);
        let route = |links: &[usize]| Route { links: links.to_vec(), impairments: Impairments::default() };
        self.world.route(client, flow.server, route(&flow.plan.route));
        self.world.route(flow.server, client, route(&flow.plan.ack_route));
        flow.client = Some((client, id));
        Ok(())
    }
}

/// What a flow's connection is told. What its host would add to times is not emulated here.
fn settings(flow: &FlowPlan) -> Result<Settings, PlanError> {
    let host = [("send_timer_us", flow.send_timer), ("coalesce_us", flow.coalesce)];
    if let Some((key, _)) = host.into_iter().find(|(_, value)| *value > Span::ZERO) {
        return Err(PlanError::Host { flow: flow.id.clone(), key });
    }
    if flow.hosts != Hosts::default() {
        let key = "ecn, quick_acks, gso_packets, gro_packets, catch_up_us, growth_limit, host, every_s, idle_restart";
        return Err(PlanError::Host { flow: flow.id.clone(), key });
    }
    let payload = u16::try_from(flow.packet.0.saturating_sub(OVERHEAD.0)).ok().filter(|payload| u64::from(*payload) >= LEAST_PAYLOAD);
    let payload = payload.ok_or_else(|| PlanError::Packet { flow: flow.id.clone(), bytes: flow.packet.0 })?;
    let (initial_window, receiver_times) = (flow.initial_window, flow.receiver_times);
    Ok(Settings { payload, overhead: OVERHEAD, initial_window, receiver_times, ..Settings::default() })
}

fn choice(flow: &FlowPlan) -> Result<Choice, PlanError> {
    Choice::of(flow.cc, &flow.params).map_err(|why| PlanError::Controller { flow: flow.id.clone(), why })
}
