//! Which points are left out: `[[skip]]` names points that are not run, `[[only]]` those that are.

use std::collections::BTreeMap;

use symbiosis_scenario::suggestion;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::axis::Axis;
use crate::cell::Cell;
use crate::fault::Fault;

/// What a filter's table may say of an axis, beside a value and a list of values.
const BOUNDS: &[&str] = &["from", "to", "above", "below"];

/// A table of a filter: for each axis that it names, which of its values it means. It means a point if it means each.
#[derive(Clone, Debug)]
pub(crate) struct Filter(BTreeMap<usize, Vec<bool>>);

impl Filter {
    /// Reads one; `axes` are all, in the order of their columns.
    pub fn read(table: &Spanned<DeTable<'_>>, axes: &[&Axis], text: &str) -> Result<Filter, Fault> {
        let mut found = Filter(BTreeMap::new());
        found.add(table.get_ref(), "", axes, text)?;
        match found.0.is_empty() {
            true => Err(Fault::new(table.span(), "a filter names no axis", suggestion("", axes.iter().map(|axis| &*axis.path)))),
            false => Ok(found),
        }
    }

    fn add(&mut self, table: &DeTable<'_>, above: &str, axes: &[&Axis], text: &str) -> Result<(), Fault> {
        for (name, value) in table.iter() {
            let path = if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
            if let Some(at) = axes.iter().position(|axis| axis.path == path) {
                let meant = condition(value, text)?;
                self.0.insert(at, axes[at].values.iter().map(|value| meant.holds(&value.cell)).collect());
                continue;
            }
            let longer = axes.iter().any(|axis| axis.path.starts_with(&format!("{path}.")));
            match value.get_ref() {
                DeValue::Table(inner) if longer => self.add(inner, &path, axes, text)?,
                _ => {
                    let help = suggestion(&path, axes.iter().map(|axis| &*axis.path));
                    return Err(Fault::new(name.span(), format!("a filter names `{path}`, which is no axis"), help));
                }
            }
        }
        Ok(())
    }

    /// Whether it means the point with these values, by their places in their axes.
    pub fn means(&self, values: &[usize]) -> bool {
        self.0.iter().all(|(axis, meant)| meant[values[*axis]])
    }
}

/// Which values are meant.
enum Condition {
    OneOf(Vec<Cell>),
    Bounds(Vec<(usize, f64)>),
}

impl Condition {
    fn holds(&self, cell: &Cell) -> bool {
        match self {
            Condition::OneOf(cells) => cells.iter().any(|one| one.is(cell)),
            Condition::Bounds(bounds) => cell.number().is_some_and(|n| {
                bounds.iter().all(|(which, bound)| match BOUNDS[*which] {
                    "from" => n >= *bound,
                    "to" => n <= *bound,
                    "above" => n > *bound,
                    _ => n < *bound,
                })
            }),
        }
    }
}

fn condition(value: &Spanned<DeValue<'_>>, text: &str) -> Result<Condition, Fault> {
    let cell = |value: &Spanned<DeValue<'_>>| Cell::of(value.get_ref(), text.get(value.span()).unwrap_or_default());
    match value.get_ref() {
        DeValue::Array(items) => Ok(Condition::OneOf(items.iter().map(cell).collect())),
        DeValue::Table(keys) => {
            let bound = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let which = BOUNDS.iter().position(|bound| *bound == name.get_ref());
                match (which, cell(value).number()) {
                    (Some(which), Some(n)) => Ok((which, n)),
                    _ => {
                        let what = format!("a filter says `{} = {}`", name.get_ref(), text.get(value.span()).unwrap_or_default());
                        Err(Fault::new(name.span(), what, "it may say `from`, `to`, `above` and `below`, each a number"))
                    }
                }
            };
            Ok(Condition::Bounds(keys.iter().map(bound).collect::<Result<_, Fault>>()?))
        }
        _ => Ok(Condition::OneOf(vec![cell(value)])),
    }
}
