//! A sweep: a scenario, its axes, its seeds.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use symbiosis_run::Plan;
use symbiosis_scenario::{Files, Scenario, ScenarioError, Target, changed, place};

use crate::axis::Axis;
use crate::definition::{Definition, SCENARIO, Seeds, Source};
use crate::fault::Fault;
use crate::grid::{Grid, Point};

/// Most runs that one sweep numbers: their numbers take 9 digits in the names of files, and docs/researchers.md has what breaks before.
const MOST_RUNS: u64 = 1_000_000_000;
/// Runs that are looked through for values to try, from either end: it takes milliseconds.
const LOOKED_THROUGH: usize = 10_000;
/// Values of an axis that are tried before anything runs: a third of a second for so many.
const TRIED: usize = 1000;

/// A sweep that was read and understood.
#[derive(Clone, Debug)]
pub struct Sweep {
    target: Target,
    /// What errors call the sweep file.
    file: String,
    /// The sweep file as it was.
    source: String,
    /// The sweep, of a scenario in a file `scenario.toml` beside it, with every change applied.
    text: String,
    /// What errors call the scenario.
    scenario_file: String,
    /// The scenario, with every change applied but those of the axes.
    scenario: String,
    /// Where files are that the scenario names.
    base: Option<PathBuf>,
    grid: Grid,
    size: u64,
}

/// What the command line or a program changes of a sweep file.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Changes of the scenario, as `--set` takes them.
    pub sets: Vec<String>,
    /// So many seeds in the place of the file's.
    pub seeds: Option<u64>,
    /// The scenario in the place of the file's: its text, and what errors call it.
    pub scenario: Option<(String, String)>,
}

impl Sweep {
    /// Reads a sweep from a file. The scenario's file is relative to the sweep's folder.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place: in the sweep, in the scenario, or of the two together.
    pub fn load(target: &Target, path: &Path, changes: &Changes) -> Result<Sweep, ScenarioError> {
        let text = read(path).map_err(|what| unreadable(path, what))?;
        Sweep::parse(target, &text, &path.display().to_string(), path.parent(), changes)
    }

    /// Reads a sweep from text. `file` is what errors call it.
    ///
    /// # Errors
    /// As [`Sweep::load`].
    pub fn parse(target: &Target, text: &str, file: &str, base: Option<&Path>, changes: &Changes) -> Result<Sweep, ScenarioError> {
        let in_text = |fault: Fault| fault.in_text(file, text);
        let Definition { scenario, mut sets, seeds, groups, skip, only } = Definition::read(text).map_err(in_text)?;
        sets.extend(changes.sets.iter().cloned());
        let (scenario_text, scenario_file, base) = match (&changes.scenario, scenario) {
            (Some((text, file)), _) => (text.clone(), file.clone(), base.map(PathBuf::from)),
            (None, Some(Source::File(name, at))) => {
                let path = base.unwrap_or(Path::new("")).join(&name);
                let read =
                    read(&path).map_err(|what| in_text(Fault::new(at, what, "`scenario` is a file, relative to the sweep's folder")))?;
                (read, path.display().to_string(), path.parent().map(PathBuf::from))
            }
            (None, Some(Source::Here)) => (inline(text), format!("{file} [scenario]"), base.map(PathBuf::from)),
            (None, None) => return Err(in_text(Fault::new(0..0, "`scenario` is missing from the sweep", SCENARIO))),
        };
        let scenario = changed(&scenario_text, &scenario_file, &sets)?;
        let first = first_seed(&scenario);
        let seeds = match (changes.seeds, seeds) {
            (Some(count), _) | (None, Seeds::Count(count)) => (0..count).map(|at| first.saturating_add(at)).collect(),
            (None, Seeds::List(seeds)) => seeds,
        };
        let grid = Grid { groups, seeds, skip, only };
        let size = grid.size().filter(|size| *size <= MOST_RUNS).ok_or_else(|| {
            in_text(Fault::new(0..0, format!("the sweep has more than {MOST_RUNS} runs"), "split it, or take fewer values or seeds"))
        })?;
        let text_of_its_own = canonical(text, changes.seeds);
        Ok(Sweep {
            target: *target,
            file: file.into(),
            source: text.into(),
            text: text_of_its_own,
            scenario_file,
            scenario,
            base,
            grid,
            size,
        })
    }

