//! Samples as rows of numbers, for a page that draws them.

use symbiosis_path::LinkSample;
use symbiosis_run::FlowSample;

/// Columns that every flow has.
const FLOW: [&str; 7] = ["time_s", "cwnd_packets", "in_flight_packets", "srtt_ms", "delivered_bytes", "retransmissions", "timeouts"];

/// What has been handed over of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    seen: usize,
    gauges: Vec<&'static str>,
}

impl Flows {
    pub(crate) fn names(&self) -> Vec<&'static str> {
        FLOW.iter().chain(&self.gauges).copied().collect()
    }

    /// Rows of the samples that `since` gives from a number on.
    pub(crate) fn rows<S: Iterator<Item = FlowSample>>(&mut self, since: impl FnOnce(usize) -> S) -> Vec<f64> {
        let samples: Vec<FlowSample> = since(self.seen).collect();
        self.seen += samples.len();
        for (name, _) in samples.iter().flat_map(|sample| &sample.gauges) {
            if !self.gauges.contains(name) {
                self.gauges.push(name);
            }
        }
        let mut rows = Vec::with_capacity(samples.len() * (FLOW.len() + self.gauges.len()));
        for sample in &samples {
            let srtt = if sample.srtt_ms > 0.0 { sample.srtt_ms } else { f64::NAN };
            let delivered = sample.delivered_bytes as f64;
            rows.extend([sample.at.secs(), sample.cwnd_packets, sample.in_flight_packets, srtt, delivered]);
            rows.extend([sample.retransmissions as f64, sample.timeouts as f64]);
            let gauge = |name| sample.gauges.iter().find(|(other, _)| *other == name).map_or(f64::NAN, |(_, value)| *value);
            rows.extend(self.gauges.iter().map(|&name| gauge(name)));
        }
        rows
    }
}

/// What has been handed over of a link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    seen: usize,
}

impl Links {
    pub(crate) fn rows<'a>(&mut self, since: impl FnOnce(usize) -> &'a [LinkSample]) -> Vec<f64> {
        let samples = since(self.seen);
        self.seen += samples.len();
        let row = |s: &LinkSample| [s.at.secs(), s.queue_packets as f64, s.drops as f64, s.bytes_begun as f64];
        samples.iter().flat_map(row).collect()
    }
}
