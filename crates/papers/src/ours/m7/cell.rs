//! One cell of a map: a scenario, what theory has of it, and what it showed.

use symbiosis_report::outcome::Measured;

use super::path::{BUFFER, FREE, MBPS, RTT_MS};
use super::theory::{Rest, logarithmic, papers};

/// What is wrong, and by how much.
pub(super) struct Kind {
    pub(super) param: &'static str,
    pub(super) name: &'static str,
    pub(super) is_bias: bool,
}

/// A law, told K and A with an error, alone beside UDP or among equals.
pub(super) struct Cell<'a> {
    pub(super) kind: &'a Kind,
    pub(super) error: f64,
    /// None under the logarithmic law, which has none.
    pub(super) gamma: Option<f64>,
    pub(super) n: u32,
}

impl Cell<'_> {
    pub(super) fn text(&self, duration: f64) -> String {
        let Cell { kind, error, gamma, n } = self;
        let law = gamma.map_or(String::new(), |gamma| format!(", gamma = {gamma}"));
        let cc = if gamma.is_some() { "symbiosis-paper" } else { "symbiosis" };
        let udp = format!("[[cross]]\nkind = \"udp\"\npacket_bytes = 1500\ngaps = \"exponential\"\nrate_mbps = {}\n", MBPS * (1.0 - FREE));
        format!(
            r#"# The oracle errs: {name} {error}. {n} flows, base RTT 100 ms.
name = "M7-{cc}-{param}{error}-{gamma}-{n}"
duration_s = {duration}
[bottleneck]
rate_mbps = {MBPS}
delay_ms = {delay}
queue_bdp = {BUFFER}
[[flow]]
cc = "{cc}"
recovery = "sack"
count = {n}
params = {{ measurement = "oracle", {param} = {error:?}{law} }}
{udp}[measure]
from_s = {from}
"#,
            name = kind.name,
            param = kind.param,
            gamma = gamma.map_or("log".into(), |gamma| gamma.to_string()),
            delay = RTT_MS / 2.0,
            udp = if *n == 1 { udp.as_str() } else { "" },
            from = duration / 2.5,
        )
    }

    /// Where theory has the flows rest, if the error is a bias; noise has none of its own, and leaves what no error leaves.
    pub(super) fn theory(&self) -> Rest {
        let [capacity, available] = ["k_bias", "a_bias"].map(|param| if self.kind.param == param { 1.0 + self.error } else { 1.0 });
        self.gamma.map_or_else(|| logarithmic(self.n, capacity), |gamma| papers(self.n, gamma, capacity, available))
    }
}

/// What a cell shows over seeds.
pub(super) struct Found {
    /// What the flows deliver together, as a part of K.
    pub(super) throughput: Measured,
    /// Mean queue over Kτ.
    pub(super) queue: Measured,
    /// Packets dropped of a hundred that the flows sent, from each start.
    pub(super) losses: Vec<f64>,
}

impl Found {
    /// The mean of the losses.
    pub(super) fn lost(&self) -> f64 {
        Measured::over(&self.losses).mean
    }
}

pub(super) fn who(n: u32) -> String {
    if n == 1 { "one flow beside UDP".into() } else { format!("{n} flows") }
}