    /// Tries each value of each axis, so that a slip is found before an hour has passed.
    ///
    /// # Errors
    /// A path that the scenario does not have; a value that cannot be there, whatever the other axes say; or no run is left.
    pub fn check(&self) -> Result<(), ScenarioError> {
        let Some(first) = (0..self.size).find_map(|run| self.grid.point(run)) else {
            let fault = Fault::new(0..0, "the filters leave no run", "`[[only]]` means points of which each is in one of its tables");
            return Err(fault.in_text(&self.file, &self.source));
        };
        let (near, far) = (self.examples(0..self.size), self.examples((0..self.size).rev()));
        for (at, axis) in self.grid.axes().enumerate() {
            for (number, value) in axis.values.iter().enumerate().take(TRIED) {
                let points: Vec<&Point> = [&near, &far].into_iter().filter_map(|examples| examples.get(&(at, number))).collect();
                if let Some(error) = self.refusal(axis, &points) {
                    return Err(ScenarioError {
                        what: format!("axis `{}` cannot be {}: {}", axis.path, value.toml, error.what),
                        at: Some(value.span.clone()),
                        help: error.help,
                        file: self.file.clone(),
                        text: self.source.clone(),
                    });
                }
            }
        }
        // What is wrong without any axis is said of the scenario.
        match self.plan(&first) {
            Err(error) if self.grid.groups.is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    /// For each value of each axis the first of these runs that has it, as far as they are looked through.
    fn examples(&self, runs: impl DoubleEndedIterator<Item = u64>) -> BTreeMap<(usize, usize), Point> {
        let mut found = BTreeMap::new();
        for point in runs.step_by(self.grid.seeds.len()).take(LOOKED_THROUGH).filter_map(|run| self.grid.point(run)) {
            for (at, number) in point.values.iter().enumerate() {
                found.entry((at, *number)).or_insert_with(|| point.clone());
            }
        }
        found
    }

    /// What is wrong with the axis' value at every one of these points.
    fn refusal(&self, axis: &Axis, points: &[&Point]) -> Option<ScenarioError> {
        let mut found = None;
        for point in points {
            let error = self.plan(point).err()?;
            if error.file != "--set" && !self.is_about(axis, &error) {
                return None;
            }
            found = Some(error);
        }
        found
    }

    /// Whether the error's place is the value of that axis, and not one that contradicts it.
    fn is_about(&self, axis: &Axis, error: &ScenarioError) -> bool {
        let Some(at) = &error.at else { return false };
        let within = |place: &Range<usize>| place.start <= at.start && at.end <= place.end;
        if let Some((list, _)) = axis.path.split_once(".+") {
            let before = tables(&self.scenario, list).len();
            let added = tables(&error.text, list).into_iter().enumerate().skip(before);
            return added.into_iter().any(|(n, table)| {
                let keys = table.keys().filter_map(|key| place(&error.text, &format!("{list}.{n}.{key}")));
                keys.into_iter().any(|place| within(&place))
            });
        }
        let each = |n: usize| axis.path.replacen('*', &n.to_string(), 1);
        let places = if axis.path.contains('*') { 100 } else { 1 };
        (0..places).filter_map(|n| place(&error.text, &each(n))).any(|place| within(&place))
    }

    /// What a run is.
    ///
    /// # Errors
    /// The values of its axes contradict each other or the scenario.
    pub fn plan(&self, point: &Point) -> Result<Plan, ScenarioError> {
        let sets: Vec<String> = self.grid.chosen(point).map(|(axis, value)| format!("{}={}", axis.path, value.toml)).collect();
        let scenario = Scenario::parse_for(&self.target, &self.scenario, &self.scenario_file, Files::Folder(self.base.as_deref()), &sets)?;
        Ok(Plan { seed: point.seed, ..scenario.plan })
    }

    /// Its axes and seeds.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How many runs are numbered, those included that filters leave out.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many runs there are.
    pub fn runs(&self) -> u64 {
        if self.grid.skip.is_empty() && self.grid.only.is_empty() {
            return self.size;
        }
        let seeds = self.grid.seeds.len();
        seeds as u64 * (0..self.size).step_by(seeds).filter(|run| self.grid.point(*run).is_some()).count() as u64
    }

    /// The sweep as text, with every change applied, of a scenario in a file `scenario.toml` beside it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The scenario as text, with every change applied.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }

    /// Which sweep this is: the same text, of the same version of the program.
    pub fn id(&self) -> String {
        let parts = [env!("CARGO_PKG_VERSION"), &self.text, &self.scenario];
        blake3::hash(parts.join("\0").as_bytes()).to_hex().to_string()
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

fn unreadable(path: &Path, what: String) -> ScenarioError {
    ScenarioError { what, at: None, help: None, file: path.display().to_string(), text: String::new() }
}

/// What is under `[scenario]`, as a text of its own.
fn inline(text: &str) -> String {
    let item = text.parse::<toml_edit::DocumentMut>().ok().and_then(|mut document| document.remove("scenario"));
    let table = item.and_then(|item| item.into_table().ok());
    table.map(|table| toml_edit::DocumentMut::from(table).to_string()).unwrap_or_default()
}

/// The tables of a list in a scenario.
fn tables(text: &str, list: &str) -> Vec<toml::Table> {
    let items = text.parse::<toml::Table>().ok().and_then(|mut document| document.remove(list));
    let items = items.and_then(|items| items.as_array().cloned()).unwrap_or_default();
    items.into_iter().filter_map(|item| item.as_table().cloned()).collect()
}

/// The seed of a scenario, of which only this is known to be right.
fn first_seed(scenario: &str) -> u64 {
    let seed = scenario.parse::<toml::Table>().ok().and_then(|document| document.get("seed")?.as_integer());
    seed.and_then(|seed| u64::try_from(seed).ok()).unwrap_or(1)
}

/// The sweep of a scenario that is beside it with every change applied.
fn canonical(text: &str, seeds: Option<u64>) -> String {
    let Ok(mut document) = text.parse::<toml_edit::DocumentMut>() else { return text.into() };
    document.remove("set");
    document.remove("scenario");
    document.insert("scenario", toml_edit::value("scenario.toml"));
    if let Some(seeds) = seeds {
        document.insert("seeds", toml_edit::value(seeds as i64));
    }
    document.to_string()
}
