//! What `status` shows of the sockets.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

/// What a socket's window follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The kernel's Reno: too little is known of the path.
    Reno,
    /// Slow start to where the law will end.
    Start,
    /// The law.
    Law,
    /// A min-RTT probe: the window is reduced for a moment.
    ProbeRtt,
    /// Loss recovery.
    Recovery,
}

/// A socket that runs under the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveSocket {
    /// Counts sockets since the congestion control was registered.
    pub id: u64,
    /// Port on this machine.
    pub local_port: u16,
    /// Port at the other end.
    pub remote_port: u16,
    /// Address of the other end, if it is one of IPv4.
    pub remote: Option<IpAddr>,
    /// What its window follows.
    pub phase: Phase,
    /// Why: what is not known where Reno rules.
    pub why: String,
    /// The window \[segments\].
    pub cwnd_packets: u32,
    /// Smoothed round-trip time \[ms\].
    pub rtt_ms: f64,
    /// Congestion events so far.
    pub losses: u32,
    /// What its controller shows of itself: K (`K_mbps`), A (`A_mbps`), `gamma`, τ (`tau_ms`), once there is such a thing.
    pub gauges: BTreeMap<String, f64>,
}

impl LiveSocket {
    /// Address and port of the other end.
    pub fn peer(&self) -> String {
        self.remote.map_or_else(|| format!(":{}", self.remote_port), |remote| format!("{remote}:{}", self.remote_port))
    }
}
