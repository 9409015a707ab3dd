//! What a run found, as it is kept until its part of the dataset is written, and as it passes between machines.

use serde::{Deserialize, Serialize};
use symbiosis_run::{FlowSummary, LinkSummary, QueueSummary, RttSummary, Summary, WindowSummary};

/// A run that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its number.
    pub run: u64,
    /// What it found, or why it is not possible.
    pub found: Result<Summary, String>,
}

/// A record as bytes have it. The form of a summary in JSON leaves out what is zero, which bytes without names cannot.
#[derive(Serialize, Deserialize)]
struct Kept {
    run: u64,
    found: Result<Found, String>,
}

#[derive(Serialize, Deserialize)]
struct Found {
    scenario: String,
    seed: u64,
    duration_s: f64,
    events: u64,
    packets_delivered: u64,
    jain: f64,
    flows: Vec<Flow>,
    links: Vec<(String, f64, u64, u64, QueueSummary)>,
}

/// A flow's summary with all its fields.
#[derive(Serialize, Deserialize)]
struct Flow {
    named: (String, String),
    rates: (f64, f64),
    /// Sent, lost, retransmissions, timeouts, loss events.
    counts: [u64; 5],
    completion_s: Option<f64>,
    bursts_s: Vec<f64>,
    rtt_ms: Option<RttSummary>,
    cwnd_packets: WindowSummary,
}

impl From<FlowSummary> for Flow {
    fn from(flow: FlowSummary) -> Flow {
        Flow {
            named: (flow.id, flow.cc),
            rates: (flow.throughput_mbps, flow.goodput_mbps),
            counts: [flow.packets_sent, flow.packets_lost, flow.retransmissions, flow.timeouts, flow.loss_events],
            completion_s: flow.completion_s,
            bursts_s: flow.bursts_s,
            rtt_ms: flow.rtt_ms,
            cwnd_packets: flow.cwnd_packets,
        }
    }
}

impl From<Flow> for FlowSummary {
    fn from(flow: Flow) -> FlowSummary {
        let Flow { named: (id, cc), rates: (throughput_mbps, goodput_mbps), counts, completion_s, bursts_s, rtt_ms, cwnd_packets } = flow;
        let [packets_sent, packets_lost, retransmissions, timeouts, loss_events] = counts;
        FlowSummary {
            id,
            cc,
            throughput_mbps,
            goodput_mbps,
            packets_sent,
            packets_lost,
            retransmissions,
            timeouts,
            loss_events,
            completion_s,
            bursts_s,
            rtt_ms,
            cwnd_packets,
        }
    }
}

impl From<&Summary> for Found {
    fn from(summary: &Summary) -> Found {
        let Summary { scenario, seed, duration_s, events, packets_delivered, jain, flows, links } = summary.clone();
        let link = |LinkSummary { name, utilization, drops, marks, queue_packets }| (name, utilization, drops, marks, queue_packets);
        Found {
            scenario,
            seed,
            duration_s,
            events,
            packets_delivered,
            jain,
            flows: flows.into_iter().map(Into::into).collect(),
            links: links.into_iter().map(link).collect(),
        }
    }
}

impl From<Found> for Summary {
    fn from(found: Found) -> Summary {
        let Found { scenario, seed, duration_s, events, packets_delivered, jain, flows, links } = found;
        let link = |(name, utilization, drops, marks, queue_packets)| LinkSummary { name, utilization, drops, marks, queue_packets };
        Summary {
            scenario,
            seed,
            duration_s,
            events,
            packets_delivered,
            jain,
            flows: flows.into_iter().map(Into::into).collect(),
            links: links.into_iter().map(link).collect(),
        }
    }
}

/// Records as bytes.
pub fn encode(records: &[Record]) -> Vec<u8> {
    let kept = |record: &Record| Kept { run: record.run, found: record.found.as_ref().map(Found::from).map_err(Clone::clone) };
    postcard::to_stdvec(&records.iter().map(kept).collect::<Vec<_>>()).expect("records are numbers and texts")
}

/// Bytes as records; none of bytes that are not whole.
pub fn decode(bytes: &[u8]) -> Option<Vec<Record>> {
    let kept: Vec<Kept> = postcard::from_bytes(bytes).ok()?;
    Some(kept.into_iter().map(|Kept { run, found }| Record { run, found: found.map(Summary::from) }).collect())
}
