//! Whom a server knows: fingerprints, by themselves or in files.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use symbiosis_quic::identity::Fingerprint;
use symbiosis_quic::plain::plain;

use crate::failure::Failure;

/// What is given to an option as WHO: fingerprints, and files with one at the beginning of each line.
///
/// # Errors
/// One of them is neither, or names nobody: a server that was to be for some is not to be for all.
pub fn named(option: &str, all: &[String]) -> Result<BTreeSet<Fingerprint>, Failure> {
    let mut these = BTreeSet::new();
    for who in all {
        match Fingerprint::parse(who) {
            Some(fingerprint) => {
                these.insert(fingerprint);
            }
            None => these.extend(in_file(option, who)?),
        }
    }
    Ok(these)
}

fn in_file(option: &str, who: &str) -> Result<Vec<Fingerprint>, Failure> {
    let help = "give a fingerprint, which `symbiosis identity` prints, or a file with one at the beginning of each line";
    let fault = |why: String| Failure::input(format!("{option} {who}: {why}"), help);
    let text = fs::read_to_string(PathBuf::from(who))
        .map_err(|error| fault(format!("this is no fingerprint of 64 hexadecimal digits, and no file that can be read: {error}")))?;
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(at, line): (usize, &str)| {
        let first = line.split_whitespace().next().and_then(Fingerprint::parse);
        first.ok_or_else(|| fault(format!("line {} begins with no fingerprint: {}", at + 1, plain(line))))
    };
    let these: Vec<_> = lines.map(read).collect::<Result<_, _>>()?;
    match these.is_empty() {
        true => Err(fault("it names nobody".into())),
        false => Ok(these),
    }
}
