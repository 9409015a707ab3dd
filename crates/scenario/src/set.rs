//! `--set path=value`: changes the text of a scenario before it is read, so that the places in errors are those of the text that counts.
//! In a list of tables `0` is the first, `*` is each, and `+` is a new one at the end.

use std::ops::Range;
use std::str::FromStr;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::check::{title, unknown};
use super::error::Fault;
use super::keys::{EITHER, Key, Kind, ROOT, find};

/// Applies one change.
///
/// # Errors
/// A fault whose place is in the argument: the part of the path that the format does not have or the document does not hold.
pub(super) fn apply(document: &mut DocumentMut, argument: &str) -> Result<(), Fault> {
    let fault =
        |what| Fault::span(0..argument.len(), format!("`{argument}` gives no {what}")).help("as in `flow.0.cc=reno`: a path, `=`, a value");
    let (path, value) = argument.split_once('=').ok_or_else(|| fault("value"))?;
    if path.trim().is_empty() {
        return Err(fault("path"));
    }
    let mut at = 0;
    let parts: Vec<Part<'_>> = path
        .split('.')
        .map(|name| {
            let part = Part { name: name.trim(), span: at..at + name.len() };
            at += name.len() + 1;
            part
        })
        .collect();
    // What is no TOML is a word: nobody wants to quote twice in a shell.
    let value = Value::from_str(value.trim()).unwrap_or_else(|_| value.trim().into());
    table(document.as_table_mut(), ROOT, "", &parts, value)
}

/// A part of a path and its place in the argument.
struct Part<'a> {
    name: &'a str,
    span: Range<usize>,
}

fn table(here: &mut dyn TableLike, keys: &'static [Key], path: &str, parts: &[Part<'_>], value: Value) -> Result<(), Fault> {
    let (part, rest) = parts.split_first().expect("a split text has a part");
    let Some(key) = find(keys, part.name) else {
        return Err(unknown(part.name, keys, path, part.span.clone()));
    };
    if rest.is_empty() {
        for other in
            EITHER.iter().filter(|group| group.contains(&key.name)).flat_map(|group| group.iter()).filter(|other| **other != key.name)
        {
            here.remove(other);
        }
        put(here, key.name, value);
        return Ok(());
    }
    let path = if path.is_empty() { key.name.to_string() } else { format!("{path}.{}", key.name) };
    match &key.kind {
        Kind::Table(inner) => {
            let next = here.entry(key.name).or_insert_with(|| Item::Table(Table::new())).as_table_like_mut();
            table(next.ok_or_else(|| no_table(&path, part))?, inner, &path, rest, value)
        }
        Kind::Tables(inner) => match (rest[0].name, &rest[1..]) {
            ("+", below) => {
                let added = match below {
                    [] => tables(value, &path, &rest[0])?,
                    below => {
                        let mut added = Table::new();
                        table(&mut added, inner, &format!("{path}.+"), below, value)?;
                        vec![added]
                    }
                };
                push(here, key.name, added).map_or_else(|| Err(no_table(&path, part)), Ok)
            }
            ("*", below) => {
                // Of none the error is that of the first.
                for index in 0..count(here.get(key.name)).max(1) {
                    let one = Part { name: &index.to_string(), span: rest[0].span.clone() };
                    numbered(here.get_mut(key.name), inner, &path, (part, &one), below, value.clone())?;
                }
                Ok(())
            }
            (_, below) => numbered(here.get_mut(key.name), inner, &path, (part, &rest[0]), below, value),
        },
        Kind::Params => {
            let next = here.entry(key.name).or_insert_with(|| Item::Value(InlineTable::new().into())).as_table_like_mut();
            match rest {
                [name] => put(next.ok_or_else(|| no_table(&path, part))?, name.name, value),
                _ => return Err(no_table(&format!("{path}.{}", rest[0].name), &rest[0])),
            }
            Ok(())
        }
        _ => Err(no_table(&path, part)),
    }
}

