//! Flows that experiments compare: what they are called, and what they are made of.

use super::Lab;
use super::claims::{Stated, after, published};
use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::symbiosis::GAMMA;
use symbiosis_control::symbiosis::law::{THETA, logarithmic_queue};
use symbiosis_theory::facts::EqualFlows;

/// A kind of flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Its name in figures and claims.
    pub name: &'static str,
    /// Its controller.
    pub cc: &'static str,
    /// Its parameters as TOML.
    params: &'static str,
    /// A parameter that is so much for each Mbit/s of the bottleneck.
    scaled: &'static str,
    /// How it recovers losses.
    recovery: &'static str,
}

const ORACLE: &str = "measurement = \"oracle\"";
/// B §3.2.
const WIDE: &str = "subranges = 10, stream_packets = 20";

/// Reno with its own recovery, as ns-2's `Agent/TCP/Reno` has it.
pub const RENO: Kind = Kind { recovery: "reno", ..RENO_SACK };
/// Reno with selective ACKs.
pub const RENO_SACK: Kind = Kind { name: "reno", cc: "reno", params: "", scaled: "", recovery: "sack" };
pub const HIGHSPEED: Kind = Kind { name: "highspeed", cc: "highspeed", ..RENO_SACK };
pub const SCALABLE: Kind = Kind { name: "scalable", cc: "scalable", ..RENO_SACK };
/// S §IV-A: one packet of α for each Mbit/s.
pub const FAST: Kind = Kind { name: "fast", cc: "fast", scaled: "alpha", ..RENO_SACK };
pub const COMPOUND: Kind = Kind { name: "compound", cc: "compound", ..RENO_SACK };
pub const ADAPTIVE_RENO: Kind = Kind { name: "adaptive-reno", cc: "adaptive-reno", ..RENO_SACK };
/// I's mechanism, which measures A and has K given (I §4).
pub const EARLY: Kind = Kind { params: "measurement = \"imtcp-published-k-given\"", ..EARLY_ORACLE.named("symbiosis-early") };
/// The same with A given, too.
pub const EARLY_ORACLE: Kind = Kind { name: "symbiosis-early (oracle)", cc: "symbiosis-early", params: ORACLE, ..RENO_SACK };
/// What the papers describe, measuring by the published ImTCP.
pub const PAPER: Kind = Kind { name: "symbiosis-paper", cc: "symbiosis-paper", ..RENO_SACK };
/// The same with the streams that B finds best on its hosts.
pub const PAPER_OF_B: Kind = Kind { params: WIDE, ..PAPER };
/// The same in S, T and I, which have 4 × 5: what B's streams would make of their experiments.
pub const PAPER_WIDE: Kind = Kind { name: "symbiosis-paper (10 × 20)", ..PAPER_OF_B };
/// Ours, measuring by our estimator.
pub const OURS: Kind = Kind { name: "symbiosis", cc: "symbiosis", ..RENO_SACK };
/// [`PAPER`] with K and A handed to it.
pub const PAPER_ORACLE: Kind = Kind { name: "symbiosis-paper (oracle)", params: ORACLE, ..PAPER };
/// [`OURS`] with K and A handed to it.
pub const OURS_ORACLE: Kind = Kind { name: "symbiosis (oracle)", params: ORACLE, ..OURS };
/// [`OURS`] under the papers' law, which has a γ, in the place of its own.
pub const OURS_PAPERS_LAW: Kind = Kind { name: "symbiosis, papers' law", params: "law = \"lotka-volterra\"", ..OURS };
/// [`OURS_PAPERS_LAW`] with K and A handed to it.
pub const OURS_PAPERS_LAW_ORACLE: Kind =
    Kind { name: "symbiosis, papers' law (oracle)", params: "measurement = \"oracle\", law = \"lotka-volterra\"", ..OURS };
/// The papers' law by itself, what the papers describe, ours.
pub const LAWS: [Kind; 3] = [PAPER_ORACLE, PAPER, OURS];
/// Both settings, each with its own measurement and with the oracle.
pub const SYMBIOSIS: [Kind; 4] = [PAPER, OURS, PAPER_ORACLE, OURS_ORACLE];
/// The same, and the streams of B beside those of S and T.
pub const SHAPES: [Kind; 5] = [PAPER, PAPER_WIDE, OURS, PAPER_ORACLE, OURS_ORACLE];
/// [`SHAPES`], and in a quick run without B's streams.
pub fn shapes(lab: &Lab) -> Vec<Kind> {
    if lab.quick { asked(lab, &SYMBIOSIS) } else { SHAPES.into() }
}

