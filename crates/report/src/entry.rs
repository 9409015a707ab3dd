//! What a report is made of, and where its files are.

use crate::files::file_stem;
use crate::outcome::{Basis, Claim, Outcome, Verdict};

/// One experiment in a report.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its name, unique in a report: `"S7"`.
    pub id: &'a str,
    /// What it shows, a few words.
    pub title: &'a str,
    /// Where the paper has it: `"S Fig 7"`.
    pub source: &'a str,
    /// Where it was run: `"simulator"`, `"kernel"`, `"QUIC"`.
    pub world: &'a str,
    /// The command that runs it again.
    pub command: String,
    /// What it found.
    pub outcome: &'a Outcome,
}

/// How many claims got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As the paper says.
    pub holds: usize,
    /// Measured otherwise.
    pub differs: usize,
    /// The interval reaches across the bar.
    pub undecided: usize,
    /// Not run.
    pub not_run: usize,
}

impl Counts {
    /// Counts the claims of all entries that rest on `basis`.
    pub fn of(entries: &[Entry], basis: Basis) -> Counts {
        Counts::of_claims(entries.iter().flat_map(|entry| &entry.outcome.claims).filter(|claim| claim.reference.basis == basis))
    }

    /// Counts these.
    pub fn of_claims<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> Counts {
        let mut counts = Counts::default();
        for claim in claims {
            *match claim.verdict() {
                Verdict::Undecided => &mut counts.undecided,
                Verdict::Holds => &mut counts.holds,
                Verdict::Differs => &mut counts.differs,
                Verdict::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        self.holds + self.differs + self.undecided + self.not_run
    }

    /// The part that holds of those that were run.
    pub fn share(&self) -> Option<f64> {
        let run = self.total() - self.not_run;
        (run > 0).then(|| self.holds as f64 / run as f64)
    }
}

/// The claims of all entries in words, those of the papers first: a reader wants to know what of them holds.
pub fn told(entries: &[Entry]) -> Vec<(&'static str, Counts)> {
    let one = |basis: Basis| (name(basis), Counts::of(entries, basis));
    [Basis::Published, Basis::Theory, Basis::Ours].map(one).into_iter().filter(|(_, counts)| counts.total() > 0).collect()
}

/// What claims of a basis are called.
fn name(basis: Basis) -> &'static str {
    match basis {
        Basis::Published => "published claims",
        Basis::Theory => "claims of theory",
        Basis::Ours => "bars of our own",
    }
}

/// Who states a claim: the paper's place, where it is derived, or that we do.
pub(crate) fn place(claim: &Claim) -> String {
    let place = &claim.reference.place;
    match (claim.reference.basis, place.is_empty()) {
        (Basis::Published, _) => place.clone(),
        (Basis::Theory, _) => format!("theory: {place}"),
        (Basis::Ours, true) => "ours".into(),
        (Basis::Ours, false) => format!("ours, {place}"),
    }
}

/// A basis in results.
pub(crate) fn key(basis: Basis) -> &'static str {
    match basis {
        Basis::Published => "published",
        Basis::Theory => "theory",
        Basis::Ours => "ours",
    }
}

/// A reason in words: a conjecture is marked as one.
pub(crate) fn why(claim: &Claim) -> Option<String> {
    let reason = claim.reason.as_ref()?;
    let supposed = claim.verdict() == Verdict::Differs && reason.check.is_none();
    Some(if supposed { format!("supposed: {}", reason.text) } else { reason.text.clone() })
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} of {} hold", self.holds, self.total() - self.not_run)?;
        if let Some(share) = self.share() {
            write!(f, " ({:.0} %)", 100.0 * share)?;
        }
        write!(f, ", {} differ, {} undecided", self.differs, self.undecided)?;
        if self.not_run > 0 { write!(f, ", {} not run", self.not_run) } else { Ok(()) }
    }
}

/// A verdict in words, the same in every form of the report.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Differs => "differs",
        Verdict::Undecided => "undecided",
        Verdict::NotRun => "not run",
    }
}

/// Where a figure's SVG is, from the report's folder.
pub fn figure_file(id: &str) -> String {
    format!("figures/{}.svg", file_stem(id))
}

/// Each entry's scenarios: where each is, from the report's folder, and its text. A name that stands for two texts gets numbers.
pub(crate) fn scenario_files<'a>(entries: &[Entry<'a>]) -> Vec<Vec<(String, &'a str)>> {
    let mut taken: Vec<(String, &str)> = Vec::new();
    let mut place = |name: &str, toml: &'a str| {
        let stem = file_stem(name);
        let mut file = format!("scenarios/{stem}.toml");
        for number in 2.. {
            match taken.iter().find(|(other, _)| *other == file) {
                None => taken.push((file.clone(), toml)),
                Some((_, text)) if *text != toml => {
                    file = format!("scenarios/{stem}-{number}.toml");
                    continue;
                }
                Some(_) => {}
            }
            break;
        }
        (file, toml)
    };
    entries.iter().map(|entry| entry.outcome.scenarios.iter().map(|(name, toml)| place(name, toml)).collect()).collect()
}
