//! The event loop.

use std::borrow::Cow;
use std::convert::Infallible;

use symbiosis_base::{Instant, Random, Span};
use symbiosis_control::registry::Feedback;
use symbiosis_path::{Discipline, Link, LinkSample, LinkStats, ManagedLink, QueueLimit, Traffic};
use symbiosis_run::tally::{Arrivals, Tally};
use symbiosis_run::{FlowSample, Ledger, LinkId, Outcome, Plan, PlannedLink, Runner, source};

use crate::agenda::{Agenda, Slot};
use crate::any_flow::AnyFlow;
use crate::conveyor::{Conveyor, Crossing, Fabric, Line, Managed, Merge};
use crate::cross::Cross;
use crate::flow::{Flow, Slots};
use crate::oracle::Oracle;
use crate::tap::Tap;
use crate::transport::Transport;
use crate::watch::Watch;
use crate::{tcp, xmtp};

/// What a slot of the agenda stands for. The index is the flow's or the source's.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// An ACK reaches the sender.
    Ack(u32),
    /// A sender's timer: start, stop, departure or timeout.
    Timer(u32),
    /// A delayed ACK is due.
    DelayedAck(u32),
    /// A data packet's turn before a shared link.
    DataTurn(u32, u32),
    /// An ACK's turn before a shared link.
    AckTurn(u32, u32),
    /// A flow's oracle reads the path.
    Oracle(u32),
    /// A datagram leaves.
    Datagram(u32),
    /// A datagram's turn before a shared link.
    DatagramTurn(u32, u32),
    /// A sample of every flow.
    Sample,
    /// A managed link is free, or has decided.
    Link(u32),
}

/// Slots handed out one by one, each with its meaning.
#[derive(Default)]
struct Slotting(Vec<Event>);

impl Slotting {
    fn slot(&mut self, event: Event) -> Slot {
        self.0.push(event);
        self.0.len() - 1
    }
}

/// Carries plans out in simulated time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Runner for Simulator {
    type Error = Infallible;

    fn run(&self, plan: &Plan) -> Result<Outcome, Infallible> {
        Ok(run(plan))
    }
}

/// Runs a plan to its end. The same plan gives the same outcome, bit for bit.
///
/// # Panics
/// When the plan is not sound: a route names a link that is not there or is empty, a packet is smaller than its header. Plans that come
/// from scenario files are checked.
pub fn run(plan: &Plan) -> Outcome {
    Simulation::tapped(Cow::Borrowed(plan), None).finish()
}

/// The same, with somebody who sees every packet that passes a sender.
///
/// # Panics
/// As [`run`].
pub fn run_tapped(plan: &Plan, tap: &mut dyn Tap) -> Outcome {
    Simulation::tapped(Cow::Borrowed(plan), Some(tap)).finish()
}

/// A run under way, for whoever looks at it before its end. However often it is looked at, the outcome is that of [`run`].
pub struct Simulation<'t> {
    plan: Cow<'t, Plan>,
    net: Fabric<'t>,
    events: Vec<Event>,
    flows: Vec<AnyFlow>,
    oracles: Vec<Oracle>,
    cross: Vec<Cross>,
    sample: Option<(Slot, Span)>,
    handled: u64,
}

