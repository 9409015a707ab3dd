//! Figures of experiments: a number in a document names its claim in a comment right behind it, `0.9997<!-- T3: Jain's index -->`.
//!
//! The numbers are in `docs/results/quick.jsonl`, a line a claim, and CI compares that file with what `symbiosis reproduce --quick` has found. So a
//! number that is no longer true fails, here or there. `UPDATE_DOCUMENTS=1` writes the numbers anew.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;

const OPEN: &str = "<!-- ";
const CLOSE: &str = " -->";

/// What was measured, by experiment and claim: mean, and half the confidence interval.
pub struct Results {
    claims: BTreeMap<(String, String), (f64, f64)>,
    /// How many claims of papers, of theory and of ours got each verdict, how many there are, how many have their mean where it must be whatever its
    /// interval, and the part that holds \[%\]: `published: holds`, `theory: all`, `ours: by the mean`, `published: share`.
    counts: BTreeMap<(String, String), f64>,
}

/// Whether the mean of a line's claim is where it must be. To the last bit, to which serde_json does not read: a bar of "less than 1" is 1 less that bit.
fn within(line: &str) -> bool {
    let numbers = line.split_once(",\"bar\":[").and_then(|(_, rest)| rest.split_once(",\"ci95\"")).map(|(numbers, _)| numbers);
    let (bar, measured) = numbers.and_then(|numbers| numbers.split_once("],\"measured\":")).expect("bar and number stand side by side");
    let (least, most) = bar.split_once(',').expect("a bar has two ends");
    let end = |text: &str, without: f64| text.parse().unwrap_or(without);
    (end(least, f64::NEG_INFINITY)..=end(most, f64::INFINITY)).contains(&end(measured, f64::NAN))
}

impl Results {
    /// Reads the file.
    pub fn read(root: &Path) -> Results {
        let text = std::fs::read_to_string(root.join("docs/results/quick.jsonl")).unwrap();
        let (mut claims, mut counts) = (BTreeMap::new(), BTreeMap::new());
        for line in text.lines() {
            let claim: Value = serde_json::from_str(line).unwrap();
            let word = |key: &str| claim[key].as_str().unwrap().to_owned();
            let mut kinds = vec!["all".to_owned(), word("verdict")];
            if let Some(measured) = claim["measured"].as_f64() {
                claims.insert((word("id"), word("claim")), (measured, claim["ci95"].as_f64().unwrap_or(0.0)));
                if within(line) {
                    kinds.push("by the mean".into());
                }
            }
            for kind in kinds {
                *counts.entry((word("basis"), kind)).or_insert(0.0) += 1.0;
            }
        }
        let count = |basis: &str, kind: &str| counts.get(&(basis.to_owned(), kind.to_owned())).copied().unwrap_or(0.0);
        let shares = ["published", "theory", "ours"].map(|basis| (basis, 100.0 * count(basis, "holds") / count(basis, "all")));
        counts.extend(shares.map(|(basis, share)| ((basis.to_owned(), "share".to_owned()), share)));
        Results { claims, counts }
    }

    fn find(&self, marker: &str) -> Option<Result<(f64, f64), String>> {
        let (id, claim) = marker.split_once(": ")?;
        if ["published", "theory", "ours"].contains(&id) {
            let count = self.counts.get(&(id.to_owned(), claim.to_owned()));
            return Some(count.map(|count| (*count, 0.0)).ok_or(format!("no verdict is called `{claim}`")));
        }
        let is_id = id.len() <= 3 && id.starts_with(|c: char| c.is_ascii_uppercase()) && id[1..].chars().all(|c| c.is_ascii_digit());
        is_id.then(|| self.claims.get(&(id.to_owned(), claim.to_owned())).copied().ok_or(format!("no claim is called `{marker}`")))
    }
}

/// A figure in a page: where it stands, and what should stand there.
pub struct Figure {
    pub range: Range<usize>,
    pub line: usize,
    pub right: Result<String, String>,
}

