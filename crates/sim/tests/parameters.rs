//! Every parameter of every controller bites: where it applies it changes a result, and elsewhere to set it is an error.

mod common;

use std::collections::BTreeMap;

use common::Dumbbell;
use symbiosis_base::Span;
use symbiosis_control::params::{Is, Kind, Param, ParamError, Value, Values};
use symbiosis_control::registry::{ALL, Entry};
use symbiosis_path::{Gaps, Sizes};
use symbiosis_run::{FlowSample, Recovery};
use symbiosis_sim::run;

/// Parameters that apply and change nothing all the same: controller (none: all), parameter, the choice beside which that is, and why.
const EXCEPTIONS: [(&str, &str, (&str, &str), &str); 4] = [
    ("symbiosis-early", "gamma", ("measurement", "capacity"), A_IS_K),
    ("", "gamma_rule", ("measurement", "capacity"), A_IS_K),
    ("symbiosis", "correction", ("measurement", "capacity"), A_IS_K),
    ("", "filter_window", ("measurement", "capacity"), "all readings are the same, and so is whatever is made of them"),
];
const A_IS_K: &str = "with A = K nobody competes";

type Given = Vec<(String, Value)>;
/// What parameters make of a controller's run.
type Known = BTreeMap<String, Vec<FlowSample>>;

/// A path on which much happens: one flow, UDP whose rate steps and leaves in clumps, losses of a short queue and of the wire.
fn results(entry: &'static Entry, values: Values) -> Vec<FlowSample> {
    let mut dumbbell = Dumbbell::new(10.0, 15, 50, 25);
    // Those that tell losses apart take some, and a measurement takes time between two timeouts.
    dumbbell.bottleneck().loss = 0.0006;
    dumbbell.flow(entry.name, Recovery::Sack).params = values;
    dumbbell.udp(Sizes::Internet, Gaps::Exponential, &[(0, 2.0), (6, 6.0), (12, 1.0), (16, 4.0)]);
    let mut plan = dumbbell.measure_from(0);
    plan.sample_every = Some(Span::from_millis(100));
    run(&plan).flow_traces.swap_remove(0)
}

fn at(param: &Param, place: f64) -> Option<Value> {
    match param.kind {
        Kind::Number { min, max, .. } => Some(Value::Number(min + (max - min) * place)),
        Kind::Flag(_) => Some(Value::Flag(place < 0.5)),
        Kind::Choice(_) => None,
    }
}

/// What it may be, here and there.
fn candidates(param: &Param) -> Vec<Value> {
    match param.kind {
        Kind::Choice(words) => words.iter().map(|word| Value::Word(word.to_string())).collect(),
        _ => [0.0, 1e-6, 0.02, 0.5, 1.0].iter().filter_map(|place| at(param, *place)).collect(),
    }
}

fn declared(entry: &'static Entry, name: &str) -> &'static Param {
    entry.params.iter().find(|param| param.name == name).expect("conditions name parameters of the same controller")
}

/// What must be given for a parameter to apply, if `given` does not decide it.
fn enable(entry: &'static Entry, param: &Param, given: &mut Given) {
    let Some(condition) = param.only_if else { return };
    let other = declared(entry, condition.param);
    enable(entry, other, given);
    if given.iter().any(|(name, _)| name == other.name) {
        return;
    }
    let value = match condition.is {
        Is::OneOf(words) => Value::Word(words[0].to_string()),
        Is::Zero => Value::Number(0.0),
        Is::Positive => at(other, 0.02).expect("a number"),
    };
    given.push((other.name.to_string(), value));
}

/// The probe's window would flood the path, on which nothing could be measured any more.
fn usual(entry: &Entry) -> Given {
    let window = (entry.name == "probe").then(|| ("window_packets".to_string(), Value::Number(70.0)));
    window.into_iter().collect()
}

/// Every choice that other parameters leave, one at a time, each with what it needs.
fn contexts(entry: &'static Entry, param: &Param) -> Vec<(String, String, Given)> {
    let mut contexts = Vec::new();
    for choice in entry.params.iter().filter(|choice| choice.name != param.name) {
        let Kind::Choice(words) = choice.kind else { continue };
        for word in words {
            let mut given = usual(entry);
            given.push((choice.name.to_string(), Value::Word(word.to_string())));
            enable(entry, choice, &mut given);
            enable(entry, param, &mut given);
            // A choice that needs the parameter decides it.
            if param.name != "window_packets" && given.iter().any(|(name, _)| name == param.name) {
                continue;
            }
            contexts.push((choice.name.to_string(), word.to_string(), given));
        }
    }
    if contexts.is_empty() {
        let mut given = usual(entry);
        enable(entry, param, &mut given);
        contexts.push((String::new(), String::new(), given));
    }
    contexts
}

/// Whether it changes a result; none where it does not apply.
fn bites(entry: &'static Entry, param: &Param, context: &Given, known: &mut Known) -> Option<bool> {
    let resolve = |given: &Given| Values::resolve(entry.params, given);
    let usual = match resolve(context) {
        Ok(values) => &*known.entry(format!("{values:?}")).or_insert_with(|| results(entry, values)),
        Err(ParamError::Idle { .. }) => return None,
        Err(error) => panic!("{}: {context:?}: {error}", entry.name),
    };
    let mut applies = None;
    for value in candidates(param) {
        let given = [context.as_slice(), &[(param.name.to_string(), value)]].concat();
        match resolve(&given) {
            Ok(values) => {
                if results(entry, values) != *usual {
                    return Some(true);
                }
                applies = Some(false);
            }
            Err(ParamError::Idle { .. }) => {}
            Err(error) => panic!("{}: {given:?}: {error}", entry.name),
        }
    }
    applies
}

fn check(chosen: impl Fn(&str) -> bool) {
    let mut faults = Vec::new();
    for entry in ALL.iter().filter(|entry| chosen(entry.name)) {
        let mut known = Known::new();
        for param in entry.params {
            let mut anywhere = false;
            for (choice, word, context) in contexts(entry, param) {
                let excepted = EXCEPTIONS.iter().any(|(cc, name, beside, _)| {
                    (cc.is_empty() || *cc == entry.name) && *name == param.name && *beside == (&choice, &word)
                });
                let bites = bites(entry, param, &context, &mut known);
                anywhere |= bites == Some(true);
                if (bites == Some(false)) != excepted {
                    faults.push(format!("{}: {} beside {choice} = {word}: {bites:?}, excepted: {excepted}", entry.name, param.name));
                }
            }
            if !anywhere {
                faults.push(format!("{}: {} changes nothing anywhere", entry.name, param.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Those that measure are many runs each.
const MEASURING: [&str; 4] = ["symbiosis", "symbiosis-paper", "symbiosis-early", "probe"];

#[test]
fn every_parameter_of_symbiosis_bites() {
    check(|name| name == MEASURING[0]);
}

#[test]
fn every_parameter_of_the_papers_symbiosis_bites() {
    check(|name| name == MEASURING[1] || name == MEASURING[2]);
}

#[test]
fn every_parameter_of_the_probe_bites() {
    check(|name| name == MEASURING[3]);
}

#[test]
fn every_parameter_of_all_others_bites() {
    check(|name| !MEASURING.contains(&name));
}
