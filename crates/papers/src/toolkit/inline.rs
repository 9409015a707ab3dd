//! Measurements of a flow that does not obey them, in B's laboratory.

use symbiosis_run::Outcome as Run;

use super::linux_hosts;
use super::series;
use super::steps::Steps;

/// The lines of a flow that measures and does not obey, below what is available at any time.
pub fn probe(rate: f64, measurement: &str) -> String {
    format!("cc = \"probe\"\nrecovery = \"sack\"\nparams = {{ rate_mbps = {rate}, {measurement} }}")
}

pub fn published((k, n): (u32, u32)) -> String {
    format!("measurement = \"imtcp-published\", subranges = {k}, stream_packets = {n}")
}

pub const OURS: &str = "measurement = \"imtcp\"";

/// B's one laboratory, with what is available all the time.
pub fn lab_path(id: &str, rtt_ms: f64, available: f64, until: f64) -> Steps {
    let about = "B §3: a measurement that nobody obeys";
    Steps { from: 10.0, ..linux_hosts::path(id, about, 100.0, rtt_ms, &[(0.0, available)], until) }
}

/// Readings over time.
pub fn readings(run: &Run) -> Vec<(f64, f64)> {
    series::gauge(run, 0, "A_mbps")
}
