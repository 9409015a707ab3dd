//! What was measured, as it is printed.

use serde::Serialize;

use super::numbers::Numbers;

/// Runs of one controller over one path.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) cc: &'static str,
    /// Runs that were void, the machine having been too late, and were repeated or are in the medians all the same.
    pub(super) void: usize,
    pub(super) median: Numbers,
    pub(super) runs: Vec<Numbers>,
    /// The same in virtual time.
    #[serde(rename = "virtual", skip_serializing_if = "Option::is_none")]
    pub(super) virtually: Option<Numbers>,
}

/// All controllers over one path.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    /// What the path is; none of them without a relay.
    pub(super) rtt_ms: Option<f64>,
    pub(super) mbps: Option<f64>,
    pub(super) others_mbps: Option<f64>,
    pub(super) rows: Vec<Row>,
}
