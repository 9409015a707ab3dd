//! Commands that a document shows without their output.

use std::path::Path;

use super::blocks::Block;
use super::{console, root};

/// Tools beside the program that documents may name.
const TOOLS: &[&str] = &[
    "apt-get",
    "iperf3",
    "jq",
    "sha256sum",
    "grep",
    "mkdir",
    "install",
    "ssh",
    "ip",
    "tc",
    "rustup",
    "mdbook",
    "man",
    "python3",
    "pip",
    "git",
    "cd",
    "sbatch",
    "podman",
];

/// What is wrong with a block's commands.
pub fn faults(path: &Path, block: &Block) -> Vec<String> {
    let joined = block.text.replace("\\\n", " ");
    let mut faults = Vec::new();
    for line in joined.lines() {
        for part in pipeline(line) {
            if let Err(why) = check(&part) {
                faults.push(format!("{}:{}: `{}`: {why}", path.display(), block.line, part.join(" ")));
            }
        }
    }
    faults
}

/// The commands of a line, split at `|` and `;`; words as a shell would split them, without comments.
fn pipeline(line: &str) -> Vec<Vec<String>> {
    let words: Vec<String> = shlex::Shlex::new(line).take_while(|word| !word.starts_with('#')).collect();
    words.split(|word| word == "|" || word == "&&" || word == ">").map(<[String]>::to_vec).filter(|words| !words.is_empty()).collect()
}

fn check(words: &[String]) -> Result<(), String> {
    let words: Vec<&str> = words.iter().map(String::as_str).skip_while(|word| *word == "sudo" || word.contains('=')).collect();
    match words.as_slice() {
        [] => Ok(()),
        ["symbiosis" | "target/release/symbiosis", args @ ..] => taken(args),
        ["cargo", "run", rest @ ..] => match rest.iter().position(|word| *word == "--") {
            Some(at) => taken(&rest[at + 1..]),
            None => Ok(()),
        },
        ["cargo", "test" | "bench", rest @ ..] => target(rest),
        ["cargo", ..] => Ok(()),
        [tool, ..] if TOOLS.contains(tool) || tool.starts_with('.') => Ok(()),
        [other, ..] if root().join(other).exists() => Ok(()),
        [other, ..] => Err(format!("who is `{other}`?")),
    }
}

/// Whether the program takes these arguments: with `--help` at the end it parses what stands before and does nothing.
fn taken(args: &[&str]) -> Result<(), String> {
    let args = args.iter().filter(|word| !matches!(**word, "2>&1"));
    let output = console::symbiosis(root()).args(args.clone()).arg("--help").output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    match args.into_iter().find(|word| word.starts_with("scenarios/") && !root().join(word).exists()) {
        Some(missing) => Err(format!("{missing} is not there")),
        None => Ok(()),
    }
}

/// Whether cargo has that package, and the package that test or bench.
fn target(rest: &[&str]) -> Result<(), String> {
    let after = |flag: &str| rest.iter().position(|word| *word == flag).and_then(|at| rest.get(at + 1)).copied();
    let Some(package) = after("-p") else { return Ok(()) };
    let folder = root().join("crates").join(package.strip_prefix("symbiosis-").ok_or(format!("no package is called {package}"))?);
    if !folder.join("Cargo.toml").exists() {
        return Err(format!("no package is called {package}"));
    }
    for (flag, place) in [("--test", "tests"), ("--bench", "benches"), ("--example", "examples")] {
        if let Some(name) = after(flag)
            && !folder.join(place).join(format!("{name}.rs")).exists()
            && !folder.join(place).join(name).join("main.rs").exists()
        {
            return Err(format!("{package} has no {flag} {name}"));
        }
    }
    Ok(())
}
