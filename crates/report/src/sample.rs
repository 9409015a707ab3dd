//! Small inputs for tests.

use symbiosis_run::{FlowSummary, Ledger, LinkSummary, Outcome, QueueSummary, Summary, WindowSummary};

/// A flow's summary, all zero.
pub(crate) fn flow(id: &str, cc: &str) -> FlowSummary {
    FlowSummary {
        id: id.into(),
        cc: cc.into(),
        throughput_mbps: 0.0,
        goodput_mbps: 0.0,
        packets_sent: 0,
        packets_lost: 0,
        retransmissions: 0,
        timeouts: 0,
        loss_events: 0,
        completion_s: None,
        bursts_s: Vec::new(),
        rtt_ms: None,
        cwnd_packets: WindowSummary { mean: 0.0, max: 0.0, last: 0.0 },
    }
}

/// A link's summary, all zero.
pub(crate) fn link(name: &str) -> LinkSummary {
    LinkSummary { name: name.into(), utilization: 0.0, drops: 0, marks: 0, queue_packets: QueueSummary { mean: 0.0, p95: 0.0, max: 0.0 } }
}

/// A run's outcome without traces.
pub(crate) fn outcome(seed: u64, flows: Vec<FlowSummary>, links: Vec<LinkSummary>) -> Outcome {
    Outcome {
        summary: Summary { scenario: "example".into(), seed, duration_s: 10.0, events: 0, packets_delivered: 0, jain: 1.0, flows, links },
        flow_traces: vec![],
        link_traces: vec![],
        ledger: Ledger::default(),
    }
}
