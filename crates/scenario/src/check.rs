//! Holds a document against the table of keys: unknown keys, missing ones, values that cannot be.

use symbiosis_base::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Fault;
use super::keys::{EITHER, Key, Kind, LEAST_MBPS, MOST_MBPS, MOST_SECONDS};
use super::locate::{nearest, suggestion};

/// Checks a table and everything in it. `path` is where it stands, `""` for the document.
///
/// # Errors
/// The first fault in the order of the text, but a missing key only when what is there is right.
pub(super) fn table(document: &Spanned<DeTable<'_>>, keys: &'static [Key], path: &str, text: &str) -> Result<(), Fault> {
    let mut entries: Vec<_> = document.get_ref().iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in &entries {
        let here = join(path, name.get_ref());
        let Some(key) = keys.iter().find(|key| key.name == name.get_ref()) else {
            return Err(unknown(name.get_ref(), keys, path, name.span()));
        };
        for group in EITHER.iter().filter(|group| group.contains(&key.name)) {
            if let Some((other, _)) =
                entries.iter().find(|(other, _)| other.get_ref() != name.get_ref() && group.contains(&&**other.get_ref()))
            {
                let both = format!("{} has both `{}` and `{}`", title(path), name.get_ref(), other.get_ref());
                let at = name.span().start.max(other.span().start)..name.span().end.max(other.span().end);
                return Err(Fault::span(at, both).help(format!("give one of `{}`", group.join("`, `"))));
            }
        }
        self::value(value, key, &here, text)?;
    }
    let missing = |key: &&Key| key.required && !entries.iter().any(|(name, _)| name.get_ref() == key.name);
    match keys.iter().find(missing) {
        None => Ok(()),
        Some(key) => Err(Fault::at(path, format!("`{}` is missing from {}", key.name, title(path))).help(format!(
            "{}: {}",
            key.about,
            key.kind.wanted()
        ))),
    }
}

/// The fault of a key that the format does not have.
pub(super) fn unknown(name: &str, keys: &'static [Key], path: &str, span: std::ops::Range<usize>) -> Fault {
    Fault::span(span, format!("there is no key `{name}` in {}", title(path))).help(help_for(name, keys))
}

/// What was meant by a key that does not exist, with what it is for.
fn help_for(name: &str, keys: &'static [Key]) -> String {
    match nearest(name, keys.iter().map(|key| key.name)).and_then(|near| super::keys::find(keys, near)) {
        Some(key) => format!("did you mean `{}` ({})?", key.name, key.about),
        None => suggestion(name, keys.iter().map(|key| key.name)),
    }
}

fn value(value: &Spanned<DeValue<'_>>, key: &'static Key, path: &str, text: &str) -> Result<(), Fault> {
    match (&key.kind, value.get_ref()) {
        (Kind::Table(keys), DeValue::Table(inner)) => table(&Spanned::new(value.span(), inner.clone()), keys, path, text),
        (Kind::Tables(keys), DeValue::Array(items)) => items.iter().enumerate().try_for_each(|(at, item)| match item.get_ref() {
            DeValue::Table(inner) => table(&Spanned::new(item.span(), inner.clone()), keys, &join(path, &at.to_string()), text),
            _ => Err(wrong(item, key, &join(path, &at.to_string()), text)),
        }),
        (kind, given) if allows(kind, given) => Ok(()),
        _ => Err(wrong(value, key, path, text)),
    }
}

fn wrong(value: &Spanned<DeValue<'_>>, key: &Key, path: &str, text: &str) -> Fault {
    let what = match value.get_ref() {
        DeValue::Table(_) => format!("`{path}` is a table"),
        // A value of many lines would not be one line any more.
        _ => match text.get(value.span()).filter(|source| !source.contains('\n') && source.len() <= 60) {
            Some(source) => format!("`{path}` is {source}"),
            None => format!("`{path}` is not what it must be"),
        },
    };
    let why = match (&key.kind, value.get_ref()) {
        (Kind::Capacity, DeValue::Array(_)) => misstep(value.get_ref(), true),
        (Kind::Load, DeValue::Array(_)) => misstep(value.get_ref(), false),
        _ => None,
    };
    let what = why.map_or(what.clone(), |why| format!("{what}: {why}"));
    let near = match (&key.kind, value.get_ref().as_str()) {
        (Kind::Words(words), Some(word)) => nearest(word, words.iter().copied()),
        _ => None,
    };
    let meant = near.map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
    Fault::span(value.span(), what).help(format!("{meant}it must be {} — {}", key.kind.wanted(), key.about))
}

