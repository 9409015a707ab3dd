//! Claims in a few words: who states what, where the number must be, and why it is not.

use symbiosis_report::outcome::{Bar, Basis, Check, Claim, Measured, Reference, Verdict};
use symbiosis_run::Outcome as Run;

/// Who states it, where, and what.
pub struct Stated {
    reference: Reference,
    what: String,
}

/// A paper shows or says it, there.
pub fn published(place: &str, what: impl Into<String>) -> Stated {
    Stated { reference: Reference { basis: Basis::Published, place: place.into() }, what: what.into() }
}

/// It follows from equations; `place` is where it is derived.
pub fn derived(place: &str, what: impl Into<String>) -> Stated {
    Stated { reference: Reference { basis: Basis::Theory, place: place.into() }, what: what.into() }
}

/// We set it.
pub fn ours(what: impl Into<String>) -> Stated {
    Stated { reference: Reference { basis: Basis::Ours, place: String::new() }, what: what.into() }
}

/// We set it, after what a paper says of its own.
pub fn after(place: &str, what: impl Into<String>) -> Stated {
    Stated { reference: Reference { basis: Basis::Ours, place: format!("after {place}") }, what: what.into() }
}

/// That much or more.
pub fn at_least(least: f64) -> Bar {
    Bar { least, most: f64::INFINITY }
}

/// That much or less.
pub fn at_most(most: f64) -> Bar {
    Bar { least: f64::NEG_INFINITY, most }
}

/// More than that.
pub fn above(least: f64) -> Bar {
    at_least(least.next_up())
}

/// Less than that.
pub fn below(most: f64) -> Bar {
    at_most(most.next_down())
}

/// From one to the other.
pub fn between(least: f64, most: f64) -> Bar {
    Bar { least, most }
}

/// Within a part of the wanted value.
pub fn near(wanted: f64, part: f64) -> Bar {
    between(wanted - part * wanted.abs(), wanted + part * wanted.abs())
}

/// Not one.
pub fn nothing() -> Bar {
    between(0.0, 0.0)
}

/// A number that nothing random enters.
pub fn exact(value: f64) -> Measured {
    Measured::exact(value)
}

/// A claim that holds if the number is where `bar` says. `supposed` is a conjecture of why it is not, told as such; empty without one.
pub fn claim(text: impl Into<String>, stated: Stated, measured: Measured, unit: &str, bar: Bar, supposed: &str) -> Claim {
    let claim = Claim::new(text, (stated.reference, stated.what), (measured, unit), bar);
    if supposed.is_empty() { claim } else { claim.supposing(supposed) }
}

/// The check of a reason: what is looked at, what was found, and where that must be if the reason is true.
pub fn check(what: impl Into<String>, measured: Measured, bar: Bar) -> Check {
    Check { what: what.into(), measured, bar }
}

/// A number of each run, over the runs.
pub fn over(runs: &[Run], value: impl Fn(&Run) -> f64) -> Measured {
    Measured::over(&runs.iter().map(value).collect::<Vec<_>>())
}

/// A number to be held against another that was measured, too: with the interval of their difference.
pub fn against(own: Measured, other: Measured) -> Measured {
    own.against(other)
}

/// One over the other, with the interval that their intervals leave it.
pub fn ratio(own: Measured, other: Measured) -> Measured {
    own.part_of(other)
}

/// One less the other.
pub fn difference(own: Measured, other: Measured) -> Measured {
    own.minus(other)
}

/// Whether a number's whole interval is where `bar` says.
pub fn is(measured: Measured, bar: Bar) -> bool {
    bar.verdict(measured) == Verdict::Holds
}

/// Whether some part of its interval is.
pub fn may_be(measured: Measured, bar: Bar) -> bool {
    matches!(bar.verdict(measured), Verdict::Holds | Verdict::Undecided)
}
