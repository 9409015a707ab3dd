//! What is read from files of others, changed at random: it is read or refused with an error, and nothing panics or takes long.
//!
//! Inputs begin from a corpus and are cut, repeated, spliced and given numbers at the edges of what types hold. The same seed gives the same inputs; how
//! many there are depends on the time, `SYMBIOSIS_FUZZ_SECONDS` for each target (1 if it is not set).

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use symbiosis_base::Random;
use symbiosis_path::Trace;
use symbiosis_quic::identity::{Fingerprint, Identity, Trust};
use symbiosis_quic::plain::{is_plain, plain};
use symbiosis_scenario::Scenario;

/// What is put in place of numbers, and anywhere.
const WORDS: [&str; 24] = [
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "1e308",
    "1e-308",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709552",
    "nan",
    "inf",
    "-inf",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[flow]]\n",
    "[[link]]\n",
    "\u{202e}",
    "\n",
    "=",
];
/// No input takes longer: twice what the longest needs where the machine is busy.
const LONGEST: Duration = Duration::from_secs(10);

fn below(random: &mut Random, end: usize) -> usize {
    ((random.uniform() * end as f64) as usize).min(end.saturating_sub(1))
}

/// A place in a text where it can be cut.
fn place(random: &mut Random, text: &str) -> usize {
    let mut at = below(random, text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn changed(random: &mut Random, corpus: &[String]) -> String {
    let mut text = corpus[below(random, corpus.len())].clone();
    for _ in 0..=below(random, 6) {
        let (a, b) = (place(random, &text), place(random, &text));
        let (a, b) = (a.min(b), a.max(b));
        let word = WORDS[below(random, WORDS.len())];
        match below(random, 6) {
            0 => text.insert_str(a, word),
            1 if b - a < 40 => text.replace_range(a..b, word),
            2 => {
                // A whole number or name.
                let word_at = |c: char| !c.is_ascii_alphanumeric() && c != '.';
                let start = text[..a].rfind(word_at).map_or(0, |at| at + 1);
                let end = text[a..].find(word_at).map_or(text.len(), |at| a + at);
                if text.is_char_boundary(start) {
                    text.replace_range(start..end, word);
                }
            }
            3 if text.len() < 20_000 => {
                let piece = text[a..b].to_string();
                text.insert_str(b, &piece);
            }
            4 => {
                let other = &corpus[below(random, corpus.len())];
                let (from, to) = (place(random, other), place(random, other));
                text.insert_str(a, &other[from.min(to)..from.max(to)]);
            }
            _ => text.replace_range(a..b, ""),
        }
    }
    text
}

fn fuzz(name: &str, corpus: &[String], read: impl Fn(&str) -> bool) {
    let seconds = std::env::var("SYMBIOSIS_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let (start, mut random) = (Instant::now(), Random::new(1, 0));
    let (mut executions, mut taken) = (0_u64, 0_u64);
    for text in corpus {
        assert!(read(text), "{name}: the corpus itself is refused: {text}");
    }
    while executions < 100 || start.elapsed() < Duration::from_secs_f64(seconds) {
        let text = changed(&mut random, corpus);
        let began = Instant::now();
        let Ok(good) = catch_unwind(AssertUnwindSafe(|| read(&text))) else { panic!("{name}: panics at {text:?}") };
        assert!(began.elapsed() < LONGEST, "{name}: {:?} for {text:?}", began.elapsed());
        executions += 1;
        taken += u64::from(good);
    }
    eprintln!("{name}: {executions} executions in {:.1} s, {taken} inputs were good", start.elapsed().as_secs_f64());
    assert!(taken < executions, "{name}: nothing is refused");
}

fn files(folder: &str, ends: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.to_string_lossy().ends_with(ends)).map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn scenarios_are_read_or_refused() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    fuzz("scenario", &files("scenarios", ".toml"), |text| match Scenario::parse(text, "fuzz.toml", Some(&base), &[]) {
        Ok(_) => true,
        Err(error) => {
            assert!(!error.what.is_empty() && error.at.is_none_or(|at| error.text.get(at).is_some()));
            false
        }
    });
}

#[test]
fn traces_are_read_or_refused() {
    let mut corpus = files("scenarios/traces", ".trace");
    corpus.push("1\n2\n2\n5\n".into());
    fuzz("trace", &corpus, |text| Trace::parse(text).is_ok_and(|trace| trace.mean().bytes_per_s() > 0.0));
}

#[test]
fn identities_are_read_or_refused() {
    let corpus: Vec<_> = (0..2).map(|_| Identity::generate().unwrap().1).collect();
    fuzz("identity", &corpus, |text| {
        let authorities = Trust::authorities(text).is_ok();
        Identity::from_pem(text).map(|identity| identity.fingerprint()).is_ok() && authorities
    });
}

#[test]
fn fingerprints_and_words_of_others_are_read_or_refused() {
    let corpus = ["ab".repeat(32), vec!["0f"; 32].join(":")];
    fuzz("fingerprint", &corpus, |text| {
        assert!(is_plain(&plain(text)));
        Fingerprint::parse(text).is_some_and(|read| Fingerprint::parse(&read.to_string()) == Some(read))
    });
}
