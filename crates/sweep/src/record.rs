//! What a run found, as it is kept until its part of the dataset is written, and as it passes between machines.

use serde::{Deserialize, Serialize};
use symbiosis_run::{FlowSummary, LinkSummary, QueueSummary, Summary};

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
    flows: Vec<FlowSummary>,
    links: Vec<(String, f64, u64, u64, QueueSummary)>,
}

impl From<&Summary> for Found {
    fn from(summary: &Summary) -> Found {
        let Summary { scenario, seed, duration_s, events, packets_delivered, jain, flows, links } = summary.clone();
        let link = |LinkSummary { name, utilization, drops, marks, queue_packets }| (name, utilization, drops, marks, queue_packets);
        Found { scenario, seed, duration_s, events, packets_delivered, jain, flows, links: links.into_iter().map(link).collect() }
    }
}

impl From<Found> for Summary {
    fn from(found: Found) -> Summary {
        let Found { scenario, seed, duration_s, events, packets_delivered, jain, flows, links } = found;
        let link = |(name, utilization, drops, marks, queue_packets)| LinkSummary { name, utilization, drops, marks, queue_packets };
        Summary { scenario, seed, duration_s, events, packets_delivered, jain, flows, links: links.into_iter().map(link).collect() }
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
