//! Measurements of a flow that does not obey them, in B's laboratory.

use symbiosis_run::Outcome as Run;

use super::dumbbell::Dumbbell;
use super::series;
use super::steps::Steps;

/// B §3.1: 20 000 ticks a second.
pub const TIMER_US: f64 = 50.0;

/// The lines of a flow that measures and does not obey, below what is available at any time.
pub fn probe(rate: f64, measurement: &str) -> String {
    format!("cc = \"probe\"\nparams = {{ rate_mbps = {rate}, {measurement} }}")
}

pub fn published((k, n): (u32, u32)) -> String {
    format!("measurement = \"imtcp-published\", subranges = {k}, stream_packets = {n}")
}

pub const OURS: &str = "measurement = \"imtcp\"";

pub fn lab_path(id: &str, rtt_ms: f64, available: Vec<(f64, f64)>, until: f64) -> Steps {
    Steps {
        id: id.into(),
        about: "B §3: a measurement that nobody obeys".into(),
        path: Dumbbell { mbps: 100.0, delay_ms: rtt_ms / 2.0 - 2.0, queue: "queue_bdp = 1.0".into(), access_mbps: 200.0, access_ms: 1.0 },
        timer_us: TIMER_US,
        available,
        until,
        from: 10.0,
    }
}

/// Readings over time.
pub fn readings(run: &Run) -> Vec<(f64, f64)> {
    series::gauge(run, 0, "A_mbps")
}