impl<'t> Simulation<'t> {
    /// A run of that plan before its first event.
    ///
    /// # Panics
    /// As [`run`].
    pub fn new(plan: Plan) -> Simulation<'t> {
        Simulation::tapped(Cow::Owned(plan), None)
    }

    fn tapped(plan: Cow<'t, Plan>, tap: Option<&'t mut dyn Tap>) -> Simulation<'t> {
        let mut simulation = Simulation::laid_out(plan, tap);
        simulation.start();
        simulation
    }

    fn laid_out(whole: Cow<'t, Plan>, tap: Option<&'t mut dyn Tap>) -> Simulation<'t> {
        let plan = whole.as_ref();
        let mut merges = merges(plan);
        let mut slots = Slotting::default();
        let mut flows = Vec::new();
        let mut oracles = Vec::new();
        for (index, flow) in plan.flows.iter().enumerate() {
            let me = index as u32;
            // ACK and timer side by side: the agenda's tree then ends most updates of the timer after one step.
            let own = Slots {
                inbox: slots.slot(Event::Ack(me)),
                timer: slots.slot(Event::Timer(me)),
                delayed_ack: slots.slot(Event::DelayedAck(me)),
            };
            oracles.push(Oracle::new(plan, index, slots.slot(Event::Oracle(me))));
            let seed = Random::new(plan.seed, source::CONTROLLER + index as u64).seed();
            let phase = flow.send_timer.scale(Random::new(plan.seed, source::TIMER + index as u64).uniform());
            flows.push(match flow.cc.feedback {
                Feedback::Acks => AnyFlow::Tcp(connect(plan, index, tcp::ends(flow, seed, phase), own, &mut merges, &mut slots)),
                Feedback::Reports(observer) => {
                    AnyFlow::Xmtp(connect(plan, index, xmtp::ends(flow, seed, phase, observer), own, &mut merges, &mut slots))
                }
            });
        }
        let mut cross = Vec::new();
        for (index, planned) in plan.cross.iter().enumerate() {
            let traffic = Traffic::new(planned.traffic.clone(), Random::new(plan.seed, source::TRAFFIC + index as u64));
            let conveyor = Conveyor::new(&planned.route, (plan.flows.len() + index, 2 * (plan.flows.len() + index)), &mut merges, |hop| {
                slots.slot(Event::DatagramTurn(index as u32, hop as u32))
            });
            cross.push(Cross::new(traffic, conveyor, || slots.slot(Event::Datagram(index as u32))));
        }
        let sample = plan.sample_every.map(|every| (slots.slot(Event::Sample), every));
        let links: Vec<Line> = merges.into_iter().enumerate().map(|(at, crossing)| line(plan, at, crossing.merge, &mut slots)).collect();
        let net = Fabric { tap, taken: vec![0; links.len()], links, agenda: Agenda::new(slots.0.len()), watch: None, end: plan.end() };
        Simulation { net, events: slots.0, flows, oracles, cross, sample, handled: 0, plan: whole }
    }

    fn start(&mut self) {
        let net = &mut self.net;
        for ((flow, planned), oracle) in self.flows.iter().zip(&self.plan.flows).zip(&self.oracles) {
            net.agenda.set(flow.timer(), planned.start);
            net.agenda.set(oracle.slot, planned.start);
        }
        for cross in &mut self.cross {
            cross.schedule(net);
        }
        if let Some((slot, _)) = self.sample {
            net.agenda.set(slot, Instant::START);
        }
    }

    /// Handles all events up to `until`, and none after the end of the plan.
    pub fn advance(&mut self, until: Instant) {
        let until = until.min(self.plan.end());
        let net = &mut self.net;
        if let Some(watch) = &mut net.watch {
            watch.advances(until);
        }
        let mut events = 0;
        loop {
            let (now, slot) = net.agenda.next();
            if now > until {
                break;
            }
            events += 1;
            match self.events[slot] {
                Event::Ack(flow) => self.flows[flow as usize].acked(net, now),
                Event::DataTurn(flow, hop) => self.flows[flow as usize].data_turn(net, hop as usize, now),
                Event::Timer(flow) => self.flows[flow as usize].wake(net, now),
                Event::AckTurn(flow, hop) => self.flows[flow as usize].ack_turn(net, hop as usize, now),
                Event::DelayedAck(flow) => self.flows[flow as usize].ack_overdue(net),
                Event::Oracle(flow) => {
                    let (oracle, flow) = (&mut self.oracles[flow as usize], &mut self.flows[flow as usize]);
                    let next = oracle.visit(net, flow, now);
                    net.agenda.set(oracle.slot, next);
                }
                Event::Datagram(source) => self.cross[source as usize].leaves(net, now),
                Event::DatagramTurn(source, hop) => events += self.cross[source as usize].turn(net, hop as usize, now) - 1,
                Event::Link(link) => {
                    net.advance(link as usize, now);
                    while let Some((slot, fate)) = net.decision(link as usize) {
                        match self.events[slot] {
                            Event::DataTurn(flow, hop) => self.flows[flow as usize].data_decided(net, hop as usize, now, fate),
                            Event::AckTurn(flow, hop) => self.flows[flow as usize].ack_decided(net, hop as usize, now, fate),
                            Event::DatagramTurn(source, hop) => self.cross[source as usize].decided(net, hop as usize, now, fate),
                            other => unreachable!("{other:?} is before no link"),
                        }
                    }
                }
                Event::Sample => {
                    // Looking is no event: the same run with and without samples has the same result.
                    events -= 1;
                    let (slot, every) = self.sample.expect("this event has its slot from here");
                    self.flows.iter_mut().for_each(|flow| flow.sample(now));
                    net.agenda.set(slot, now + every);
                }
            }
        }
        self.handled += events;
    }

    /// The samples taken so far of the flow of that index in the plan, from the one numbered `from` on; none when the plan asked for none.
    pub fn flow_samples(&self, flow: usize, from: usize) -> impl Iterator<Item = FlowSample> {
        self.flows[flow].samples(from)
    }

    /// The samples taken so far of the link of that index in the plan, from the one numbered `from` on. A link takes the samples that are
    /// due when something happens to it, so they may lag behind those of the flows.
    pub fn link_samples(&self, link: LinkId, from: usize) -> &[LinkSample] {
        let samples = match &self.net.links[link] {
            Line::Plain(link) => link.samples(),
            Line::Managed(managed) => managed.link.samples(),
        };
        samples.get(from..).unwrap_or_default()
    }

    /// From now on notes who waits before that link; see [`Simulation::waiting`].
    pub fn watch(&mut self, link: LinkId) {
        self.net.watch = Some(Box::new(Watch::new(link, self.plan.links[link].spec.delay)));
    }

    /// Whose packets are before the watched link, or on their way onto it, at the instant up to which the run has advanced, the oldest first: indices of
    /// flows in the plan, and behind these of cross traffic.
    pub fn waiting(&self) -> Vec<usize> {
        self.net.watch.as_ref().map(|watch| watch.there()).unwrap_or_default()
    }

    /// Handles what is left of the run.
    pub fn finish(mut self) -> Outcome {
        self.advance(Instant::NEVER);
        let (plan, events) = (self.plan.as_ref(), self.handled);
        let mut flows = Vec::new();
        let mut ledger = Ledger::default();
        for (flow, planned) in self.flows.into_iter().zip(&plan.flows) {
            let (summary, samples, part) = flow.finish(planned);
            flows.push((summary, samples));
            ledger.sent += part.sent;
            ledger.duplicated += part.duplicated;
            ledger.delivered += part.delivered;
            ledger.dropped += part.dropped;
            ledger.in_flight += part.in_flight;
        }
        let links = self.net.links.into_iter().map(|link| finish(link, plan.end())).collect();
        Outcome::of(plan, events, flows, links, ledger)
    }
}

