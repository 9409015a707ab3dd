//! What the documents show is what the program does.
//!
//! Every fenced block of README.md and docs/ has a language, and the language says how the block is held to the program:
//!
//! | fence | held to |
//! |---|---|
//! | `console` | each line after `$ ` is run, in one folder for the page that sees `scenarios/`; what it prints must be what stands below. `[..]` stands for what differs from run to run |
//! | `python` | the program is run in the same folder; a `text` block right below is what it prints |
//! | `sh` | each command is one that the program, cargo or a known tool takes: `symbiosis` and its options are checked by the program itself, test and bench targets of cargo by their files |
//! | `toml` | a scenario that the program takes; `toml fragment`: valid TOML |
//! | `json`, `text`, `rust`, `r` | nothing here; `rust` is compiled by a doc test |
//!
//! Figures of experiments are held to what the experiments found (see `figures`).
//!
//! `UPDATE_DOCUMENTS=1 cargo test -p symbiosis-cli --test documents` writes what the commands print into the `console` blocks, and the figures anew.

mod blocks;
mod commands;
mod console;
mod figures;

use std::fs;
use std::path::{Path, PathBuf};

use blocks::{Block, blocks};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().map(|path| &*Box::leak(path.into_boxed_path())).unwrap()
}

/// README.md and the pages of docs/, in order.
fn documents() -> Vec<PathBuf> {
    let mut pages: Vec<_> = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ext| ext == "md"));
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

fn of_language(language: &str) -> Vec<(PathBuf, Block)> {
    let all = documents().into_iter().flat_map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        blocks(&text).into_iter().map(move |block| (path.clone(), block)).collect::<Vec<_>>()
    });
    all.filter(|(_, block)| block.language == language).collect()
}

/// Asserts that there is nothing in `faults`, and says all of it otherwise.
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_fenced_block_says_its_language() {
    let known = ["console", "sh", "toml", "toml fragment", "json", "text", "rust", "python", "r", "mermaid"];
    let mut faults = Vec::new();
    for path in documents() {
        for block in blocks(&fs::read_to_string(&path).unwrap()) {
            if !known.contains(&&*block.language) {
                faults.push(format!("{}:{}: a block of language `{}`", path.display(), block.line, block.language));
            }
        }
    }
    none(&faults);
}

#[test]
fn commands_are_what_the_programs_take() {
    let blocks = of_language("sh");
    assert!(blocks.len() > 15, "the README alone has several");
    none(&blocks.iter().flat_map(|(path, block)| commands::faults(path, block)).collect::<Vec<_>>());
}

#[test]
fn scenarios_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let mut faults = Vec::new();
    for (path, block) in of_language("toml") {
        let text = format!("{}\n", block.text);
        let scenario = folder.path().join("block.toml");
        fs::write(&scenario, &text).unwrap();
        // Half a second of it: what is asked is whether the program takes it.
        let half = ["--set", "duration_s=0.5", "--json"];
        let output = console::symbiosis(folder.path()).args(["simulate", "block.toml"]).args(half).output().unwrap();
        let measured = text.contains("[measure]");
        if !output.status.success() && !measured {
            faults.push(format!("{}:{}: {}", path.display(), block.line, String::from_utf8_lossy(&output.stderr)));
        }
    }
    for (path, block) in of_language("toml fragment") {
        if let Err(error) = block.text.parse::<toml::Table>() {
            faults.push(format!("{}:{}: {error}", path.display(), block.line));
        }
    }
    none(&faults);
}

#[test]
fn console_blocks_show_what_the_commands_print() {
    let update = std::env::var_os("UPDATE_DOCUMENTS").is_some();
    let mut faults = Vec::new();
    for path in documents() {
        let mut text = fs::read_to_string(&path).unwrap();
        let folder = console::Folder::new(root());
        let mut changes = Vec::new();
        let all = blocks(&text);
        for (at, block) in all.iter().enumerate() {
            let (shown, place) = match (&*block.language, all.get(at + 1)) {
                ("console", _) => (console::Session::parse(&block.text), block),
                ("python", Some(below)) if below.language == "text" => (folder.script(&block.text, &below.text), below),
                _ => continue,
            };
            if let Some(tool) = shown.missing_tool() {
                console::skip(path.strip_prefix(root()).unwrap(), block.line, &tool);
                continue;
            }
            let printed = shown.run(&folder);
            faults.extend(shown.differences(&printed).map(|fault| format!("{}:{}: {fault}", path.display(), block.line)));
            let output = printed.text(&shown);
            changes.push((place.range.clone(), if block.language == "python" { console::below_command(&output) } else { output }));
        }
        if update {
            // From the last to the first, so that places of those before stay true.
            changes.into_iter().rev().for_each(|(range, printed)| text.replace_range(range, &printed));
            fs::write(&path, text).unwrap();
        }
    }
    if !update {
        none(&faults);
    }
}

#[test]
fn figures_are_what_experiments_found() {
    let results = figures::Results::read(root());
    let mut faults = Vec::new();
    for path in documents() {
        let mut text = fs::read_to_string(&path).unwrap();
        let all = figures::figures(&text, &results);
        for figure in all.into_iter().rev() {
            let shown = text[figure.range.clone()].to_owned();
            match figure.right {
                Ok(right) if right == shown => {}
                Ok(right) if std::env::var_os("UPDATE_DOCUMENTS").is_some() => text.replace_range(figure.range, &right),
                Ok(right) => faults.push(format!("{}:{}: {shown} is now {right}", path.display(), figure.line)),
                Err(why) => faults.push(format!("{}:{}: {why}", path.display(), figure.line)),
            }
        }
        if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
            fs::write(&path, text).unwrap();
        }
    }
    none(&faults);
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for link in blocks::links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            if path.starts_with(root().join("docs")) && link.starts_with("..") {
                faults.push(format!("{}: {link} leaves docs/, so the site cannot follow it", path.display()));
            } else if !target.exists() {
                faults.push(format!("{}: {link} is not there", path.display()));
            } else if !anchor.is_empty() && !blocks::anchors(&fs::read_to_string(&target).unwrap()).contains(anchor) {
                faults.push(format!("{}: {link}: the page has no such heading", path.display()));
            }
        }
    }
    none(&faults);
}
