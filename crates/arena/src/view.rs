//! A run as goals see it: who is under test, what arrived when.

use symbiosis_base::Instant;
use symbiosis_run::{FlowSummary, Outcome, Plan};

use crate::scene::{OTHER, OWN};

/// A run, and the run that it is held against if there is one.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// What it found.
    pub outcome: &'a Outcome,
    /// The same of what it is held against.
    pub beside: Option<(&'a Plan, &'a Outcome)>,
}

fn is(name: &str, id: &str) -> bool {
    id.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

impl<'a> View<'a> {
    /// The run that this one is held against; itself without one.
    pub fn other_run(&self) -> View<'a> {
        let (plan, outcome) = self.beside.unwrap_or((self.plan, self.outcome));
        View { plan, outcome, beside: None }
    }

    /// Places of the flows under test, in the order of the plan.
    pub fn own(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.flows_of(OWN)
    }

    /// Places of their opponents.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.flows_of(OTHER)
    }

    fn flows_of(&self, name: &'static str) -> impl Iterator<Item = usize> + use<'a> {
        let flows = &self.plan.flows;
        (0..flows.len()).filter(move |at| is(name, &flows[*at].id))
    }

    /// A flow's result.
    pub fn flow(&self, at: usize) -> &'a FlowSummary {
        &self.outcome.summary.flows[at]
    }

    /// Payload that reached a flow's receiver over the window of measurement \[Mbit/s\].
    pub fn goodput(&self, at: usize) -> f64 {
        self.flow(at).goodput_mbps
    }

    /// Payload of a full packet of the flow over its size.
    pub fn payload(&self, at: usize) -> f64 {
        let flow = &self.plan.flows[at];
        1.0 - flow.header.as_f64() / flow.packet.as_f64()
    }

    /// What reached a flow's receiver between two instants \[s\], on the wire \[Mbit/s\]; the instants are rounded up to samples.
    pub fn rate(&self, at: usize, from: f64, to: f64) -> f64 {
        let samples = &self.outcome.flow_traces[at];
        let (from, to) = (Instant::from_secs(from), Instant::from_secs(to));
        let first = samples.partition_point(|sample| sample.at < from).min(samples.len().saturating_sub(1));
        let last = samples.partition_point(|sample| sample.at < to).min(samples.len().saturating_sub(1));
        let (Some(a), Some(b)) = (samples.get(first), samples.get(last)) else { return 0.0 };
        let span = (b.at - a.at).secs();
        if span > 0.0 { (b.delivered_bytes - a.delivered_bytes) as f64 * 8e-6 / span } else { 0.0 }
    }

    /// The rate of the first link at an instant \[s\], in Mbit/s.
    pub fn link_rate(&self, link: usize, from: f64, to: f64) -> f64 {
        let (from, to) = (Instant::from_secs(from), Instant::from_secs(to));
        self.plan.links[link].spec.rate.volume(from, to) * 8e-6 / (to - from).secs()
    }

    /// End of the run \[s\].
    pub fn end(&self) -> f64 {
        self.plan.duration.secs()
    }
}
