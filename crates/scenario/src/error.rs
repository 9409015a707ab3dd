//! What is wrong with a scenario, and where.

use std::ops::Range;

use thiserror::Error;

use super::locate::span_of;

/// Why a scenario was refused: what is wrong in one line, where it stands, and what would be right.
#[derive(Clone, Debug, Error)]
#[error("{what}")]
pub struct ScenarioError {
    /// One line that names the key and its value.
    pub what: String,
    /// Bytes of [`ScenarioError::text`] that are to blame; none when the text cannot be shown.
    pub at: Option<Range<usize>>,
    /// What would be right.
    pub help: Option<String>,
    /// Where the text comes from: a file's name, or `--set`.
    pub file: String,
    /// The text that was read: the file with every `--set` applied, or the argument of `--set` itself.
    pub text: String,
}

/// A [`ScenarioError`] before it is known which text it stands in.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub what: String,
    pub at: Place,
    pub help: Option<String>,
}

/// Where in a document.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// These bytes.
    Span(Range<usize>),
    /// The value under this dotted path, or what of the path exists.
    Path(String),
}

impl Fault {
    /// A fault of the value under `path`.
    pub fn at(path: impl Into<String>, what: impl Into<String>) -> Fault {
        Fault { what: what.into(), at: Place::Path(path.into()), help: None }
    }

    /// A fault of these bytes.
    pub fn span(span: Range<usize>, what: impl Into<String>) -> Fault {
        Fault { what: what.into(), at: Place::Span(span), help: None }
    }

    /// With what would be right.
    pub fn help(self, help: impl Into<String>) -> Fault {
        Fault { help: Some(help.into()), ..self }
    }

    /// With its place found in the text that it is about.
    pub fn in_text(self, file: &str, text: &str) -> ScenarioError {
        let at = match self.at {
            Place::Span(span) => Some(span),
            Place::Path(path) => toml::de::DeTable::parse(text).ok().and_then(|document| span_of(document.get_ref(), &path)),
        };
        ScenarioError { what: self.what, at, help: self.help, file: file.into(), text: text.into() }
    }
}
