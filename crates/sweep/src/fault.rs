//! What is wrong with a sweep file, before it is known how the file is called.

use std::ops::Range;

use symbiosis_scenario::ScenarioError;

/// What is wrong, where it stands in the text, and what would be right.
#[derive(Debug)]
pub(crate) struct Fault {
    pub what: String,
    pub at: Range<usize>,
    pub help: String,
}

impl Fault {
    pub fn new(at: Range<usize>, what: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault { what: what.into(), at, help: help.into() }
    }

    pub fn in_text(self, file: &str, text: &str) -> ScenarioError {
        ScenarioError { what: self.what, at: Some(self.at), help: Some(self.help), file: file.into(), text: text.into() }
    }
}
