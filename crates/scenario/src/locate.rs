//! Finds the place of a key in a document, and the name that was meant.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The bytes of the value under a dotted path such as `flow.0.cc`; of its nearest ancestor where it does not exist. The document
/// itself, `""`, is its start.
pub(super) fn span_of(document: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    if path.is_empty() {
        return Some(0..0);
    }
    let mut parts = path.split('.');
    let mut here = lookup(document, parts.next()?)?;
    for part in parts {
        let inner = match here.0 {
            DeValue::Table(table) => lookup(table, part),
            DeValue::Array(items) => part.parse().ok().and_then(|at: usize| items.get(at)).map(|item| (item.get_ref(), item.span())),
            _ => None,
        };
        match inner {
            Some(inner) => here = inner,
            None => break,
        }
    }
    Some(here.1)
}

/// The bytes of the value under a dotted path in a text; of its nearest ancestor where it does not exist. None of a text that is no TOML.
pub fn place(text: &str, path: &str) -> Option<Range<usize>> {
    span_of(DeTable::parse(text).ok()?.get_ref(), path)
}

fn lookup<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<(&'a DeValue<'i>, Range<usize>)> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| (value.get_ref(), value.span()))
}

/// The known name that `given` was most likely meant to be; none when nothing is near.
pub(super) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&given, name), name))
        .filter(|(likeness, _)| *likeness >= 0.75)
        // The first of equals, so that the answer does not hang on the order of a search.
        .fold(None, |best: Option<(f64, &str)>, next| if best.is_none_or(|best| next.0 > best.0) { Some(next) } else { best })
        .map(|(_, name)| name)
}

/// “Did you mean”, or all that there is.
pub fn suggestion<'a>(given: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(given, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let all: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
            if all.is_empty() { "there are none to choose from".into() } else { format!("known are {}", all.join(", ")) }
        }
    }
}
