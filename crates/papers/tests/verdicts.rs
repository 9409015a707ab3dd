//! Every claim of every experiment, as a quick reproduction found it: `docs/results/quick.jsonl`, which CI compares with the reproduction that it runs.
//!
//! A claim has no verdict of its own: `Claim::verdict` makes it of the number, its interval and the bar. So what is held to here, on the numbers of
//! each claim, is that nothing else decides, that each can come out in another way, and that what differs says why.

use std::collections::BTreeSet;

use serde::Deserialize;
use symbiosis_papers::ALL;
use symbiosis_report::outcome::{Bar, Measured, Verdict};

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    claim: String,
    bar: Bar,
    /// Null where some runs never came to it, or where they do not tell.
    measured: Option<f64>,
    ci95: f64,
    seeds: u64,
    verdict: String,
    why: Option<String>,
    check: Option<Checked>,
}

#[derive(Debug, Deserialize)]
struct Checked {
    what: String,
    bar: Bar,
    measured: f64,
    ci95: f64,
    seeds: u64,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/quick.jsonl")).unwrap();
    text.lines().map(row).collect()
}

/// A row, its numbers to the last bit: serde_json reads them to the last but one, and a bar of "less than 1" is 1 less that bit.
fn row(line: &str) -> Row {
    let mut row: Row = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    // The claim's words come first and may hold anything; its numbers are between them and the reason.
    let (words, rest) = line.split_once(",\"bar\":").expect("every row has a bar");
    assert!(words.contains("\"claim\":"), "{line}");
    let numbers: Vec<f64> = rest
        .split_once(",\"verdict\"")
        .expect("and a verdict")
        .0
        .split(|c: char| "[],:".contains(c))
        .filter_map(|part| part.parse().ok())
        .collect();
    let mut numbers = numbers.into_iter();
    let mut next = || numbers.next().expect("as many as serde_json finds");
    for end in [&mut row.bar.least, &mut row.bar.most].into_iter().filter(|end| end.is_finite()) {
        *end = next();
    }
    row.measured = row.measured.map(|_| next());
    row.ci95 = next();
    row
}

/// A number with that interval, as it was recorded.
fn measured(mean: f64, ci95: f64, seeds: u64) -> Measured {
    serde_json::from_value(serde_json::json!({ "mean": mean, "ci95": ci95, "seeds": seeds })).unwrap()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Differs => "differs",
        Verdict::Undecided => "undecided",
        Verdict::NotRun => "not run",
    }
}

#[test]
fn every_experiment_is_there() {
    let there: BTreeSet<String> = rows().into_iter().map(|row| row.id).collect();
    let listed: BTreeSet<String> = ALL.iter().map(|experiment| experiment.id.to_owned()).collect();
    assert_eq!(there, listed);
}

#[test]
fn a_verdict_is_that_of_the_number_and_its_interval() {
    for row in rows() {
        match row.measured {
            Some(mean) => assert_eq!(row.verdict, word(row.bar.verdict(measured(mean, row.ci95, row.seeds))), "{row:?}"),
            None => assert!(["differs", "undecided"].contains(&&*row.verdict), "what is not there does not hold: {row:?}"),
        }
    }
}

/// Each claim's number, moved beyond its bar with the interval that it has: nothing but the number and its interval decides, and both ways.
#[test]
fn a_number_moved_beyond_its_bar_flips_the_verdict() {
    for row in rows() {
        let Bar { least, most } = row.bar;
        assert!(least <= most && (least.is_finite() || most.is_finite()), "no number could flip it: {row:?}");
        let verdict = |mean: f64, ci95: f64| row.bar.verdict(measured(mean, ci95, 10));
        let ends = [(least, -1.0), (most, 1.0)].into_iter().filter(|(end, _)| end.is_finite());
        for (end, outwards) in ends {
            let step = (1e-9 * end.abs()).max(1e-9);
            assert_eq!(verdict(end + outwards * (row.ci95 + step), row.ci95), Verdict::Differs, "{row:?}");
            assert_eq!(verdict(end, 0.0), Verdict::Holds, "{row:?}");
            // Across the end the interval decides nothing; a bar without width is met by a number without an interval or not at all.
            let across = if least == most { Verdict::Differs } else { Verdict::Undecided };
            assert_eq!(verdict(end, row.ci95.max(step)), across, "{row:?}");
            let inwards = end - outwards * (row.ci95 + step);
            if least == f64::NEG_INFINITY || most == f64::INFINITY {
                assert_eq!(verdict(inwards, row.ci95), Verdict::Holds, "{row:?}");
            }
        }
    }
}

/// A number without an interval is mathematics, or of runs that nothing random enters: the experiments of `a_random_number_has_an_interval` in tests/claims.rs,
/// S8, which is S7 at ten times the rate, and S11, which is I6 with other neighbours.
#[test]
fn only_what_is_not_random_has_no_interval() {
    let not_random = ["I6", "S7", "S8", "S11", "T11", "H2", "H4", "H5"];
    for row in rows().into_iter().filter(|row| row.seeds == 1 && row.ci95 == 0.0) {
        let formula = ["I1", "S1"].contains(&&*row.id) || (["S4", "S5"].contains(&&*row.id) && row.claim.contains("formula"));
        assert!(formula || not_random.contains(&&*row.id), "{row:?}");
    }
}

/// Whoever differs says why: a check of the same runs or of the theory confirms it, or it is marked as supposed.
#[test]
fn what_differs_says_why() {
    for row in rows().into_iter().filter(|row| row.verdict == "differs") {
        let why = row.why.as_deref().unwrap_or_else(|| panic!("{}: {}: it differs, and nobody says why", row.id, row.claim));
        match &row.check {
            Some(check) => {
                let Checked { what, bar, measured: mean, ci95, seeds } = check;
                assert!(!what.is_empty(), "{row:?}");
                assert_eq!(bar.verdict(measured(*mean, *ci95, *seeds)), Verdict::Holds, "the check fails: {row:?}");
                assert!(!why.starts_with("supposed"), "{row:?}");
            }
            None => assert!(why.starts_with("supposed: ") && why.len() > "supposed: ".len(), "{row:?}"),
        }
    }
}
