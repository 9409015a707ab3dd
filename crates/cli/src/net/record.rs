//! What is seen of a transfer while it runs, in the form in which the simulator tells of a flow: so traces and reports are the same.

use symbiosis_base::{Instant, Rate, Span};
use symbiosis_path::LinkSample;
use symbiosis_quic::node::View;
use symbiosis_quic::transfer::Progress;
use symbiosis_report as report;
use symbiosis_run::{FlowSample, FlowSummary, Ledger, LinkSummary, Outcome, RttSummary, Summary, WindowSummary};

use super::report::Report;

/// A transfer is looked at this often.
pub const EVERY: Span = Span::from_millis(50);

/// A flow, and its samples.
pub type Flow = (FlowSummary, Vec<FlowSample>);
/// A link, and its samples.
pub type Link = (LinkSummary, Vec<LinkSample>);

/// Writes down how a transfer goes.
#[derive(Default)]
pub struct Recorder {
    /// Data comes to this side. Window, flight and gauges are the other side's, and not known.
    comes: bool,
    samples: Vec<FlowSample>,
}

impl Recorder {
    /// For data that comes to this side, or leaves it.
    pub fn new(comes: bool) -> Recorder {
        Recorder { comes, samples: Vec::new() }
    }

    /// Looks, but not too often. Time begins with the first byte.
    pub fn look(&mut self, now: Instant, progress: &Progress, view: &mut dyn FnMut() -> View) {
        let Some(at) = progress.began.map(|began| Instant::after(now - began)) else { return };
        if self.samples.last().is_some_and(|last| at < last.at + EVERY) {
            return;
        }
        let view = view();
        let sample = FlowSample {
            at,
            cwnd_packets: view.window.packets(view.packet),
            in_flight_packets: view.in_flight.packets(view.packet),
            srtt_ms: view.rtt.millis(),
            delivered_bytes: view.delivered.0,
            // What is lost is retransmitted, in other packets.
            retransmissions: view.lost,
            timeouts: view.timeouts,
            gauges: view.gauges,
        };
        self.samples.push(if self.comes {
            let (cwnd_packets, in_flight_packets) = (0.0, 0.0);
            FlowSample { cwnd_packets, in_flight_packets, delivered_bytes: view.received.0, gauges: Vec::new(), ..sample }
        } else {
            sample
        });
    }

    /// Round-trip times as they were seen, in order of size \[ms\].
    fn rtts(&self) -> Option<RttSummary> {
        let mut rtts: Vec<f64> = self.samples.iter().map(|sample| sample.srtt_ms).filter(|rtt| *rtt > 0.0).collect();
        rtts.sort_by(f64::total_cmp);
        let at = |part: f64| rtts.get(((rtts.len() as f64 * part) as usize).min(rtts.len() - 1)).copied();
        Some(RttSummary { min: *rtts.first()?, p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)?, max: *rtts.last()? })
    }

    /// Mean of the round-trip times \[ms\].
    pub fn mean_rtt(&self) -> f64 {
        self.samples.iter().map(|sample| sample.srtt_ms).sum::<f64>() / self.samples.len().max(1) as f64
    }

    /// All of it, when the transfer is over. Throughput is of what was acknowledged, or arrived.
    pub fn flow(self, report: &Report, view: &View) -> Flow {
        let began = self.samples.first().map_or(0, |sample| sample.delivered_bytes);
        let delivered = if self.comes { view.received } else { view.delivered }.0.saturating_sub(began);
        let rate = |bytes: u64| if report.seconds > 0.0 { Rate::from_bytes_per_s(bytes as f64 / report.seconds).mbps() } else { 0.0 };
        let windows = || self.samples.iter().map(|sample| sample.cwnd_packets);
        let summary = FlowSummary {
            id: report.cc.into(),
            cc: report.cc.into(),
            throughput_mbps: rate(delivered),
            goodput_mbps: report.goodput_mbps,
            packets_sent: report.packets_sent,
            packets_lost: report.packets_lost,
            retransmissions: report.packets_lost,
            timeouts: view.timeouts,
            loss_events: view.congestion_events,
            completion_s: Some(report.seconds),
            bursts_s: Vec::new(),
            rtt_ms: self.rtts(),
            cwnd_packets: WindowSummary {
                mean: windows().sum::<f64>() / self.samples.len().max(1) as f64,
                max: windows().fold(0.0, f64::max),
                last: windows().next_back().unwrap_or(0.0),
            },
        };
        (summary, self.samples)
    }
}

/// Transfers that were made one after another, each with the time since its own beginning; and the link that each crossed, if it is known.
pub fn outcome(name: &str, seed: u64, flows: Vec<Flow>, links: Vec<Link>) -> Outcome {
    let duration_s = flows.iter().filter_map(|(flow, _)| flow.completion_s).fold(0.0, f64::max);
    let packets_delivered = flows.iter().map(|(flow, _)| flow.packets_sent - flow.packets_lost).sum();
    let (mut flows, flow_traces): (Vec<_>, Vec<_>) = flows.into_iter().unzip();
    let names: Vec<String> = flows.iter().map(|flow| flow.cc.clone()).collect();
    for (at, flow) in flows.iter_mut().enumerate() {
        let before = names[..at].iter().filter(|name| **name == flow.cc).count();
        if before > 0 {
            flow.id = format!("{} {}", flow.cc, before + 1);
        }
    }
    let (mut links, link_traces): (Vec<_>, Vec<_>) = links.into_iter().unzip();
    for (link, flow) in links.iter_mut().zip(&flows) {
        link.name.clone_from(&flow.id);
    }
    // None of them was there beside another.
    let jain = 1.0;
    let summary = Summary { scenario: name.into(), seed, duration_s, events: 0, packets_delivered, jain, flows, links };
    Outcome { summary, flow_traces, link_traces, ledger: Ledger::default() }
}

/// The same report as that of a simulation. What it says in words is said by `notes`.
pub fn figures(outcome: &Outcome, notes: Vec<String>) -> symbiosis_report::outcome::Outcome {
    let report = report::simulation(&[(outcome.summary.seed, outcome)], &outcome.summary.scenario, "");
    symbiosis_report::outcome::Outcome { notes, scenarios: Vec::new(), ..report }
}
