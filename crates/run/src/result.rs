//! What a run found.

use serde::{Deserialize, Serialize};
use symbiosis_base::{Instant, Span};
use symbiosis_path::{LinkSample, LinkStats};

use crate::plan::Plan;

/// A run's result and its traces.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What `--json` prints, but for the wall time.
    pub summary: Summary,
    /// Samples of each flow, in the order of the plan; empty when the plan asked for none.
    pub flow_traces: Vec<Vec<FlowSample>>,
    /// Samples of each listed link; empty when the plan asked for none.
    pub link_traces: Vec<Vec<LinkSample>>,
    /// Where every packet went.
    pub ledger: Ledger,
}

/// A run's result. Everything but the ledger-like counters is over the window of measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The plan's name.
    pub scenario: String,
    /// The plan's seed.
    pub seed: u64,
    /// Length of the whole run \[s\].
    pub duration_s: f64,
    /// Events that the simulator handled in the whole run.
    pub events: u64,
    /// Data packets that reached a receiver in the whole run.
    pub packets_delivered: u64,
    /// Jain's fairness index over the throughput of flows present in the whole window; 1 when there are none.
    pub jain: f64,
    /// Each flow.
    pub flows: Vec<FlowSummary>,
    /// Each listed link.
    pub links: Vec<LinkSummary>,
}

/// A flow over the window of measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowSummary {
    /// Name in the plan.
    pub id: String,
    /// Name of its controller.
    pub cc: String,
    /// Data that reached the receiver, in bits on the wire \[Mbit/s\].
    pub throughput_mbps: f64,
    /// Payload that reached the receiver for the first time \[Mbit/s\].
    pub goodput_mbps: f64,
    /// Data packets that left, retransmissions included.
    pub packets_sent: u64,
    /// Data packets that the path lost.
    pub packets_lost: u64,
    /// Data packets that repeat one sent before.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that loss recovery began without a timeout.
    pub loss_events: u64,
    /// When the last byte was acknowledged \[s since the flow's start\]; none for an endless or unfinished flow.
    pub completion_s: Option<f64>,
    /// How long after the application had it each burst was acknowledged, in their order, in the whole run \[s\]; a burst that is not done is
    /// left out, and so is the list from the JSON of a flow that has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bursts_s: Vec<f64>,
    /// Round-trip times as the sender measured them.
    pub rtt_ms: Option<RttSummary>,
    /// The controller's window in packets of the flow's size.
    pub cwnd_packets: WindowSummary,
}

impl FlowSummary {
    /// Mean of [`FlowSummary::bursts_s`], without any none.
    pub fn burst_s(&self) -> Option<f64> {
        let bursts = &self.bursts_s;
        (!bursts.is_empty()).then(|| bursts.iter().sum::<f64>() / bursts.len() as f64)
    }
}

/// Distribution of round-trip times \[ms\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RttSummary {
    /// Least.
    pub min: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Greatest.
    pub max: f64,
}

/// A window over time \[packets\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowSummary {
    /// Mean over time.
    pub mean: f64,
    /// Greatest.
    pub max: f64,
    /// At the end of the window of measurement.
    #[serde(rename = "final")]
    pub last: f64,
}

/// A link over the window of measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkSummary {
    /// Name in the plan.
    pub name: String,
    /// Bits sent over bits that could have been.
    pub utilization: f64,
    /// Packets dropped: the queue was full, or lost on the wire.
    pub drops: u64,
    /// Packets marked in place of being dropped (ECN); left out of the JSON when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub marks: u64,
    /// Packets that wait, the one being sent not counted.
    pub queue_packets: QueueSummary,
}

/// What a scenario without marks has no use for.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A queue over time \[packets\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueSummary {
    /// Mean over time.
    pub mean: f64,
    /// 95th percentile over time.
    pub p95: f64,
    /// Greatest.
    pub max: f64,
}

/// A flow at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSample {
    /// When.
    pub at: Instant,
    /// The controller's window \[packets\].
    pub cwnd_packets: f64,
    /// In flight \[packets\].
    pub in_flight_packets: f64,
    /// Smoothed round-trip time \[ms\]; zero before the first sample.
    pub srtt_ms: f64,
    /// Bytes on the wire that have reached the receiver since the start.
    pub delivered_bytes: u64,
    /// Retransmissions since the start.
    pub retransmissions: u64,
    /// Timeouts since the start.
    pub timeouts: u64,
    /// The controller's own gauges, in its order.
    pub gauges: Vec<(&'static str, f64)>,
}

/// Where every data packet of the flows went in the whole run. It always balances: `sent + duplicated = delivered + dropped + in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Data packets that left a sender, retransmissions included.
    pub sent: u64,
    /// Copies that the path made of them.
    pub duplicated: u64,
    /// Of all these, arrived at the receiver before the end.
    pub delivered: u64,
    /// Of all these, dropped before the end.
    pub dropped: u64,
    /// Of all these, on the way at the end: counted one by one, not by subtraction.
    pub in_flight: u64,
}

impl Outcome {
    /// What a run of the plan found: of every flow, and of every link, listed or not, each in the order of the plan.
    pub fn of(
        plan: &Plan,
        events: u64,
        flows: Vec<(FlowSummary, Vec<FlowSample>)>,
        links: Vec<(LinkStats, Vec<LinkSample>)>,
        ledger: Ledger,
    ) -> Outcome {
        let (flows, flow_traces): (Vec<_>, Vec<_>) = flows.into_iter().unzip();
        let listed = plan.links.iter().zip(links).filter(|(planned, _)| planned.listed);
        let (links, link_traces) = listed
            .map(|(planned, (stats, samples))| {
                let volume = planned.spec.rate.volume(plan.measure_from, plan.measure_to);
                let summary = LinkSummary {
                    name: planned.name.clone(),
                    utilization: if volume > 0.0 { stats.bytes_sent / volume } else { 0.0 },
                    drops: stats.queue_drops + stats.wire_losses,
                    marks: stats.marks,
                    queue_packets: QueueSummary { mean: stats.queue_mean, p95: stats.queue_p95 as f64, max: stats.queue_max as f64 },
                };
                (summary, samples)
            })
            .unzip();
        let ended =
            |flow: &FlowSummary, start: Instant| flow.completion_s.is_some_and(|after| start + Span::from_secs(after) < plan.measure_to);
        let whole =
            plan.flows.iter().zip(&flows).filter(|(planned, flow)| {
                planned.start <= plan.measure_from && planned.stop >= plan.measure_to && !ended(flow, planned.start)
            });
        let summary = Summary {
            scenario: plan.name.clone(),
            seed: plan.seed,
            duration_s: plan.duration.secs(),
            events,
            packets_delivered: ledger.delivered,
            jain: jain(whole.map(|(_, flow)| flow.throughput_mbps)),
            flows,
            links,
        };
        Outcome { summary, flow_traces, link_traces, ledger }
    }
}

/// Jain's fairness index: 1 when all are equal, 1/n when one has all (Jain, Chiu, Hawe 1984). 1 for nobody, or nothing.
pub fn jain(shares: impl Iterator<Item = f64>) -> f64 {
    let (n, sum, squares) = shares.fold((0.0, 0.0, 0.0), |(n, sum, squares), x| (n + 1.0, sum + x, squares + x * x));
    if squares > 0.0 { sum * sum / (n * squares) } else { 1.0 }
}
