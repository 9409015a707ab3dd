//! An axis: a path of the scenario, and the values that it takes.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::cell::{Cell, Kind};
use crate::fault::Fault;

/// Most values of one axis: more are a slip in a range.
const MOST_VALUES: f64 = 1e6;
/// The keys of a range.
const RANGE: &[&str] = &["from", "to", "step", "points", "log_from", "log_to"];
const WANTED: &str = "a list of values, `{ from = 10, to = 50, step = 10 }`, `{ from = 0, to = 1, points = 5 }` or `{ log_from = 1, log_to = 1000, points = 4 }`";

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The key of the scenario, as `--set` has it, and the column of the results.
    pub path: String,
    /// What its column holds.
    pub kind: Kind,
    /// Its values, in order.
    pub(crate) values: Vec<Value>,
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// As `--set` takes it.
    pub toml: String,
    pub cell: Cell,
    /// Where it stands in the sweep file.
    pub span: Range<usize>,
}

/// Reads the axes of a table, in the order of the text. A table that is no range holds the rest of a path.
pub(crate) fn axes(table: &DeTable<'_>, above: &str, text: &str) -> Result<Vec<Axis>, Fault> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let mut found = Vec::new();
    for (name, value) in entries {
        let path = if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
        match value.get_ref() {
            DeValue::Table(inner) if !inner.iter().any(|(key, _)| RANGE.contains(&&**key.get_ref())) => {
                found.extend(axes(inner, &path, text)?);
            }
            _ => found.push(axis(path, value, text)?),
        }
    }
    Ok(found)
}

fn axis(path: String, value: &Spanned<DeValue<'_>>, text: &str) -> Result<Axis, Fault> {
    let wrong = |what: String| Fault::new(value.span(), what, format!("an axis is {WANTED}"));
    if path == "seed" {
        return Err(wrong("`seed` is no axis".into()))
            .map_err(|fault| Fault { help: "give `seeds = 30`, or `seeds = [1, 5, 9]`, outside of the axes".into(), ..fault });
    }
    let values = match value.get_ref() {
        DeValue::Array(items) => items.iter().map(|item| one(item.get_ref(), item.span(), text)).collect(),
        DeValue::Table(keys) => {
            let numbers = numbers(keys, &path).map_err(|what| wrong(format!("`{path}` is no range: {what}")))?;
            numbers.into_iter().map(|cell| Value { toml: cell.text(), cell, span: value.span() }).collect()
        }
        _ => Vec::new(),
    };
    if values.is_empty() {
        let source = text.get(value.span()).unwrap_or_default();
        return Err(wrong(format!("axis `{path}` is {source}, which has no values")));
    }
    Ok(Axis { path, kind: Kind::of(values.iter().map(|value: &Value| &value.cell)), values })
}

fn one(value: &DeValue<'_>, span: Range<usize>, text: &str) -> Value {
    let source = text.get(span.clone()).unwrap_or_default();
    Value { toml: source.into(), cell: Cell::of(value, source), span }
}

/// The numbers of a range, both ends included.
fn numbers(keys: &DeTable<'_>, path: &str) -> Result<Vec<Cell>, String> {
    let mut given = [None; 6];
    let mut whole = true;
    for (name, value) in keys.iter() {
        let Some(at) = RANGE.iter().position(|key| *key == name.get_ref()) else {
            return Err(format!("there is no key `{}` in it", name.get_ref()));
        };
        let cell = Cell::of(value.get_ref(), "");
        whole &= matches!(cell, Cell::Integer(_));
        given[at] = Some(cell.number().ok_or_else(|| format!("`{path}.{}` is no finite number", name.get_ref()))?);
    }
    let cell = |value: f64| if whole && value.fract() == 0.0 { Cell::Integer(value as i64) } else { Cell::Number(rounded(value)) };
    let count = |n: f64| match n {
        n if n.fract() != 0.0 || n < 2.0 => Err(format!("`points` is {n}, which must be a whole number of at least 2")),
        n if n > MOST_VALUES => Err(format!("it has more than {MOST_VALUES} values")),
        n => Ok(n as u64),
    };
    match given {
        [Some(from), Some(to), Some(step), None, None, None] => {
            let steps = (to - from) / step;
            if steps.is_nan() || steps < 0.0 {
                return Err(format!("steps of {step} do not lead from {from} to {to}"));
            }
            // What 0.1 and its kind lose must not lose the last value.
            let last = (steps + 1e-9).floor();
            if last >= MOST_VALUES {
                return Err(format!("it has more than {MOST_VALUES} values"));
            }
            Ok((0..=last as u64).map(|i| cell(from + step * i as f64)).collect())
        }
        [Some(from), Some(to), None, Some(points), None, None] => {
            let n = count(points)?;
            Ok((0..n).map(|i| Cell::Number(rounded(from + (to - from) * i as f64 / (n - 1) as f64))).collect())
        }
        [None, None, None, Some(points), Some(from), Some(to)] => {
            if from <= 0.0 || to <= 0.0 {
                return Err("`log_from` and `log_to` must be above 0".into());
            }
            let n = count(points)?;
            Ok((0..n).map(|i| cell(rounded(from * libm::pow(to / from, i as f64 / (n - 1) as f64)))).collect())
        }
        _ => Err("it needs `from`, `to` and either `step` or `points`, or `log_from`, `log_to` and `points`".into()),
    }
}

