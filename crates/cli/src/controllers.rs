//! `symbiosis controllers`: what the registry knows.

use serde_json::{Value, json};
use symbiosis_control::params::{Kind, Param};
use symbiosis_control::registry::Entry;
use symbiosis_papers::World;
use symbiosis_quic::choice::NATIVE;

use crate::failure::Failure;
use crate::print::{pretty, print};

/// How to list.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON and nothing else
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Writing fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    match args.json {
        true => print(&pretty(&as_json())),
        false => print(&as_text()),
    }
}

/// The controllers of the simulator, all of which run over QUIC, too.
fn everywhere() -> impl Iterator<Item = &'static Entry> {
    World::Simulator.controllers().into_iter()
}

fn as_text() -> String {
    let mut out = String::new();
    for entry in everywhere() {
        out += &format!("{}\n    {}\n", entry.name, entry.about);
        for Param { name, kind, about, only_if, .. } in entry.params {
            let values = match kind {
                Kind::Number { default, min, max } => format!("{default} [{min} to {max}]"),
                Kind::Choice(words) => format!("{} [{}]", words[0], words.join(", ")),
                Kind::Flag(default) => format!("{default} [true, false]"),
            };
            let only_if = only_if.map_or(String::new(), |condition| format!(" (only if {condition})"));
            out += &format!("    {name} = {values}: {about}{only_if}\n");
        }
        out.push('\n');
    }
    out += "Only over QUIC:\n";
    for (name, _, about) in NATIVE.iter().filter(|(name, ..)| everywhere().all(|entry| entry.name != *name)) {
        out += &format!("{name}\n    {about}\n");
    }
    out + "\nParameters are written with their defaults and what they may be. In a scenario: params = { name = value }\n"
}

fn as_json() -> Value {
    let param = |Param { name, kind, about, only_if, .. }: &Param| {
        let mut param = match kind {
            Kind::Number { default, min, max } => json!({ "kind": "number", "default": default, "min": min, "max": max }),
            Kind::Choice(words) => json!({ "kind": "choice", "default": words[0], "words": words }),
            Kind::Flag(default) => json!({ "kind": "flag", "default": default }),
        };
        param["name"] = json!(name);
        param["about"] = json!(about);
        if let Some(condition) = only_if {
            param["only_if"] = json!(condition.to_string());
        }
        param
    };
    everywhere()
        .map(|entry| json!({ "name": entry.name, "about": entry.about, "params": entry.params.iter().map(param).collect::<Vec<_>>() }))
        .collect()
}