/// These kinds, and in a quick run without ours told by an oracle: of it no paper speaks.
pub fn asked(lab: &Lab, kinds: &[Kind]) -> Vec<Kind> {
    kinds.iter().copied().filter(|kind| !(lab.quick && kind.is_ours() && kind.has_oracle())).collect()
}
/// What B ran, and beside it ours and what an oracle tells.
pub const OF_B: [Kind; 4] = [PAPER_OF_B, OURS, PAPER_ORACLE, OURS_ORACLE];
/// What I has, and what came of it.
pub const OF_I: [Kind; 6] = [EARLY, PAPER, OURS, EARLY_ORACLE, PAPER_ORACLE, OURS_ORACLE];

impl Kind {
    /// A controller with its defaults.
    pub const fn of(cc: &'static str) -> Kind {
        Kind { name: cc, cc, ..RENO_SACK }
    }

    /// The same with other parameters beside its own, and a name.
    pub const fn with(self, name: &'static str, params: &'static str) -> Kind {
        Kind { name, params, ..self }
    }

    /// The same under another name.
    pub const fn named(self, name: &'static str) -> Kind {
        Kind { name, ..self }
    }

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
        let params = self.params(mbps, "");
        let params = if params.is_empty() { String::new() } else { format!("params = {{ {params} }}\n") };
        format!("cc = \"{}\"\nrecovery = \"{}\"\n{params}initial_window = 2", self.cc, self.recovery)
    }

    /// Its parameters on a bottleneck of `mbps`, and `more`.
    pub fn params(&self, mbps: f64, more: &str) -> String {
        let scaled = if self.scaled.is_empty() { String::new() } else { format!("{} = {mbps}", self.scaled) };
        [self.params, &scaled, more].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ")
    }

    /// Its name without what a file's name should not have.
    pub fn slug(&self) -> String {
        self.name.replace(' ', "-").replace('×', "x").replace(['(', ')', ',', '\''], "")
    }

    /// What a paper says of it: of the papers' own mechanisms and of those that they compare with it. Of what no paper has run, ours or what an
    /// oracle tells, it is a bar that we set after the paper.
    pub fn states(&self, place: &str, what: impl Into<String>) -> Stated {
        // I has the early form, the others the later one.
        let form = if place.starts_with('I') { EARLY.cc } else { PAPER.cc };
        let theirs = !self.is_symbiosis() || (self.cc == form && !self.has_oracle() && self.name != PAPER_WIDE.name);
        if theirs { published(place, what) } else { after(place, what) }
    }

    /// Whether K and A are handed to it.
    pub fn has_oracle(&self) -> bool {
        self.params.contains(ORACLE)
    }

    /// Whether it is one of TCP Symbiosis' forms.
    pub fn is_symbiosis(&self) -> bool {
        self.cc.starts_with("symbiosis")
    }

    /// Whether it measures for itself by the published ImTCP, which reads A too high.
    pub fn is_published(&self) -> bool {
        self.cc == PAPER.cc && !self.has_oracle()
    }

    /// Whether it is TCP Symbiosis without the oracle.
    pub fn measures(&self) -> bool {
        self.is_symbiosis() && !self.has_oracle()
    }

    /// What theory says of the queue that `n` of it leave on a bottleneck of `mbps` \[packets\], and by which equation. The law of ours is not
    /// the papers', and has a queue of its own.
    pub fn standing_queue(&self, n: u32, mbps: f64, rtt_ms: f64) -> (&'static str, f64) {
        let capacity = Rate::from_mbps(mbps);
        if self.is_ours() {
            return ("Kθ ln n", logarithmic_queue(n, THETA, capacity, Bytes(1500)) / 1500.0);
        }
        let room = capacity.times(Span::from_secs(rtt_ms / 1e3));
        ("S Eq 20", EqualFlows { n, gamma: GAMMA, room }.queue() / 1500.0)
    }

    /// Whether it is ours, whose min-RTT probes and law the papers do not have.
    pub fn is_ours(&self) -> bool {
        self.cc == OURS.cc
    }
}