/// All figures of a page, in order.
pub fn figures(page: &str, results: &Results) -> Vec<Figure> {
    let mut found = Vec::new();
    for (at, _) in page.match_indices(OPEN) {
        let rest = &page[at + OPEN.len()..];
        let Some(end) = rest.find(CLOSE) else { continue };
        let Some(measured) = results.find(&rest[..end]) else { continue };
        let range = number_before(page, at);
        let right = measured.map(|(mean, half)| written_as(&page[range.clone()], mean, half));
        found.push(Figure { range, line: page[..at].lines().count(), right });
    }
    found
}

/// `12.3` or `12.3 ± 0.4` that ends at `end`.
fn number_before(page: &str, end: usize) -> Range<usize> {
    let word =
        |end: usize| page[..end].rfind(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '−'))).map_or(0, |at| at + char_len(page, at));
    let number = |end: usize| {
        let mut start = word(end);
        // Thousands are set apart by a space.
        while page[start..end].split('.').next().is_some_and(|whole| whole.split(' ').next().is_some_and(|group| group.len() == 3))
            && let Some(before) = page[..start].strip_suffix(' ')
            && word(before.len()) < before.len()
        {
            start = word(before.len());
        }
        start
    };
    let last = number(end);
    match page[..last].strip_suffix("± ").or(page[..last].strip_suffix('±')) {
        Some(before) => number(before.trim_end().len())..end,
        None => last..end,
    }
}

fn char_len(page: &str, at: usize) -> usize {
    page[at..].chars().next().map_or(0, char::len_utf8)
}

/// The measured number with as many decimals as the old text has.
fn written_as(old: &str, mean: f64, half: f64) -> String {
    let decimals = |text: &str| text.trim().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let number = |value: f64, like: &str| {
        let text = format!("{:.*}", decimals(like), value.abs());
        let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        let grouped =
            if whole.len() > 4 { format!("{} {}", &whole[..whole.len() - 3], &whole[whole.len() - 3..]) } else { whole.to_owned() };
        format!("{}{grouped}{rest}", if value < 0.0 { "−" } else { "" })
    };
    match old.split_once('±') {
        Some((left, right)) => format!("{} ± {}", number(mean, left), number(half, right)),
        None => number(mean, old),
    }
}

#[test]
fn a_figure_is_the_number_before_its_marker() {
    let key = |claim: &str| ("T3".to_owned(), claim.to_owned());
    let claims = BTreeMap::from([(key("a"), (0.99968, 0.0)), (key("b"), (-76.774, 0.051)), (key("c"), (34012.0, 0.0))]);
    let results = Results { claims, counts: BTreeMap::from([(("published".to_owned(), "holds".to_owned()), 103.0)]) };
    let page = "Jain 2 0.9997<!-- T3: a --> and −76.77 ± 0.05<!-- T3: b -->, 34 011<!-- T3: c -->, 5<!-- T3: d -->, 102<!-- published: holds --> <!-- no figure -->";
    let found: Vec<_> = figures(page, &results).into_iter().map(|figure| (page[figure.range].to_owned(), figure.right)).collect();
    let right = |old: &str, new: &str| (old.to_owned(), Ok(new.to_owned()));
    assert_eq!(found[0], right("0.9997", "0.9997"));
    assert_eq!(found[1], right("−76.77 ± 0.05", "−76.77 ± 0.05"));
    assert_eq!(found[2], right("34 011", "34 012"));
    assert!(found[3].1.is_err());
    assert_eq!(found[4], right("102", "103"));
    assert_eq!(found.len(), 5);
}

#[test]
fn a_mean_at_the_end_of_less_than_is_not_within() {
    let line = |bar: &str, measured: &str| format!("{{\"claim\":\"\",\"bar\":[{bar}],\"measured\":{measured},\"ci95\":0.0}}");
    assert!(!within(&line("null,-5e-324", "0.0")) && within(&line("null,0.0", "0.0")));
    assert!(!within(&line("null,0.9999999999999999", "1.0")) && within(&line("1.0,2.0", "1.5")) && !within(&line("1.0,null", "null")));
}
