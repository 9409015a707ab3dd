//! A scenario is read or refused, and whatever refuses it names a place in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symbiosis_scenario::Scenario;

fuzz_target!(|text: &str| {
    if let Err(error) = Scenario::parse(text, "fuzz.toml", None, &[]) {
        assert!(!error.what.is_empty() && error.at.is_none_or(|at| error.text.get(at).is_some()));
    }
});