/// The flow of that index, between two ends of its transport.
fn connect<T: Transport>(
    plan: &Plan,
    index: usize,
    ends: (T::Sender, T::Receiver),
    own: Slots,
    merges: &mut [Crossing],
    slots: &mut Slotting,
) -> Flow<T> {
    let (flow, me) = (&plan.flows[index], index as u32);
    // The sender's host, and the receiver's.
    let host = 2 * flow.hosts.address.map_or(index, |address| address as usize);
    let data = Conveyor::new(&flow.route, (index, host), merges, |hop| slots.slot(Event::DataTurn(me, hop as u32)));
    let acks = Conveyor::new(&flow.ack_route, (index, host + 1), merges, |hop| slots.slot(Event::AckTurn(me, hop as u32)));
    let (from, to) = (plan.measure_from, plan.measure_to);
    let counts = (Tally::new(flow, from, to), Arrivals::new(flow, from, to));
    Flow::new((index, flow), ends, counts, (data, acks), own, plan.end(), plan.sample_every)
}

/// How streams come together before each link.
fn merges(plan: &Plan) -> Vec<Crossing> {
    let mut users = vec![0; plan.links.len()];
    let flows = plan.flows.iter().flat_map(|flow| flow.route.iter().chain(&flow.ack_route));
    for link in flows.chain(plan.cross.iter().flat_map(|cross| &cross.route)) {
        users[*link] += 1;
    }
    let merge = |(planned, users): (&PlannedLink, i32)| Crossing {
        merge: match (planned.spec.discipline, users) {
            (Discipline::DropTail, ..=1) => Merge::Private,
            (Discipline::DropTail, _) => Merge::Shared,
            _ => Merge::Managed(Vec::new()),
        },
        breaks_order: planned.spec.breaks_order(),
    };
    plan.links.iter().zip(users).map(merge).collect()
}

/// A link of the plan as it is at the start.
fn line(plan: &Plan, at: LinkId, merge: Merge, slots: &mut Slotting) -> Line {
    let planned = &plan.links[at];
    let random = Random::new(plan.seed, source::LINK + at as u64);
    let (from, to) = (plan.measure_from, plan.measure_to);
    let every = plan.sample_every.filter(|_| planned.listed);
    match merge {
        Merge::Managed(streams) => {
            let link = ManagedLink::new(&planned.spec, random, (from, to), every);
            Line::Managed(Box::new(Managed { link, slot: slots.slot(Event::Link(at as u32)), streams }))
        }
        _ if planned.listed || planned.spec.queue != QueueLimit::Unlimited => {
            Line::Plain(Link::watched(&planned.spec, random, from, to, every))
        }
        _ => Line::Plain(Link::plain(&planned.spec, random)),
    }
}

fn finish(link: Line, end: Instant) -> (LinkStats, Vec<LinkSample>) {
    match link {
        Line::Plain(link) => link.finish(end),
        Line::Managed(managed) => managed.link.finish(end),
    }
}
