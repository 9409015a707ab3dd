//! One experiment's part of the page.

use super::entry::{Entry, place, why, word};
use super::html::{anchor, escaped, paragraphs, prose};
use super::number::measured;
use super::parts::figure;
use crate::outcome::{Claim, Verdict};

/// Heading, notes, figures, claims, scenarios, command.
pub(super) fn experiment(entry: &Entry, scenarios: &[(String, &str)]) -> String {
    let (id, title, source) = (escaped(entry.id), escaped(entry.title), escaped(entry.source));
    let anchor = anchor(entry.id);
    let notes: String = entry.outcome.notes.iter().map(|note| paragraphs(note)).collect();
    let figures: String = entry.outcome.figures.iter().map(figure).collect();
    let claims = if entry.outcome.claims.is_empty() { String::new() } else { claims(&entry.outcome.claims) };
    let scenarios: String = scenarios.iter().map(|(file, toml)| scenario(file, toml)).collect();
    let command = escaped(&entry.command);
    let source = if source.is_empty() { source } else { format!(" <span class=\"source\">{source}</span>") };
    format!(
        "<section class=\"experiment\" id=\"{anchor}\">\n\
         <h2><a class=\"id\" href=\"#{anchor}\">{id}</a> {title}{source}</h2>\n\
         <div class=\"notes\">{notes}</div>\n<div class=\"figures\">{figures}</div>\n{claims}\
         <div class=\"again\"><span>Run it again</span><code>{command}</code><button type=\"button\" class=\"copy\">Copy</button></div>\n\
         {scenarios}</section>\n"
    )
}

fn claims(claims: &[Claim]) -> String {
    let rows: String = claims.iter().map(row).collect();
    format!(
        "<table class=\"claims\">\n<thead><tr><th>Claim</th><th>Stated</th><th>Measured</th><th>Verdict</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}

fn row(claim: &Claim) -> String {
    let (text, paper, ours) = (prose(&claim.text), prose(&claim.stated), escaped(&measured(claim)));
    let seeds = match claim.measured.seeds {
        0 | 1 => String::new(),
        _ if claim.verdict == Verdict::NotRun => String::new(),
        seeds => format!(" <small>{seeds} seeds</small>"),
    };
    let why = why(claim).map_or(String::new(), |why| format!("<p class=\"why\"><b>Why:</b> {}</p>", prose(&why)));
    let place = escaped(&place(claim));
    format!(
        "<tr><td data-head=\"Claim\"><div>{text}{why}</div></td><td data-head=\"Stated\"><div>{paper} <small>{place}</small></div></td>\
         <td data-head=\"Measured\"><div>{ours}{seeds}</div></td><td data-head=\"Verdict\"><div>{}</div></td></tr>\n",
        badge(claim.verdict)
    )
}

/// The verdict as a coloured word.
pub(super) fn badge(verdict: Verdict) -> String {
    let word = word(verdict);
    format!("<span class=\"verdict {}\">{word}</span>", word.replace(' ', "-"))
}

fn scenario(file: &str, toml: &str) -> String {
    let (name, file) = (escaped(file.trim_start_matches("scenarios/")), escaped(file));
    format!(
        "<details>\n<summary>Scenario <code>{name}</code></summary>\n<p><a href=\"{file}\">{file}</a></p>\n<pre><code>{}</code></pre>\n</details>\n",
        escaped(toml.trim_end())
    )
}
