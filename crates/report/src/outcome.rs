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

/// One statement beside what we measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Whether it holds.
    pub verdict: Verdict,
    /// For a claim that does not hold: why, if a reason is known.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// In a sentence.
    pub text: String,
    /// Whether a check of the same runs, or of the theory, confirmed it; it is supposed otherwise.
    pub confirmed: bool,
}

/// The numbers for which a claim holds: those between two ends, the ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Lower end; −∞ without.
    pub least: f64,
    /// Upper end; ∞ without.
    pub most: f64,
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

impl Claim {
    /// Why it does not hold, where a check of the same runs or of the theory confirms it: `confirmed` is the check's result.
    pub fn because(mut self, confirmed: bool, text: impl Into<String>) -> Claim {
        let known = self.reason.as_ref().is_some_and(|reason| reason.confirmed);
        if confirmed && !known && self.verdict == Verdict::Differs {
            self.reason = Some(Reason { text: text.into(), confirmed });
        }
        self
    }

    /// Why it may not hold: a conjecture that no check confirms, and which is told as such.
    pub fn supposing(mut self, text: impl Into<String>) -> Claim {
        if self.reason.is_none() && self.verdict == Verdict::Differs {
            self.reason = Some(Reason { text: text.into(), confirmed: false });
        }
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
mod tests {
    use super::*;

    fn verdict(least: f64, most: f64, mean: f64, ci95: f64) -> Verdict {
        Bar { least, most }.verdict(Measured { mean, ci95, seeds: 10 })
    }

    #[test]
    fn an_interval_across_the_bar_decides_nothing() {
        assert_eq!(verdict(0.98, f64::INFINITY, 0.99, 0.01), Verdict::Holds);
        assert_eq!(verdict(0.98, f64::INFINITY, 0.99, 0.011), Verdict::Undecided);
        assert_eq!(verdict(0.98, f64::INFINITY, 0.96, 0.019), Verdict::Differs);
        assert_eq!(verdict(95.0, 105.0, 94.0, 3.0), Verdict::Undecided);
        assert_eq!(verdict(95.0, 105.0, 107.0, 1.0), Verdict::Differs);
        assert_eq!(verdict(95.0, 105.0, 107.0, 100.0), Verdict::Undecided);
        assert_eq!(verdict(0.0, 1.0, f64::NAN, 0.0), Verdict::Undecided);
        assert_eq!(verdict(0.0, 1.0, f64::INFINITY, f64::NAN), Verdict::Differs, "never, in one run");
    }

    #[test]
    fn none_is_none() {
        assert_eq!(verdict(0.0, 0.0, 0.0, 0.0), Verdict::Holds);
        assert_eq!(verdict(0.0, 0.0, 0.5, 1.1), Verdict::Differs, "one of ten seeds loses five");
    }

    #[test]
    fn a_confirmed_reason_takes_the_place_of_a_conjecture_and_what_holds_needs_none() {
        let claim = |mean| {
            let (measured, bar) = (Measured { mean, ci95: 0.0, seeds: 1 }, Bar { least: 1.0, most: 2.0 });
            let reference = Reference { basis: Basis::Ours, place: String::new() };
            let (verdict, text) = (bar.verdict(measured), String::new);
            Claim { text: text(), reference, stated: text(), measured, unit: text(), bar, verdict, reason: None }
        };
        let reason = |claim: Claim| claim.reason.map(|reason| (reason.text, reason.confirmed));
        assert_eq!(reason(claim(3.0).supposing("a").because(false, "b").because(true, "c")), Some(("c".into(), true)));
        assert_eq!(reason(claim(3.0).because(true, "c").because(true, "d").supposing("a")), Some(("c".into(), true)));
        assert_eq!(reason(claim(3.0).supposing("a").because(false, "b")), Some(("a".into(), false)));
        assert_eq!(reason(claim(1.5).because(true, "c").supposing("a")), None);
    }
}