/// To 12 digits, so that a tenth three times is 0.3: what is written as a number in the results was meant so.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Result<Vec<Cell>, String> {
        let read = DeTable::parse(text).unwrap();
        let axes = axes(read.get_ref(), "", text).map_err(|fault| fault.what)?;
        Ok(axes[0].values.iter().map(|value| value.cell.clone()).collect())
    }

    #[test]
    fn ranges_have_both_ends_and_round_numbers() {
        let numbers = |values: &[f64]| Ok(values.iter().map(|value| Cell::Number(*value)).collect());
        let whole = |values: &[i64]| Ok(values.iter().map(|value| Cell::Integer(*value)).collect());
        assert_eq!(cells("x = { from = 10, to = 50, step = 20 }"), whole(&[10, 30, 50]));
        assert_eq!(cells("x = { from = 10, to = 45, step = 20 }"), whole(&[10, 30]));
        assert_eq!(cells("x = { from = 0.1, to = 0.3, step = 0.1 }"), numbers(&[0.1, 0.2, 0.3]));
        assert_eq!(cells("x = { from = 3, to = 1, step = -1 }"), whole(&[3, 2, 1]));
        assert_eq!(cells("x = { from = 0, to = 1, points = 3 }"), numbers(&[0.0, 0.5, 1.0]));
        assert_eq!(cells("x = { log_from = 1, log_to = 1000, points = 4 }"), whole(&[1, 10, 100, 1000]));
        assert_eq!(cells("x = { log_from = 1, log_to = 10, points = 3 }").unwrap()[1], Cell::Number(3.16227766017));
    }

    #[test]
    fn a_range_that_leads_nowhere_is_refused() {
        for (text, said) in [
            ("x = { from = 1, to = 3, step = -1 }", "do not lead"),
            ("x = { from = 1, to = 3, step = 0 }", "more than"),
            ("x = { from = 1, to = 1, step = 0 }", "do not lead"),
            ("x = { from = 0, to = 1, step = 1e-9 }", "more than"),
            ("x = { from = 0, to = 1 }", "needs"),
            ("x = { log_from = 0, log_to = 1, points = 3 }", "above 0"),
            ("x = { from = 0, to = 1, points = 1 }", "at least 2"),
            ("x = { from = 0, to = inf, step = 1 }", "no finite number"),
            ("x = { from = 0, too = 1, step = 1 }", "no key `too`"),
            ("x = 5", "axis `x` is 5"),
            ("x = []", "no values"),
            ("seed = [1]", "no axis"),
        ] {
            let error = cells(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn paths_are_written_dotted_quoted_or_as_tables() {
        let text = "a.b = [1]\n\"a.c\" = ['x', 2]\n[a.d]\ne = [1, 2.5]\n\"flow.*.cc\" = ['reno']";
        let found = axes(DeTable::parse(text).unwrap().get_ref(), "", text).unwrap();
        let found: Vec<_> = found.iter().map(|axis| (&*axis.path, axis.kind)).collect();
        let all = [("a.b", Kind::Integer), ("a.d.e", Kind::Number), ("a.d.flow.*.cc", Kind::Text), ("a.c", Kind::Text)];
        assert_eq!(found, all);
    }
}
