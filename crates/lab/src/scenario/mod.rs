//! Scenarios: a TOML text becomes a [`Plan`] in which every value is resolved.
//!
//! ```
//! let text = r#"
//!     duration_s = 10
//!     [bottleneck]
//!     rate_mbps = 100
//!     delay_ms = 25
//!     queue_bdp = 1.0
//!     [[flow]]
//!     cc = "reno"
//! "#;
//! let scenario = symbiosis_lab::scenario::Scenario::parse(text, "example.toml", None, &[]).unwrap();
//! assert_eq!(scenario.plan.flows[0].id, "reno");
//! ```

mod check;
mod cross;
mod error;
mod file;
mod flows;
mod keys;
mod locate;
mod resolve;
mod topology;

use std::path::Path;

use symbiosis_sim::Plan;
use toml::de::DeTable;

pub use error::ScenarioError;
use error::{Fault, Place};

/// A scenario that was read and understood.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its `name`, or the file's without ending.
    pub name: String,
    /// The TOML text with every `--set` applied: `symbiosis simulate` takes it as it is.
    pub text: String,
    /// What it asks for.
    pub plan: Plan,
    /// For every listed link, how the limit of its queue came to be.
    queue_rules: Vec<String>,
}

impl Scenario {
    /// Reads a scenario from a file. Files that it names are relative to the file's folder.
    ///
    /// # Errors
    /// The file cannot be read, or as [`Scenario::parse`].
    pub fn load(path: &Path, sets: &[String]) -> Result<Scenario, ScenarioError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Scenario::parse(&text, &name, path.parent(), sets),
            Err(error) => Err(ScenarioError {
                what: format!("{name} cannot be read: {error}"),
                at: None,
                help: None,
                file: name,
                text: String::new(),
            }),
        }
    }

    /// Reads a scenario from text. `file_name` is what errors call it; files that it names are relative to `base`.
    /// Each of `sets` is a change `path=value` as `--set` takes it, applied in order.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str, file_name: &str, base: Option<&Path>, sets: &[String]) -> Result<Scenario, ScenarioError> {
        let _ = sets;
        let text = text.to_string();
        let stem = Path::new(file_name).file_stem().map_or("scenario".into(), |stem| stem.to_string_lossy().into_owned());
        match resolve_text(&text, &stem, base) {
            Ok(resolve::Resolved { plan, queue_rules }) => Ok(Scenario { name: plan.name.clone(), text, plan, queue_rules }),
            Err((fault, at)) => Err(ScenarioError { what: fault.what, at, help: fault.help, file: file_name.into(), text }),
        }
    }
}

fn resolve_text(text: &str, stem: &str, base: Option<&Path>) -> Result<resolve::Resolved, (Fault, Option<std::ops::Range<usize>>)> {
    let syntax = |error: toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        (Fault::span(span.clone(), error.message()), Some(span))
    };
    let document = DeTable::parse(text).map_err(syntax)?;
    let locate = |fault: Fault| {
        let span = match &fault.at {
            Place::Span(span) => Some(span.clone()),
            Place::Path(path) => locate::span_of(document.get_ref(), path),
        };
        (fault, span)
    };
    check::table(&document, keys::ROOT, "", text).map_err(locate)?;
    let file = toml::from_str(text).map_err(syntax)?;
    resolve::resolve(file, stem, base).map_err(locate)
}

#[cfg(test)]
mod tests;
