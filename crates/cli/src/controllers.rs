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
        for Param { name, kind, about } in entry.params {
            let values = match kind {
                Kind::Number { default, min, max } => format!("{default} [{min} to {max}]"),
                Kind::Choice(words) => format!("{} [{}]", words[0], words.join(", ")),
                Kind::Flag(default) => format!("{default} [true, false]"),
            };
            out += &format!("    {name} = {values}: {about}\n");
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
    let param = |Param { name, kind, about }: &Param| match kind {
        Kind::Number { default, min, max } => {
            json!({ "name": name, "kind": "number", "default": default, "min": min, "max": max, "about": about })
        }
        Kind::Choice(words) => json!({ "name": name, "kind": "choice", "default": words[0], "words": words, "about": about }),
        Kind::Flag(default) => json!({ "name": name, "kind": "flag", "default": default, "about": about }),
    };
    everywhere()
        .map(|entry| json!({ "name": entry.name, "about": entry.about, "params": entry.params.iter().map(param).collect::<Vec<_>>() }))
        .collect()
}
