use super::*;
use alloc::vec;

const LAW: &[Param] = &joined::<5>(&[
    &[Param::choice("law", &["new", "old"], "which"), Param::number("gamma", 0.9, 0.0, 1.0, "of the old law").only_if("law", &["old"])],
    &[
        Param::choice("source", &["packets", "oracle"], "who measures").simulated(&["oracle"]),
        Param::number("noise", 0.0, 0.0, 1.0, "of the oracle").only_if("source", &["oracle"]),
        Param::number("doubles_s", 0.0, 0.0, 1.0, "its doubling").only_if_positive("noise"),
    ],
]);

fn resolve(given: &[(&str, Value)]) -> Result<Values, ParamError> {
    Values::resolve(LAW, &given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect::<Vec<_>>())
}

fn word(word: &str) -> Value {
    Value::Word(word.to_string())
}

#[test]
fn what_changes_nothing_is_refused_and_the_choice_that_would_is_named() {
    let error = resolve(&[("gamma", Value::Number(0.8))]).unwrap_err();
    assert_eq!(error.to_string(), "`gamma` changes nothing while `law` is new");
    assert_eq!(error.help(), "it applies with law = \"old\"");
    // The order in which they are given is no matter.
    let values = resolve(&[("gamma", Value::Number(0.8)), ("law", word("old"))]).unwrap();
    assert_eq!(values.number("gamma"), 0.8);
}

#[test]
fn all_that_is_in_the_way_is_named_at_once() {
    let error = resolve(&[("doubles_s", Value::Number(0.5))]).unwrap_err();
    assert_eq!(error.to_string(), "`doubles_s` changes nothing while `source` is packets and `noise` is 0");
    assert_eq!(error.help(), "it applies with source = \"oracle\" and noise > 0");
}

#[test]
fn what_is_listed_is_what_applies_and_resolves_to_the_same() {
    let values = resolve(&[("source", word("oracle"))]).unwrap();
    let listed: Vec<_> = values.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    assert_eq!(listed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["law", "source", "noise"]);
    assert_eq!(Values::resolve(LAW, &listed), Ok(values));
}

#[test]
fn outside_a_simulator_nothing_asks_it() {
    let error = resolve(&[("source", word("oracle"))]).unwrap().outside_a_simulator().unwrap_err();
    assert_eq!(error, ParamError::Simulated { name: "source", word: "oracle".into(), instead: vec!["packets"] });
    let usual = resolve(&[]).unwrap();
    assert_eq!(usual.clone().outside_a_simulator(), Ok(usual));
}
