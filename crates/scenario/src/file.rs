//! The format as serde reads it. What each key may be is said in `keys`; a test keeps the two alike.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub name: Option<String>,
    pub duration_s: f64,
    pub seed: Option<u64>,
    pub bottleneck: Option<Link>,
    #[serde(default)]
    pub link: Vec<Link>,
    #[serde(default)]
    pub flow: Vec<Flow>,
    #[serde(default)]
    pub cross: Vec<Cross>,
    #[serde(default)]
    pub measure: Measure,
    #[serde(default)]
    pub trace: Trace,
}

/// `[[link]]`, or `[bottleneck]`, which has no name of its own: the table of keys sees to both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    pub name: Option<String>,
    pub rate_mbps: Option<RateOverTime>,
    pub trace: Option<String>,
    pub wifi: Option<Wifi>,
    pub cellular: Option<Cellular>,
    pub delay_ms: f64,
    pub queue_packets: Option<u64>,
    pub queue_bytes: Option<u64>,
    pub queue_bdp: Option<f64>,
    #[serde(default)]
    pub queue: Queue,
    pub codel_target_ms: Option<f64>,
    pub codel_interval_ms: Option<f64>,
    pub fq_flows: Option<u64>,
    pub fq_quantum_bytes: Option<u64>,
    pub pie_target_ms: Option<f64>,
    pub pie_update_ms: Option<f64>,
    pub red_min_packets: Option<f64>,
    pub red_max_packets: Option<f64>,
    pub red_probability: Option<f64>,
    pub red_weight: Option<f64>,
    pub dualpi2_target_ms: Option<f64>,
    pub dualpi2_step_ms: Option<f64>,
    #[serde(default)]
    pub loss: f64,
    #[serde(default)]
    pub jitter_ms: f64,
    #[serde(default)]
    pub impair: Vec<Impair>,
}

/// A station of a wireless LAN in the place of a rate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wifi {
    pub phy_mbps: f64,
    pub access_us: Option<f64>,
    pub aggregate_bytes: Option<u64>,
}

/// A cellular link in the place of a rate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cellular {
    pub mean_mbps: f64,
    pub spread: Option<f64>,
    pub coherence_ms: Option<f64>,
    pub seed: Option<u64>,
}

/// A stage of what a path does to packets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Impair {
    pub kind: ImpairKind,
    pub good_packets: Option<f64>,
    pub bad_packets: Option<f64>,
    pub good_loss: Option<f64>,
    pub bad_loss: Option<f64>,
    pub bit_error: Option<f64>,
    pub probability: Option<f64>,
    pub by_ms: Option<f64>,
    pub rate_mbps: Option<f64>,
    pub burst_bytes: Option<u64>,
    pub delay_ms: Option<RateOverTime>,
    pub at_s: Option<f64>,
    pub lasts_s: Option<f64>,
    pub every_s: Option<f64>,
    pub release_ms: Option<f64>,
    pub group: Option<u64>,
    pub within_ms: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ImpairKind {
    GilbertElliott,
    Corrupt,
    Reorder,
    Duplicate,
    Police,
    Delay,
    Outage,
    Aggregate,
    Thin,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Queue {
    #[default]
    DropTail,
    #[serde(rename = "codel")]
    CoDel,
    #[serde(rename = "fq-codel")]
    FqCoDel,
    Pie,
    FqPie,
    Red,
    #[serde(rename = "dualpi2")]
    DualPi2,
    Cake,
}

/// A number, or steps `[[at_s, rate], …]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum RateOverTime {
    Constant(f64),
    Steps(Vec<(f64, f64)>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Flow {
    pub cc: String,
    pub name: Option<String>,
    #[serde(default = "one")]
    pub count: u64,
    #[serde(default)]
    pub start_s: f64,
    pub stop_s: Option<f64>,
    pub bytes: Option<u64>,
    pub every_s: Option<f64>,
    pub idle_restart: Option<bool>,
    pub access_rate_mbps: Option<f64>,
    pub access_delay_ms: Option<f64>,
    #[serde(default = "packet")]
    pub packet_bytes: u64,
    #[serde(default = "header")]
    pub header_bytes: u64,
    #[serde(default = "header")]
    pub ack_bytes: u64,
    #[serde(default = "initial_window")]
    pub initial_window: u64,
    pub recovery: Option<Recovery>,
    #[serde(default)]
    pub delayed_ack: bool,
    #[serde(default = "ack_delay")]
    pub ack_delay_ms: f64,
    #[serde(default = "min_rto")]
    pub min_rto_ms: f64,
    #[serde(default)]
    pub receiver_times: bool,
    #[serde(default)]
    pub send_timer_us: f64,
    #[serde(default)]
    pub coalesce_us: f64,
    #[serde(default)]
    pub ecn: Ecn,
    #[serde(default)]
    pub quick_acks: u64,
    #[serde(default)]
    pub gso_packets: u64,
    #[serde(default)]
    pub gro_packets: u64,
    #[serde(default)]
    pub catch_up_us: f64,
    pub growth_limit: Option<u32>,
    pub host: Option<String>,
    #[serde(default)]
    pub ack_impair: Vec<Impair>,
    #[serde(default)]
    pub params: BTreeMap<String, toml::Value>,
    pub route: Option<Vec<String>>,
    pub ack_route: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ecn {
    #[default]
    Off,
    Classic,
    Accurate,
    L4s,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Recovery {
    #[serde(rename = "reno")]
    Reno,
    #[serde(rename = "newreno")]
    NewReno,
    #[serde(rename = "sack")]
    Sack,
    #[serde(rename = "rack")]
    Rack,
    #[serde(rename = "rate-halving")]
    RateHalving,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cross {
    #[serde(default)]
    #[expect(dead_code, reason = "one kind so far; the key is there so that a file says what it means")]
    pub kind: Kind,
    pub rate_mbps: RateOverTime,
    pub mix: Option<Mix>,
    pub packet_bytes: Option<u64>,
    #[serde(default)]
    pub gaps: Gaps,
    pub on_s: Option<f64>,
    pub off_s: Option<f64>,
    pub shape: Option<f64>,
    #[serde(default = "one")]
    pub count: u64,
    #[serde(default)]
    pub start_s: f64,
    pub stop_s: Option<f64>,
    pub route: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    #[default]
    Udp,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mix {
    Internet,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Gaps {
    #[default]
    Exponential,
    Constant,
    ParetoOnOff,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measure {
    pub from_s: Option<f64>,
    pub to_s: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trace {
    pub every_ms: Option<f64>,
}

fn one() -> u64 {
    1
}

/// Ethernet's payload, as Linux and ns-3 send.
pub(super) fn packet() -> u64 {
    1500
}

/// IPv4 and TCP without options; an ACK is just that.
fn header() -> u64 {
    40
}

/// RFC 6928.
fn initial_window() -> u64 {
    10
}

/// Linux' least; RFC 1122 allows up to 500 ms.
fn ack_delay() -> f64 {
    40.0
}

/// What Linux adds to the smoothed RTT at the least. ns-2 takes the same value for the least sum, where RFC 6298 has 1 s.
fn min_rto() -> f64 {
    200.0
}
