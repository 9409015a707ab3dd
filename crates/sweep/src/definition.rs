//! The format of a sweep file.

use symbiosis_scenario::suggestion;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::axis::{Axis, axes};
use crate::cell::Cell;
use crate::fault::Fault;
use crate::filter::Filter;

/// The keys of the file.
const KEYS: &[&str] = &["scenario", "set", "seeds", "axes", "zip", "skip", "only"];
/// What the scenario of a sweep may be.
pub(crate) const SCENARIO: &str = "a file's name in quotes, or a table `[scenario]` with a scenario in it";
/// Most seeds: the same as of `simulate --seeds`.
const MOST_SEEDS: i64 = 1_000_000;

/// A sweep file, read.
#[derive(Debug)]
pub(crate) struct Definition {
    pub scenario: Option<Source>,
    pub sets: Vec<String>,
    pub seeds: Seeds,
    pub groups: Vec<Vec<Axis>>,
    pub skip: Vec<Filter>,
    pub only: Vec<Filter>,
}

/// Where the scenario is.
#[derive(Debug)]
pub(crate) enum Source {
    /// In a file of this name, said at this place.
    File(String, std::ops::Range<usize>),
    /// Under `[scenario]`.
    Here,
}

/// Which seeds each point is run with.
#[derive(Debug)]
pub(crate) enum Seeds {
    /// So many, from the scenario's on.
    Count(u64),
    /// These.
    List(Vec<u64>),
}

impl Definition {
    pub fn read(text: &str) -> Result<Definition, Fault> {
        let syntax = |error: toml::de::Error| {
            Fault::new(
                error.span().unwrap_or_default(),
                error.message().trim().replace('\n', ", "),
                "docs/researchers.md has the format of a sweep",
            )
        };
        let document = DeTable::parse(text).map_err(syntax)?;
        let document = document.get_ref();
        for (name, _) in document.iter() {
            if !KEYS.contains(&&**name.get_ref()) {
                let help = suggestion(name.get_ref(), KEYS.iter().copied());
                return Err(Fault::new(name.span(), format!("there is no key `{}` in a sweep", name.get_ref()), help));
            }
        }
        let get = |key: &str| document.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value);
        let source = |value: &Spanned<DeValue<'_>>| text.get(value.span()).unwrap_or_default().to_owned();
        let mut groups: Vec<Vec<Axis>> = Vec::new();
        if let Some(value) = get("axes") {
            let DeValue::Table(table) = value.get_ref() else {
                return Err(Fault::new(
                    value.span(),
                    format!("`axes` is {}", source(value)),
                    "a table of paths, each with its values: `bottleneck.rate_mbps = [10, 100]`",
                ));
            };
            groups.extend(axes(table, "", text)?.into_iter().map(|axis| vec![axis]));
        }
        for table in tables(get("zip"), "zip", text)? {
            groups.push(zipped(&table, text)?);
        }
        let all: Vec<&Axis> = groups.iter().flatten().collect();
        for (at, axis) in all.iter().enumerate() {
            if all[..at].iter().any(|other| other.path == axis.path) {
                let span = axis.values[0].span.clone();
                return Err(Fault::new(
                    span,
                    format!("`{}` is an axis twice", axis.path),
                    "give each path once, in `axes` or in one `zip`",
                ));
            }
        }
        let filters = |key| tables(get(key), key, text)?.iter().map(|table| Filter::read(table, &all, text)).collect::<Result<Vec<_>, _>>();
        let (skip, only) = (filters("skip")?, filters("only")?);
        let scenario = match get("scenario").map(|value| (value.get_ref(), value.span())) {
            None => None,
            Some((DeValue::String(name), span)) => Some(Source::File(name.to_string(), span)),
            Some((DeValue::Table(_), _)) => Some(Source::Here),
            Some((_, span)) => return Err(Fault::new(span, "`scenario` is no scenario", SCENARIO)),
        };
        let sets = match get("set").map(|value| (value.get_ref(), value.span())) {
            None => Vec::new(),
            Some((DeValue::Array(items), _)) if items.iter().all(|item| item.get_ref().is_str()) => {
                items.iter().filter_map(|item| item.get_ref().as_str().map(String::from)).collect()
            }
            Some((_, span)) => return Err(Fault::new(span, "`set` is no list of changes", "as in `set = [\"duration_s=20\"]`")),
        };
        let seeds = get("seeds").map_or(Ok(Seeds::Count(1)), |value| seeds(value, text))?;
        Ok(Definition { scenario, sets, seeds, groups, skip, only })
    }
}

fn seeds(value: &Spanned<DeValue<'_>>, text: &str) -> Result<Seeds, Fault> {
    let whole = |value: &DeValue<'_>| match Cell::of(value, "") {
        Cell::Integer(n) => Some(n),
        _ => None,
    };
    let found = match value.get_ref() {
        DeValue::Array(items) if !items.is_empty() => {
            let seed = |item: &Spanned<DeValue<'_>>| whole(item.get_ref()).and_then(|seed| u64::try_from(seed).ok());
            items.iter().map(seed).collect::<Option<Vec<u64>>>().map(Seeds::List)
        }
        value => whole(value).filter(|n| (1..=MOST_SEEDS).contains(n)).map(|n| Seeds::Count(n as u64)),
    };
    let what = || format!("`seeds` is {}", text.get(value.span()).unwrap_or_default());
    found.ok_or_else(|| Fault::new(value.span(), what(), format!("how many, from 1 to {MOST_SEEDS}, or a list of whole numbers")))
}

/// The tables under a key that may be there several times.
fn tables<'a>(value: Option<&Spanned<DeValue<'a>>>, key: &str, text: &str) -> Result<Vec<Spanned<DeTable<'a>>>, Fault> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let wrong = || {
        let what = format!("`{key}` is {}", text.get(value.span()).unwrap_or_default());
        Fault::new(value.span(), what, format!("a list of tables, each under its own `[[{key}]]`"))
    };
    let table = |item: &Spanned<DeValue<'a>>| match item.get_ref() {
        DeValue::Table(table) => Ok(Spanned::new(item.span(), table.clone())),
        _ => Err(wrong()),
    };
    value.get_ref().as_array().ok_or_else(wrong)?.iter().map(table).collect()
}

/// Axes that go together, one value of each at a time.
fn zipped(table: &Spanned<DeTable<'_>>, text: &str) -> Result<Vec<Axis>, Fault> {
    let group = axes(table.get_ref(), "", text)?;
    let Some(first) = group.first() else {
        return Err(Fault::new(table.span(), "a `[[zip]]` has no axis", "give paths with as many values each"));
    };
    let (name, length) = (first.path.clone(), first.values.len());
    match group.iter().find(|axis| axis.values.len() != length) {
        Some(axis) => {
            let what = format!("`{}` has {} values, but `{name}` beside it has {length}", axis.path, axis.values.len());
            Err(Fault::new(axis.values[0].span.clone(), what, "axes of one `[[zip]]` go together: as many values each"))
        }
        None => Ok(group),
    }
}
