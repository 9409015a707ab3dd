//! What an experiment is.

use symbiosis_report::outcome::Outcome;

use crate::toolkit::Lab;

/// A figure or table of a paper.
#[derive(Debug)]
pub struct Experiment {
    /// Short name: paper and number. `"S7"` is Fig 7 of S.
    pub id: &'static str,
    /// Other numbers under which its figures are looked for.
    pub also: &'static [&'static str],
    /// What it is about, in a few words.
    pub title: &'static str,
    /// The figures and tables that it reproduces: `"S Fig 7"`.
    pub source: &'static str,
    /// CPU time that it takes \[s\] with `--quick`, and as a whole, on a virtual machine with two cores: what a reproduction expects, and what it tells of
    /// the time that is left. In the kernel, where time passes by itself, all count alike.
    pub cpu_s: [f64; 2],
    /// Runs it.
    pub run: fn(&Lab) -> Outcome,
}
