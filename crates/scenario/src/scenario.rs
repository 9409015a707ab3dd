//! A scenario: its text, and the plan that it asks for.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use symbiosis_run::Plan;
use toml::de::DeTable;

use super::error::{Fault, ScenarioError};
use super::files::Files;
use super::resolve::{self, Resolved};
use super::target::{SIMULATOR, Target};
use super::{check, file, keys, set};

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
    pub(super) queue_rules: Vec<String>,
}

impl Scenario {
    /// Reads a scenario from a file. Files that it names are relative to the file's folder.
    ///
    /// # Errors
    /// The file cannot be read, or as [`Scenario::parse`].
    pub fn load(path: &Path, sets: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::load_for(&SIMULATOR, path, sets)
    }

    /// The same for a target, which has its own controllers and cannot do everything.
    ///
    /// # Errors
    /// As [`Scenario::load`], or the target cannot do what is asked for.
    pub fn load_for(target: &Target, path: &Path, sets: &[String]) -> Result<Scenario, ScenarioError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Scenario::parse_for(target, &text, &name, Files::Folder(path.parent()), sets),
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
        Scenario::parse_for(&SIMULATOR, text, file_name, Files::Folder(base), sets)
    }

    /// The same for a target, which has its own controllers and cannot do everything, with files from anywhere.
    ///
    /// # Errors
    /// As [`Scenario::parse`], or the target cannot do what is asked for.
    pub fn parse_for(target: &Target, text: &str, file_name: &str, files: Files<'_>, sets: &[String]) -> Result<Scenario, ScenarioError> {
        let text = changed(text, file_name, sets)?;
        let stem = Path::new(file_name).file_stem().map_or("scenario".into(), |stem| stem.to_string_lossy().into_owned());
        match resolved(target, &text, &stem, files) {
            Ok(Resolved { plan, queue_rules, files }) => Ok(Scenario { name: plan.name.clone(), text, plan, files, queue_rules }),
            Err(fault) => {
                // Whoever looks into the file must know that the line shown is not the line there.
                let file = if sets.is_empty() { file_name.into() } else { format!("{file_name} with --set {}", sets.join(" --set ")) };
                Err(fault.in_text(&file, &text))
            }
        }
    }
}

/// The text with each of `sets`, a change `path=value` as `--set` takes it, applied in order.
///
/// # Errors
/// The text is no TOML, or a path is none of the format.
pub fn changed(text: &str, file_name: &str, sets: &[String]) -> Result<String, ScenarioError> {
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

fn resolved(target: &Target, text: &str, stem: &str, files: Files<'_>) -> Result<Resolved, Fault> {
    let document = DeTable::parse(text).map_err(|error| syntax(&error))?;
    check::table(&document, keys::ROOT, "", text)?;
    let file: file::File = toml::from_str(text).map_err(|error| syntax(&error))?;
    target.check(&file)?;
    resolve::resolve(target, file, stem, files)
}

fn syntax(error: &toml::de::Error) -> Fault {
    Fault::span(error.span().unwrap_or_default(), error.message().trim().replace('\n', ", "))
}
