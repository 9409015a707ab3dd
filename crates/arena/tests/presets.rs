//! The presets that the playground has of the arena are its quick cells: `web/playground/arena.json` is made here, by `UPDATE_PRESETS=1`.

use std::fs;

use serde_json::{Value, json};
use symbiosis_arena::{Cell, Contestant, FAMILIES, Known, suite};
use symbiosis_control::registry;
use symbiosis_scenario::{Files, SIMULATOR, Scenario};

/// More flows than this have no colours, and no handles on a time line.
const MOST_FLOWS: usize = 20;

/// A cell as the page takes it: the scenario of the first seed, as text and as data.
fn preset(cell: &Cell) -> Option<Value> {
    let text = cell.scene(1).toml(&cell.id(), 1, &Contestant::named("symbiosis"));
    let plan = Scenario::parse_for(&SIMULATOR, &text, &cell.id(), Files::Folder(None), &[]).ok()?.plan;
    let scenario: toml::Table = toml::from_str(&text).expect("a scenario is TOML");
    (plan.flows.len() <= MOST_FLOWS).then(|| {
        let goals: Vec<String> =
            cell.goals.iter().map(|goal| format!("{} {} {}", goal.what, goal.range, goal.unit).trim().into()).collect();
        json!({ "title": cell.name, "goals": goals.join("; "), "toml": text, "scenario": scenario })
    })
}

#[test]
fn the_presets_of_the_playground_are_the_quick_cells() {
    let names: Vec<&str> = registry::ALL.iter().map(|entry| entry.name).collect();
    let cells = suite(&Known { names: &names, against: &[] });
    let families = FAMILIES.iter().map(|family| {
        let quick = cells.iter().filter(|cell| cell.family.id == family.id && cell.quick);
        json!({ "family": family.title, "asked": family.asked, "presets": quick.filter_map(preset).collect::<Vec<_>>() })
    });
    let made: Vec<Value> = families.filter(|family| !family["presets"].as_array().expect("it is one").is_empty()).collect();
    assert!(made.len() > 12, "{} families of {}", made.len(), FAMILIES.len());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/playground/arena.json");
    if std::env::var_os("UPDATE_PRESETS").is_some() {
        fs::write(path, serde_json::to_string_pretty(&made).expect("texts and numbers are JSON") + "\n").expect("it can be written");
    }
    let kept: Value = serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("it is JSON");
    assert!(
        kept == Value::Array(made),
        "the arena has changed: UPDATE_PRESETS=1 cargo test -p symbiosis-arena --test presets, and web/build.sh"
    );
}
