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
mod explain;
mod file;
mod flows;
mod keys;
mod locate;
mod resolve;
mod set;
mod topology;
mod world;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use symbiosis_run::Plan;
use toml::de::DeTable;

use error::Fault;
pub use error::ScenarioError;
pub use explain::Explanation;
pub use locate::suggestion;
use resolve::Resolved;
pub use world::World;

/// A scenario that was read and understood.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its `name`, or the file's without ending.
    pub name: String,
    /// The TOML text with every `--set` applied: `symbiosis simulate` takes it as it is.
    pub text: String,
    /// What it asks for.
    pub plan: Plan,
    /// Files that it names: as it names them, and where they are.
    pub files: Vec<(String, PathBuf)>,
    /// For every listed link, how the limit of its queue came to be.
    queue_rules: Vec<String>,
}

impl Scenario {
    /// Reads a scenario from a file. Files that it names are relative to the file's folder.
    ///
    /// # Errors
    /// The file cannot be read, or as [`Scenario::parse`].
    pub fn load(path: &Path, sets: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::load_for(World::Simulator, path, sets)
    }

    /// The same for a world, which has its own controllers and cannot do everything.
    ///
    /// # Errors
    /// As [`Scenario::load`], or the world cannot do what is asked for.
    pub fn load_for(world: World, path: &Path, sets: &[String]) -> Result<Scenario, ScenarioError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Scenario::parse_for(world, &text, &name, path.parent(), sets),
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
        Scenario::parse_for(World::Simulator, text, file_name, base, sets)
    }

    /// The same for a world, which has its own controllers and cannot do everything.
    ///
    /// # Errors
    /// As [`Scenario::parse`], or the world cannot do what is asked for.
    pub fn parse_for(world: World, text: &str, file_name: &str, base: Option<&Path>, sets: &[String]) -> Result<Scenario, ScenarioError> {
        let text = with_sets(text, file_name, sets)?;
        let stem = Path::new(file_name).file_stem().map_or("scenario".into(), |stem| stem.to_string_lossy().into_owned());
        match resolved(world, &text, &stem, base) {
            Ok(Resolved { plan, queue_rules, files }) => Ok(Scenario { name: plan.name.clone(), text, plan, files, queue_rules }),
            Err(fault) => {
                // Whoever looks into the file must know that the line shown is not the line there.
                let file = if sets.is_empty() { file_name.into() } else { format!("{file_name} with --set {}", sets.join(" --set ")) };
                Err(fault.in_text(&file, &text))
            }
        }
    }
}

fn with_sets(text: &str, file_name: &str, sets: &[String]) -> Result<String, ScenarioError> {
    if sets.is_empty() {
        return Ok(text.into());
    }
    // Read once before, so that one kind of message serves for broken TOML.
    DeTable::parse(text).map_err(|error| syntax(&error).in_text(file_name, text))?;
    let mut document = toml_edit::DocumentMut::from_str(text).map_err(|error| {
        let fault = Fault::span(error.span().unwrap_or_default(), error.message());
        fault.in_text(file_name, text)
    })?;
    for argument in sets {
        set::apply(&mut document, argument).map_err(|fault| fault.in_text("--set", argument))?;
    }
    Ok(document.to_string())
}

fn resolved(world: World, text: &str, stem: &str, base: Option<&Path>) -> Result<Resolved, Fault> {
    let document = DeTable::parse(text).map_err(|error| syntax(&error))?;
    check::table(&document, keys::ROOT, "", text)?;
    let file: file::File = toml::from_str(text).map_err(|error| syntax(&error))?;
    world.check(&file)?;
    resolve::resolve(world, file, stem, base)
}

fn syntax(error: &toml::de::Error) -> Fault {
    Fault::span(error.span().unwrap_or_default(), error.message().trim().replace('\n', ", "))
}

#[cfg(test)]
mod tests;