/// Changes one table of a list; `(list, number)` are their parts of the path.
fn numbered(
    list: Option<&mut Item>,
    keys: &'static [Key],
    path: &str,
    (part, number): (&Part<'_>, &Part<'_>),
    below: &[Part<'_>],
    value: Value,
) -> Result<(), Fault> {
    let (next, path) = item(list, path, number)?;
    match below {
        [] => Err(Fault::span(part.span.start..number.span.end, format!("`{path}` is a table, not a value"))
            .help(format!("name one of its keys: `{path}.{}=…`", keys[0].name))),
        below => table(next, keys, &path, below, value),
    }
}

/// How many tables a list has, in whichever way the document writes it.
fn count(list: Option<&Item>) -> usize {
    list.map_or(0, |list| match list {
        Item::ArrayOfTables(tables) => tables.len(),
        other => other.as_array().map_or(0, |values| values.len()),
    })
}

/// What `flow.+={ … }` adds: a table, or a list of them.
fn tables(value: Value, path: &str, part: &Part<'_>) -> Result<Vec<Table>, Fault> {
    let said = value.to_string();
    let wrong = || {
        Fault::span(part.span.clone(), format!("`{path}.+` is {}", said.trim()))
            .help("a table to add, `{ key = value, … }`, or a list of them")
    };
    match value {
        Value::InlineTable(table) => Ok(vec![table.into_table()]),
        Value::Array(values) => {
            let table = |value: Value| match value {
                Value::InlineTable(table) => Ok(table.into_table()),
                _ => Err(wrong()),
            };
            values.into_iter().map(table).collect()
        }
        _ => Err(wrong()),
    }
}

/// Adds tables at the end of a list, in whichever way the document writes it; none where it is no list.
fn push(here: &mut dyn TableLike, name: &str, added: Vec<Table>) -> Option<()> {
    if added.is_empty() {
        return Some(());
    }
    match here.entry(name).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
        Item::ArrayOfTables(tables) => tables.extend(added),
        other => other.as_array_mut()?.extend(added.into_iter().map(Table::into_inline_table)),
    }
    Some(())
}

/// The table of that number in a list of tables, in whichever way the document writes it.
fn item<'a>(list: Option<&'a mut Item>, path: &str, part: &Part<'_>) -> Result<(&'a mut dyn TableLike, String), Fault> {
    let count = count(list.as_deref());
    let help = match count {
        0 => format!("the scenario has no `[[{path}]]`"),
        1 => format!("the scenario has one `[[{path}]]`: `{path}.0`"),
        n => format!("the scenario has {n} `[[{path}]]`: `{path}.0` to `{path}.{}`", n - 1),
    };
    let missing = || Fault::span(part.span.clone(), format!("there is no `{path}.{}`", part.name)).help(help);
    let Some(index) = part.name.parse().ok().filter(|index: &usize| *index < count) else {
        return Err(missing());
    };
    let table: Option<&mut dyn TableLike> = match list {
        Some(Item::ArrayOfTables(tables)) => tables.get_mut(index).map(|table| table as _),
        Some(Item::Value(Value::Array(values))) => values.get_mut(index).and_then(Value::as_inline_table_mut).map(|table| table as _),
        _ => None,
    };
    let path = format!("{path}.{index}");
    table.map(|table| (table, path.clone())).ok_or_else(|| no_table(&path, part))
}

/// Sets a value; the comment behind the old one stays.
fn put(table: &mut dyn TableLike, name: &str, mut value: Value) {
    if let Some(old) = table.get(name).and_then(Item::as_value) {
        value.decor_mut().clone_from(old.decor());
    }
    table.insert(name, Item::Value(value));
}

fn no_table(path: &str, part: &Part<'_>) -> Fault {
    Fault::span(part.span.clone(), format!("{} is a value: nothing is below it", title(path)))
        .help(format!("end the path here: `{path}=…`"))
}