fn allows(kind: &Kind, value: &DeValue<'_>) -> bool {
    let number = number(value);
    let within = |least: f64, most: f64| number.is_some_and(|n| n >= least && n <= most);
    match kind {
        Kind::Text => value.as_str().is_some_and(|text| !text.trim().is_empty() && !text.contains(char::is_control)),
        Kind::Words(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Flag => value.is_bool(),
        Kind::Positive { most } => within(f64::MIN_POSITIVE, *most),
        Kind::Amount { most } => within(0.0, *most),
        Kind::Share => within(0.0, 1.0) && number != Some(1.0),
        Kind::Whole { least, most } => whole(value).is_some_and(|n| n >= *least && n <= *most),
        Kind::Within { least, most } => within(*least, *most),
        Kind::Capacity => within(LEAST_MBPS, MOST_MBPS) || (value.is_array() && misstep(value, true).is_none()),
        Kind::Load => within(0.0, MOST_MBPS) || (value.is_array() && misstep(value, false).is_none()),
        Kind::Route => value.as_array().is_some_and(|names| !names.is_empty() && names.iter().all(|name| name.get_ref().is_str())),
        Kind::Params => value.is_table(),
        Kind::Table(_) | Kind::Tables(_) => false,
    }
}

/// What is wrong with steps of a rate; those of a link start at 0 s and are not zero for ever.
fn misstep(value: &DeValue<'_>, link: bool) -> Option<String> {
    let pairs = value.as_array().and_then(|steps| steps.iter().map(|step| pair(step.get_ref())).collect());
    let Some(steps): Option<Vec<(f64, f64)>> = pairs else {
        return Some("a step is `[at_s, rate]`, two finite numbers".into());
    };
    let least = if link { LEAST_MBPS } else { 0.0 };
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Some("there is no step".into());
    };
    if let Some((_, rate)) = steps.iter().find(|(_, rate)| !(*rate == 0.0 || (least..=MOST_MBPS).contains(rate))) {
        return Some(format!("a rate is {rate}"));
    }
    // In whole nanoseconds, as the plan has them.
    if let Some(two) = steps.windows(2).find(|two| Span::from_secs(two[0].0) >= Span::from_secs(two[1].0)) {
        return Some(format!("{} s does not come after {} s", two[1].0, two[0].0));
    }
    if first.0 < 0.0 || last.0 > MOST_SECONDS {
        return Some(format!("a step is at {} s", if first.0 < 0.0 { first.0 } else { last.0 }));
    }
    if link && first.0 > 0.0 {
        return Some(format!("the first step is at {} s: what is before?", first.0));
    }
    (link && steps.iter().all(|(_, rate)| *rate == 0.0)).then(|| "it never sends".into())
}

fn pair(step: &DeValue<'_>) -> Option<(f64, f64)> {
    match step.as_array()?.iter().as_slice() {
        [at, rate] => Some((number(at.get_ref())?, number(rate.get_ref())?)),
        _ => None,
    }
}

/// A finite number; infinities and NaN are none.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(_) => whole_signed(value).map(|n| n as f64),
        DeValue::Float(float) => float.as_str().parse().ok().filter(|n: &f64| n.is_finite()),
        _ => None,
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    whole_signed(value)?.try_into().ok()
}

fn whole_signed(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// What messages call a table.
pub(super) fn title(path: &str) -> String {
    if path.is_empty() { "the scenario".into() } else { format!("`{path}`") }
}
