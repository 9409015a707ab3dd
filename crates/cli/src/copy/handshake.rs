//! What the two ends say through ssh: a line of JSON each, before they talk over QUIC.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use symbiosis_copy::{Bytes, Options};
use symbiosis_quic::node::View;

use super::limit::Limits;
use super::measure::load::Plan;

/// Of what is said here and over QUIC. Both sides must have the same.
pub const VERSION: u32 = 4;
/// What the answer's line begins with: a shell that greets says other things before it.
pub const MARK: &str = "symbiosis-copy ";
/// Longest line \[bytes\]: what Linux lets a command have as arguments (`ARG_MAX`, 2 MB).
pub const LONGEST: u64 = 2 << 20;

/// What the caller says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub version: u32,
    /// Of the caller's certificate: nobody else is let in.
    pub fingerprint: String,
    /// Ports that the other end may take.
    pub ports: Option<(u16, u16)>,
    pub cc: String,
    pub sets: Vec<String>,
    pub seed: u64,
    /// How fast the other end may send.
    #[serde(default)]
    pub limit: Option<Limits>,
    pub task: Task,
    pub options: Options,
}

/// What the other end is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Task {
    /// To give these.
    Give { sources: Vec<Bytes> },
    /// To put what comes there.
    Take { to: Bytes },
    /// To measure the path.
    Measure(Plan),
}

/// What it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Ready(Ready),
    Refused {
        why: String,
    },
    /// At the end of a measurement.
    Measured(Measured),
}

/// What the end that sends knows of the path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Packets.
    pub sent: u64,
    pub lost: u64,
    /// K, A and τ, where the controller measures them.
    pub capacity_mbps: Option<f64>,
    pub available_mbps: Option<f64>,
    pub base_rtt_ms: Option<f64>,
}

impl Measured {
    pub fn of(view: &View) -> Measured {
        let gauge = |name| view.gauges.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).filter(|value| *value > 0.0);
        Measured {
            sent: view.sent,
            lost: view.lost,
            capacity_mbps: gauge("K_mbps"),
            available_mbps: gauge("A_mbps"),
            base_rtt_ms: gauge("tau_ms"),
        }
    }
}

/// Where it waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    pub port: u16,
    /// Of its certificate.
    pub fingerprint: String,
    /// Where ssh's server was reached, as it sees it.
    pub address: Option<IpAddr>,
}
