//! What an experiment found: figures, and claims with their verdicts.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// Everything an experiment found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its plots, in the paper's order.
    pub figures: Vec<Figure>,
    /// Its claims, checked.
    pub claims: Vec<Claim>,
    /// The scenarios that made it, each as a name and the TOML text that `symbiosis simulate` takes; none for pure mathematics.
    pub scenarios: Vec<(String, String)>,
    /// What a reader should know: departures from the paper, why something differs.
    pub notes: Vec<String>,
}

/// One statement of the paper beside what we measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The statement in one line: `"symbiosis-paper (oracle): no loss after start-up"`.
    pub text: String,
    /// The paper's number or order, in words: `"0"`, `"K/(1+γ) = 52.6"`.
    pub paper: String,
    /// What we measured.
    pub measured: Measured,
    /// Unit of the measured number, `""` for a pure number.
    pub unit: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// For a claim that differs: why, derived. Empty for one that holds.
    pub why: String,
}

/// A measured number with its spread over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Mean over seeds.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of the mean; zero where nothing is random.
    pub ci95: f64,
    /// How many seeds; 1 where nothing is random.
    pub seeds: u64,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// As the paper says.
    Holds,
    /// We measured something else.
    Differs,
    /// Not run yet.
    NotRun,
}
