//! `results.json`: every claim as data.

use serde::Serialize;

use super::entry::{Entry, key, why, word};
use crate::outcome::{Bar, Check, Verdict};

/// One claim. Numbers are null where nothing was run.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    source: &'a str,
    world: &'a str,
    claim: &'a str,
    basis: &'a str,
    place: &'a str,
    stated: &'a str,
    bar: Bar,
    measured: Option<f64>,
    ci95: Option<f64>,
    unit: &'a str,
    verdict: &'a str,
    seeds: Option<u64>,
    command: &'a str,
    why: Option<String>,
    /// What confirmed why; null where it is supposed, or where there is nothing to confirm.
    check: Option<Checked<'a>>,
}

/// The check of a reason.
#[derive(Serialize)]
struct Checked<'a> {
    what: &'a str,
    bar: Bar,
    measured: f64,
    ci95: f64,
    seeds: u64,
}

impl<'a> Checked<'a> {
    fn of(Check { what, measured, bar }: &'a Check) -> Checked<'a> {
        Checked { what, bar: *bar, measured: measured.mean, ci95: measured.ci95, seeds: measured.seeds }
    }
}

/// All claims, in the order of the page.
pub fn json(entries: &[Entry]) -> String {
    let claims = entries.iter().flat_map(|entry| entry.outcome.claims.iter().map(move |claim| (entry, claim)));
    let rows: Vec<Row> = claims
        .map(|(entry, claim)| {
            let run = claim.verdict() != Verdict::NotRun;
            Row {
                id: entry.id,
                source: entry.source,
                world: entry.world,
                claim: &claim.text,
                basis: key(claim.reference.basis),
                place: &claim.reference.place,
                stated: &claim.stated,
                bar: claim.bar,
                measured: run.then_some(claim.measured.mean),
                ci95: run.then_some(claim.measured.ci95),
                unit: &claim.unit,
                verdict: word(claim.verdict()),
                seeds: run.then_some(claim.measured.seeds),
                command: &entry.command,
                why: why(claim),
                check: claim.reason.as_ref().and_then(|reason| reason.check.as_ref()).map(Checked::of),
            }
        })
        .collect();
    serde_json::to_string_pretty(&rows).expect("only text and numbers") + "\n"
}
