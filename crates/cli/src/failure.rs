//! Why a command ends early, and what it says and returns then.

use std::fmt;
use std::io;
use std::process::ExitCode;

use miette::{Diagnostic, LabeledSpan, NamedSource, Report, SourceCode, miette};
use symbiosis_scenario::ScenarioError;

use crate::interrupt;

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// What the user gave is at fault.
    Input(Report),
    /// Something else is.
    Other(Report),
    /// A process that this one started has said it all, and ended with this code.
    Said {
        /// What it said.
        text: String,
        /// Its exit code.
        code: u8,
    },
    /// Somebody asked for the end, and everything is taken away.
    Interrupted,
    /// Nobody reads the output any more. That is no failure: `| head` does it.
    Unread,
}

impl Failure {
    /// A fault of what the user gave that is not in a scenario.
    pub fn input(what: impl fmt::Display, help: impl fmt::Display) -> Failure {
        Failure::Input(miette!(help = help.to_string(), "{what}"))
    }

    /// Says it on stderr; the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Failure::Input(report) => {
                eprintln!("{report:?}");
                ExitCode::from(2)
            }
            Failure::Other(report) => {
                eprintln!("{report:?}");
                ExitCode::from(1)
            }
            Failure::Said { text, code } => {
                eprint!("{text}");
                ExitCode::from(code)
            }
            Failure::Interrupted => {
                eprintln!("interrupted");
                ExitCode::from(interrupt::CODE)
            }
            Failure::Unread => ExitCode::SUCCESS,
        }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Failure {
        Failure::Input(Report::new(Pointed::new(error)))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Other(miette!("{error}")),
        }
    }
}

/// A scenario's error as miette shows it: with the line it is about.
#[derive(Debug)]
pub struct Pointed {
    error: ScenarioError,
    source: NamedSource<String>,
}

impl Pointed {
    /// From the error alone: it carries its text.
    pub fn new(error: ScenarioError) -> Pointed {
        Pointed { source: NamedSource::new(&error.file, error.text.clone()), error }
    }
}

impl fmt::Display for Pointed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Pointed {}

impl Diagnostic for Pointed {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.error.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at = self.error.at.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, at))))
    }
}

#[cfg(test)]
mod tests;
