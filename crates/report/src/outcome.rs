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
    /// What is compared, in numbers.
    #[serde(default)]
    pub tables: Vec<Table>,
    /// What a reader should know: departures from the paper, why something differs.
    pub notes: Vec<String>,
}

/// Numbers side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What they are of.
    pub title: String,
    /// Names of the columns, with units.
    pub columns: Vec<String>,
    /// Cells, a row for each thing that is compared.
    pub rows: Vec<Vec<String>>,
}

/// One statement beside what we measured. Its verdict is no part of it: it follows from the number, its interval and the bar, and nobody can give another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Claim {
    /// The statement in one line: `"symbiosis-paper (oracle): no loss after start-up"`.
    pub text: String,
    /// Who states it, and where.
    pub reference: Reference,
    /// What it states, a number or an order in words: `"0"`, `"K/(1+γ) = 52.6"`.
    pub stated: String,
    /// What we measured.
    pub measured: Measured,
    /// Unit of the measured number, `""` for a pure number.
    pub unit: String,
    /// What the number must be for the claim to hold.
    pub bar: Bar,
    /// For a claim that differs: why, if a reason is known. For one that was not run: why not.
    pub reason: Option<Reason>,
}

/// Who makes a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// A paper shows or says it.
    Published,
    /// It follows from equations.
    Theory,
    /// We set it.
    Ours,
}

/// Where a statement comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Who makes it.
    pub basis: Basis,
    /// The paper's section and figure, or where it is derived; empty for what we set.
    pub place: String,
}

/// Why a claim does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// In a sentence.
    pub text: String,
    /// The check of the same runs, or of the theory, that confirms it; without one it is supposed.
    pub check: Option<Check>,
}

/// A check of a reason: a number that must be somewhere if the reason is true.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What is checked, with the unit of the number: `"what the first flow reads of A [Mbit/s]"`.
    pub what: String,
    /// What was found.
    pub measured: Measured,
    /// Where it must be.
    pub bar: Bar,
}

/// The numbers for which a claim holds: those between two ends, the ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Lower end; −∞ without.
    pub least: f64,
    /// Upper end; ∞ without.
    pub most: f64,
}

/// A measured number with its spread over seeds. Only samples and what is computed from them make one, so that no number loses its interval on the way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measured {
    /// Mean over seeds.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of the mean; zero where nothing is random.
    pub ci95: f64,
    /// How many seeds; 1 where nothing is random, 0 where nothing was run.
    pub seeds: u64,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It does: the whole 95 % interval is where the claim says.
    Holds,
    /// It does not: the whole interval is elsewhere.
    Differs,
    /// The interval reaches across the bar: these seeds do not tell.
    Undecided,
    /// Not run.
    NotRun,
}

impl Bar {
    /// Whether a number with its interval is where the claim says. A bar without width, as "no packet is lost", is met by a number without
    /// an interval or not at all: one lost packet in one run is one too many.
    pub fn verdict(&self, measured: Measured) -> Verdict {
        if measured.seeds == 0 {
            return Verdict::NotRun;
        }
        let half = if measured.mean.is_finite() { measured.ci95 } else { 0.0 };
        let (low, high) = (measured.mean - half, measured.mean + half);
        if low >= self.least && high <= self.most {
            Verdict::Holds
        } else if high < self.least || low > self.most || self.least == self.most {
            Verdict::Differs
        } else {
            Verdict::Undecided
        }
    }
}

impl Check {
    /// Whether the reason is confirmed: the whole interval of the number is where it must be.
    pub fn holds(&self) -> bool {
        self.bar.verdict(self.measured) == Verdict::Holds
    }
}

impl Claim {
    /// A statement, who makes it and what it says, and what was measured with its unit.
    pub fn new(text: impl Into<String>, (reference, stated): (Reference, String), (measured, unit): (Measured, &str), bar: Bar) -> Claim {
        Claim { text: text.into(), reference, stated, measured, unit: unit.into(), bar, reason: None }
    }

    /// Whether it holds: where its number is with its whole interval.
    pub fn verdict(&self) -> Verdict {
        self.bar.verdict(self.measured)
    }

    /// Why it differs, if there is a check and it holds.
    pub fn because(mut self, check: impl Into<Option<Check>>, text: impl Into<String>) -> Claim {
        let known = self.reason.as_ref().is_some_and(|reason| reason.check.is_some());
        let check = check.into().filter(|check| !known && check.holds() && self.verdict() == Verdict::Differs);
        if check.is_some() {
            self.reason = Some(Reason { text: text.into(), check });
        }
        self
    }

    /// Why it may differ: a conjecture that no check confirms, and which is told as such.
    pub fn supposing(mut self, text: impl Into<String>) -> Claim {
        if self.reason.is_none() && self.verdict() == Verdict::Differs {
            self.reason = Some(Reason { text: text.into(), check: None });
        }
        self
    }

    /// Why it was not run.
    pub fn not_run(mut self, why: impl Into<String>) -> Claim {
        self.measured = Measured::none();
        self.reason = Some(Reason { text: why.into(), check: None });
        self
    }
}

/// JSON has no infinities: an end that is not there is null.
impl Serialize for Bar {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.least, self.most].map(|end| end.is_finite().then_some(end)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bar {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bar, D::Error> {
        let [least, most] = <[Option<f64>; 2]>::deserialize(deserializer)?;
        Ok(Bar { least: least.unwrap_or(f64::NEG_INFINITY), most: most.unwrap_or(f64::INFINITY) })
    }
}

#[cfg(test)]
mod tests;
