//! What a report is made of, and where its files are.

use crate::files::file_stem;
use crate::outcome::{Outcome, Verdict};

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
    /// Not run.
    pub not_run: usize,
}

impl Counts {
    /// Counts the claims of all entries.
    pub fn of(entries: &[Entry]) -> Counts {
        let mut counts = Counts::default();
        for claim in entries.iter().flat_map(|entry| &entry.outcome.claims) {
            *match claim.verdict {
                Verdict::Holds => &mut counts.holds,
                Verdict::Differs => &mut counts.differs,
                Verdict::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} hold, {} differ, {} not run", self.holds, self.differs, self.not_run)
    }
}

/// A verdict in words, the same in every form of the report.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Differs => "differs",
        Verdict::NotRun => "not run",
    }
}

/// Where a figure's SVG is, from the report's folder.
pub(crate) fn figure_file(id: &str) -> String {
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
