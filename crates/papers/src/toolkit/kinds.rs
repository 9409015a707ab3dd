//! Flows that experiments compare: what they are called, and what they are made of.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::symbiosis::GAMMA;
use symbiosis_control::symbiosis::law::{THETA, logarithmic_queue};
use symbiosis_theory::facts::EqualFlows;

/// A kind of flow.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name in figures and claims.
    pub name: &'static str,
    /// Its controller.
    pub cc: &'static str,
    /// Its parameters as TOML, on a bottleneck of so many Mbit/s.
    params: fn(f64) -> String,
    /// How it recovers losses.
    recovery: &'static str,
}

/// Reno with its own recovery, as ns-2's `Agent/TCP/Reno` has it.
pub const RENO: Kind = Kind { recovery: "reno", ..RENO_SACK };
/// Reno with selective ACKs.
pub const RENO_SACK: Kind = Kind { name: "reno", cc: "reno", params: |_| String::new(), recovery: "sack" };
pub const HIGHSPEED: Kind = Kind { name: "highspeed", cc: "highspeed", ..RENO_SACK };
pub const SCALABLE: Kind = Kind { name: "scalable", cc: "scalable", ..RENO_SACK };
/// S §IV-A: one packet of α for each Mbit/s.
pub const FAST: Kind = Kind { name: "fast", cc: "fast", params: |mbps| format!("alpha = {mbps}"), ..RENO_SACK };
pub const COMPOUND: Kind = Kind { name: "compound", cc: "compound", ..RENO_SACK };
pub const ADAPTIVE_RENO: Kind = Kind { name: "adaptive-reno", cc: "adaptive-reno", ..RENO_SACK };
/// I's mechanism. I has K given; here A is, too.
pub const EARLY: Kind = Kind { name: "symbiosis-early (oracle)", cc: "symbiosis-early", params: oracle, ..RENO_SACK };
/// The papers to the letter, measuring by the published ImTCP.
pub const PAPER: Kind = Kind { name: "symbiosis-paper", cc: "symbiosis-paper", ..RENO_SACK };
/// Ours, measuring by our estimator.
pub const OURS: Kind = Kind { name: "symbiosis", cc: "symbiosis", ..RENO_SACK };
/// [`PAPER`] with K and A handed to it.
pub const PAPER_ORACLE: Kind = Kind { name: "symbiosis-paper (oracle)", params: oracle, ..PAPER };
/// [`OURS`] with K and A handed to it.
pub const OURS_ORACLE: Kind = Kind { name: "symbiosis (oracle)", params: oracle, ..OURS };
/// Both settings, each with its own measurement and with the oracle.
pub const SYMBIOSIS: [Kind; 4] = [PAPER, OURS, PAPER_ORACLE, OURS_ORACLE];

fn oracle(_mbps: f64) -> String {
    "measurement = \"oracle\"".into()
}

impl Kind {
    /// The same under another name, with another recovery.
    pub const fn recovering(self, name: &'static str, recovery: &'static str) -> Kind {
        Kind { name, recovery, ..self }
    }

    /// How it recovers losses.
    pub fn recovery(&self) -> &'static str {
        self.recovery
    }

    /// The lines of a `[[flow]]` that make it this, on a bottleneck of `mbps`.
    pub fn lines(&self, mbps: f64) -> String {
        let params = (self.params)(mbps);
        let params = if params.is_empty() { String::new() } else { format!("params = {{ {params} }}\n") };
        format!("cc = \"{}\"\nrecovery = \"{}\"\n{params}initial_window = 2", self.cc, self.recovery)
    }

    /// Its name without what a file's name should not have.
    pub fn slug(&self) -> String {
        self.name.replace(' ', "-").replace(['(', ')'], "")
    }

    /// Whether it is one of TCP Symbiosis' forms.
    pub fn is_symbiosis(&self) -> bool {
        self.cc.starts_with("symbiosis")
    }

    /// Whether it measures for itself by the published ImTCP, which reads A too high.
    pub fn is_published(&self) -> bool {
        self.name == PAPER.name
    }

    /// Whether it is TCP Symbiosis without the oracle.
    pub fn measures(&self) -> bool {
        [PAPER.name, OURS.name].contains(&self.name)
    }

    /// What theory says of the queue that `n` of it leave on a bottleneck of `mbps` \[packets\], and by which equation. The law of ours is not
    /// the papers', and has a queue of its own.
    pub fn standing_queue(&self, n: u32, mbps: f64, rtt_ms: f64) -> (&'static str, f64) {
        let capacity = Rate::from_mbps(mbps);
        if self.is_ours() {
            return ("Kθ ln n (our theory)", logarithmic_queue(n, THETA, capacity, Bytes(1500)) / 1500.0);
        }
        let room = capacity.times(Span::from_secs(rtt_ms / 1e3));
        ("S Eq 20", EqualFlows { n, gamma: GAMMA, room }.queue() / 1500.0)
    }

    /// Whether it is ours, whose min-RTT probes and law the papers do not have.
    pub fn is_ours(&self) -> bool {
        self.cc == OURS.cc
    }
}
