//! Claims and their counts as templates show them.

use crate::entry::{Counts, key, place, why, word};
use crate::html::prose;
use crate::number::{checked, measured};
use crate::outcome::{Claim, Verdict};

/// How many claims got which verdict, to be drawn.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) parts: Vec<Part>,
}

pub(super) struct Part {
    pub(super) class: &'static str,
    pub(super) word: &'static str,
    pub(super) count: usize,
}

/// Counts as a bar.
pub(super) fn bar(counts: Counts) -> Bar {
    let parts = [
        (Verdict::Holds, counts.holds),
        (Verdict::Differs, counts.differs),
        (Verdict::Undecided, counts.undecided),
        (Verdict::NotRun, counts.not_run),
    ];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0).map(|(verdict, count)| Part {
        class: class(verdict),
        word: word(verdict),
        count,
    });
    Bar { label: counts.to_string(), parts: parts.collect() }
}

/// A verdict as a name in the style sheet.
fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotRun => "not-run",
        other => word(other),
    }
}

/// A claim to be shown. `text`, `stated` and `why` are HTML.
pub(super) struct Shown {
    pub(super) class: &'static str,
    pub(super) verdict: &'static str,
    pub(super) basis: &'static str,
    pub(super) text: String,
    pub(super) stated: String,
    pub(super) place: String,
    pub(super) measured: String,
    pub(super) seeds: String,
    pub(super) why: String,
}

/// A claim as it is shown.
pub(super) fn shown(claim: &Claim) -> Shown {
    let many = claim.measured.seeds > 1 && claim.verdict() != Verdict::NotRun;
    let check = claim.reason.as_ref().and_then(|reason| reason.check.as_ref());
    let check = check.map_or(String::new(), |check| format!(" <small>Checked: {}</small>", prose(&checked(check))));
    Shown {
        class: class(claim.verdict()),
        verdict: word(claim.verdict()),
        basis: key(claim.reference.basis),
        text: prose(&claim.text),
        stated: prose(&claim.stated),
        place: place(claim),
        measured: measured(claim),
        seeds: if many { format!("{} seeds", claim.measured.seeds) } else { String::new() },
        why: why(claim).map(|why| format!("{}{check}", prose(&why))).unwrap_or_default(),
    }
}
